"""Turm & Wächter, version 0: `env` and `raw_env`, as in the environment modules of PettingZoo."""

from typing import Any

from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.games.turm_und_waechter import SPEC


def env(**options: Any) -> GameEnv:
    """Return the AEC environment; an illegal action ends the game (see `GameEnv`)."""
    return GameEnv(SPEC, **options)


def raw_env(**options: Any) -> GameEnv:
    """Return the AEC environment; an illegal action raises a ValueError (see `GameEnv`)."""
    return GameEnv(SPEC, **{"illegal": "raise", **options})
