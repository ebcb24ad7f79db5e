"""EngineServer: an agent that another program asks for moves."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace

from tzaar_envs.agents import engine_protocol as protocol
from tzaar_envs.agents.agent import Agent
from tzaar_envs.agents.specs import AgentText
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import Option
from tzaar_envs.core.state import State
from tzaar_envs.search.control import SearchControl, SearchLimits

_AUTHOR = "tzaar-envs"
_SEED = Option("seed", int, 0, "fixes the choices", minimum=0, maximum=2**31 - 1)
_LARGEST = 2**62  # of a number without a limit
_QUIT_SECONDS = 5.0
_LONGEST_ERROR = 1000  # characters: it may quote what the host has sent
_WHILE_SEARCHING = ("stop", "isready", "quit")


class EngineServer:
    """Answers the commands of a host; a wrong one costs a line that begins with `error`.

    Searches run in a thread, so that `stop` and `isready` are heard meanwhile.

    Args:
        game: The game.
        agent: The text of the agent that plays it.
        write: Writes a line, at once; called by one thread at a time.

    Raises:
        ValueError: There is no such agent.
        ModuleNotFoundError: The agent needs an extra that is not installed.
    """

    def __init__(self, game: Game, agent: str, write: Callable[[str], None]) -> None:
        self._game = game
        self._text = AgentText.parse(agent, game.spec)
        self._seed = 0
        self._agent: Agent = self._text.make(game, self._seed)
        self._is_warm = False
        self._write_line = write
        self._writing = threading.Lock()
        self._state = game.new_state(self._seed)
        self._thread: threading.Thread | None = None  # of the last search
        self._is_searching = False
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

    def serve(self, lines: Iterable[str]) -> None:
        """Answer commands, a line each, up to their end or `quit`."""
        try:
            for line in lines:
                if not self.obey(line):
                    break
        finally:
            self._stop()
            if self._thread is not None:
                self._thread.join(_QUIT_SECONDS)  # it may still write

    def obey(self, line: str) -> bool:
        """Obey a command; return False for `quit`."""
        word, _, rest = line.strip("\ufeff \t\r\n").expandtabs(1).partition(" ")
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
            self._write(_error_line(error))
        return True

    def _write(self, *lines: str) -> None:
        with self._writing:
            for line in lines:
                self._write_line(line)

    # --- Commands ---------------------------------------------------------------------------------

    def _greet(self, text: str) -> None:
        if text != str(protocol.VERSION):
            raise ValueError(
                f"protocol {text!r} is not spoken here: use protocol {protocol.VERSION}"
            )
        name = f"id name {self._text} ({self._game.spec.title})"
        declared = [_declaration(_SEED)]
        for option in self._text.spec.options:
            value = self._text.options.get(option.name, option.default)
            declared.append(_declaration(replace(option, default=value)))
        if self._game.rules.log_length:  # else a position tells all that matters
            declared.append("feature moves")
        self._write(name, f"id author {_AUTHOR}", *declared, "protocolok")

    def _set_option(self, text: str) -> None:
        name, value = protocol.parse_setoption(text)
        if name == _SEED.name:
            self._seed = _SEED.parse(value)
            self._new_game("")
            return
        changed = self._text.changed(name, value)
        self._agent = changed.make(self._game, self._seed)
        self._text, self._is_warm = changed, False

    def _check_game(self, text: str) -> None:
        own = protocol.format_game(self._game.spec.env_id, self._game.options).removeprefix("game ")
        if text not in (own, self._game.spec.env_id):
            raise ValueError(f"this engine plays {own}, not {text}")

    def _new_game(self, text: str) -> None:
        self._agent.seed(self._seed)

    def _get_ready(self, text: str) -> None:
        if not self._is_searching and not self._is_warm:
            self._agent.control = SearchControl(SearchLimits(nodes=1))
            self._agent.act(self._game.new_state(0))  # what is compiled or loaded at first use
            self._agent.seed(self._seed)
            self._is_warm = True
        self._write("readyok")

    def _set_position(self, text: str) -> None:
        self._state = protocol.parse_position(self._game, text, self._seed)

    def _go(self, text: str) -> None:
        limits, is_infinite = protocol.parse_go(text)
        state, agent = self._state.clone(), self._agent
        if state.is_terminal:
            raise ValueError("go: the game is over")
        agent.control = self._control = SearchControl(
            limits, lambda result: self._write(protocol.format_info(state, result))
        )
        self._stopped.clear()
        self._is_searching = True
        self._thread = threading.Thread(
            target=self._search, args=(agent, state, is_infinite), daemon=True
        )
        self._thread.start()

    def _search(self, agent: Agent, state: State, is_infinite: bool) -> None:
        """Be the thread of a search."""
        try:
            action = int(agent.act(state.clone()))
            lines = [f"bestmove {state.action_name(action)}"]
            if agent.last_search is not None:
                lines.insert(0, protocol.format_info(state, agent.last_search))
                if agent.last_search.visits:
                    lines.insert(0, protocol.format_visits(state, agent.last_search))
        except Exception as error:  # whatever an agent raises
            lines = [_error_line(error)]
        else:
            if is_infinite:
                self._stopped.wait()
        self._is_searching = False  # before the host can send the next command
        with contextlib.suppress(OSError):  # the host has gone
            self._write(*lines)

    def _stop(self) -> None:
        self._control.stop()
        self._stopped.set()


def _error_line(error: Exception) -> str:
    return f"error {' '.join((str(error) or type(error).__name__).split())[:_LONGEST_ERROR]}"


def _declaration(option: Option) -> str:
    """Return the line that declares an option, as UCI has it."""
    begin = f"option name {option.name} type"
    if option.choices:
        choices = "".join(f" var {choice}" for choice in option.choices)
        return f"{begin} combo default {option.default}{choices}"
    if option.type is bool:
        return f"{begin} check default {str(option.default).lower()}"
    if option.type is int:
        least = option.minimum if option.minimum is not None else -_LARGEST
        most = option.maximum if option.maximum is not None else _LARGEST
        return f"{begin} spin default {option.default} min {least} max {most}"
    return f"{begin} string default {option.default or protocol.EMPTY}"
