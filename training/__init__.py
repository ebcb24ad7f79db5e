"""Training scripts, one per algorithm; `tzaar-envs train --algo NAME` runs one, as does its file.

Each script reads from top to bottom: settings, parts, then `train` with environment, network and
the training loop. A loop holds a `Session` (see `common/session.py`), which has the budget, the
log, evaluations and checkpoints. `sb3`, `ppo`, `alphazero` and `sb3-dqn` are tuned for every game;
the others are short examples of how to use the environments with a library.

| module                 | content                                                       |
|------------------------|---------------------------------------------------------------|
| `common/settings`      | settings of the scripts, their ranges and defaults            |
| `common/session`       | budget, log, evaluations and checkpoints of a running script  |
| `common/run`           | folder of a run, its checkpoint, runs in other processes      |
| `common/evaluation`    | matches against baselines, learning curve and learning speed  |
| `common/opponents`     | games and opponents of a learner in one seat                  |
| `common/q_values`      | action values from a policy network, and how they are learnt  |
| `common/against_agent` | games of a learning network against a frozen agent            |
| `defaults.toml`        | settings that suit a game better than the defaults            |
"""

from __future__ import annotations

import importlib
import runpy
import sys
import typing
from types import ModuleType
from typing import Any

ALGORITHMS = {
    "sb3": ("sb3_maskable_ppo", "MaskablePPO of sb3-contrib in one seat"),
    "ppo": ("ppo", "PPO in self-play, in a single file"),
    "alphazero": ("alphazero", "AlphaZero: self-play by a search that the network guides"),
    "sb3-dqn": ("sb3_dqn", "DQN of Stable-Baselines3 in one seat"),
    "torchrl": ("torchrl_ppo", "PPO of TorchRL in self-play"),
    "tianshou-dqn": ("tianshou_dqn", "DQN of Tianshou in one seat"),
    "tianshou-ppo": ("tianshou_ppo", "PPO of Tianshou in one seat"),
    "rllib": ("rllib_ppo", "PPO of RLlib in self-play"),
}
"""The training scripts by the names that `tzaar-envs train --algo` knows; the first is the default.

Each has the name of its module in this package, and a description for people. A script is imported
when it is used: each needs the library that it trains with.
"""


def script_of(name: str) -> ModuleType:
    """Return a training script, with its `train`.

    Raises:
        ValueError: There is no such script.
        ModuleNotFoundError: The library that it trains with is not installed.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"there is no algorithm {name!r}: use {', '.join(ALGORITHMS)}")
    return importlib.import_module(f"{__name__}.{ALGORITHMS[name][0]}")


def arguments_of(name: str) -> Any:
    """Return the class of a script's arguments, a subclass of `common.settings.Settings`.

    Raises:
        ValueError: There is no such script.
        ModuleNotFoundError: The library that it trains with is not installed.
    """
    return typing.get_type_hints(script_of(name).train)["arguments"]


def run_as_file(algorithm: str) -> None:
    """Run a script that was started as a file, with the words of its command line."""
    sys.argv[1:1] = ["train", "--algo", algorithm]
    runpy.run_module("tzaar_envs", run_name="__main__")
