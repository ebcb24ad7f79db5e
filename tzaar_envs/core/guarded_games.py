"""Guarded games: a game's first games, played between words that its functions must not touch.

Compiled code checks no index. A state, an observation or a list of actions that is too short for
the functions of a game would let them write into memory that belongs to something else. So a game
that is loaded for the first time plays a few random games here. Each array has a guard on both
sides, filled with zeros in one call and with ones in another: what a function writes outside shows
in the guards, what it reads outside or does not write at all makes the two calls differ.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import HEADER, RUNNING, SEAT, STATUS, TRUNCATED, Rules
from tzaar_envs.core.layout import Layout
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.code_cache import make_folder
from tzaar_envs.jit.compile import cache_file
from tzaar_envs.jit.function_table import place_of
from tzaar_envs.jit.rng import new_generator, random_generator

_GAMES = 2
_PLIES = 120  # of a game; a longer one is not played to its end
_GUARD = 4096  # items on both sides of an array


def verify_once(name: str, layout: Layout, options: StateArray, rules: Rules) -> None:
    """Verify the sizes of a game unless that was done on this machine, with these sources.

    Uncompiled code needs no guards: there NumPy checks every index.

    Args:
        name: of the game.
        layout: of the game.
        options: as compiled code sees them.
        rules: of the game.

    Raises:
        ValueError: see `verify`.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return
    sizes = (rules.state_size, layout.num_actions, layout.observation_shape, layout.seat_names)
    digest = zlib.crc32(repr((*sizes, options.tolist())).encode())
    finished = cache_file(f"{name}-{digest:08x}.verified", rules.reset)
    if finished.exists():
        return
    verify(name, layout, options, rules)
    with contextlib.suppress(OSError):
        make_folder(finished.parent)
        finished.touch()


def verify(name: str, layout: Layout, options: StateArray, rules: Rules) -> None:
    """Play a few random games between guards; arguments as for `verify_once`.

    Raises:
        ValueError: says in one sentence which function writes or reads outside of its arrays,
            leaves a part of them unwritten, or writes an action or a player that does not exist.
    """
    if type(rules.state_size) is not int or rules.state_size < HEADER:
        raise ValueError(
            f"{name}: STATE_SIZE is {rules.state_size!r}: use an integer from {HEADER} on"
        )
    for seed in range(_GAMES):
        _Guarded(name, layout, options, rules).play(seed)


class _Output(NamedTuple):
    """An array that a function writes.

    Attributes:
        content: what it holds before.
        name: what it is called in errors.
    """

    content: NDArray[Any]
    name: str


