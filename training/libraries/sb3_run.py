"""What the runs with Stable-Baselines3 share: the environment, the schedule, and how they are kept.

A script provides the model; its policy class has `network` and `take`, as those of a run.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tzaar_envs.training.common.opponent_schedule import OpponentRun, OpponentSettings

if TYPE_CHECKING:
    from tzaar_envs.policies.network import PolicyNetwork
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

S = TypeVar("S", bound=OpponentSettings)


class SB3Run(OpponentRun[S]):
    """A model of Stable-Baselines3 in one seat, against a schedule of opponents in the others.

    Attributes:
        log_interval: rollouts between the lines that the model's `learn` logs; None where its
            updates log themselves.
    """

    log_interval: ClassVar[int | None] = 1

    @abstractmethod
    def make_model(self, env: SingleAgentVecEnv) -> Any:
        """Return the model, on the CPU, with fresh weights that follow from the seed."""

    def build(self) -> None:
        """Make the environment, the model and the schedule."""
        from tzaar_envs.training.libraries.sb3_callback import logger_of
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
        self.model = self.make_model(env)
        self.model.set_logger(logger_of(self))
        self.schedule = self.new_schedule(env.pool)

    def learning_rate(self, _: float) -> float:
        """Return the present learning rate: SB3's schedules know only steps, this also minutes."""
        return self.settings.learning_rate * self.decay

    def network(self) -> PolicyNetwork:
        """Return a copy of the present network."""
        return self.model.policy.network()

    def take(self, network: PolicyNetwork) -> None:
        """Go on from the weights of a network of the same shape."""
        self.model.policy.take(network)

    def learn(self) -> None:
        """Learn until the budget is used."""
        from tzaar_envs.training.libraries.sb3_callback import RunCallback

        remaining = self.settings.steps - self.steps
        try:
            self.model.learn(
                remaining,
                callback=RunCallback(self),
                log_interval=self.log_interval,
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
        """Go on from what `state` has returned."""
        self.model.policy.load_state_dict(state["policy"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self.model.num_timesteps = int(state["steps"])
        self.restore_schedule(state["schedule"])
