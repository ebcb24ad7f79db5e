"""Conversion of search results to the per-move data of a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tzaar_envs.records.record import MoveData

if TYPE_CHECKING:
    from tzaar_envs.core.state import State
    from tzaar_envs.search.result import SearchResult


def move_data(
    state: State,
    search: SearchResult | None,
    *,
    with_visits: bool = False,
    with_seconds: bool = False,
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
