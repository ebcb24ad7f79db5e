"""Modern board games as fast PettingZoo environments, with baselines, evaluation and training."""

import sys
from pathlib import Path

try:
    from tzaar_envs.core.errors import (
        GameOverError,
        IllegalActionError,
        NotationError,
        UnknownGameError,
    )
    from tzaar_envs.make_env import make, make_parallel, make_vec
    from tzaar_envs.registry import list_envs, list_games, load_game, register
    from tzaar_envs.version import __version__
except KeyboardInterrupt:
    # The command loads the package before it can handle Ctrl-C; 130 is its exit code for that.
    if Path(sys.argv[0]).stem == "tzaar-envs" or sys.argv[0] == "-m":
        sys.exit(130)
    raise

__all__ = [
    "GameOverError",
    "IllegalActionError",
    "NotationError",
    "UnknownGameError",
    "__version__",
    "list_envs",
    "list_games",
    "load_game",
    "make",
    "make_parallel",
    "make_vec",
    "register",
]
