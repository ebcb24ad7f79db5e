"""The share of the games in the time of training (needs the extra `sb3`).

MaskablePPO trains with the settings of `tzaar-envs train`, once in games against `random` and once
in an environment that does nothing: the same spaces, as many games, always in the first position.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from tzaar_envs.cli.benchmark.measurement import Measurement, measured
from tzaar_envs.core.game import Game
from tzaar_envs.networks.network import NetworkShape
from tzaar_envs.training.libraries.sb3_policy import NetworkPolicy
from tzaar_envs.training.sb3_maskable_ppo import Arguments
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

RUNS = 3
ROLLOUTS = 2  # per run


class NothingVecEnv(SingleAgentVecEnv):
    """The games of `SingleAgentVecEnv`, except that no step changes anything."""

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Return the start positions."""
        return (
            self.games.batch.observations.copy(),
            np.zeros(self.num_envs, np.float32),
            np.zeros(self.num_envs, np.bool_),
            [{} for _ in range(self.num_envs)],
        )


def measure_training(game: Game) -> Iterator[Measurement]:
    """Yield the steps/s of training in games and in an environment that does nothing."""
    defaults = Arguments()

    def learner(kind: type[SingleAgentVecEnv]) -> MaskablePPO:
        env = kind(
            game,
            ["random"],
            defaults.num_envs,
            seed=0,
            shaping=defaults.shaping,
            gamma=defaults.gamma,
        )
        shape = NetworkShape.for_game(game, defaults.width, defaults.blocks)
        model = MaskablePPO(
            NetworkPolicy,
            env,
            n_steps=defaults.rollout,
            batch_size=defaults.batch_size,
            n_epochs=defaults.epochs,
            policy_kwargs={"shape": shape, "game": game},
            seed=0,
            device="cpu",
        )
        model.learn(defaults.num_envs * defaults.rollout)  # warms up
        return model

    def rate(model: MaskablePPO) -> float:
        steps = ROLLOUTS * defaults.num_envs * defaults.rollout
        begin = time.perf_counter()
        model.learn(steps)
        return steps / (time.perf_counter() - begin)

    name = game.spec.env_id
    note = f"{defaults.num_envs} games, width {defaults.width}, blocks {defaults.blocks}"
    for measure, kind in (("training", SingleAgentVecEnv), ("training, no game", NothingVecEnv)):
        model = learner(kind)
        yield measured(name, measure, "steps/s", lambda model=model: rate(model), note, RUNS)  # type: ignore[misc]
