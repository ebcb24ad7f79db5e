"""Positions and moves of Turm & Wächter as text (docs/rules/turm_und_waechter.md, section 7)."""

import re

import numpy as np

from tzaar_envs.core import notation
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.games.turm_und_waechter import board as b
from tzaar_envs.games.turm_und_waechter.rules import derive
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("board", "side", "occurrences", "plies")
FILES = "ABCDEFG"
NAMES = notation.CellNames(FILES, b.SIZE)
SIDES = "rb"


def figure_name(figure: int) -> str:
    """Return a figure in notation, for instance `r3` or `BG`."""
    side = SIDES[b.RED if figure > 0 else b.BLUE]
    return f"{side.upper()}G" if abs(figure) == b.GUARD else f"{side}{abs(figure)}"


# Figures by name: all towers and guards.
FIGURES = {
    figure_name(sign * size): sign * size for sign in (1, -1) for size in range(1, b.GUARD + 1)
}
_FIGURE = re.compile("|".join([*FIGURES, "[0-9]"]))
ACTIONS = {
    f"{NAMES.name(cell)}-{NAMES.name(cell + stones * int(b.STEP[direction]))}-{stones}": (
        (direction * b.MAX_RANGE + stones - 1) * b.CELLS + cell
    )
    for direction in range(4)
    for stones in range(1, b.SIZE)
    for cell in range(b.CELLS)
    if b.ON_BOARD[direction, stones] >> cell & 1
}
ACTION_NAMES = {action: name for name, action in ACTIONS.items()}


def format_position(state: StateArray) -> str:
    """Return the four fields: board, side to move, occurrences, plies."""
    figures = [figure_name(figure) if figure else "." for figure in b.board_of(state).tolist()]
    ranks = ["".join(figures[first : first + b.SIZE]) for first in range(0, b.CELLS, b.SIZE)]
    board = re.sub(r"\.+", lambda empty: str(len(empty.group())), "/".join(reversed(ranks)))
    return f"{board} {SIDES[state[SEAT]]} {state[b.OCCURRENCES]} {state[b.PLIES]}"


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the four fields, or the first two; ValueError that names field and reason."""
    board, side, *counters = notation.split_position(text, FIELDS, at_least=2)
    occurrences, plies = counters or ("1", "0")
    state = np.zeros(b.STATE_SIZE, np.int64)
    state[b.FIGURES] = b.figures_of_board(_parse_board(board))
    state[SEAT] = notation.parse_symbol("side", side, SIDES)
    state[b.OCCURRENCES] = notation.parse_number(
        "occurrences", occurrences, b.DRAW_OCCURRENCES, minimum=1
    )
    state[b.PLIES] = notation.parse_number("plies", plies, b.MAX_PLIES)
    derive(state)
    return state


def _parse_board(text: str) -> StateArray:
    ranks = notation.split_list(f"board {text!r}", text, "/", b.SIZE, "ranks")
    rows = [
        _parse_rank(rank, number) for number, rank in zip(range(b.SIZE, 0, -1), ranks, strict=True)
    ]
    board = np.array(rows[::-1], dtype=np.int64).ravel()
    for sign, name in zip((1, -1), ("red", "blue"), strict=True):
        own = board * sign
        guards = int((own == b.GUARD).sum())
        stones = int(own[(own > 0) & (own < b.GUARD)].sum())
        if guards > 1 or stones > b.STONES:
            raise ValueError(
                f"board: {guards} {name} guards and {stones} {name} stones, expected at most 1 and "
                f"{b.STONES}"
            )
    if not (np.abs(board) == b.GUARD).any():
        raise ValueError("board: no guard, but at least one side has its guard")
    if board[b.BLUE_CASTLE] == b.GUARD and board[b.RED_CASTLE] == -b.GUARD:
        raise ValueError(
            "board: both guards are on the enemy castles, but the first one there has won"
        )
    return board


def _parse_rank(text: str, number: int) -> list[int]:
    row: list[int] = []
    names = _FIGURE.findall(text)
    for name in names:
        row += [FIGURES[name]] if name in FIGURES else [b.EMPTY] * int(name)
    if "".join(names) != text or len(row) != b.SIZE:
        raise ValueError(
            f"rank {number} {text!r}: expected {b.SIZE} fields, r or b with a height from 1 to "
            f"{b.STONES}, RG, BG, or a number of empty fields"
        )
    return row


def format_action(state: StateArray, action: int) -> str:
    """Return a move as `FROM-TO-n`."""
    return ACTION_NAMES[action]


def parse_action(state: StateArray, text: str) -> int:
    """Read `FROM-TO-n`, or `FROM-TO` of a guard; the move need not be legal."""
    name = text
    if f"{text}-1" in ACTIONS and abs(b.board_of(state)[NAMES.cell(text[:2])]) == b.GUARD:
        name = f"{text}-1"
    if name not in ACTIONS:
        raise ValueError(
            f"move {text!r}: expected FROM-TO-stones along a rank or a file, as many fields as "
            "stones, for instance A7-B7-1; only a guard's move may leave out the stones"
        )
    return ACTIONS[name]
