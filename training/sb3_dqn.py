"""Train a policy with DQN of Stable-Baselines3 and measure it against the baselines.

    tzaar-envs train --algo sb3-dqn turm_und_waechter
    python training/sb3_dqn.py turm_und_waechter

The network first imitates a baseline of the game (see `imitation`), then learns the values of the
legal actions by DQN (Mnih et al., 2015) in games against a schedule of opponents (see `opponents`).
The learner's seat is drawn for every game. Everything that a run makes lies in its folder (see
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

    algorithm = "sb3-dqn"

    gradient_steps: int = setting("Gradient steps in each update.", 12, "positive")
    buffer_size: int = setting("Capacity of the replay buffer, in decisions.", 100_000, "positive")
    learning_starts: int = setting(
        "Decisions in the replay buffer before the first update.", 20_000, "not negative"
    )
    target_every: int = setting(
        "Steps between two updates of the target network.", 8192, "positive"
    )
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 5e-4, "positive")
    exploration: float = setting(
        "Initial share of random actions; decays to 10 %.", 0.2, "fraction"
    )


def train(arguments: Arguments) -> None:
    """Train a policy with DQN and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    run_script(DQNRun, arguments)


# --- the run -------------------------------------------------------------------------------------


class DQNRun(SB3Run[Arguments]):
    """DQN in one seat, against a schedule of opponents in the others."""

    title = "DQN"
    packages = ("stable_baselines3",)
    log_interval = None

    def make_model(self, env: SingleAgentVecEnv) -> Any:
        """Return the model."""
        from tzaar_envs.training.sb3_masked_dqn import MaskedDQN, MaskedReplayBuffer, QPolicy

        arguments = self.settings
        model = MaskedDQN(
            QPolicy,
            env,
            learning_rate=self.learning_rate,
            buffer_size=arguments.buffer_size,
            learning_starts=arguments.learning_starts,
            batch_size=arguments.batch_size,
            gamma=arguments.gamma,
            train_freq=arguments.rollout,
            gradient_steps=arguments.gradient_steps,
            replay_buffer_class=MaskedReplayBuffer,
            replay_buffer_kwargs={"seed": arguments.seed},
            target_update_interval=max(arguments.target_every, arguments.num_envs),
            policy_kwargs={"shape": self.shape},
            seed=arguments.seed,
            device="cpu",
        )
        # As with the learning rate: the model's own schedule knows only steps.
        model.exploration_schedule = lambda _: arguments.exploration * self.decay
        return model

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, once there is something in the memory again."""
        super().restore(state)
        self.model.learning_starts = self.model.num_timesteps + self.settings.learning_starts


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
