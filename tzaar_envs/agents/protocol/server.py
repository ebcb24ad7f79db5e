"""EngineServer: an agent that another program asks for moves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

from tzaar_envs.agents import Agent, AgentText
from tzaar_envs.agents.protocol.findings import format_info, format_visits
from tzaar_envs.agents.protocol.parameters import SEED, declarations, parse_seed
from tzaar_envs.agents.protocol.positions import parse_position
from tzaar_envs.agents.protocol.words import (
    LONGEST_LINE,
    VERSION,
    format_game,
    one_line,
    parse_go,
    parse_setoption,
)
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.control import SearchControl, SearchLimits

_AUTHOR = "tzaar-envs"
_QUIT_SECONDS = 5.0
_LONGEST_ERROR = 1000  # characters: it may quote what the host has sent
_WHILE_SEARCHING = ("stop", "isready", "quit")


class EngineServer:
    """Answers the commands of a host; a wrong one costs a line that begins with `error`.

    Searches run in a thread, so that `stop` and `isready` are heard meanwhile.

    Args:
        game: the game.
        agent: what plays it.
        write: writes a line, at once; called by one thread at a time.

    Raises:
        ValueError: there is no such agent.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """

    def __init__(self, game: Game, agent: str, write: Callable[[str], None]) -> None:
        self._game = game
        self._text = AgentText.parse(agent, game.spec)
        self._seed = 0
        self._agent: Agent | None = self._text.make(game, self._seed)
        self._is_warm = False
        self._write_line = write
        self._writing = threading.Lock()
        self._state = game.new_state(self._seed)
        self._thread: threading.Thread | None = None
        self._control = SearchControl()
        self._stopped = threading.Event()
        self._commands: dict[str, Callable[[str], None]] = {
            "protocol": self._greet,
            "setoption": self._set_option,
            "game": self._check_game,
            "newgame": self._new_game,
            "isready": self._get_ready,
            "position": self._set_position,
            "legal": lambda text: None,  # for engines that do not know the rules
            "observation": lambda text: None,
            "go": self._go,
            "stop": lambda text: self._stop(),
        }

    def serve(self, lines: BinaryIO) -> None:
        """Answer the commands of a stream, up to its end or `quit`."""
        try:
            for line in _decoded(lines):
                if isinstance(line, ValueError):
                    self._write(f"error {line}")
                elif not self.obey(line):
                    break
        finally:
            self._stop()
            if self._thread is not None:
                self._thread.join(_QUIT_SECONDS)

    def obey(self, line: str) -> bool:
        """Obey a command; return False for `quit`."""
        word, _, rest = line.strip().partition(" ")
        if word == "quit":
            return False
        if not word:
            return True
        try:
            if word not in self._commands:
                known = ", ".join([*self._commands, "quit"])
                raise ValueError(f"there is no command {word!r}: use {known}")
            if self._is_searching and word not in _WHILE_SEARCHING:
                raise ValueError(f"{word} is not allowed during a search: send stop first")
            self._commands[word](rest.strip())
        except Exception as error:  # whatever an agent raises
            self._write_error(error)
        return True

    @property
    def _is_searching(self) -> bool:
        return self._thread is not None

    def _write(self, *lines: str) -> None:
        with self._writing:
            for line in lines:
                self._write_line(line)

    def _write_error(self, error: BaseException) -> None:
        text = str(error) or type(error).__name__
        printable = text.encode("utf-8", "backslashreplace").decode()
        self._write(f"error {one_line(printable)[:_LONGEST_ERROR]}")

    # --- Commands ---------------------------------------------------------------------------------

    def _greet(self, text: str) -> None:
        if text != str(VERSION):
            raise ValueError(f"protocol {text!r} is not spoken here: use protocol {VERSION}")
        name = f"id name {self._text} ({self._game.spec.title})"
        self._write(name, f"id author {_AUTHOR}", *declarations(self._text), "protocolok")

    def _set_option(self, text: str) -> None:
        name, value = parse_setoption(text)
        if name == SEED:
            self._seed = parse_seed(value)
            self._new_game("")
            return
        self._text = self._text.changed(name, value)
        self._agent = None
        self._is_warm = False

    def _check_game(self, text: str) -> None:
        own = format_game(self._game.spec.env_id, self._game.options).removeprefix("game ")
        if text not in (own, self._game.spec.env_id):
            raise ValueError(f"this engine plays {own}, not {text}")

    def _new_game(self, text: str) -> None:
        if self._agent is not None:
            self._agent.seed(self._seed)

    def _get_ready(self, text: str) -> None:
        if not self._is_searching and not self._is_warm:
            agent = self._made()
            agent.control = SearchControl(SearchLimits(nodes=1))
            agent.act(self._game.new_state(0))  # what is compiled or loaded at first use
            agent.seed(self._seed)
            self._is_warm = True
        self._write("readyok")

    def _made(self) -> Agent:
        if self._agent is None:
            self._agent = self._text.make(self._game, self._seed)
        return self._agent

    def _set_position(self, text: str) -> None:
        self._state = parse_position(self._game, text, self._seed)

    def _go(self, text: str) -> None:
        go = parse_go(text)
        state, agent = self._state.clone(), self._made()
        if state.is_terminal:
            raise ValueError("go: the game is over")
        agent.control = self._control = SearchControl(
            go.limits, lambda result: self._write(format_info(state, result))
        )
        self._stopped.clear()
        self._thread = threading.Thread(
            target=self._search, args=(agent, state, go.is_infinite), daemon=True
        )
        self._thread.start()

    def _search(self, agent: Agent, state: State, is_infinite: bool) -> None:
        """Be the thread of a search."""
        lines = []
        try:
            action = int(agent.act(state.clone()))
            if agent.last_search is not None:
                if agent.last_search.visits:
                    lines.append(format_visits(state, agent.last_search))
                lines.append(format_info(state, agent.last_search))
            lines.append(f"bestmove {state.action_name(action)}")
        except Exception as error:
            failure: Exception | None = error
        else:
            failure = None
        if is_infinite and failure is None:
            self._stopped.wait()
        self._thread = None  # before the host can send the next command
        if failure is None:
            self._write(*lines)
        else:
            self._write_error(failure)

    def _stop(self) -> None:
        self._control.stop()
        self._stopped.set()


def _decoded(stream: BinaryIO) -> Iterator[str | ValueError]:
    """Yield the lines of a stream, and an error in place of one that cannot be read."""
    while raw := stream.readline(LONGEST_LINE + 1):
        if len(raw) > LONGEST_LINE and not raw.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield ValueError(f"a line is longer than the {LONGEST_LINE} bytes allowed")
            continue
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError as error:
            yield ValueError(f"a line is not UTF-8 text ({error.reason} at byte {error.start})")
