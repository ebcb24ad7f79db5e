"""Conversion of search results to the per-move data of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tzaar_envs.records.record import MoveData

if TYPE_CHECKING:
    from tzaar_envs.core.state import State


class Search(Protocol):
    """The attributes of a `tzaar_envs.search.result.SearchResult` that a record can hold."""

    @property
    def value(self) -> float:
        """The expected return of the player to move."""

    @property
    def proven(self) -> bool:
        """Whether the value is exact."""

    @property
    def depth(self) -> int:
        """In plies."""

    @property
    def nodes(self) -> int:
        """Positions that were searched."""

    @property
    def simulations(self) -> int:
        """Simulations of a tree search; 0 for other searches."""

    @property
    def principal_variation(self) -> Sequence[int]:
        """Actions."""

    @property
    def visits(self) -> Mapping[int, int]:
        """By action."""

    @property
    def seconds(self) -> float:
        """How long it took."""


def move_data(
    state: State, search: Search | None, *, with_visits: bool = False, with_seconds: bool = False
) -> MoveData | None:
    """Return the data of a move; None without a search.

    Args:
        state: the position that was searched.
        search: its result.
        with_visits: include the visits of each action, which make records several times as long.
        with_seconds: include the time, which differs from run to run.
    """
    if search is None:
        return None
    visits = search.visits.items() if with_visits else ()
    return MoveData(
        value=min(1.0, max(-1.0, float(search.value))),
        proven=bool(search.proven),
        depth=int(search.depth),
        nodes=int(search.simulations or search.nodes),
        visits={state.action_name(action): int(count) for action, count in visits},
        line=line_names(state, search.principal_variation),
        seconds=float(search.seconds) if with_seconds else None,
    )


def line_names(state: State, actions: Sequence[int]) -> list[str]:
    """Return actions in notation, each played after those before it, as far as they are legal.

    They may stop being legal where chance brings another outcome than in the search.
    """
    names: list[str] = []
    position = state.clone()
    for action in actions:
        if not position.is_legal(int(action)):
            break
        names.append(position.action_name(int(action)))
        position.apply(int(action))
    return names
