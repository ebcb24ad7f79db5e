"""What the compiled rules of a game and its slow reference both offer, for tests of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class Position(Protocol):
    """A position of either."""

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
    """Where positions of either come from."""

    def initial(
        self, seed: int | None = None, outcome: Sequence[int] | None = None, **options: Any
    ) -> Position: ...

    def parse(self, text: str, seed: int | None = None, **options: Any) -> Position: ...
