"""Agents for the game of adding, good and bad; worker processes can import them."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
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


class SpeechlessError(Exception):
    """Has no message."""

    def __str__(self) -> str:
        raise TypeError


class Speechless(Lowest):
    """Raises an exception that cannot be shown."""

    name = "speechless"

    def in_trouble(self, position: State) -> int:
        raise SpeechlessError


class Slow(Lowest):
    """Takes two minutes by the clock of its process, which must be one of its own."""

    name = "slow"

    def in_trouble(self, position: State) -> int:
        mock.patch.object(time, "monotonic", return_value=time.monotonic() + 120).start()
        return 0


class Hanging(Lowest):
    """Never answers."""

    name = "hanging"

    def in_trouble(self, position: State) -> int:
        while True:
            time.sleep(60)


class Killer(Lowest):
    """Ends the process, as a lack of memory does it."""

    name = "killer"

    def in_trouble(self, position: State) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@dataclass(frozen=True)
class KilledOnce:
    """Makes an agent that ends its process if a file does not exist, and then makes that file."""

    path: Path

    def __call__(self, game: Game) -> Agent:
        return _KilledOnce(game, self.path)


class _KilledOnce(Lowest):
    name = "killed once"

    def __init__(self, game: Game, path: Path) -> None:
        super().__init__(game)
        self.path = path

    def in_trouble(self, position: State) -> int:
        if not self.path.exists():
            self.path.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 0


class Unmanageable(BaseException):
    """Its message raises something that is not an Exception either."""

    def __str__(self) -> str:
        raise GeneratorExit


class Quitter(Lowest):
    """Raises what ends generators, with which no message can be had."""

    name = "quitter"

    def in_trouble(self, position: State) -> int:
        raise Unmanageable


class Interrupter(Lowest):
    """Raises what Ctrl-C raises."""

    name = "interrupter"

    def in_trouble(self, position: State) -> int:
        raise KeyboardInterrupt


class Presser(Lowest):
    """Does what Ctrl-C does while it thinks."""

    name = "presser"

    def in_trouble(self, position: State) -> int:
        signal.raise_signal(signal.SIGINT)
        return 0


class Swallower(Lowest):
    """Does what Ctrl-C does while it thinks, and catches the exception."""

    name = "swallower"

    def in_trouble(self, position: State) -> int:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return int(position.legal_actions()[0])


class Immense(Lowest):
    """Answers with a number of more digits than Python shows."""

    name = "immense"

    def in_trouble(self, position: State) -> int:
        return 10**5000


class Seedless(Lowest):
    """Refuses to be seeded."""

    name = "seedless"

    def seed(self, seed: int | Sequence[int] | None) -> None:
        raise GeneratorExit


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


class Hoarder(Lowest):
    """Asks for ever more memory."""

    name = "hoarder"

    def in_trouble(self, position: State) -> int:
        hoard = []
        while True:
            hoard.append(np.ones(1 << 24))


@dataclass(frozen=True)
class OnlyHere:
    """Makes an agent, but not in another process."""

    process: int

    def __call__(self, game: Game) -> Agent:
        if os.getpid() != self.process:
            raise SystemExit("not there")
        return Lowest(game)
