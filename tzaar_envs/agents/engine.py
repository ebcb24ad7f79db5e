"""The agent `engine:COMMAND`: another program, which speaks the engine protocol."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from tzaar_envs.agents import engine_protocol as protocol
from tzaar_envs.agents.agent import ENGINE_OPTIONS, Agent, AgentObservation
from tzaar_envs.core.errors import Forfeit, ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import resolve_options
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.search.control import SearchLimits
from tzaar_envs.search.result import SearchResult
from tzaar_envs.system.programs import Program

_READY_SECONDS = 60.0  # it may have to load or compile something
_MARGIN_SECONDS = 1.0
_LONG_SECONDS = 60.0
_SEEDS = 2**31
_SHOWN = 100  # characters of what an engine wrote


class EngineAgent(Agent):
    """Plays what a program answers. It starts with the first move, and again after a forfeit.

    Its play follows from the seed as far as the program's does. Copies and pickles start a program
    of their own.

    Args:
        game: The game that it plays.
        command: The program and its arguments, quoted as for a shell, which does not read them.
        seed: The option `seed` of an engine that has one; fixes the hidden information that it is
            shown, too.
        set_options: Options of the engine.
        **options: See `agents.agent.ENGINE_OPTIONS`.

    Raises:
        FileNotFoundError: There is no such program.
        ValueError: The command is not quoted correctly, an unknown option, or a value that is not
            allowed.
    """

    def __init__(
        self,
        game: Game,
        command: str,
        seed: int | Sequence[int] | None = None,
        set_options: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        chosen = resolve_options(ENGINE_OPTIONS, options, "engine")
        try:
            self._argv = [*map(os.path.expanduser, shlex.split(command))]
        except ValueError as error:
            reason = str(error)[:1].lower() + str(error)[1:]
            raise ValueError(
                f"agent engine: command {command!r} is not allowed: {reason}"
            ) from None
        if not self._argv:
            raise ValueError("agent engine: the command is empty: use engine:COMMAND")
        if shutil.which(self._argv[0]) is None:
            raise FileNotFoundError(
                f"agent engine: there is no program {self._argv[0]!r} that can be executed"
            )
        self.name = f"engine:{command}"
        self.game = game
        self.limits = SearchLimits(chosen["ms"] / 1000, chosen["nodes"], chosen["depth"])
        usual = self.limits.seconds + _MARGIN_SECONDS if self.limits.seconds else _LONG_SECONDS
        self.timeout = chosen["timeout"] or usual
        self.set_options = dict(set_options or {})
        self._engine: Engine | None = None
        self.seed(seed)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_engine": None}

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on, as far as the program lets itself be seeded."""
        self._rng = random_generator(seed)
        self._is_new = True

    def act(self, position: State | AgentObservation) -> int:
        """Return the engine's move in a state."""
        state = self.require_state(position)
        if state.is_terminal:
            raise ValueError("there is no legal action: the game is over")
        action, search = self._ask(state)
        self.last_searches = [search]
        return action

    def _ask(self, state: State) -> tuple[int, SearchResult | None]:
        try:
            if self._engine is None:
                self._engine = Engine(self._argv, self.game, self.set_options)
                self._is_new = True
            if self._is_new:
                self._engine.new_game(int(self._rng.integers(_SEEDS)))
                self._is_new = False
            shown = protocol.visible_position(state, int(self._rng.integers(_SEEDS)))
            return self._engine.search(shown, self.limits, self.timeout)
        except BaseException:  # Ctrl-C too: the engine may be in the middle of a search
            self.close()
            raise

    def close(self) -> None:
        """End the program; the next move starts it again."""
        if self._engine is not None:
            self._engine.end()
        self._engine = None


