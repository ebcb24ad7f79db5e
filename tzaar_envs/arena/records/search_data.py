"""Conversion of search results to the per-move data of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tzaar_envs.arena.records.record import MoveData
from tzaar_envs.search.variation import variation_names

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
        "line": variation_names(state, search.principal_variation),
        "seconds": round(search.seconds, 6),
    }
    return msgspec.convert(data, MoveData)
