"""Conversion of search results to the per-move data of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tzaar_envs.records.record import MoveData

if TYPE_CHECKING:
    from tzaar_envs.core.state import State
    from tzaar_envs.search.result import SearchResult


def move_data(state: State, search: SearchResult | None) -> MoveData | None:
    """Return what a search found in a position, in notation; None without a search.

    Args:
        state: the position that was searched.
        search: its result.

    Raises:
        ValueError: the result cannot be recorded, for instance since its value is NaN.
    """
    if search is None:
        return None
    data = {
        "value": min(max(search.value, -1.0), 1.0),
        "proven": search.proven,
        "depth": search.depth,
        "nodes": search.simulations or search.nodes,
        "visits": {state.action_name(action): count for action, count in search.visits.items()},
        "line": _line(state, search),
        "seconds": round(search.seconds, 6),
    }
    return msgspec.convert(data, MoveData)


def _line(state: State, search: SearchResult) -> list[str]:
    """Return the principal variation in notation, as far as it does not depend on chance."""
    line: list[str] = []
    position = state.clone()
    for action in search.principal_variation:
        # The search may have assumed another chance outcome, or other hidden information.
        if (line and position.last_outcome) or not position.is_legal(action):
            break
        line.append(position.action_name(action))
        position.apply(action)
    return line
