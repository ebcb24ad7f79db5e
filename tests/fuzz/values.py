"""Values that a public function may be given: right ones, wrong ones, and those in between."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


class FindingError(Exception):
    """A call has not done what it must; an AssertionError could be a refusal."""


def expect(holds: bool) -> None:
    """Raise a finding unless something holds."""
    if not holds:
        raise FindingError


_NUMBERS = (-(10**7), -2, -1, 0, 1, 2, 1350, 10**6, 10**7, 2**31, 2**40, 2**63 - 1, 2**63, 10**30)
_OTHERS: tuple[Any, ...] = (
    None, True, 1.0, 1.5, float("nan"), float("inf"), "", "0", "pass", "\ud800", b"1", (), [], {},
    [0], [1, 2], [None], np.int8(1), np.uint64(1), np.float64(2.0), np.bool_(True), np.array(1),
    np.array([1]), np.array([0.5]), np.zeros(0), object(),
)  # fmt: skip

anything = st.sampled_from([*_NUMBERS, *_OTHERS])
"""Anything but what is right."""


def number(count: int) -> st.SearchStrategy[Any]:
    """Draw a number from 0 to `count - 1` in half of the cases, otherwise anything."""
    return st.one_of(st.integers(0, count - 1), st.sampled_from((-count, -1, count)), anything)


def seeds() -> st.SearchStrategy[Any]:
    """Draw a seed, or anything."""
    return st.one_of(st.none(), st.integers(0, 2**70), st.lists(st.integers(-1, 9)), anything)


@st.composite
def action(draw: st.DrawFn, state: State) -> Any:
    """Draw a legal action in half of the cases, otherwise any number or anything."""
    legal = state.legal_actions().tolist()
    if legal and draw(st.booleans()):
        return draw(st.sampled_from(legal))
    return draw(number(state.game.num_actions))


@st.composite
def spoiled(draw: st.DrawFn, array: NDArray[Any]) -> Any:
    """Return an array that is right in a third of the cases, otherwise spoiled in some way."""
    array = np.array(array)
    way = draw(st.integers(0, 14))
    if way < 5 or array.size == 0:
        return array
    if way == 5:
        return draw(anything)
    if way == 6:
        return array.astype(draw(st.sampled_from(["f8", "f4", "i1", "u8", ">i8", "?", "O", "c16"])))
    if way == 7:
        return array[:-1]
    if way == 8:
        return array[..., :-1]
    if way == 9:
        return array[None]
    if way == 10:
        return array.ravel()
    if way == 11:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if way == 12:
        array.setflags(write=False)
        return array
    if way == 13:
        return array.tolist()
    values: tuple[Any, ...] = (-1, -(10**7), 10**7, 2**40, 0, 1, 2, 255)
    if array.dtype.kind == "f":
        values = (np.nan, np.inf, -np.inf, -1.0, 1e300, 5.0)
    at = draw(st.integers(0, array.size - 1))
    with np.errstate(over="ignore"):
        array.reshape(-1)[at] = np.array(draw(st.sampled_from(values))).astype(array.dtype)
    return array


@st.composite
def words(draw: st.DrawFn, state: State, count: int = 0) -> Any:
    """Draw words of a position, or of so many; or an array of another shape or type."""
    right = np.stack([state.words] * count) if count else state.words
    wrong = (right[..., :-1], right[None], right.astype(float), right.tolist())
    return draw(st.sampled_from([right, right, *wrong]))


@st.composite
def text(draw: st.DrawFn, right: str) -> Any:
    """Draw a text with up to three characters changed, or anything."""
    if draw(st.integers(0, 9)) == 0:
        return draw(anything)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(right)))
        new = draw(st.sampled_from([*"0179-/. ,:rbRGxzA@", "", "\0", "é", "99"]))
        right = right[:at] + new + right[at + draw(st.integers(0, 1)) :]
    return right


def place_in(draw: st.DrawFn, content: bytes | bytearray) -> int:
    """Draw a place in a file; what is drawn does not depend on its length, which times change."""
    return draw(st.integers(0, 2**20)) % len(content)


def is_text(value: Any) -> bool:
    """Return whether a drawn value is a text that a file can hold."""
    return isinstance(value, str) and "\ud800" not in value


def answers(game: Game, count: int) -> st.SearchStrategy[Any]:
    """Draw what an evaluator answers about positions."""
    priors, values = np.ones((count, game.num_actions)), np.zeros((count, game.num_players))
    return st.one_of(st.tuples(spoiled(priors), spoiled(values)), anything)
