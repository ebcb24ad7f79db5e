"""The two implementations of each game's rules, with the same interface: compiled and reference."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import tzaar_envs


class Position(Protocol):
    """A position of either implementation."""

    @property
    def current_player(self) -> int: ...

    @property
    def is_terminal(self) -> bool: ...

    @property
    def is_truncated(self) -> bool: ...

    def legal_actions(self) -> Iterable[int]: ...

    def action_name(self, action: int) -> str: ...

    def parse_action(self, text: str) -> int: ...

    def apply(self, action: int, outcome: Sequence[int] | None = None) -> None: ...

    def returns(self) -> Iterable[float]: ...

    def scores(self) -> Iterable[float]: ...

    def clone(self) -> Position: ...


class Rules(Protocol):
    """The source of positions of either implementation."""

    def initial(
        self, seed: int | None = None, outcome: Sequence[int] | None = None, **options: Any
    ) -> Position: ...

    def parse(self, text: str, **options: Any) -> Position: ...


class ReferenceRules:
    """The slow reference of a game."""

    def __init__(self, name: str) -> None:
        self._reference = reference_class(name)

    def initial(
        self, seed: int | None = None, outcome: Sequence[int] | None = None, **options: Any
    ) -> Position:
        drawn = {} if outcome is None else {"outcome": outcome}
        position: Position = self._reference.initial(seed=seed, **drawn, **options)
        return position

    def parse(self, text: str, **options: Any) -> Position:
        position: Position = self._reference.parse(text, **options)
        return position


class CompiledRules:
    """The game of the package."""

    def __init__(self, name: str) -> None:
        self._name = name

    def initial(
        self, seed: int | None = None, outcome: Sequence[int] | None = None, **options: Any
    ) -> Position:
        return _load_game(self._name, **options).new_state(seed, outcome=outcome)

    def parse(self, text: str, seed: int | None = None, **options: Any) -> Position:
        return _load_game(self._name, **options).parse(text, seed=seed)


# Whole games parse every position: the game need not be made for each.
_load_game = functools.cache(tzaar_envs.load_game)


def reference_class(name: str) -> Any:
    """Return the reference implementation of a game's rules."""
    return importlib.import_module(f"reference.{name}").Reference
