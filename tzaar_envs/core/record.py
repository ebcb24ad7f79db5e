"""The record of a game: moves in notation and what chance brought, from which it is played again.

Files of games hold such records; nothing in them is believed until every move has been played.
"""

from __future__ import annotations

from typing import Any

from tzaar_envs.core.state import State


def check_record(moves: list[Any], outcomes: list[Any]) -> None:
    """Refuse what cannot be a record.

    Args:
        moves: the moves in notation.
        outcomes: what chance brought with each of them, see `State.apply`.

    Raises:
        ValueError: says what is wrong.
    """
    if len(outcomes) != len(moves):
        raise ValueError(f"outcomes: expected one list for each of the {len(moves)} moves")
    for number, (move, outcome) in enumerate(zip(moves, outcomes, strict=True), start=1):
        if not isinstance(move, str):
            raise ValueError(f"move {number}: expected text, not {move!r}")
        if not isinstance(outcome, list) or not all(type(value) is int for value in outcome):
            raise ValueError(f"outcome {number}: expected a list of integers, not {outcome!r}")


def replay(start: State, moves: list[str], outcomes: list[list[int]]) -> list[State]:
    """Return the start position and the one after every move.

    Raises:
        ValueError: says which move is no move, or not legal, or has another outcome of chance
            than it can have.
    """
    positions = [start]
    for number, (move, outcome) in enumerate(zip(moves, outcomes, strict=True), start=1):
        state = positions[-1].clone()
        try:
            state.apply(state.parse_action(move), outcome)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error
        positions.append(state)
    return positions
