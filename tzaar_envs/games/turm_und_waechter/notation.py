"""Positions and moves of Turm & Wächter as text (docs/rules/turm_und_waechter.md, section 7)."""

import re

import numpy as np

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.notation import (
    CellNames,
    parse_number,
    parse_symbol,
    split_list,
    split_position,
)
from tzaar_envs.games.turm_und_waechter import board as b
from tzaar_envs.games.turm_und_waechter.rules import derive
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("board", "side", "occurrences", "plies")
FILES = "ABCDEFG"
NAMES = CellNames(FILES, b.SIZE)
SIDES = "rb"
SIDE_NAMES = ("red", "blue")

_FIGURE = re.compile(r"(?P<tower>[rb]\d)|(?P<guard>[RB]G)|(?P<run>\d)", re.ASCII)
_MOVE = re.compile(rf"({NAMES.pattern})-({NAMES.pattern})(?:-(\d))?", re.ASCII)


def figure_name(figure: int) -> str:
    """Return a figure in notation, for instance `r3` or `BG`."""
    side = SIDES[b.RED if figure > 0 else b.BLUE]
    return f"{side.upper()}G" if abs(figure) == b.GUARD else f"{side}{abs(figure)}"


def format_position(state: StateArray) -> str:
    """Return the four fields: board, side to move, occurrences, plies."""
    repeated = max(state[b.OCCURRENCES], b.DRAW_OCCURRENCES - 1)
    if not 1 <= state[b.HISTORY_LENGTH] <= state[b.PLIES] + repeated:
        raise ValueError(f"{state[b.HISTORY_LENGTH]} positions in {state[b.PLIES]} plies")
    ranks = []
    for rank in b.board_of(state).reshape(b.SIZE, b.SIZE)[::-1]:
        text = ""
        empty = 0
        for figure in rank:
            if figure == b.EMPTY:
                empty += 1
            else:
                text += (str(empty) if empty else "") + figure_name(int(figure))
                empty = 0
        ranks.append(text + (str(empty) if empty else ""))
    return f"{'/'.join(ranks)} {SIDES[state[SEAT]]} {state[b.OCCURRENCES]} {state[b.PLIES]}"


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the four fields, or the first two; ValueError that names field and reason."""
    board, side, *counters = split_position(text, FIELDS, at_least=2)
    occurrences, plies = counters or ("1", "0")
    state = np.zeros(b.STATE_SIZE, np.int64)
    state[b.FIGURES] = b.figures_of_board(_parse_board(board))
    state[SEAT] = parse_symbol("side", side, SIDES)
    state[b.OCCURRENCES] = parse_number("occurrences", occurrences, b.DRAW_OCCURRENCES, minimum=1)
    state[b.PLIES] = parse_number("plies", plies, b.MAX_PLIES)
    derive(state)
    return state


def _parse_board(text: str) -> StateArray:
    ranks = split_list(f"board {text!r}", text, "/", b.SIZE, "ranks")
    rows = [
        _parse_rank(rank, number) for number, rank in zip(range(b.SIZE, 0, -1), ranks, strict=True)
    ]
    board = np.array(rows[::-1], dtype=np.int64).ravel()
    for sign, name in zip((1, -1), SIDE_NAMES, strict=True):
        own = board * sign
        guards = int((own == b.GUARD).sum())
        stones = int(own[(own > 0) & (own < b.GUARD)].sum())
        if guards > 1:
            raise ValueError(f"board: {guards} {name} guards, but there is only one")
        if stones > b.STONES:
            raise ValueError(f"board: {stones} {name} stones, but there are only {b.STONES}")
    if not (np.abs(board) == b.GUARD).any():
        raise ValueError("board: no guard, but at least one side has its guard")
    if board[b.BLUE_CASTLE] == b.GUARD and board[b.RED_CASTLE] == -b.GUARD:
        raise ValueError(
            "board: both guards are on the enemy castles, but the first one there has won"
        )
    return board


def _parse_rank(text: str, number: int) -> list[int]:
    row: list[int] = []
    at = 0
    while at < len(text):
        found = _FIGURE.match(text, at)
        if not found:
            raise ValueError(
                f"rank {number} {text!r}: unknown character {text[at]!r} at position {at + 1}; "
                "expected r or b with a height, RG, BG or a number of empty fields"
            )
        token = found.group()
        if found["run"]:
            row += [b.EMPTY] * int(token)
        else:
            sign = 1 if token[0] in "rR" else -1
            height = b.GUARD if found["guard"] else int(token[1])
            if not found["guard"] and not 1 <= height <= b.STONES:
                raise ValueError(
                    f"rank {number} {text!r}: height {height}, expected 1 to {b.STONES}"
                )
            row.append(sign * height)
        at = found.end()
    if len(row) != b.SIZE:
        raise ValueError(f"rank {number} {text!r}: {len(row)} fields, expected {b.SIZE}")
    return row


def format_action(state: StateArray, action: int) -> str:
    """Return a move as `FROM-TO-n`."""
    plane, start = divmod(action, b.CELLS)
    direction, stones = divmod(plane, b.MAX_RANGE)
    target = start + (stones + 1) * int(b.STEP[direction])
    return f"{NAMES.name(start)}-{NAMES.name(target)}-{stones + 1}"


def parse_action(state: StateArray, text: str) -> int:
    """Read `FROM-TO-n`, or `FROM-TO` of a guard; the move need not be legal."""
    found = _MOVE.fullmatch(text)
    if not found:
        raise ValueError(
            f"move {text!r}: expected FROM-TO-stones, for instance A7-B7-1 (a guard's move may "
            "leave out the stones)"
        )
    start, target = NAMES.cell(found[1]), NAMES.cell(found[2])
    if found[3] is None and abs(b.board_of(state)[start]) != b.GUARD:
        raise ValueError(
            f"move {text!r}: the number of stones is missing; only a guard's move may leave it out"
        )
    stones = int(found[3] or 1)
    for direction in range(4):
        files, ranks = ((0, 1), (1, 0), (0, -1), (-1, 0))[direction]
        if (
            target % b.SIZE - start % b.SIZE == files * stones
            and target // b.SIZE - start // b.SIZE == ranks * stones
            and 1 <= stones <= b.MAX_RANGE
        ):
            return (direction * b.MAX_RANGE + stones - 1) * b.CELLS + start
    raise ValueError(
        f"move {text!r}: {found[2]} is not {stones} fields along a rank or a file from {found[1]}"
    )
