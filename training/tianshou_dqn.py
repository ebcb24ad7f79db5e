"""Train a policy with double DQN of Tianshou and measure it against the baselines.

    tzaar-envs train --algo tianshou-dqn turm_und_waechter
    python training/tianshou_dqn.py turm_und_waechter

The network first imitates a baseline of the game (see `imitation`), then learns the values of the
legal actions by double DQN (van Hasselt et al., 2016) in games against a schedule of opponents (see
`opponents`). The learner's seat is drawn for every game. Everything that a run makes lies in its
folder (see `run_folder`).
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


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(OpponentSettings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "tianshou-dqn"

    gradient_steps: int = setting("Gradient steps in each update.", 12, "positive")
    buffer_size: int = setting("Capacity of the replay buffer, in decisions.", 50_000, "positive")
    learning_starts: int = setting(
        "Decisions in the replay buffer before the first update.", 20_000, "not negative"
    )
    target_every: int = setting(
        "Gradient steps between two updates of the target network.", 24, "positive"
    )
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 5e-4, "positive")
    exploration: float = setting(
        "Initial share of random actions; decays to 10 %.", 0.2, "fraction"
    )


def train(arguments: Arguments) -> None:
    """Train a policy with double DQN and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `tianshou` is not installed.
    """
    run_script(TianshouDQNRun, arguments)


# --- the run -------------------------------------------------------------------------------------


class TianshouDQNRun(TianshouRun[Arguments]):
    """Double DQN in one seat, against a schedule of opponents in the others."""

    title = "Tianshou DQN"

    def make_algorithm(self, optimizer: OptimizerFactory) -> Any:
        """Return Tianshou's algorithm for `learner`."""
        from tianshou.algorithm import DQN

        from tzaar_envs.training.tianshou_policies import QPolicy

        policy = QPolicy(
            model=self.learner,
            action_space=self.env.single_action_space,
            seed=self.settings.seed,
        )
        return DQN(
            policy=policy,
            optim=optimizer,
            gamma=self.settings.gamma,
            # It copies to the target with its very first step too, so also after a resume.
            target_update_freq=self.settings.target_every,
            is_double=True,
            huber_loss_delta=1.0,
        )

    def learn(self) -> None:
        """Play and learn until the budget is used."""
        from tianshou.utils.torch_utils import policy_within_training_step

        arguments, algorithm = self.settings, self.algorithm
        buffer = self.new_buffer(arguments.buffer_size)
        first_update = self.steps + arguments.learning_starts
        while self.used < 1.0:
            algorithm.policy.set_eps_training(arguments.exploration * self.decay)
            self.collect(buffer)
            losses = []
            if self.steps >= first_update:
                with policy_within_training_step(algorithm.policy):
                    for _ in range(arguments.gradient_steps):
                        statistics = algorithm.update(buffer, arguments.batch_size)
                        losses.append(statistics.loss)
            self.after_rollout({"train/loss": sum(losses) / len(losses)} if losses else {})


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
