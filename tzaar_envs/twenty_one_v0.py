"""Twenty One, version 0: `env`, `raw_env` and `parallel_env`, as in modules of PettingZoo."""

from typing import Any

from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv
from tzaar_envs.games.twenty_one import SPEC


def env(**options: Any) -> GameEnv:
    """Return the AEC environment; an illegal action ends the game (see `GameEnv`)."""
    return GameEnv(SPEC, **options)


def raw_env(**options: Any) -> GameEnv:
    """Return the AEC environment; an illegal action raises a ValueError (see `GameEnv`)."""
    return GameEnv(SPEC, **{"illegal": "raise", **options})


def parallel_env(**options: Any) -> ParallelGameEnv:
    """Return the parallel environment; an illegal action ends the game (see `ParallelGameEnv`)."""
    return ParallelGameEnv(SPEC, **options)
