"""Environment wrappers: other views of the games, and adapters for RL libraries.

| name                      | view                                                             |
|---------------------------|------------------------------------------------------------------|
| `mask_location`           | the mask where a library expects it, also of parallel ones       |
| `channels_last`           | planes as the last axis                                          |
| `flatten_observation`     | observations as flat vectors                                     |
| `RandomSymmetry`          | each game on a randomly rotated or mirrored board                |
| `RecordGames`             | every game as a line of a file, see `tzaar_envs.arena`           |
| `RecordTransitions`       | per-player transitions from an AEC environment                   |
| `RecordVectorTransitions` | per-player transitions from `make_vec`                           |
| `SymmetryAugmentation`    | randomly rotated and mirrored batches of training data           |
| `SingleAgentVecEnv`       | many games against opponents as one Stable-Baselines3 `VecEnv`   |
| `TorchRLVectorEnv`        | many games as one batched TorchRL environment, for self-play     |
| `RLlibEnv`                | a game as a `MultiAgentEnv` of RLlib, for self-play              |

A name is imported on its first use, so only the libraries that you use must be installed. `__all__`
has the names that can be imported here.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from tzaar_envs.system.extras import require_extra

if TYPE_CHECKING:
    from tzaar_envs.wrappers.record_games import RecordGames as RecordGames
    from tzaar_envs.wrappers.rllib_env import RLlibEnv as RLlibEnv
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv as SingleAgentVecEnv
    from tzaar_envs.wrappers.symmetries import RandomSymmetry as RandomSymmetry
    from tzaar_envs.wrappers.symmetries import SymmetryAugmentation as SymmetryAugmentation
    from tzaar_envs.wrappers.torchrl_env import TorchRLVectorEnv as TorchRLVectorEnv
    from tzaar_envs.wrappers.transitions import RecordTransitions as RecordTransitions
    from tzaar_envs.wrappers.transitions import RecordVectorTransitions as RecordVectorTransitions
    from tzaar_envs.wrappers.views import channels_last as channels_last
    from tzaar_envs.wrappers.views import flatten_observation as flatten_observation
    from tzaar_envs.wrappers.views import mask_location as mask_location

# The module of each wrapper, and what extra that needs for which library.
_MODULES = {
    "views": ("mask_location", "channels_last", "flatten_observation"),
    "symmetries": ("RandomSymmetry", "SymmetryAugmentation"),
    "record_games": ("RecordGames",),
    "transitions": ("RecordTransitions", "RecordVectorTransitions"),
    "sb3_vec_env": ("SingleAgentVecEnv",),
    "torchrl_env": ("TorchRLVectorEnv",),
    "rllib_env": ("RLlibEnv",),
}
_EXTRAS = {
    "sb3_vec_env": ("sb3", "stable_baselines3"),
    "torchrl_env": ("torchrl", "torchrl"),
    "rllib_env": ("rllib", "ray.rllib"),
}

_NAMES = [name for names in _MODULES.values() for name in names]


def __getattr__(name: str) -> Any:
    if name == "__all__":  # without what cannot be imported here
        return [each for each in _NAMES if hasattr(sys.modules[__name__], each)]
    for module, names in _MODULES.items():
        if name in names:
            try:
                if module in _EXTRAS:
                    extra, library = _EXTRAS[module]
                    require_extra(extra, name, library)
                return getattr(importlib.import_module(f"{__name__}.{module}"), name)
            except ImportError as error:
                # `from ... import NAME` asks first, and has a message of its own for this error.
                if sys._getframe(1).f_code.co_name == "_handle_fromlist":
                    raise
                raise AttributeError(str(error)) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
