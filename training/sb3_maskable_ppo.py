"""MaskablePPO of sb3-contrib in one seat.

    tzaar-envs train turm_und_waechter
    python training/sb3_maskable_ppo.py turm_und_waechter

The network learns by PPO with masked actions (Huang and Ontañón, 2020) in games against its
opponents and its own snapshots (see `common/opponents.py`). The learner's seat is drawn for every
game. With `--shaping` the change of the game's evaluation function is a reward too, whose weight
decays to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from torch import Tensor

from tzaar_envs.networks.network import AnyNetwork
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.opponents import OneSeatSettings, OpponentSchedule, open_games
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import Fraction, PpoSettings
from tzaar_envs.training.ppo import LegalActions


@dataclass(kw_only=True)
class MaskablePpoArguments(OneSeatSettings, PpoSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "sb3"

    gae_lambda: Fraction = 0.96

    def check(self) -> None:
        """Refuse what is out of range, and a batch of one decision, which the library makes NaN."""
        super().check()
        decisions = self.num_envs * self.rollout
        if decisions % self.batch_size == 1:
            raise ValueError(
                f"batch_size={self.batch_size} is not allowed with {decisions} decisions "
                "(num_envs x rollout): use a size that leaves no batch of one"
            )


# --- the network as a policy of the library ------------------------------------------------------


class NetworkPolicy(MaskableActorCriticPolicy):
    """Actor and critic in one network.

    Probabilities are computed of the legal actions alone: the library's own distributions take as
    long as the network, since a board game has a thousand actions of which some twenty are legal.

    Args:
        *args: See the base class.
        new_network: Makes the network.
        **kwargs: See the base class.
    """

    def __init__(self, *args: Any, new_network: Callable[[], AnyNetwork], **kwargs: Any) -> None:
        self._new_network = new_network
        super().__init__(*args, net_arch=[], **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        self.network = self._new_network()
        self.optimizer = self.optimizer_class(
            self.network.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def forward(
        self, obs: Tensor, *, action_masks: NDArray[np.bool_]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return actions `(B,)`, values `(B, 1)` and the log probabilities of the actions `(B,)`.

        Args:
            obs: `(B, *observation_shape)`.
            action_masks: The legal actions, bool `(B, num_actions)`.
        """
        logits, values = self.network(obs)
        legal = LegalActions.of(torch.from_numpy(action_masks).to(logits.device))
        actions, chosen = legal.draw(legal.log_policy(logits))
        return actions, values, chosen

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return values `(B, 1)`, log probabilities of actions `(B,)` and entropies `(B,)`.

        Args:
            obs: `(B, *observation_shape)`.
            actions: int64 `(B,)`, legal ones.
            action_masks: The legal actions, float32 `(B, num_actions)`.
        """
        logits, values = self.network(obs)
        legal = LegalActions.of(action_masks > 0)
        log_policy = legal.log_policy(logits)
        chosen = legal.of_actions(log_policy, actions)
        return values, chosen, -(log_policy.exp() * log_policy).sum(dim=1)

    def predict_values(self, obs: Tensor) -> Tensor:
        """Return values `(B, 1)` of observations `(B, *observation_shape)`."""
        values: Tensor = self.network(obs)[1]
        return values


# --- training ------------------------------------------------------------------------------------


def learn(
    session: Session[Any],
    model: Any,
    network: AnyNetwork,
    schedule: OpponentSchedule,
    before_rollout: Callable[[], None] = lambda: None,
) -> None:
    """Train a model of the library until the budget is spent, and measure it.

    Args:
        session: Session of the run.
        model: Model whose policy has an `optimizer`.
        network: Network of that policy.
        schedule: Schedule of the opponents.
        before_rollout: Called before each rollout of all games, which an update follows, and once
            more at the end.
    """

    def on_step(*_: dict[str, Any]) -> bool:
        """Count a step of all games; the rollout goes on, since the library learns whole ones."""
        session.steps = model.num_timesteps
        return session.running or True  # it raises after a Ctrl-C that foreign code has swallowed

    model.set_logger(Logger(None, []))  # the session writes the log
    # Games start again after a resume, as does a replay buffer; the rest continues.
    session.begin(network, optimizer=model.policy.optimizer, schedule=schedule)
    schedule.load_snapshots(session)
    model.num_timesteps = session.steps
    before_rollout()
    session.checkpoint()
    while session.running:
        model.learn(
            session.arguments.num_envs * session.arguments.rollout,
            callback=on_step,
            log_interval=None,
            reset_num_timesteps=False,
        )
        before_rollout()
        schedule.after_update(session, model.logger.name_to_value)
    session.finish()


def train(arguments: MaskablePpoArguments) -> None:
    """Train a policy by MaskablePPO and measure it against the baselines.

    Raises:
        ValueError: An argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
    """
    with Session(arguments, "MaskablePPO") as session:
        game = session.game

        env, schedule = open_games(session)
        model = MaskablePPO(
            NetworkPolicy,
            env,
            # SB3's own schedules know only steps, the session's budget may be in minutes.
            learning_rate=lambda _: arguments.learning_rate * session.learning_rate_factor,
            n_steps=arguments.rollout,
            batch_size=arguments.batch_size,
            n_epochs=arguments.epochs,
            gamma=arguments.gamma,
            gae_lambda=arguments.gae_lambda,
            clip_range=arguments.clip_range,
            ent_coef=arguments.entropy,
            policy_kwargs={"new_network": partial(arguments.new_network, game)},
            seed=session.seed,
            device=session.device,
        )

        def decay_shaping() -> None:
            session.shaping = arguments.shaping * (1 - session.progress)
            env.shaping = session.shaping

        learn(session, model, model.policy.network, schedule, decay_shaping)


if __name__ == "__main__":
    run_as_file("sb3")
