"""The masked module: what is illegal has probability 0, whatever the network says."""

import pytest
import torch
from ray.rllib.core.columns import Columns

import tzaar_envs
from tzaar_envs.networks.shapes import AnyShape, NetworkShape
from tzaar_envs.training.rllib_ppo import LEARNER, RllibArguments, configure
from tzaar_envs.wrappers.rllib_env import RLlibEnv


def module_and_batch(name: str, shape: AnyShape | None = None) -> tuple:
    game = tzaar_envs.load_game(name)
    shape = shape or NetworkShape.for_game(game, 8, 1)
    torch.manual_seed(1)
    config = configure(RllibArguments(game=name), {"game": name}, shape)
    module = config.rl_module_spec.rl_module_specs[LEARNER].build()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)  # logits of every size
    env = RLlibEnv({"game": name})
    views = [env.reset(seed=seed)[0]["player_0"] for seed in range(3)]
    seen = {key: torch.stack([torch.from_numpy(view[key]) for view in views]) for key in views[0]}
    return module, {Columns.OBS: seen}


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_illegal_actions_have_no_probability(name: str) -> None:
    module, batch = module_and_batch(name)
    mask = batch[Columns.OBS]["action_mask"] == 1
    for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
        logits = forward(batch)[Columns.ACTION_DIST_INPUTS]
        distribution = module.get_train_action_dist_cls().from_logits(logits)
        assert (logits.softmax(1)[~mask] == 0).all()
        assert torch.isfinite(distribution.entropy()).all()
        drawn = torch.stack([distribution.sample() for _ in range(50)])
        assert mask.gather(1, drawn.T).all()
