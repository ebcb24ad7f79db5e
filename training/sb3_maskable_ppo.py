"""Train a policy with MaskablePPO of sb3-contrib and measure it against the baselines.

    tzaar-envs train turm_und_waechter
    python training/sb3_maskable_ppo.py turm_und_waechter

The network first imitates a baseline of the game (see `imitation`), then learns by PPO with masked
actions (Huang and Ontañón, 2020) in games against a schedule of opponents (see `opponents`). The
learner's seat is drawn for every game. Everything that a run makes lies in its folder (see
`run_folder`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tzaar_envs.training.opponents import OpponentSettings
from tzaar_envs.training.run import run_script
from tzaar_envs.training.sb3_run import SB3Run
from tzaar_envs.training.settings import setting

if TYPE_CHECKING:
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(OpponentSettings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "sb3"

    epochs: int = setting("Passes over the samples in each update.", 3, "positive")
    gae_lambda: float = setting(
        "Smoothing factor (lambda) of generalized advantage estimation.", 0.95, "fraction"
    )
    clip_range: float = setting(
        "PPO clipping range: how far the probability ratio may move from 1.", 0.2, "fraction"
    )
    entropy: float = setting(
        "Weight of the entropy bonus, which rewards exploration.", 0.005, "not negative"
    )


def train(arguments: Arguments) -> None:
    """Train a policy with MaskablePPO and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    run_script(MaskablePPORun, arguments)


# --- the run -------------------------------------------------------------------------------------


class MaskablePPORun(SB3Run[Arguments]):
    """MaskablePPO in one seat, against a schedule of opponents in the others."""

    title = "MaskablePPO"
    packages = ("sb3_contrib",)

    def make_model(self, env: SingleAgentVecEnv) -> Any:
        """Return the model."""
        from sb3_contrib import MaskablePPO

        from tzaar_envs.training.sb3_policy import TrunkPolicy

        arguments = self.settings
        return MaskablePPO(
            TrunkPolicy,
            env,
            learning_rate=self.learning_rate,
            n_steps=arguments.rollout,
            batch_size=arguments.batch_size,
            n_epochs=arguments.epochs,
            gamma=arguments.gamma,
            gae_lambda=arguments.gae_lambda,
            clip_range=arguments.clip_range,
            ent_coef=arguments.entropy,
            policy_kwargs={"shape": self.shape},
            seed=arguments.seed,
            device="cpu",
        )


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
