"""Train a policy with PPO of Tianshou and measure it against the baselines.

    tzaar-envs train --algo tianshou-ppo turm_und_waechter
    python training/tianshou_ppo.py turm_und_waechter

The network first imitates a baseline of the game (see `imitation`), then learns by PPO (Schulman et
al., 2017) with masked actions in games against a schedule of opponents (see `opponents`). The
learner's seat is drawn for every game. Everything that a run makes lies in its folder (see
`run_folder`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tzaar_envs.training.opponents import OpponentSettings
from tzaar_envs.training.run import run_script
from tzaar_envs.training.settings import setting
from tzaar_envs.training.tianshou_run import TianshouRun

if TYPE_CHECKING:
    from tianshou.algorithm.optim import OptimizerFactory

_VALUE_WEIGHT = 0.5  # of the loss
_LARGEST_GRADIENT = 0.5  # norm


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(OpponentSettings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "tianshou-ppo"

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
    """Train a policy with PPO and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `tianshou` is not installed.
    """
    run_script(TianshouPPORun, arguments)


# --- the run -------------------------------------------------------------------------------------


class TianshouPPORun(TianshouRun[Arguments]):
    """PPO in one seat, against a schedule of opponents in the others."""

    title = "Tianshou PPO"

    def make_algorithm(self, optimizer: OptimizerFactory) -> Any:
        """Return Tianshou's algorithm for `learner`."""
        from tianshou.algorithm import PPO
        from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy

        from tzaar_envs.training.tianshou_policies import Actor, Critic

        arguments = self.settings
        return PPO(
            policy=DiscreteActorPolicy(
                actor=Actor(self.learner), action_space=self.env.single_action_space
            ),
            critic=Critic(self.learner),
            optim=optimizer,
            eps_clip=arguments.clip_range,
            vf_coef=_VALUE_WEIGHT,
            ent_coef=arguments.entropy,
            max_grad_norm=_LARGEST_GRADIENT,
            gae_lambda=arguments.gae_lambda,
            max_batchsize=arguments.batch_size,
            gamma=arguments.gamma,
        )

    def learn(self) -> None:
        """Play and learn until the budget is used."""
        from tianshou.utils.torch_utils import policy_within_training_step

        arguments, algorithm = self.settings, self.algorithm
        buffer = self.new_buffer(arguments.num_envs * arguments.rollout)
        while self.used < 1.0:
            self.collect(buffer)
            with policy_within_training_step(algorithm.policy):
                statistics = algorithm.update(buffer, arguments.batch_size, arguments.epochs)
            buffer.reset(keep_statistics=True)
            losses = statistics.get_loss_stats_dict()
            self.after_rollout({f"train/{name}": value for name, value in losses.items()})


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
