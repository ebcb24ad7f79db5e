"""Positions and actions of Tzaar as text, for the tests of its rules."""

import re

from implementations import Position

DIAGRAM = """
                    E9
                 D8    F8
              C7    E8    G7
           B6    D7    F7    H6
        A5    C6    E7    G6    I5
           B5    D6    F6    H5
        A4    C5    E6    G5    I4
           B4    D5    F5    H4
        A3    C4   (**)   G4    I3
           B3    D4    F4    H3
        A2    C3    E4    G3    I2
           B2    D3    F3    H2
        A1    C2    E3    G2    I1
           B1    D2    F2    H1
              C1    E2    G1
                 D1    F1
                    E1
"""
# Where the picture shows each point: (file counted from the left, line counted from the top).
PICTURED = {
    name: ("ABCDEFGHI".index(name[0]), line)
    for line, row in enumerate(DIAGRAM.splitlines())
    for name in re.findall(r"[A-I][1-9]", row)
}
AT_PICTURED = {place: name for name, place in PICTURED.items()}
PICTURED_STEPS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))  # N, NE, SE, S, SW, NW

POINTS_OF_FILE = {
    file: sorted(name for name in PICTURED if name[0] == file) for file in "ABCDEFGHI"
}
POINTS = [point for points in POINTS_OF_FILE.values() for point in points]

TYPES = ("Z", "R", "T")
PIECES = {"Z": 6, "R": 9, "T": 15}


def pictured_line(point: str, direction: int) -> list[str]:
    """Return the points that the picture shows in a direction up to the edge or the hole."""
    column, line = PICTURED[point]
    columns, lines = PICTURED_STEPS[direction]
    points = []
    while (column + columns, line + lines) in AT_PICTURED:
        column, line = column + columns, line + lines
        points.append(AT_PICTURED[column, line])
    return points


def board_text(stacks: dict[str, str]) -> str:
    """Return the board field with these stacks by point."""
    return "/".join(
        ",".join(stacks.get(point, ".") for point in points) for points in POINTS_OF_FILE.values()
    )


def stacks_of(text: str) -> dict[str, tuple[str, int]]:
    """Return letter and height by point of the board field of a notation."""
    stacks = {}
    files = text.split(" ")[0].split("/")
    for points, file_text in zip(POINTS_OF_FILE.values(), files, strict=True):
        for point, stack in zip(points, file_text.split(","), strict=True):
            if stack != ".":
                stacks[point] = (stack[0], int(stack[1:] or 1))
    return stacks


def side_and_phase(state: Position) -> str:
    return " ".join(str(state).split(" ")[1:3])


def actions(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def names(state: Position) -> list[str]:
    return sorted(state.action_name(action) for action in actions(state))


def play(state: Position, *texts: str) -> Position:
    """Play actions on a copy."""
    state = state.clone()
    for text in texts:
        state.apply(state.parse_action(text))
    return state


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert list(state.returns()) == [0.0, 0.0]
    assert actions(state)


# --- Section 2: set-ups --------------------------------------------------------------------------
