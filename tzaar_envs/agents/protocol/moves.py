"""Moves in notation, with the chance outcomes that came with them.

    reroll -> 4 4 2 6; keep; enter YW

Moves are separated by semicolons. After an arrow stand the outcomes of chance, as `State.apply`
takes them; without one they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable

from tzaar_envs.core.state import State

SEPARATOR = ";"
ARROW = " -> "
_LONGEST_OUTCOME = 19  # characters


def format_list(moves: Iterable[str]) -> str:
    """Return moves as one text.

    Raises:
        ValueError: the notation of a move contains what separates moves.
    """
    names = list(moves)
    for name in names:
        if SEPARATOR in name or ARROW in name or name != name.strip() or not name.isprintable():
            raise ValueError(
                f"the move {name!r} cannot be sent to an engine: {SEPARATOR!r} and {ARROW!r} "
                "separate moves"
            )
    return f"{SEPARATOR} ".join(names)


def parse_outcome(text: str) -> tuple[int, ...]:
    """Return outcomes of chance, integers separated by spaces.

    Raises:
        ValueError: an outcome is not an integer.
    """
    numbers = []
    for word in text.split():
        digits = word.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(word) <= _LONGEST_OUTCOME):
            raise ValueError(f"the chance outcome {word!r} is not an integer")
        numbers.append(int(word))
    return tuple(numbers)


def split_outcome(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Return what is before an arrow, and the outcomes after it; None: there is no arrow.

    Raises:
        ValueError: an outcome is not an integer.
    """
    name, arrow, outcome = f"{text.strip()} ".partition(ARROW)
    return name.strip(), parse_outcome(outcome) if arrow else None


def split_moves(text: str) -> list[str]:
    """Return the moves of a text, each with its outcomes."""
    return [part.strip() for part in text.split(SEPARATOR)] if text.strip() else []


def play_moves(state: State, text: str) -> None:
    """Play moves.

    Args:
        state: the position, which is changed.
        text: the moves.

    Raises:
        ValueError: a move or an outcome is not possible; names the move.
    """
    for number, part in enumerate(split_moves(text), start=1):
        try:
            name, outcome = split_outcome(part)
            state.apply(state.parse_action(name), outcome)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error


def parse_variation(state: State, text: str) -> tuple[int, ...]:
    """Return the actions of a variation, as far as it can be followed.

    Args:
        state: the position in which it begins.
        text: its moves.
    """
    actions: list[int] = []
    position = state.clone()
    outcome: tuple[int, ...] | None = ()
    for part in split_moves(text):
        if position.is_terminal or (actions and outcome is None and position.last_outcome):
            break  # chance drew something else than the engine assumed
        try:
            name, outcome = split_outcome(part)
            action = position.parse_action(name)
            position.apply(action, outcome)
        except ValueError:
            break
        actions.append(action)
    return tuple(actions)
