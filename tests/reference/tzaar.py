"""A slow, plain reference of Tzaar.

Every rule stands here once, in the order of docs/rules/tzaar.md, in the most direct form that
Python allows. Speed plays no role: no fact about a position is stored twice, all is derived from
the four fields of the notation whenever it is asked for.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# --- Section 1.1: components ---------------------------------------------------------------------

WHITE = 0
BLACK = 1
COLOUR_NAMES = ("White", "Black")

TZAAR = "Z"
TZARRA = "R"
TOTT = "T"
TYPES = (TZAAR, TZARRA, TOTT)
PIECES = {TZAAR: 6, TZARRA: 9, TOTT: 15}
PIECES_PER_COLOUR = sum(PIECES.values())


class Stack(NamedTuple):
    """One or more pieces of one colour; covered pieces are not tracked, only how many there are."""

    owner: int
    type: str
    height: int


# --- Section 1.2: board and coordinates ----------------------------------------------------------

FILES = "ABCDEFGHI"
CENTRE = 4
HOLE = (CENTRE, CENTRE)
DIRECTIONS = ((0, +1), (+1, +1), (+1, 0), (0, -1), (-1, -1), (-1, 0))  # N, NE, SE, S, SW, NW


def _is_point(i: int, j: int) -> bool:
    return 0 <= i <= 8 and 0 <= j <= 8 and abs(i - j) <= 4 and (i, j) != HOLE


def _point_name(i: int, j: int) -> str:
    # Files F to I start ever higher on the skewed grid, but their ranks still count from 1.
    return FILES[i] + str(j + 1 - max(0, i - CENTRE))


# In the order of the notation: file by file, in a file from rank 1 upwards.
GRID = {_point_name(i, j): (i, j) for i in range(9) for j in range(9) if _is_point(i, j)}
POINTS = tuple(GRID)
POINTS_OF_FILE = {file: [point for point in POINTS if point[0] == file] for file in FILES}


def _line(point: str, direction: int) -> list[str]:
    """Return the points of a line from a point, nearest first, up to the edge or the hole."""
    di, dj = DIRECTIONS[direction]
    i, j = GRID[point]
    line = []
    while _is_point(i + di, j + dj):
        i, j = i + di, j + dj
        line.append(_point_name(i, j))
    return line


LINES = {
    (point, direction): _line(point, direction)
    for point in POINTS
    for direction in range(len(DIRECTIONS))
}


# --- Section 2: set-up ---------------------------------------------------------------------------

RANDOM = "random"
FIXED = "fixed"
TOURNAMENT = "tournament"
SETUPS = (RANDOM, FIXED, TOURNAMENT)

FIXED_POINTS = {
    (WHITE, TZAAR): "C5 D3 D6 E3 G4 G5",
    (WHITE, TZARRA): "B5 C2 C6 D2 D7 E2 H3 H4 H5",
    (WHITE, TOTT): "A5 B1 B6 C1 C7 D1 D5 D8 E1 E4 F5 I2 I3 I4 I5",
    (BLACK, TZAAR): "C3 C4 E7 F3 F6 G3",
    (BLACK, TZARRA): "B2 B3 B4 E8 F2 F7 G2 G6 H2",
    (BLACK, TOTT): "A1 A2 A3 A4 D4 E6 E9 F1 F4 F8 G1 G7 H1 H6 I1",
}

# --- Sections 3 and 7: the phases of the game ----------------------------------------------------

PLACE = "place"
OPEN = "open"
ACTION_1 = "1"
ACTION_2 = "2"
PHASES = (PLACE, OPEN, ACTION_1, ACTION_2)

SIDES = ("w", "b")
NO_RESERVE = "-"

# --- Action numbers -------------------------------------------------------------------------------

CELLS = 81
PASS = len(DIRECTIONS) * CELLS
FIRST_PLACEMENT = PASS + 1


def _cell(point: str) -> int:
    i, j = GRID[point]
    return j * 9 + i


POINT_OF_CELL = {_cell(point): point for point in POINTS}


def _move_action(origin: str, direction: int) -> int:
    return direction * CELLS + _cell(origin)


def _placement_action(piece: str, point: str) -> int:
    return FIRST_PLACEMENT + TYPES.index(piece) * CELLS + _cell(point)


class Reference:
    """A position of Tzaar with the public interface of the compiled states.

    Attributes:
        setup: Which of the three set-ups the game uses.
        board: The stacks by point; an empty point has no entry.
        side: The side to act as the notation has it, also when the game is over.
        phase: One of ``place``, ``open``, ``1`` and ``2``.
        reserve: Per colour the pieces not yet placed, by type; all 0 outside ``place``.
    """

    def __init__(
        self,
        setup: str,
        board: dict[str, Stack],
        side: int,
        phase: str,
        reserve: tuple[dict[str, int], dict[str, int]],
    ) -> None:
        """Store the fields as they are; ``initial`` and ``parse`` are the public constructors."""
        self.setup = setup
        self.board = board
        self.side = side
        self.phase = phase
        self.reserve = reserve
        self._legal: list[int] | None = None  # of this position, once they were asked for

    # --- Section 2: set-up -----------------------------------------------------------------------

    @classmethod
    def initial(cls, setup: str = RANDOM, seed: int | None = None) -> Reference:
        """Return the start position of a set-up; only the random one uses the seed."""
        _check_setup(setup)
        if setup == TOURNAMENT:
            return cls(setup, {}, WHITE, PLACE, (dict(PIECES), dict(PIECES)))
        if setup == FIXED:
            board = {
                point: Stack(owner, piece, 1)
                for (owner, piece), points in FIXED_POINTS.items()
                for point in points.split()
            }
        else:
            pieces = [
                Stack(owner, piece, 1)
                for owner in (WHITE, BLACK)
                for piece, number in PIECES.items()
                for _ in range(number)
            ]
            random.Random(seed).shuffle(pieces)
            board = dict(zip(POINTS, pieces, strict=True))
        return cls(setup, board, WHITE, OPEN, _empty_reserve())

    # --- Section 7: reading a position -----------------------------------------------------------

    @classmethod
    def parse(cls, text: str, setup: str = RANDOM) -> Reference:
        """Read a position in the notation.

        Raises:
            ValueError: The text is not a position of a game with this set-up; the message names
                the field and the reason.
        """
        _check_setup(setup)
        fields = text.split(" ")
        if len(fields) != 4:
            raise ValueError(
                "a position has four fields (board, side, phase, reserve) with one space between "
                f"them, got {len(fields)} fields in {text!r}"
            )
        board_text, side_text, phase, reserve_text = fields
        board = _parse_board(board_text)
        if side_text not in SIDES:
            raise ValueError(f"side: {side_text!r} is neither 'w' nor 'b'")
        side = SIDES.index(side_text)
        if phase not in PHASES:
            raise ValueError(f"phase: {phase!r} is none of {', '.join(PHASES)}")
        if phase == PLACE:
            if setup != TOURNAMENT:
                raise ValueError(f"phase: 'place' needs the setup 'tournament', not {setup!r}")
            reserve = _parse_reserve(reserve_text)
            _check_placement(board, side, reserve)
        else:
            if reserve_text != NO_RESERVE:
                raise ValueError(
                    f"reserve: must be '-' in phase {phase!r}, where all is placed, "
                    f"got {reserve_text!r}"
                )
            reserve = _empty_reserve()
            if phase == OPEN and side == BLACK:
                raise ValueError("side: in phase 'open' White acts, got 'b'")
            if all(_lacks_a_type(board, owner) for owner in (WHITE, BLACK)):
                raise ValueError("board: both colours lack a type, which no game can reach")
        return cls(setup, board, side, phase, reserve)

    def __str__(self) -> str:
        """Return the position in the notation."""
        board = "/".join(
            ",".join(_stack_text(self.board.get(point)) for point in POINTS_OF_FILE[file])
            for file in FILES
        )
        reserve = NO_RESERVE
        if self.phase == PLACE:
            reserve = "/".join(
                ".".join(str(self.reserve[owner][piece]) for piece in TYPES)
                for owner in (WHITE, BLACK)
            )
        return f"{board} {SIDES[self.side]} {self.phase} {reserve}"

    def __repr__(self) -> str:
        """Return the set-up and the notation, so that a failing test shows the position."""
        return f"Reference.parse({str(self)!r}, setup={self.setup!r})"

    def clone(self) -> Reference:
        """Return an independent copy."""
        reserve = (dict(self.reserve[WHITE]), dict(self.reserve[BLACK]))
        copy = Reference(self.setup, dict(self.board), self.side, self.phase, reserve)
        copy._legal = self._legal
        return copy

    # --- Section 3: play -------------------------------------------------------------------------

    def _reach(self, origin: str, direction: int) -> str | None:
        """Return the first occupied point of a line, the only possible target on it."""
        for point in LINES[origin, direction]:
            if point in self.board:
                return point
        return None

    def _captures(self) -> Iterator[int]:
        """Yield the captures of the side to act, whether or not the game is over."""
        for origin, stack in self.board.items():
            if stack.owner != self.side:
                continue
            for direction in range(len(DIRECTIONS)):
                target = self._reach(origin, direction)
                if target is None:
                    continue
                victim = self.board[target]
                if victim.owner != self.side and victim.height <= stack.height:
                    yield _move_action(origin, direction)

    def _can_capture(self) -> bool:
        return next(self._captures(), None) is not None

    def _stackings(self) -> Iterator[int]:
        """Yield the stack moves of the side to act; types and heights play no role in them."""
        for origin, stack in self.board.items():
            if stack.owner != self.side:
                continue
            for direction in range(len(DIRECTIONS)):
                target = self._reach(origin, direction)
                if target is not None and self.board[target].owner == self.side:
                    yield _move_action(origin, direction)

    def _placements(self) -> list[int]:
        return [
            _placement_action(piece, point)
            for piece in TYPES
            for point in POINTS
            if self.reserve[self.side][piece] > 0 and point not in self.board
        ]

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; none when the game is over."""
        if self._legal is None:
            self._legal = self._find_legal()
        return list(self._legal)

    def _find_legal(self) -> list[int]:
        if self.is_terminal:
            return []
        if self.phase == PLACE:
            return sorted(self._placements())
        if self.phase == ACTION_2:
            return sorted([*self._captures(), *self._stackings(), PASS])
        return sorted(self._captures())

    def apply(self, action: int, outcome: Sequence[int] = ()) -> None:
        """Play an action; chance has no part in it, so `outcome` must be empty.

        Raises:
            ValueError: The action is illegal, or has an outcome; the position is unchanged.
        """
        self._check_legal(action)
        if outcome:
            raise ValueError(f"outcome {outcome}: chance deals the pieces at the start only")
        if self.phase == PLACE:
            piece, point = _read_placement(action)
            self.reserve[self.side][piece] -= 1
            self.board[point] = Stack(self.side, piece, 1)
        elif action != PASS:
            origin, target = self._read_move(action)
            moving = self.board.pop(origin)
            met = self.board[target]
            if met.owner == moving.owner:
                # The moving stack comes to lie on top, so its type is the one that counts.
                self.board[target] = Stack(moving.owner, moving.type, moving.height + met.height)
            else:
                self.board[target] = moving
        self._advance()

    def _advance(self) -> None:
        """Go on to the next side and phase, also after the action that ended the game."""
        self._legal = None
        other = BLACK if self.side == WHITE else WHITE
        if self.phase == PLACE:
            left = sum(sum(reserve.values()) for reserve in self.reserve)
            if left > 0:
                self.side = other
            else:
                self.side, self.phase = WHITE, OPEN
        elif self.phase == ACTION_1:
            self.phase = ACTION_2
        else:
            # The opening turn has one action only and hands over like an action 2.
            self.side, self.phase = other, ACTION_1

    # --- Section 4: end of the game --------------------------------------------------------------

    def _loser(self) -> int | None:
        """Return the colour that has lost, or None while the game runs."""
        if self.phase == PLACE:
            return None
        # The order of the two colours is of no importance: they never lack a type both.
        for owner in (WHITE, BLACK):
            if _lacks_a_type(self.board, owner):
                return owner
        # An action 2 can always be a pass; only the start of a turn demands a capture.
        if self.phase in (OPEN, ACTION_1) and not self._can_capture():
            return self.side
        return None

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._loser() is not None

    @property
    def is_truncated(self) -> bool:
        """Whether a move cap ended the game, which Tzaar does not need."""
        return False

    @property
    def current_player(self) -> int:
        """The seat to act, -1 when the game is over."""
        return -1 if self.is_terminal else self.side

    # --- Section 5: result -----------------------------------------------------------------------

    def returns(self) -> list[float]:
        """Return +1 for the winner and -1 for the loser, 0 for both while the game runs."""
        loser = self._loser()
        if loser is None:
            return [0.0, 0.0]
        return [-1.0 if seat == loser else 1.0 for seat in (WHITE, BLACK)]

    def scores(self) -> list[float]:
        """Return the returns: the game has no points."""
        return self.returns()

    # --- Section 7: action notation --------------------------------------------------------------

    def action_name(self, action: int) -> str:
        """Return the text of a legal action, such as ``A5xA4``, ``B2+D2``, ``pass`` or ``Z@E4``.

        Raises:
            ValueError: The action is illegal.
        """
        self._check_legal(action)
        return self._name(action)

    def _name(self, action: int) -> str:
        if self.phase == PLACE:
            piece, point = _read_placement(action)
            return f"{piece}@{point}"
        if action == PASS:
            return "pass"
        origin, target = self._read_move(action)
        sign = "+" if self.board[target].owner == self.side else "x"
        return f"{origin}{sign}{target}"

    def parse_action(self, text: str) -> int:
        """Return the legal action with this text.

        Raises:
            ValueError: No legal action has this text.
        """
        for action in self.legal_actions():
            if self._name(action) == text:
                return action
        raise ValueError(f"action: {text!r} is not the text of a legal action in {self}")

    def _check_legal(self, action: int) -> None:
        if action not in self.legal_actions():
            raise ValueError(f"action: {action!r} is illegal in {self}")

    def _read_move(self, action: int) -> tuple[str, str]:
        """Return origin and target of a legal move."""
        direction, cell = divmod(action, CELLS)
        origin = POINT_OF_CELL[cell]
        target = self._reach(origin, direction)
        assert target is not None, "a legal move has a target"
        return origin, target


