"""Agents for the game of adding, good and bad; worker processes can import them."""

import signal
import sys
from collections.abc import Sequence

from small_games.adding import GOAL, TOTAL

from tzaar_envs.agents import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.result import SearchResult

TROUBLE = 6  # the total from which on the bad ones are bad


class Lowest(Agent):
    """The lowest legal action, so that a game follows from its start; keeps what it was asked."""

    name = "lowest"

    def __init__(self, game: Game) -> None:
        self.game = game
        self.asked: list[str] = []

    def seed(self, seed: int | Sequence[int] | None) -> None:
        pass

    def act(self, position: State | AgentObservation) -> int:
        assert isinstance(position, State)
        self.asked.append(str(position))
        if self.game.name == "adding" and position.words[TOTAL] >= TROUBLE:
            return self.in_trouble(position)
        return int(position.legal_actions()[0])

    def in_trouble(self, position: State) -> int:
        return int(position.legal_actions()[0])


class Perfect(Lowest):
    """Wins the game for two wherever that can be done."""

    name = "perfect"

    def act(self, position: State | AgentObservation) -> int:
        assert isinstance(position, State)
        return max(0, (GOAL - int(position.words[TOTAL])) % 4 - 1)


class Cheat(Lowest):
    """Answers with an action that does not exist."""

    name = "cheat"

    def in_trouble(self, position: State) -> int:
        return 7


class Broken(Lowest):
    """Raises an exception."""

    name = "broken"

    def in_trouble(self, position: State) -> int:
        raise KeyError("six")


class Leaver(Lowest):
    """Ends the process, as Python does it."""

    name = "leaver"

    def in_trouble(self, position: State) -> int:
        sys.exit("enough")


class Panic(BaseException):
    """What extensions in other languages raise: not an Exception."""


class Panicking(Lowest):
    """Raises something that is not an Exception."""

    name = "panicking"

    def in_trouble(self, position: State) -> int:
        raise Panic("all is lost")


class Mumbling(Lowest):
    """Raises an exception whose message cannot be written as UTF-8."""

    name = "mumbling"

    def in_trouble(self, position: State) -> int:
        raise ValueError("\ud83d")


class Presser(Lowest):
    """Does what Ctrl-C does while it thinks."""

    name = "presser"

    def in_trouble(self, position: State) -> int:
        signal.raise_signal(signal.SIGINT)
        return 0


class Seedless(Lowest):
    """Refuses to be seeded."""

    name = "seedless"

    def seed(self, seed: int | Sequence[int] | None) -> None:
        raise ValueError("no seeds")


class Boastful(Lowest):
    """Reports a search with numbers that no file can hold."""

    name = "boastful"

    def in_trouble(self, position: State) -> int:
        self.last_searches = [
            SearchResult(
                action=0,
                value=float("nan"),
                values=(0.0,),
                proven=False,
                depth=10**400,
                nodes=-1,
                principal_variation=(10**400,),
                visits={10**400: 10**400},
            )
        ]
        return 0
