"""The agent `engine:COMMAND`: another program, which speaks the engine protocol."""

from __future__ import annotations

import os
import shlex
import shutil
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.agents.protocol.client import EngineClient
from tzaar_envs.core.game import Game
from tzaar_envs.core.options import resolve_options
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.search.control import SearchLimits
from tzaar_envs.search.options import ENGINE_OPTIONS
from tzaar_envs.search.result import SearchResult

_MARGIN_SECONDS = 1.0
_LONG_SECONDS = 60.0
_SEEDS = 2**31


class EngineAgent(Agent):
    """Plays what a program answers. It starts with the first move, and again after a fault.

    Its play follows from the seed as far as the program's does. Copies and pickles start a program
    of their own. Several threads may use it, one after the other.

    Args:
        game: the game that it plays.
        command: the program and its arguments, quoted as for a shell, which does not read them.
        seed: what the engine gets as its option `seed`, if it has one, and what determines the
            hidden information that it is shown.
        set_options: options of the engine.
        **options: see `search.options.ENGINE_OPTIONS`.

    Raises:
        FileNotFoundError: there is no such program.
        ValueError: the command is not quoted correctly, an unknown option, or a value that is not
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
            self._command = shlex.split(command)
        except ValueError as error:
            reason = str(error)[:1].lower() + str(error)[1:]
            raise ValueError(
                f"agent engine: command {command!r} is not allowed: {reason}"
            ) from None
        if not self._command:
            raise ValueError("agent engine: the command is empty: use engine:COMMAND")
        if shutil.which(self._command[0]) is None:
            raise FileNotFoundError(
                f"agent engine: there is no program {self._command[0]!r} that can be executed"
            )
        self.name = f"engine:{command}"
        self.game = game
        self.limits = SearchLimits(chosen["ms"] / 1000, chosen["nodes"], chosen["depth"])
        usual = self.limits.seconds + _MARGIN_SECONDS if self.limits.seconds else _LONG_SECONDS
        self.timeout = chosen["timeout"] or usual
        self.set_options = dict(set_options or {})
        self._forget_program()
        self.seed(seed)

    def _forget_program(self) -> None:
        self._client: EngineClient | None = None
        self._process = os.getpid()
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        own = ("_client", "_process", "_lock")
        return {name: value for name, value in vars(self).items() if name not in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._forget_program()

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on, as far as the program lets itself be seeded."""
        self._rng = random_generator(seed)
        self._is_new = True

    def act(self, position: State | AgentObservation) -> int:
        """Return the engine's move; needs a state.

        Raises:
            FaultError: the engine has lost its game.
        """
        return int(self.act_batch([self.require_state(position)])[0])

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the engine's move in each state, one after the other."""
        if any(state.is_terminal for state in states):
            raise ValueError("there is no legal action: the game is over")
        if self._process != os.getpid():
            self._forget_program()  # it talks to the process that this one is a fork of
        with self._lock:
            answers = [self._ask(state) for state in states]
        self.last_searches = [search for _, search in answers]
        return np.array([action for action, _ in answers], np.int64)

    def _ask(self, state: State) -> tuple[int, SearchResult | None]:
        try:
            if self._client is None:
                who = f"engine {self._command[0]!r}"
                self._client = EngineClient(self._command, who, self.game, self.set_options)
                self._is_new = True
            if self._is_new:
                self._client.new_game(int(self._rng.integers(_SEEDS)))
                self._is_new = False
            shown = int(self._rng.integers(_SEEDS))
            return self._client.search(state, self.limits, self.timeout, shown)
        except BaseException:  # Ctrl-C too: the engine may be in the middle of a search
            self.close()
            raise

    def close(self) -> None:
        """End the program; the next move starts it again."""
        if self._client is not None:
            self._client.end()
        self._client = None
