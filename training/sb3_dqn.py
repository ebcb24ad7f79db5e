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

from tzaar_envs.training.opponents import OpponentRun, OpponentSettings
from tzaar_envs.training.run import run_script
from tzaar_envs.training.settings import setting

if TYPE_CHECKING:
    from tzaar_envs.agents.network import PolicyNetwork


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(OpponentSettings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "sb3-dqn"

    num_envs: int = setting("games that are played at once", 256, "positive")
    rollout: int = setting("steps of each game between updates", 16, "positive")
    batch_size: int = setting("samples of one gradient step", 1024, "positive")
    gradient_steps: int = setting("gradient steps of an update", 12, "positive")
    buffer_size: int = setting("decisions that are remembered", 100_000, "positive")
    learning_starts: int = setting(
        "decisions in memory before the first update", 20_000, "not negative"
    )
    target_every: int = setting("steps between copies to the target network", 8192, "positive")
    learning_rate: float = setting("at the start; it falls to a tenth", 5e-4, "positive")
    gamma: float = setting("discount", 0.99, "fraction")
    exploration: float = setting(
        "rate of random actions at the start; it falls to a tenth", 0.2, "fraction"
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


class DQNRun(OpponentRun[Arguments]):
    """DQN in one seat, against a schedule of opponents in the others."""

    title = "DQN"
    packages = ("stable_baselines3",)

    def build(self) -> None:
        """Make the environment, the model and the schedule."""
        from tzaar_envs.training.sb3_callback import logger_of
        from tzaar_envs.training.sb3_masked_dqn import MaskedDQN, MaskedReplayBuffer, QPolicy
        from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

        arguments = self.settings
        env = SingleAgentVecEnv(
            self.game,
            self.baselines[:1],
            arguments.num_envs,
            seed=arguments.seed,
            shaping=arguments.shaping,
            gamma=arguments.gamma,
        )
        self.model = MaskedDQN(
            QPolicy,
            env,
            # SB3's own schedules know only steps; these also know the minutes.
            learning_rate=lambda _: arguments.learning_rate * (1 - 0.9 * self.used),
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
        self.model.exploration_schedule = lambda _: arguments.exploration * (1 - 0.9 * self.used)
        self.model.set_logger(logger_of(self))
        self.schedule = self.new_schedule(env.pool)

    def network(self) -> PolicyNetwork:
        """Return a copy of the present network."""
        return self.model.policy.network()

    def take(self, network: PolicyNetwork) -> None:
        """Go on from the weights of a network of the same shape."""
        self.model.policy.take(network)

    def learn(self) -> None:
        """Learn until the budget is used."""
        from tzaar_envs.training.sb3_callback import RunCallback

        remaining = self.settings.steps - self.steps
        try:
            self.model.learn(
                remaining,
                callback=RunCallback(self),
                log_interval=None,  # the model logs each of its updates itself
                reset_num_timesteps=False,
            )
        finally:
            self.steps = int(self.model.num_timesteps)

    def state(self) -> dict[str, Any]:
        """Return what learning goes on from; games and memory begin anew."""
        return {
            "policy": self.model.policy.state_dict(),
            "optimizer": self.model.policy.optimizer.state_dict(),
            "steps": int(self.model.num_timesteps),
            "schedule": self.schedule_state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, once there is something in the memory again."""
        self.model.policy.load_state_dict(state["policy"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self.model.num_timesteps = int(state["steps"])
        self.model.learning_starts = self.model.num_timesteps + self.settings.learning_starts
        self.restore_schedule(state["schedule"])


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
