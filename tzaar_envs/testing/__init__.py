"""A compliance kit: checks of games and of PettingZoo environments, also of other people's.

`check_game` and `check_env` return findings; `assert not check_game(SPEC)` is a test.
"""

from tzaar_envs.testing.check_env import check_env
from tzaar_envs.testing.check_game import check_game
from tzaar_envs.testing.finding import Finding
from tzaar_envs.testing.playthroughs import playthrough

__all__ = ["Finding", "check_env", "check_game", "playthrough"]