def _read_placement(action: int) -> tuple[str, str]:
    """Return type and point of a legal placement."""
    index, cell = divmod(action - FIRST_PLACEMENT, CELLS)
    return TYPES[index], POINT_OF_CELL[cell]


def _lacks_a_type(board: dict[str, Stack], owner: int) -> bool:
    visible = {stack.type for stack in board.values() if stack.owner == owner}
    return visible != set(TYPES)


def _empty_reserve() -> tuple[dict[str, int], dict[str, int]]:
    return dict.fromkeys(TYPES, 0), dict.fromkeys(TYPES, 0)


def _check_setup(setup: str) -> None:
    if setup not in SETUPS:
        raise ValueError(f"setup: {setup!r} is none of {', '.join(SETUPS)}")


# --- Section 7: the fields of the notation -------------------------------------------------------


def _stack_text(stack: Stack | None) -> str:
    if stack is None:
        return "."
    letter = stack.type if stack.owner == WHITE else stack.type.lower()
    return letter if stack.height == 1 else f"{letter}{stack.height}"


def _parse_board(text: str) -> dict[str, Stack]:
    files = text.split("/")
    if len(files) != len(FILES):
        raise ValueError(f"board: {len(FILES)} files are needed, got {len(files)}")
    board = {}
    for file, file_text in zip(FILES, files, strict=True):
        points = POINTS_OF_FILE[file]
        stack_texts = file_text.split(",")
        if len(stack_texts) != len(points):
            raise ValueError(f"board: file {file} has {len(points)} points, got {len(stack_texts)}")
        for point, stack_text in zip(points, stack_texts, strict=True):
            if stack_text != ".":
                board[point] = _parse_stack(point, stack_text)
    _check_material(board)
    return board


