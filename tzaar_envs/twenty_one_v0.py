"""Twenty One, version 0: `env`, `raw_env` and `parallel_env`, as in modules of PettingZoo.

An illegal action ends the game of `env`, and raises an IllegalActionError in `raw_env`; they take
the options of `GameEnv` and of the game, `parallel_env` those of `ParallelGameEnv`.
"""

from functools import partial

from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv
from tzaar_envs.games.twenty_one import SPEC

env = partial(GameEnv, SPEC)
raw_env = partial(GameEnv, SPEC, illegal="raise")
parallel_env = partial(ParallelGameEnv, SPEC)