class _Guarded:
    """A random game of which every function is called between guards."""

    def __init__(self, name: str, layout: Layout, options: StateArray, rules: Rules) -> None:
        self._name = name
        self._layout = layout
        self._options = options
        self._players = len(layout.seat_names)
        self._rules = rules
        self._state = np.zeros(rules.state_size, np.int64)

    def play(self, seed: int) -> None:
        choices = random_generator(seed)
        rng = new_generator(seed)
        self._reset(rng)
        for ply in range(min(_PLIES, self._layout.max_plies + 1)):
            actions = self._look(ply % self._players, rng)
            if self._state[STATUS] != RUNNING or not actions.size:
                return
            action = int(choices.choice(actions))
            self._state = self._changed(self._rules.apply, action, rng)
            self._check_header(self._rules.apply)

    def _reset(self, rng: RngState) -> None:
        """Write a start position, into zeros and into ones: none of them may remain."""
        function, options = self._rules.reset, self._options
        before, self._state = self._state, np.ones_like(self._state)
        of_ones = self._changed(function, options, rng.copy())
        self._state = before
        self._state = self._changed(function, options, rng)
        differ = self._state != of_ones
        if self._rules.log_length:  # what follows is used only as far as that word says
            differ[self._rules.key_size :] = False
        if differ.any():
            self._refuse(function, f"does not write word {differ.argmax()} of the state")
        self._check_header(function)

    def _look(self, seat: int, rng: RngState) -> NDArray[np.int64]:
        """Call all functions that do not change the position; return the legal actions."""
        rules, players = self._rules, self._players
        size = int(np.prod(self._layout.observation_shape))
        observation = np.zeros(size, np.int8)
        self._written(rules.observe, _Output(observation, "observation"), seat)
        for function in (rules.returns, rules.scores):
            self._written(function, _Output(np.zeros(players), "array of players"))
        self._written(rules.acting, _Output(np.zeros(players, np.int8), "array of players"))
        self._changed(rules.evaluate, seat)
        self._changed(rules.determinize, seat, rng.copy())
        return self._legal()

    def _legal(self) -> NDArray[np.int64]:
        function, num_actions = self._rules.legal, self._layout.num_actions
        out = _Output(np.zeros(num_actions, np.int64), "list of actions")
        actions, count = self._called(function, 0, out)
        again, count_again = self._called(function, 1, out)
        if not 0 <= count <= num_actions:
            self._refuse(function, f"returns {count} legal actions: the game has {num_actions}")
        found = actions[:count]
        if count != count_again or (found != again[:count]).any():
            self._refuse(function, f"reads beyond the {self._size_of_state}")
        outside = found[(found < 0) | (found >= num_actions)]
        if outside.size:
            self._refuse(
                function,
                f"writes action {outside[0]}: {self._name} has the actions 0 to {num_actions - 1}",
            )
        return found

    def _written(self, function: Callable[..., Any], out: _Output, *arguments: Any) -> None:
        """Call a function that writes all of an array."""
        zeros, _ = self._called(function, 0, out, *arguments)
        beyond, _ = self._called(function, 1, out, *arguments)
        if not np.array_equal(zeros, beyond, equal_nan=zeros.dtype.kind == "f"):
            self._refuse(function, f"reads beyond the {self._size_of_state}")
        ones, _ = self._called(function, 0, out._replace(content=out.content + 1), *arguments)
        differ = zeros != ones
        if zeros.dtype.kind == "f":
            differ &= ~(np.isnan(zeros) & np.isnan(ones))
        if differ.any():
            self._refuse(function, f"does not write number {differ.argmax()} of the {out.name}")

    def _changed(self, function: Callable[..., Any], *arguments: Any) -> StateArray:
        """Call a function that changes the state alone; return the new one."""
        copies = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        found, value = self._called(function, 0, None, *arguments)
        beyond, value_beyond = self._called(function, 1, None, *copies)
        # A value that is not a number differs from itself.
        is_same = value == value_beyond or (value != value and value_beyond != value_beyond)
        if (found != beyond).any() or not is_same:
            self._refuse(function, f"reads beyond the {self._size_of_state}")
        return found

    def _called(
        self, function: Callable[..., Any], guard: int, out: _Output | None, *arguments: Any
    ) -> tuple[NDArray[Any], Any]:
        """Call a function between guards; return the array that it writes, and its result."""
        whole, state = _between_guards(self._state, guard)
        if out is None:
            result = self._result(function, state, *arguments)
            self._check_guards(function, whole, guard, self._size_of_state)
            return state.copy(), result
        whole_out, inner = _between_guards(out.content, guard)
        result = self._result(function, state, *arguments, inner)
        self._check_guards(function, whole, guard, self._size_of_state)
        self._check_guards(function, whole_out, guard, f"{out.name}, which has {inner.size}")
        if (state != self._state).any():
            self._refuse(function, "changes the state")
        return inner.copy(), result

    def _result(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            self._refuse(function, f"raises {type(error).__name__}: {error}")

    @property
    def _size_of_state(self) -> str:
        return f"state, which has {self._rules.state_size} words (STATE_SIZE)"

    def _check_guards(
        self, function: Callable[..., Any], whole: NDArray[Any], guard: int, what: str
    ) -> None:
        touched = whole != guard
        touched[_GUARD:-_GUARD] = False
        if touched.any():
            self._refuse(function, f"writes item {int(touched.argmax()) - _GUARD} of the {what}")

    def _check_header(self, function: Callable[..., Any]) -> None:
        seat, status = int(self._state[SEAT]), int(self._state[STATUS])
        if not 0 <= seat < self._players:
            self._refuse(function, f"sets the player {seat}: use 0 to {self._players - 1}")
        if not RUNNING <= status <= TRUNCATED:
            self._refuse(function, f"sets the status {status}: use {RUNNING} to {TRUNCATED}")

    def _refuse(self, function: Callable[..., Any], what: str) -> None:
        raise ValueError(f"{self._name}: {place_of(function)} {what}")


def _between_guards(content: NDArray[Any], guard: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a copy of an array with guards around it, and the part without them."""
    whole = np.full(content.size + 2 * _GUARD, guard, content.dtype)
    inner = whole[_GUARD:-_GUARD]
    inner[:] = content
    return whole, inner
