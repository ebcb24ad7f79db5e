"""Places to point at, as data for the page."""

from __future__ import annotations

from typing import Any

from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Stop


def place(stop: Stop) -> list[float]:
    """Return a place: its middle, half its width, half its height, whether it is a rectangle."""
    return [stop.x, stop.y, stop.r, stop.h or stop.r, int(stop.square)]


def clickable(state: State) -> tuple[list[dict[str, Any]], dict[str, list[float] | None]]:
    """Return the legal actions with the places to point at, and where these places are.

    Returns:
        For each action its `name`, the ids of its `places` in order, whether it is an `arrow` from
        the first to the last of them rather than a set, and its `mark`. For each place its id, and
        where it is, see `place`; None for a large place, where actions begin at several points.
    """
    actions: list[dict[str, Any]] = []
    stops: dict[str, list[float] | None] = {}
    for action in state.legal_actions().tolist():
        trace = state.game.rules.trace(state.words, action)
        actions.append(
            {
                "name": state.action_name(action),
                "places": [stop.id for stop in trace.stops],
                "arrow": trace.arrow,
                "mark": trace.mark,
            }
        )
        for stop in trace.stops:
            found = place(stop)
            stops[stop.id] = found if stops.get(stop.id, found) == found else None
    return actions, stops