class Engine:
    """A running engine; it ends with this object, and with this process.

    After a ForfeitError it has been ended and cannot be used any more.

    Args:
        argv: The program and its arguments.
        game: The game to be played.
        options: Options of the engine, to be set.

    Raises:
        ForfeitError: It does not start, does not speak the protocol, or refuses game or options.
    """

    def __init__(self, argv: Sequence[str], game: Game, options: Mapping[str, str]) -> None:
        self._who = f"engine {argv[0]!r}"
        self._features: set[str] = set()
        self._options: set[str] = set()
        try:
            self._program = Program(argv)
        except OSError as error:
            raise ForfeitError(
                "crash", f"{self._who} cannot be started: {error.strerror}"
            ) from None
        try:
            self._shake_hands(game, options)
        except BaseException:
            self.end()
            raise

    def _shake_hands(self, game: Game, options: Mapping[str, str]) -> None:
        for word, rest in self._asked(f"protocol {protocol.VERSION}", "protocolok"):
            if word == "feature":
                self._features.add(rest)
            elif word == "option" and rest.startswith("name "):
                self._options.add(rest.removeprefix("name ").partition(" type ")[0].strip())
        self._program.write(protocol.format_game(game.spec.env_id, game.options))
        for name, value in options.items():
            if name not in self._options:
                known = ", ".join(sorted(self._options)) or "none"
                self._fail("exception", f"has no option {name!r}: its options are {known}")
            self._program.write(protocol.format_setoption(name, value))
        self._asked("isready", "readyok")

    def new_game(self, seed: int) -> None:
        """Tell the engine that the following positions are of other games.

        Args:
            seed: Fixes its choices, if it has the option `seed`.

        Raises:
            ForfeitError: It does not answer.
        """
        if "seed" in self._options:
            self._program.write(protocol.format_setoption("seed", str(seed)))
        self._program.write("newgame")
        self._asked("isready", "readyok")

    def search(
        self, state: State, limits: SearchLimits, seconds: float
    ) -> tuple[int, SearchResult | None]:
        """Return the engine's action in a position, and what it found; see `protocol.parse_infos`.

        Args:
            state: The position, all of which the engine may see.
            limits: The limits of its search.
            seconds: The time after which it has lost the game.

        Raises:
            ForfeitError: It does not answer in time, dies, or plays an illegal move.
        """
        position = protocol.format_position(state, "moves" in self._features)
        lines = ["isready", position]  # all that comes before `readyok` is stray
        if "legal" in self._features:
            names = [state.action_name(int(action)) for action in state.legal_actions()]
            lines.append(f"legal {protocol.format_list(names)}")
        if "observation" in self._features:
            numbers = state.observation(state.current_player).ravel().tolist()
            lines.append(f"observation {' '.join(map(str, numbers))}")
        self._program.write("\n".join([*lines, protocol.format_go(limits)]))
        begin = time.monotonic()
        self._read("readyok", seconds)

        def is_legal(move: str) -> bool:
            with contextlib.suppress(ValueError):
                state.parse_action(move)
                return True
            return False

        answer = self._read("bestmove", seconds, limits.seconds, is_legal)
        move = answer[-1][1]
        try:
            action = state.parse_action(move)
        except ValueError:
            played = move[:_SHOWN]
            self._fail("illegal action", f"played {played!r}, which is not legal in {state.label}")
        infos = [rest for word, rest in answer if word == "info"]
        return action, protocol.parse_infos(state, infos, action, time.monotonic() - begin)

    def _asked(self, command: str, last: str) -> list[tuple[str, str]]:
        """Send a command, and return its answer, see `_read`."""
        self._program.write(command)
        return self._read(last, _READY_SECONDS)

    def _read(
        self,
        last: str,
        seconds: float,
        stop_after: float = 0,
        is_rest: Callable[[str], bool] = lambda rest: not rest,
    ) -> list[tuple[str, str]]:
        """Return the first word of each line of an answer that is one, and the rest.

        Args:
            last: The first word of the last line.
            seconds: The time after which the engine has lost without that line.
            stop_after: The time after which it is told to stop; 0: never.
            is_rest: Whether a text can follow the last word, which is then believed behind a stray
                prefix, too.
        """
        lines: list[tuple[str, str]] = []
        begin = time.monotonic()
        stop, end = begin + (stop_after or math.inf), begin + seconds
        word, line = "", ""
        while word != last:
            if stop <= time.monotonic():
                self._program.write("stop")
                stop = math.inf
            if end <= time.monotonic():
                said = f": it last said {line[:_SHOWN]!r}" if line else ""
                self._fail("time", f"did not answer {last!r} within {seconds:g} s{said}")
            try:
                line = self._program.read(min(stop, end)).strip("\ufeff \t\r")
            except TimeoutError:
                continue
            except EOFError as error:
                self._fail("crash", f"has lost its game: {error}")
            word, _, rest = line.expandtabs(1).partition(" ")
            if word == "error":
                self._fail("exception", f"reports an error: {' '.join(rest.split())[:_SHOWN]}")
            if word not in protocol.ANSWERS and last in line:
                behind = line.partition(last)[2].strip()
                word, rest = (last, behind) if is_rest(behind) else (word, rest)
            if word in protocol.ANSWERS:
                lines.append((word, rest.strip()))
        return lines

    def _fail(self, fault: Forfeit, what: str) -> NoReturn:
        self.end()
        raise ForfeitError(fault, f"{self._who} {what}")

    def end(self) -> None:
        """End the engine."""
        self._program.write("quit")
        self._program.end()
