"""Secret moves: those of a simultaneous choice that is still incomplete."""

from __future__ import annotations

from collections.abc import Sequence

from tzaar_envs.core.state import State


def count_secret_moves(positions: Sequence[State]) -> int:
    """Return how many of the last moves nobody but their player knows yet.

    Args:
        positions: the start position and the one after every move.
    """
    count = 0
    for before, after in zip(positions[-2::-1], positions[::-1], strict=False):
        others = [seat for seat in before.acting_players() if seat != before.current_player]
        if not others or after.acting_players() != others:
            break
        count += 1
    return count
