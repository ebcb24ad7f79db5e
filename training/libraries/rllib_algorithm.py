"""A league in an algorithm of RLlib: weights, learning rate, counts (needs the extra `rllib`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import COMPONENT_RL_MODULE
from torch import Tensor

from tzaar_envs.networks.network import AnyNetwork, AnyShape, network_of
from tzaar_envs.training.libraries.rllib_callback import GAMES, WINS
from tzaar_envs.training.libraries.rllib_league import LEARNER, LeagueRecord, snapshot_names
from tzaar_envs.training.libraries.rllib_learner import LeagueLearner

T = TypeVar("T")

PATIENCE = 600.0  # seconds for a rollout or for new weights, before an env runner counts as lost
_LOGGED = (
    "policy_loss",
    "vf_loss",
    "entropy",
    "vf_explained_var",
    "gradients_default_optimizer_global_norm",
)


class LeagueAlgorithm:
    """An algorithm with its env runners and the members of its league: a part of checkpoints.

    A context manager: the env runners stop at its end.

    Args:
        config: of the algorithm.
        shape: of the networks.
        snapshots: number of snapshots in the league.

    Attributes:
        algorithm: of RLlib.
        members: names of the members with weights: the learner and the snapshots.
        record: of the league.
    """

    def __init__(self, config: PPOConfig, shape: AnyShape, snapshots: int) -> None:
        self.shape = shape
        self.members = [LEARNER, *snapshot_names(snapshots)]
        self.record = LeagueRecord()
        self.algorithm = config.build_algo()

    def __enter__(self) -> LeagueAlgorithm:
        """Return this."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the env runners."""
        self.algorithm.stop()
        # RLlib keeps a folder for every algorithm in ~/ray_results, here an empty one.
        Path(self.algorithm.logdir).rmdir()

    # --- training ---

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the updates from now on."""
        self.on_learner(lambda learner: learner.set_rate(rate))

    def train(self) -> tuple[int, dict[str, float]]:
        """Play a rollout and do an update, return the learner's decisions and values to log."""
        result = self.algorithm.train()
        played = result.get("env_runners", {})
        self.record.games += _count(played, GAMES)
        self.record.wins += _count(played, WINS)
        losses = result.get("learners", {}).get(LEARNER, {})
        metrics = {
            "games/ended": _count(played, "num_episodes"),
            "league/win_rate": self.record.win_rate,
            "league/snapshots": self.record.snapshots,
        }
        metrics |= {f"train/{name}": float(losses[name]) for name in _LOGGED if name in losses}
        return _count(played.get("num_module_steps_sampled", {}), LEARNER), metrics

    def add_snapshot(self, steps: int) -> None:
        """Replace the oldest snapshot by the learner as it is after so many steps."""
        name = self.record.next_place(self.members[1:])
        self.set_weights({name: self.copy_network().state_dict()})
        self.record.join(steps)

    # --- weights ---

    def copy_network(self) -> AnyNetwork:
        """Return a copy of the learner's network, in evaluation mode, on the CPU."""
        network = network_of(self.shape)
        network.load_state_dict(self.on_learner(lambda learner: learner.weights_of(LEARNER)))
        return network.eval()

    def load_network(self, network: AnyNetwork) -> None:
        """Give all members the weights of a network."""
        self.set_weights(dict.fromkeys(self.members, network.state_dict()))

    def set_weights(self, weights: Mapping[str, Mapping[str, Tensor]]) -> None:
        """Give members other weights, wherever they play."""
        state = self.on_learner(lambda learner: learner.replace(weights))
        # Not by sync_weights: an env runner ignores weights that follow others without an update.
        self.algorithm.env_runner_group.foreach_env_runner(
            lambda runner: runner.set_state({COMPONENT_RL_MODULE: state}),
            timeout_seconds=PATIENCE,
        )

    def on_learner(self, do: Callable[[LeagueLearner], T]) -> T:
        """Return the result of a function of RLlib's learner."""
        result: T = next(iter(self.algorithm.learner_group.foreach_learner(do))).get()
        return result

    # --- checkpoints ---

    def state_dict(self) -> dict[str, Any]:
        """Return weights, optimizer and record; the games are not part of it."""
        state = self.on_learner(
            lambda learner: {
                "weights": {name: learner.weights_of(name) for name in self.members},
                "optimizer": learner.optimizer_state(),
            }
        )
        return state | {"record": asdict(self.record)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a state.

        Raises:
            LookupError, RuntimeError, TypeError, ValueError: it does not fit.
        """
        self.set_weights({name: state["weights"][name] for name in self.members})
        self.on_learner(lambda learner: learner.set_optimizer_state(state["optimizer"]))
        self.record = LeagueRecord(**{name: int(n) for name, n in state["record"].items()})


def _count(values: Mapping[str, Any], name: str) -> int:
    """Return a count among RLlib's results, whose sum over nothing is NaN."""
    value = float(values.get(name, 0.0))
    return 0 if math.isnan(value) else int(value)
