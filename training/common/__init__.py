"""Parts that the training scripts share, see `tzaar_envs.training`."""