def _parse_stack(point: str, text: str) -> Stack:
    letter, height_text = text[:1], text[1:]
    if letter == "" or letter not in "ZRTzrt":
        raise ValueError(
            f"board: point {point}: {text!r} starts with none of '.' and the type letters ZRTzrt"
        )
    owner = WHITE if letter.isupper() else BLACK
    if height_text == "":
        return Stack(owner, letter.upper(), 1)
    # A height of 1 is not written, so every position has exactly one text.
    if not re.fullmatch("[1-9][0-9]*", height_text) or height_text == "1":
        raise ValueError(
            f"board: point {point}: the height in {text!r} is not a whole number above 1 "
            "(a height of 1 is left out)"
        )
    if len(height_text) > len(str(PIECES_PER_COLOUR)):
        raise ValueError(f"board: point {point}: a height above {PIECES_PER_COLOUR} in {text!r}")
    return Stack(owner, letter.upper(), int(height_text))


def _check_material(board: dict[str, Stack]) -> None:
    """Refuse more stacks of a colour and type, or more pieces of a colour, than the game has."""
    for owner in (WHITE, BLACK):
        stacks = [stack for stack in board.values() if stack.owner == owner]
        for piece, number in PIECES.items():
            found = sum(stack.type == piece for stack in stacks)
            if found > number:
                raise ValueError(
                    f"board: {COLOUR_NAMES[owner]} has {found} stacks of type {piece}, "
                    f"more than the {number} pieces of the game"
                )
        heights = sum(stack.height for stack in stacks)
        if heights > PIECES_PER_COLOUR:
            raise ValueError(
                f"board: the heights of {COLOUR_NAMES[owner]} have the sum {heights}, "
                f"more than the {PIECES_PER_COLOUR} pieces of the game"
            )


def _parse_reserve(text: str) -> tuple[dict[str, int], dict[str, int]]:
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
    return dict(zip(TYPES, white, strict=True)), dict(zip(TYPES, black, strict=True))


def _check_placement(
    board: dict[str, Stack], side: int, reserve: tuple[dict[str, int], dict[str, int]]
) -> None:
    """Refuse what the alternate placing of 60 single pieces cannot lead to."""
    for point, stack in board.items():
        if stack.height != 1:
            raise ValueError(
                f"board: point {point}: height {stack.height}, but in phase 'place' all are 1"
            )
    for owner in (WHITE, BLACK):
        for piece, number in PIECES.items():
            placed = sum(stack[:2] == (owner, piece) for stack in board.values())
            if placed + reserve[owner][piece] != number:
                raise ValueError(
                    f"reserve: {COLOUR_NAMES[owner]} has {placed} of type {piece} on the board "
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
    if (side == WHITE) != (white == black):
        raise ValueError(
            f"side: White acts if and only if both reserves are equally large, "
            f"got {SIDES[side]!r} with {white} and {black} pieces left"
        )
