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

from tzaar_envs.training.opponents import OpponentRun, OpponentSettings
from tzaar_envs.training.run import run_script
from tzaar_envs.training.settings import setting

if TYPE_CHECKING:
    from tzaar_envs.agents.network import PolicyNetwork


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(OpponentSettings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "sb3"

    num_envs: int = setting("games that are played at once", 256, "positive")
    rollout: int = setting("steps of each game between updates", 16, "positive")
    batch_size: int = setting("samples of one gradient step", 1024, "positive")
    epochs: int = setting("passes over the samples of an update", 3, "positive")
    learning_rate: float = setting("at the start; it falls to a tenth", 1e-3, "positive")
    gamma: float = setting("discount", 0.99, "fraction")
    gae_lambda: float = setting("smoothing of the advantages", 0.95, "fraction")
    clip_range: float = setting("of PPO", 0.2, "fraction")
    entropy: float = setting("weight of the entropy bonus", 0.005, "not negative")


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


class MaskablePPORun(OpponentRun[Arguments]):
    """MaskablePPO in one seat, against a schedule of opponents in the others."""

    title = "MaskablePPO"
    packages = ("sb3_contrib",)

    def build(self) -> None:
        """Make the environment, the model and the schedule."""
        from sb3_contrib import MaskablePPO

        from tzaar_envs.training.sb3_callback import logger_of
        from tzaar_envs.training.sb3_policy import TrunkPolicy
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
        self.model = MaskablePPO(
            TrunkPolicy,
            env,
            # SB3's own schedules know only steps; this one also knows the minutes.
            learning_rate=lambda _: arguments.learning_rate * (1 - 0.9 * self.used),
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
            self.model.learn(remaining, callback=RunCallback(self), reset_num_timesteps=False)
        finally:
            self.steps = int(self.model.num_timesteps)

    def state(self) -> dict[str, Any]:
        """Return what learning goes on from; the games begin anew."""
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


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
