"""The training scripts by the names that `tzaar-envs train --algo` knows; the first is the default.

The scripts are only imported when they are used: each needs the library that it trains with.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tzaar_envs.training.common.settings import Settings


@dataclass(frozen=True)
class Algorithm:
    """A training script.

    Attributes:
        name: behind `--algo`.
        module: where its `Arguments` and its `train` are.
        description: one sentence for people.
    """

    name: str
    module: str
    description: str


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "sb3",
            "tzaar_envs.training.sb3_maskable_ppo",
            "MaskablePPO of sb3-contrib against a schedule of opponents",
        ),
        Algorithm("ppo", "tzaar_envs.training.ppo", "PPO in self-play, in a single file"),
        Algorithm(
            "alphazero",
            "tzaar_envs.training.alphazero",
            "AlphaZero: self-play by a tree search that the network guides",
        ),
        Algorithm(
            "sb3-dqn",
            "tzaar_envs.training.sb3_dqn",
            "DQN of Stable-Baselines3 against a schedule of opponents",
        ),
        Algorithm("torchrl", "tzaar_envs.training.torchrl_ppo", "PPO of TorchRL in self-play"),
        Algorithm(
            "tianshou-dqn",
            "tzaar_envs.training.tianshou_dqn",
            "DQN of Tianshou against a schedule of opponents",
        ),
        Algorithm(
            "tianshou-ppo",
            "tzaar_envs.training.tianshou_ppo",
            "PPO of Tianshou against a schedule of opponents",
        ),
        Algorithm("rllib", "tzaar_envs.training.rllib_ppo", "PPO of RLlib in a league"),
    )
}


def script_of(name: str) -> ModuleType:
    """Return a training script, with its `Arguments` and its `train`.

    Raises:
        ValueError: there is no such script.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"there is no algorithm {name!r}: use {', '.join(ALGORITHMS)}")
    return importlib.import_module(ALGORITHMS[name].module)


def settings_of(name: str) -> type[Settings]:
    """Return the settings of a training script.

    Raises:
        ValueError: there is no such script.
    """
    settings: type[Settings] = script_of(name).Arguments
    return settings
