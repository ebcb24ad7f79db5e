"""Games as text for people: moves as they are typed and listed, what searches found, results."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from tzaar_envs.arena.records import MoveData
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

WIDTH = 78
"""Of lists and sentences in a terminal, in characters."""

_INDENT = "  "
_GAP = "   "  # between groups of moves that start alike
_LISTED_MOVES = 12  # in an error message

# The part that moves from one start have in common: `A1` of `A1xB2`, `Z@` of `Z@E4`.
_MOVE_START = re.compile(r"[A-Za-z]\d{1,2}(?!\d)|\w+\W?")


# --- Moves that people type and read --------------------------------------------------------------


def find_action(state: State, text: str) -> int:
    """Return the legal action that a typed text means, ignoring case unless it is ambiguous.

    Raises:
        ValueError: The text is not a legal move; says why, or lists legal moves that start alike.
    """
    named = {state.action_name(action): int(action) for action in state.legal_actions()}
    if text in named:
        return named[text]
    matching = [name for name in named if name.casefold() == text.casefold()]
    if len(matching) == 1:
        return named[matching[0]]
    if matching:
        raise ValueError(f"{text!r} could be {' or '.join(matching)}: the case of letters matters")
    start = move_start(text)
    near = [name for name in sorted(named) if move_start(name).casefold() == start.casefold()]
    try:
        state.game.rules.parse_action(state.words, text)
        reason = f"{text!r} is not legal"
    except ValueError as error:
        reason = str(error)
    if not near:
        raise ValueError(f"{reason}: no legal move starts with {start!r}")
    listing = ", ".join(near[:_LISTED_MOVES]) + (", …" if len(near) > _LISTED_MOVES else "")
    raise ValueError(f"{reason}: the legal moves from {start!r} are {listing}")


def move_start(name: str) -> str:
    """Return the part of a move that names its start, for instance `A1` of `A1xB2`."""
    found = _MOVE_START.match(name)
    return found.group().strip() if found else name


def list_moves(state: State, start: str = "") -> str:
    """Return the legal moves as text, grouped by their start.

    Args:
        state: The position.
        start: List only moves that begin with this; empty: all.

    Raises:
        ValueError: No legal move begins with it.
    """
    groups: dict[str, list[str]] = {}
    for name in sorted(state.action_name(action) for action in state.legal_actions()):
        groups.setdefault(move_start(name), []).append(name)
    if start:
        if chosen := [key for key in groups if key.casefold().startswith(start.casefold())]:
            groups = {key: groups[key] for key in chosen}
        else:
            raise ValueError(
                f"no legal move starts with {start!r}: they start with {', '.join(groups)}"
            )
    count = sum(map(len, groups.values()))
    lines = [f"{count} legal move{'' if count == 1 else 's'}:"]
    for group in (" ".join(names) for names in groups.values()):
        if len(lines) > 1 and len(lines[-1]) + len(_GAP) + len(group) <= WIDTH:
            lines[-1] += _GAP + group
        else:
            lines += textwrap.wrap(
                group,
                WIDTH,
                initial_indent=_INDENT,
                subsequent_indent=2 * _INDENT,
                break_on_hyphens=False,
            )
    return "\n".join(lines)


# --- Searches and results -------------------------------------------------------------------------


def value_text(value: float) -> str:
    """Return an expected result, for instance `+0.31`."""
    return f"{round(value, 2) + 0.0:+.2f}"  # never -0.00


def search_facts(data: MoveData) -> Iterator[str]:
    """Yield what a search reported, each fact as one phrase."""
    if data.value is not None:
        proven = " (proven)" if data.proven else ""
        yield f"value {value_text(data.value)}{proven}"
    if data.depth:
        yield f"depth {data.depth}"
    if data.nodes:
        yield f"{data.nodes:,} node{'s' if data.nodes > 1 else ''}"
    if data.seconds is not None:
        yield f"{data.seconds:.2f} s"


def search_text(data: MoveData | None) -> str:
    """Return the facts and the expected line in one line; empty without a search."""
    if data is None:
        return ""
    facts, line = ", ".join(search_facts(data)), " ".join(data.line)
    return f"{facts}; expects {line}" if facts and line else facts or line


def result_text(names: Sequence[str], returns: Iterable[float], points: str = "") -> str:
    """Return in one sentence who won.

    Args:
        names: The name of the player at each seat.
        returns: Per seat.
        points: See `points_text`.
    """
    winners = [name for name, value in zip(names, returns, strict=True) if value > 0]
    return f"{' and '.join(winners)} won{points}." if winners else f"A draw{points}."


def points_text(game: Game, scores: Iterable[float] | None) -> str:
    """Return `: ` and the points of all players; empty if the game, or its record, has none."""
    if game.spec.score_unit is None or scores is None:
        return ""
    players = zip(game.layout.seat_names, scores, strict=True)
    return ": " + ", ".join(f"{name} {score:g} points" for name, score in players)
