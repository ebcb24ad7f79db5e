"""Positions and actions of Twenty One as text, for the tests of its rules."""

from __future__ import annotations

from implementations import Position

LETTERS = "ABCDEF"
KEEP, REROLL = 64, 65
FREE_ROW = "......"
STRUCK_ROW = "xxxxxx"

# Section 1.3, as it is printed in docs/rules/twenty_one.md.
PRINTED = """\
A:Y6 B5 W4 G3 K2 R1|B5 G5 R4 Y3 W2 K1|W5 R4 B4 K3 Y2 G1|G5 Y4 K3 B3 R2 W1|K5 W4 Y3 R2 G2 B1
B:R6 Y5 B4 W3 G2 K1|K5 B5 G4 R3 Y2 W1|G5 W4 R4 B3 K2 Y1|W5 G4 Y3 K3 B2 R1|B5 K4 W3 Y2 R2 G1
C:K6 R5 Y4 B3 W2 G1|W5 K5 B4 G3 R2 Y1|Y5 G4 W4 R3 B2 K1|R5 W4 G3 Y3 K2 B1|G5 B4 K3 W2 Y2 R1
D:G6 K5 R4 Y3 B2 W1|Y5 W5 K4 B3 G2 R1|K5 Y4 G4 W3 R2 B1|B5 R4 W3 G3 Y2 K1|R5 G4 B3 K2 W2 Y1
E:W6 G5 K4 R3 Y2 B1|R5 Y5 W4 K3 B2 G1|B5 K4 Y4 G3 W2 R1|K5 B4 R3 W3 G2 Y1|Y5 R4 G3 B2 K2 W1
F:B6 W5 G4 K3 R2 Y1|G5 R5 Y4 W3 K2 B1|R5 B4 K4 Y3 G2 W1|Y5 K4 B3 R3 W2 G1|W5 Y4 R3 G2 B2 K1
"""
TABLE = {line[0]: [row.split() for row in line[2:].split("|")] for line in PRINTED.splitlines()}


def sheet(listed: str) -> str:
    """Return a sheet such as ``A:654321,5.....`` with free rows added below the listed ones."""
    letter, rows = listed.split(":")
    given = rows.split(",") if rows else []
    return f"{letter}:{','.join(given + [FREE_ROW] * (5 - len(given)))}"


def in_row(letter: str, number: int, marks: str = FREE_ROW) -> str:
    """Return a sheet with these marks in a row (counted from 1) and all rows above struck."""
    return sheet(f"{letter}:{','.join([STRUCK_ROW] * (number - 1) + [marks])}")


def position(
    *sheets: str,
    rolled: str = "666666",
    phase: str = "fill",
    active: int = 0,
    decides: int | None = None,
    choices: str | None = None,
) -> str:
    """Return the notation; by default the active seat is the next to fill."""
    decider = "-" if phase == "over" else str(active if decides is None else decides)
    chosen = choices or "/".join("-" * len(sheets))
    return f"{phase} {active} {decider} {rolled} {'/'.join(map(sheet, sheets))} {chosen}"


def sheets_of(text: str) -> list[tuple[str, list[str]]]:
    """Return letter and rows of every seat."""
    return [(part[0], part[2:].split(",")) for part in text.split(" ")[4].split("/")]


def actions(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def returns(state: Position) -> list[float]:
    return [float(value) for value in state.returns()]


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert actions(state)
    assert set(returns(state)) == {0.0}


def subsets(mask: int) -> list[int]:
    return [part for part in range(64) if part & mask == part]
