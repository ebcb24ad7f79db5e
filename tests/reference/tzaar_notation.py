"""The notation of Tzaar's positions, section 7: writing them, and reading them with all checks."""

import re

from reference import tzaar_board as b
from reference.common import split

SIDES = ("w", "b")
NO_RESERVE = "-"


def position_text(position: b.Position) -> str:
    """Return a position in the notation."""
    board = "/".join(
        ",".join(_stack_text(position.board.get(point)) for point in b.POINTS_OF_FILE[file])
        for file in b.FILES
    )
    reserve = NO_RESERVE
    if position.phase == b.PLACE:
        reserve = "/".join(
            ".".join(str(position.reserve[owner][piece]) for piece in b.TYPES)
            for owner in (b.WHITE, b.BLACK)
        )
    return f"{board} {SIDES[position.side]} {position.phase} {reserve}"


def read_position(text: str, setup: str) -> b.Position:
    """Read a position in the notation.

    Raises:
        ValueError: The text is not a position of a game with this set-up; the message names
            the field and the reason.
    """
    b.check_setup(setup)
    what = "fields of a position (board, side, phase, reserve)"
    board_text, side_text, phase, reserve_text = split(what, text, " ", 4)
    board = _read_board(board_text)
    if side_text not in SIDES:
        raise ValueError(f"side: {side_text!r} is neither 'w' nor 'b'")
    side = SIDES.index(side_text)
    if phase not in b.PHASES:
        raise ValueError(f"phase: {phase!r} is none of {', '.join(b.PHASES)}")
    if phase == b.PLACE:
        if setup != b.TOURNAMENT:
            raise ValueError(f"phase: 'place' needs the setup 'tournament', not {setup!r}")
        reserve = _read_reserve(reserve_text)
        _check_placement(board, side, reserve)
    else:
        if reserve_text != NO_RESERVE:
            raise ValueError(
                f"reserve: must be '-' in phase {phase!r}, where all is placed, "
                f"got {reserve_text!r}"
            )
        reserve = b.empty_reserve()
        if phase == b.OPEN and side == b.BLACK:
            raise ValueError("side: in phase 'open' White acts, got 'b'")
        if all(b.lacks_a_type(board, owner) for owner in (b.WHITE, b.BLACK)):
            raise ValueError("board: both colours lack a type, which no game can reach")
    return b.Position(setup, board, side, phase, reserve)


def _stack_text(stack: b.Stack | None) -> str:
    if stack is None:
        return "."
    letter = stack.type if stack.owner == b.WHITE else stack.type.lower()
    return letter if stack.height == 1 else f"{letter}{stack.height}"


def _read_board(text: str) -> dict[str, b.Stack]:
    board = {}
    files = split("files of the board", text, "/", len(b.FILES))
    for file, file_text in zip(b.FILES, files, strict=True):
        points = b.POINTS_OF_FILE[file]
        stack_texts = split(f"points of file {file} of the board", file_text, ",", len(points))
        for point, stack_text in zip(points, stack_texts, strict=True):
            if stack_text != ".":
                board[point] = _read_stack(point, stack_text)
    _check_material(board)
    return board


def _read_stack(point: str, text: str) -> b.Stack:
    letter, height_text = text[:1], text[1:]
    if letter == "" or letter not in "ZRTzrt":
        raise ValueError(
            f"board: point {point}: {text!r} starts with none of '.' and the type letters ZRTzrt"
        )
    owner = b.WHITE if letter.isupper() else b.BLACK
    if height_text == "":
        return b.Stack(owner, letter.upper(), 1)
    # A height of 1 is not written, so every position has exactly one text.
    if not re.fullmatch("[1-9][0-9]*", height_text) or height_text == "1":
        raise ValueError(
            f"board: point {point}: the height in {text!r} is not an integer above 1 "
            "(a height of 1 is left out)"
        )
    if len(height_text) > len(str(b.PIECES_PER_COLOUR)):
        raise ValueError(f"board: point {point}: a height above {b.PIECES_PER_COLOUR} in {text!r}")
    return b.Stack(owner, letter.upper(), int(height_text))


def _check_material(board: dict[str, b.Stack]) -> None:
    """Refuse more stacks of a colour and type, or more pieces of a colour, than the game has."""
    for owner in (b.WHITE, b.BLACK):
        stacks = [stack for stack in board.values() if stack.owner == owner]
        for piece, number in b.PIECES.items():
            found = sum(stack.type == piece for stack in stacks)
            if found > number:
                raise ValueError(
                    f"board: {b.COLOUR_NAMES[owner]} has {found} stacks of type {piece}, "
                    f"more than the {number} pieces of the game"
                )
        heights = sum(stack.height for stack in stacks)
        if heights > b.PIECES_PER_COLOUR:
            raise ValueError(
                f"board: the heights of {b.COLOUR_NAMES[owner]} have the sum {heights}, "
                f"more than the {b.PIECES_PER_COLOUR} pieces of the game"
            )


def _read_reserve(text: str) -> tuple[dict[str, int], dict[str, int]]:
    number = "(0|[1-9][0-9]?)"
    colour = rf"{number}\.{number}\.{number}"
    match = re.fullmatch(f"{colour}/{colour}", text)
    if match is None:
        raise ValueError(
            f"reserve: {text!r} is not of the form Z.R.T/Z.R.T, the pieces not yet placed "
            "of White and Black"
        )
    numbers = [int(group) for group in match.groups()]
    white, black = numbers[:3], numbers[3:]
    return dict(zip(b.TYPES, white, strict=True)), dict(zip(b.TYPES, black, strict=True))


def _check_placement(
    board: dict[str, b.Stack], side: int, reserve: tuple[dict[str, int], dict[str, int]]
) -> None:
    """Refuse what the alternate placing of 60 single pieces cannot lead to."""
    for point, stack in board.items():
        if stack.height != 1:
            raise ValueError(
                f"board: point {point}: height {stack.height}, but in phase 'place' all are 1"
            )
    for owner in (b.WHITE, b.BLACK):
        for piece, number in b.PIECES.items():
            placed = sum(stack[:2] == (owner, piece) for stack in board.values())
            if placed + reserve[owner][piece] != number:
                raise ValueError(
                    f"reserve: {b.COLOUR_NAMES[owner]} has {placed} of type {piece} on the board "
                    f"and {reserve[owner][piece]} in reserve, which must make {number} pieces"
                )
    white, black = (sum(pieces.values()) for pieces in reserve)
    if white + black == 0:
        raise ValueError("reserve: in phase 'place' something must be left to place")
    # White places first and the colours alternate, so White is never behind and at most one ahead.
    if black - white not in (0, 1):
        raise ValueError(
            f"reserve: White has {white} pieces left and Black {black}, "
            "but they place alternately and White first"
        )
    if (side == b.WHITE) != (white == black):
        raise ValueError(
            f"side: White acts if and only if both reserves are equally large, "
            f"got {SIDES[side]!r} with {white} and {black} pieces left"
        )
