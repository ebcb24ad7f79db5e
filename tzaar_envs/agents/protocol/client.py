"""An engine as a host sees it: a program that is asked for moves."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from tzaar_envs.agents.protocol.findings import Findings
from tzaar_envs.agents.protocol.positions import format_legal, format_observation, visible_position
from tzaar_envs.agents.protocol.words import (
    FEATURES,
    LEGAL,
    OBSERVATION,
    VERSION,
    format_game,
    format_go,
    format_setoption,
    one_line,
)
from tzaar_envs.core.fault import Fault, FaultError
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.control import SearchLimits
from tzaar_envs.search.result import SearchResult
from tzaar_envs.system.programs import Program, ProgramEndedError
from tzaar_envs.system.terminal import printable

START_SECONDS = 60.0
"""How long an engine may take until it is ready: it may have to load or compile something."""

_LISTED = 50  # options
_SHOWN = 100  # characters of what an engine wrote
_MOST_OPTIONS, _LONGEST_NAME = 1000, 100


class EngineClient:
    """A running engine; it ends with this object, and with this process.

    After a FaultError it has been ended and cannot be used any more.

    Attributes:
        name: what it says that it is called; empty if it does not say so.

    Args:
        command: the program and its arguments.
        who: the engine, as errors name it.
        game: the game to be played.
        options: of the engine, to be set.
        start_seconds: until it must be ready.

    Raises:
        FaultError: it does not start, does not speak the protocol, or refuses game or options.
    """

    def __init__(
        self,
        command: Sequence[str],
        who: str,
        game: Game,
        options: Mapping[str, str],
        start_seconds: float = START_SECONDS,
    ) -> None:
        self.name = ""
        self._who = who
        self._game = game
        self._features: set[str] = set()
        self._options: set[str] = set()
        try:
            self._program = Program(command)
        except OSError as error:
            raise FaultError("crash", f"{who} cannot be started: {error.strerror}") from None
        try:
            self._shake_hands(options, time.monotonic() + start_seconds)
        except BaseException:
            self.end()
            raise

    def _shake_hands(self, options: Mapping[str, str], deadline: float) -> None:
        self._send(f"protocol {VERSION}")
        while (line := self._receive(deadline, "protocolok")) != "protocolok":
            word, _, rest = line.partition(" ")
            if word == "id" and rest.startswith("name "):
                self.name = printable(rest.removeprefix("name ").strip())[:_SHOWN]
            elif word == "feature" and rest in FEATURES:
                self._features.add(rest)
            elif word == "option" and rest.startswith("name "):
                declared = rest.removeprefix("name ").partition(" type ")[0].strip()
                self._options.add(declared[:_LONGEST_NAME])
                if len(self._options) > _MOST_OPTIONS:
                    self._fail("exception", f"declares more than {_MOST_OPTIONS} options")
        self._send(format_game(self._game.spec.env_id, self._game.options))
        for name, value in options.items():
            if name not in self._options:
                known = printable(", ".join(sorted(self._options)[:_LISTED])) or "none"
                raise FaultError(
                    "exception", f"{self._who} has no option {name!r}: its options are {known}"
                )
            self._send(format_setoption(name, value))
        self._wait_until_ready(deadline)

    def _wait_until_ready(self, deadline: float) -> None:
        self._send("isready")
        while self._receive(deadline, "readyok") != "readyok":
            pass

    def new_game(self, seed: int) -> None:
        """Tell the engine that the following positions are of other games.

        Args:
            seed: fixes its choices, if it has the option `seed`.

        Raises:
            FaultError: it does not answer.
        """
        if "seed" in self._options:
            self._send(format_setoption("seed", str(seed)))
        self._send("newgame")
        self._wait_until_ready(time.monotonic() + START_SECONDS)

    def search(
        self, state: State, limits: SearchLimits, seconds: float, seed: int
    ) -> tuple[int, SearchResult | None]:
        """Return the engine's action in a position, and what it found; see `Findings.result`.

        Args:
            state: the position.
            limits: of its search.
            seconds: after which it has lost the game.
            seed: of what the player to move cannot see, which is drawn again.

        Raises:
            FaultError: it does not answer in time, dies, or plays an illegal move.
        """
        shown = visible_position(state, seed)
        self._send(f"position {shown}")
        if LEGAL in self._features:
            self._send(f"legal {format_legal(shown)}")
        if OBSERVATION in self._features:
            self._send(f"observation {format_observation(shown)}")
        self._send(format_go(limits))
        begin = time.monotonic()
        findings = Findings(shown)
        name = ""
        for line in self._answer(limits.seconds, seconds):
            word, _, rest = line.partition(" ")
            if word == "info":
                findings.add(rest)
            elif word == "bestmove":
                name = rest.strip()
                break
        try:
            action = shown.parse_action(name)
        except ValueError:
            self._fail(
                "illegal action", f"played {name[:_SHOWN]!r}, which is not legal in {state.label}"
            )
        return action, findings.result(action, time.monotonic() - begin)

    def _answer(self, stop_after: float, lost_after: float) -> Iterator[str]:
        """Yield what the engine writes from now on, for so many seconds.

        Args:
            stop_after: after which it is told to stop; 0: never.
            lost_after: after which it has lost.
        """
        begin = time.monotonic()
        stop, loss = begin + (stop_after or math.inf), begin + lost_after
        while True:
            if stop <= time.monotonic():
                self._send("stop")
                stop = math.inf
            if stop < loss:
                with contextlib.suppress(TimeoutError):
                    yield self._read(stop)
            else:
                yield self._receive(loss, "bestmove", lost_after)

    def _send(self, line: str) -> None:
        self._program.write(line)

    def _read(self, deadline: float) -> str:
        """Return the next line.

        Raises:
            TimeoutError: there is none yet.
            FaultError: there will be none, or it is an error.
        """
        try:
            line = self._program.read(deadline)
        except ProgramEndedError as error:
            self._fail("crash", f"has lost its game: {error}")
        word, _, rest = line.strip().partition(" ")
        if word == "error":
            self._fail("exception", f"reports an error: {printable(one_line(rest)[:_SHOWN])}")
        return f"{word} {rest}".strip()

    def _receive(self, deadline: float, awaited: str, seconds: float = START_SECONDS) -> str:
        """Return the next line; without one it has taken too long."""
        try:
            if time.monotonic() < deadline:
                return self._read(deadline)
        except TimeoutError:
            pass
        self._fail("time", f"did not answer {awaited!r} within {seconds:g} s")

    def _fail(self, fault: Fault, what: str) -> NoReturn:
        self.end()
        raise FaultError(fault, f"{self._who} {what}")

    def end(self) -> None:
        """End the engine."""
        self._program.write("quit")
        self._program.end()
