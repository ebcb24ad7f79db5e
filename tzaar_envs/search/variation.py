"""Principal variations in notation."""

from __future__ import annotations

from collections.abc import Iterable

from tzaar_envs.core.state import State


def variation_names(state: State, actions: Iterable[int]) -> list[str]:
    """Return a variation in notation, as far as it does not depend on chance.

    Args:
        state: the position in which it begins.
        actions: of each player in turn.
    """
    names: list[str] = []
    position = state.clone()
    for action in actions:
        # The search may have assumed another chance outcome, or other hidden information.
        if (names and position.last_outcome) or not position.is_legal(action):
            break
        names.append(position.action_name(action))
        position.apply(action)
    return names
