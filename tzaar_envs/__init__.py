"""Modern board games as fast PettingZoo environments, with baselines, evaluation and training."""

from tzaar_envs.make_env import make, make_parallel, make_vec
from tzaar_envs.registry import list_envs, list_games, load_game, register
from tzaar_envs.version import __version__

__all__ = [
    "__version__",
    "list_envs",
    "list_games",
    "load_game",
    "make",
    "make_parallel",
    "make_vec",
    "register",
]
