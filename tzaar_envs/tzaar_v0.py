"""Tzaar, version 0: `env` and `raw_env`, as in the environment modules of PettingZoo.

An illegal action ends the game of `env`, and raises an IllegalActionError in `raw_env`; both take
the options of `GameEnv` and of the game.
"""

from functools import partial

from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.games.tzaar import SPEC

env = partial(GameEnv, SPEC)
raw_env = partial(GameEnv, SPEC, illegal="raise")
