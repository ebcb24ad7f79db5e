"""Legal moves as people type and read them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from tzaar_envs.core.state import State

WIDTH = 78  # of lists, in characters, on terminals that are no narrower
_INDENT = "  "
_GAP = "   "  # between groups of moves that start alike
_LISTED_MOVES = 12  # in an error message

# The part that moves from one start have in common: `A1` of `A1xB2`, `Z@` of `Z@E4`.
_MOVE_START = re.compile(r"[A-Za-z]\d{1,2}(?!\d)|\w+\W?")


def find_action(state: State, text: str) -> int:
    """Return the legal action that a typed text means, ignoring case unless it is ambiguous.

    Raises:
        ValueError: the text is not a legal move; says why, or lists legal moves that start alike.
    """
    named = {state.action_name(action): int(action) for action in state.legal_actions()}
    if text in named:
        return named[text]
    matching = [name for name in named if name.casefold() == text.casefold()]
    if len(matching) == 1:
        return named[matching[0]]
    if matching:
        raise ValueError(f"{text!r} could be {' or '.join(matching)}: the case of letters matters")
    typed = _with_usual_case(text, named)
    try:
        action = state.game.rules.parse_action(state.words, typed)
    except ValueError as error:
        raise ValueError(str(error).replace(repr(typed), repr(text))) from None
    if state.is_legal(action):
        return action
    start = move_start(typed)
    near = [name for name in sorted(named) if move_start(name) == start]
    if not near:
        raise ValueError(f"{typed!r} is not legal: no legal move starts with {start!r}")
    listing = ", ".join(near[:_LISTED_MOVES]) + (", …" if len(near) > _LISTED_MOVES else "")
    raise ValueError(f"{typed!r} is not legal: the legal moves from {start!r} are {listing}")


def _with_usual_case(text: str, names: Iterable[str]) -> str:
    """Return the text with each letter in the case that all legal moves have in its place."""
    same_length = [name for name in names if len(name) == len(text)]
    letters = []
    for place, letter in enumerate(text):
        usual = {name[place] for name in same_length if name[place].isalpha()}
        if usual and all(other.isupper() for other in usual):
            letter = letter.upper()
        elif usual and all(other.islower() for other in usual):
            letter = letter.lower()
        letters.append(letter)
    return "".join(letters)


def move_start(name: str) -> str:
    """Return the part of a move that names its start, for instance `A1` of `A1xB2`."""
    found = _MOVE_START.match(name)
    return found.group().strip() if found else name


def list_moves(state: State, start: str = "", width: int = WIDTH) -> str:
    """Return the legal moves as text, grouped by their start.

    Args:
        state: the position.
        start: list only moves with this start; empty: all.
        width: of the lines, in characters.

    Raises:
        ValueError: no legal move has this start.
    """
    groups: dict[str, list[str]] = {}
    for name in sorted(state.action_name(action) for action in state.legal_actions()):
        groups.setdefault(move_start(name), []).append(name)
    if start:
        if chosen := [key for key in groups if key.casefold() == start.casefold()]:
            groups = {key: groups[key] for key in chosen}
        else:
            raise ValueError(
                f"no legal move starts with {start!r}: they start with {', '.join(groups)}"
            )
    count = sum(map(len, groups.values()))
    lines = [f"{count} legal move{'' if count == 1 else 's'}:"]
    for group in (" ".join(names) for names in groups.values()):
        if len(lines) > 1 and len(lines[-1]) + len(_GAP) + len(group) <= width:
            lines[-1] += _GAP + group
        else:
            lines += textwrap.wrap(
                group,
                width,
                initial_indent=_INDENT,
                subsequent_indent=2 * _INDENT,
                break_on_hyphens=False,
            )
    return "\n".join(lines)
