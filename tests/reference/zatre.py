"""Zatre written once more, straight from its rules and without any cleverness.

The tests hold the compiled rules against this module, so it is meant to be checked by reading it
next to the document. Section numbers are those of ``zatre.md``.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

# --- Section 1.1: components ---------------------------------------------------------------------

VALUES = (1, 2, 3, 4, 5, 6)
TILES = {1: 21, 2: 20, 3: 20, 4: 20, 5: 20, 6: 20}
FEWEST_PLAYERS = 2
MOST_PLAYERS = 4

# --- Section 1.2: the board ----------------------------------------------------------------------

Cell = tuple[int, int]  # row, column
Board = dict[Cell, int]  # the tiles that lie, an empty cell has no entry

SIZE = 15
START = (7, 7)
OUTER = (4, 5, 6, 8, 9, 10)


def _is_cell(row: int, col: int) -> bool:
    if 1 <= row <= 13 and 1 <= col <= 13:
        return True
    return (row in (0, 14) and col in OUTER) or (col in (0, 14) and row in OUTER)


CELLS = tuple((row, col) for row in range(SIZE) for col in range(SIZE) if _is_cell(row, col))
ALL_CELLS = frozenset(CELLS)
OUTER_LIGHT = {(0, 6), (0, 8), (14, 6), (14, 8), (6, 0), (8, 0), (6, 14), (8, 14)}
LIGHT = frozenset(
    (row, col)
    for row, col in CELLS
    if (row, col) in OUTER_LIGHT
    or (1 <= row <= 13 and 1 <= col <= 13 and (row == col or row + col == 14))
) - {START}

LEFT, RIGHT, UP, DOWN = (0, -1), (0, +1), (-1, 0), (+1, 0)
HORIZONTAL, VERTICAL = (LEFT, RIGHT), (UP, DOWN)
AXES = (HORIZONTAL, VERTICAL)
Direction = tuple[int, int]
Axis = tuple[Direction, Direction]


def _next(cell: Cell, direction: Direction) -> Cell:
    return cell[0] + direction[0], cell[1] + direction[1]


NEIGHBOURS = {
    cell: [
        _next(cell, direction)
        for direction in (LEFT, RIGHT, UP, DOWN)
        if _next(cell, direction) in ALL_CELLS
    ]
    for cell in CELLS
}


def _ray(cell: Cell, direction: Direction) -> list[Cell]:
    """Return the cells that follow a cell in a direction, up to the edge, nearest first."""
    cells = []
    while (cell := _next(cell, direction)) in ALL_CELLS:
        cells.append(cell)
    return cells


RAYS = {
    (cell, direction): _ray(cell, direction)
    for cell in CELLS
    for direction in (LEFT, RIGHT, UP, DOWN)
}

COLUMN_LETTERS = "ABCDEFGHIJKLMNO"


def _cell_name(cell: Cell) -> str:
    return f"{COLUMN_LETTERS[cell[1]]}{cell[0] + 1}"


CELL_OF_NAME = {_cell_name(cell): cell for cell in CELLS}

# --- Section 1.3: the score sheet ----------------------------------------------------------------

POINTS = {10: 1, 11: 2, 12: 4}


def _bonus(row: int) -> int:
    """Return the printed bonus of a row; the first row is row 1."""
    return min(6, 3 + (row - 1) // 4)


class Sheet(NamedTuple):
    """A score sheet: how many crosses there are, and the entries of each column from the top."""

    crosses: int
    columns: dict[int, tuple[int, ...]]

    def total(self) -> int:
        """The sum of the values of all rows."""
        # Rows with nothing but a cross are worth 0.
        rows = max(len(column) for column in self.columns.values())
        return sum(self._value(row) for row in range(1, rows + 1))

    def _value(self, row: int) -> int:
        entries = [column[row - 1] for column in self.columns.values() if row <= len(column)]
        value = sum(entries)
        if len(entries) == len(self.columns):
            value += _bonus(row)
        return 2 * value if row <= self.crosses else value

    def __str__(self) -> str:
        """The sheet in the notation, section 7."""
        columns = (",".join(map(str, column)) or "-" for column in self.columns.values())
        return ":".join([str(self.crosses), *columns])


EMPTY_SHEET = Sheet(0, {total: () for total in POINTS})

# --- Section 1.4: terms --------------------------------------------------------------------------

HIGHEST_SUM = 12


def _run(board: Board, cell: Cell, direction: Direction) -> list[Cell]:
    """Return the tiles that follow a cell in a direction without a gap, nearest first."""
    run = []
    for other in RAYS[cell, direction]:
        if other not in board:
            break
        run.append(other)
    return run


def _line(board: Board, cell: Cell, axis: Axis) -> list[Cell]:
    """Return the line through a tile, from left or top; one single cell if there is no line."""
    before, after = axis
    return [*reversed(_run(board, cell, before)), cell, *_run(board, cell, after)]


def _sum_of(board: Board, line: Iterable[Cell]) -> int:
    return sum([board[cell] for cell in line])


def _figure(board: Board, value: int, cell: Cell, axis: Axis) -> int:
    """Return H or V of a tile that is to be put on an empty cell."""
    before, after = axis
    return value + _sum_of(board, _run(board, cell, before) + _run(board, cell, after))


def _fits(board: Board, value: int, cell: Cell) -> bool:
    """Whether a tile can lie on a cell at all."""
    if cell not in ALL_CELLS or cell in board:
        return False
    if not board:
        return cell == START
    return any(neighbour in board for neighbour in NEIGHBOURS[cell]) and all(
        _figure(board, value, cell, axis) <= HIGHEST_SUM for axis in AXES
    )


def _scores_at_once(board: Board, value: int, cell: Cell) -> bool:
    """Whether a fitting tile makes a 10, 11 or 12."""
    return any(_figure(board, value, cell, axis) in POINTS for axis in AXES)


def _fitting_cells(board: Board) -> Iterator[Cell]:
    """Yield the empty cells on which a tile can lie at all, if its value allows it.

    A cell beside several tiles comes several times, those beside the latest tiles come first.
    """
    if not board:
        yield START
    for tile in reversed(board):
        for cell in NEIGHBOURS[tile]:
            if cell not in board:
                yield cell


def _fits_somewhere(board: Board, values: Iterable[int]) -> bool:
    # The least of several values fits wherever any of them fits.
    value = min(values, default=None)
    if value is None:
        return False
    return any(_fits(board, value, cell) for cell in _fitting_cells(board))


def _completions(board: Board, cell: Cell, values: Iterable[int]) -> Iterator[tuple[int, Cell]]:
    """Yield the placements after which a line of a cell and the new tile is a 10, 11 or 12.

    The cell holds a tile. A new tile gets into one of its two lines only at an end of that line.
    """
    for axis in AXES:
        line = _line(board, cell, axis)
        for end in (_next(line[0], axis[0]), _next(line[-1], axis[1])):
            for value in values:
                if _fits(board, value, end) and _figure(board, value, end, axis) in POINTS:
                    yield value, end


def _is_completed_by_next(board: Board, value: int, cell: Cell, rest: Iterable[int]) -> bool:
    """Whether a fitting tile is "completed by the next tile", one of the rest of the hand."""
    if cell not in LIGHT or _scores_at_once(board, value, cell):
        return False
    after = {**board, cell: value}
    return next(_completions(after, cell, rest), None) is not None


# --- Action numbers -------------------------------------------------------------------------------

NUM_ACTIONS = len(VALUES) * SIZE * SIZE


class Placement(NamedTuple):
    """A tile of some value that is put on a cell."""

    value: int
    cell: Cell

    @property
    def action(self) -> int:
        """The number of the placement."""
        row, col = self.cell
        return (self.value - 1) * SIZE * SIZE + SIZE * row + col

    @classmethod
    def numbered(cls, action: int) -> Placement:
        """The placement with this number.

        Raises:
            ValueError: If no cell of the board has this number.
        """
        if action not in range(NUM_ACTIONS):
            raise ValueError(f"action {action} is not in 0..{NUM_ACTIONS - 1}")
        value_less_one, place = divmod(int(action), SIZE * SIZE)
        cell = divmod(place, SIZE)
        if cell not in ALL_CELLS:
            raise ValueError(f"action {action} is on no cell of the board")
        return cls(value_less_one + 1, cell)

    def __str__(self) -> str:
        """The placement in the notation, section 7."""
        return f"{self.value}@{_cell_name(self.cell)}"


def _without(hand: Sequence[int], value: int) -> list[int]:
    rest = list(hand)
    rest.remove(value)
    return rest


class Reference:
    """A position of Zatre.

    Attributes:
        board: The tiles by cell.
        seat: The seat to move, None when the game is over.
        hands: The values in each hand, ascending.
        placed: The cells filled in the current turn, in order.
        pending: The cell that the next tile must complete, or None.
        sheets: The score sheet of each seat.
    """

    def __init__(
        self,
        board: Board,
        seat: int | None,
        hands: list[list[int]],
        placed: list[Cell],
        pending: Cell | None,
        sheets: list[Sheet],
        chance: random.Random,
    ) -> None:
        """Store the fields as they are; ``initial`` and ``parse`` are the public constructors."""
        self.board = board
        self.seat = seat
        self.hands = hands
        self.placed = placed
        self.pending = pending
        self.sheets = sheets
        self._chance = chance
        self._legal: list[Placement] | None = None  # of this position, found when asked for

    # --- Section 2: set-up -----------------------------------------------------------------------

    @classmethod
    def initial(
        cls,
        *,
        players: int = 2,
        seed: int | None = None,
        outcome: Sequence[int] | None = None,
    ) -> Self:
        """The start of a game: seat 0 has drawn its three tiles.

        Raises:
            ValueError: If the number of players is not allowed or the outcome is impossible.
        """
        _check_players(players)
        hands: list[list[int]] = [[] for _ in range(players)]
        sheets = [EMPTY_SHEET] * players
        position = cls({}, 0, hands, [], None, sheets, random.Random(seed))
        drawing = _Drawing(outcome)
        position._draw(3, drawing)
        drawing.finish()
        return position

    # --- Section 3.1: drawing --------------------------------------------------------------------

    def bag(self) -> dict[int, int]:
        """How many tiles of each value are in the bag: all that lie nowhere else (section 7)."""
        used = Counter(self.board.values())
        for hand in self.hands:
            used.update(hand)
        return {value: TILES[value] - used[value] for value in VALUES}

    def _draw_for_turn(self, drawing: _Drawing) -> None:
        """Draw for a turn that begins, but for the very first one."""
        kept = self.hands[self.seat]
        if len(kept) == 0:
            self._draw(2, drawing)
        elif len(kept) == 1 or not _fits_somewhere(self.board, kept):
            self._draw(1, drawing)

    def _draw(self, number: int, drawing: _Drawing) -> None:
        for _ in range(min(number, sum(self.bag().values()))):
            value = drawing.next_tile(self.bag(), self._chance)
            self.hands[self.seat] = sorted([*self.hands[self.seat], value])

    def _is_last_turn(self) -> bool:
        return sum(self.bag().values()) == 0

    # --- Section 3.2: placing tiles --------------------------------------------------------------

    def _regular(self, values: Iterable[int], cells: set[Cell]) -> list[Placement]:
        """Return R, the regular placements."""
        board, hand = self.board, self.hands[self.seat]
        if self.pending is not None:
            return [
                Placement(*placement) for placement in _completions(board, self.pending, values)
            ]
        return [
            Placement(value, cell)
            for value in values
            for cell in cells
            if _fits(board, value, cell)
            and (
                cell not in LIGHT
                or _scores_at_once(board, value, cell)
                or _is_completed_by_next(board, value, cell, set(_without(hand, value)))
            )
        ]

    def _candidates(self) -> list[Placement]:
        """Return C: the regular placements R, or without any the forced placements F."""
        values = set(self.hands[self.seat])
        cells = set(_fitting_cells(self.board))
        return self._regular(values, cells) or [
            Placement(value, cell)
            for value in values
            for cell in cells
            if _fits(self.board, value, cell)
        ]

    def _strands(self, placement: Placement) -> bool:
        """Whether no other tile of the hand fits anywhere after a placement."""
        after = {**self.board, placement.cell: placement.value}
        return not _fits_somewhere(after, _without(self.hands[self.seat], placement.value))

    def _placements(self) -> list[Placement]:
        """Return the legal placements of the seat whose turn it is, perhaps none."""
        candidates = self._candidates()
        if len(self.hands[self.seat]) >= 2:
            not_stranding = [placement for placement in candidates if not self._strands(placement)]
            candidates = not_stranding or candidates
        # A completing tile at the meeting of two lines is found twice.
        return sorted(set(candidates), key=lambda placement: placement.action)

    def _legal_placements(self) -> list[Placement]:
        if self.seat is None:
            return []
        if self._legal is None:
            self._legal = self._placements()
        return self._legal

    def legal_actions(self) -> list[int]:
        """The numbers of all legal placements, ascending; none when the game is over."""
        return [placement.action for placement in self._legal_placements()]

    def apply(self, action: int, outcome: Sequence[int] | None = None) -> None:
        """Put a tile on the board, and go on to the next decision or the end of the game.

        Args:
            action: The number of a legal placement.
            outcome: The values of all tiles that are drawn before the next decision, in order, or
                None to draw them at random.

        Raises:
            ValueError: If the action is illegal or the outcome is impossible, too short or too
                long; the position is unchanged.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is illegal in {self}")
        drawing = _Drawing(outcome)
        after = self._copy(self._chance)
        after._put(Placement.numbered(action))
        if not after._legal_placements():
            after._end_turn(drawing)
        drawing.finish()
        self.__dict__.update(after.__dict__)

    def _put(self, placement: Placement) -> None:
        value, cell = placement
        hand = self.hands[self.seat]
        rest = _without(hand, value)
        # A tile that completes a pending cell scores, so it is not to be completed itself.
        becomes_pending = _is_completed_by_next(self.board, value, cell, set(rest))
        self.board[cell] = value
        self.hands[self.seat] = rest
        self.placed.append(cell)
        self.pending = cell if becomes_pending else None
        self._legal = None

    # --- Sections 3.3, 3.4 and 4: the end of a turn and of the game ------------------------------

    def _end_turn(self, drawing: _Drawing) -> None:
        """Score the turn, then go on until a seat has a decision or the last turn is over."""
        self._score_turn()
        while not self._legal_placements():
            last = self._is_last_turn()
            self.placed = []
            self.pending = None
            self._legal = None
            if last:
                self.seat = None
                return
            self.seat = (self.seat + 1) % len(self.hands)
            self._draw_for_turn(drawing)

    def _score_turn(self) -> None:
        lines = {
            tuple(_line(self.board, cell, axis)) for cell in self.placed for axis in AXES
        }  # a set: each line once
        # A single tile is no line, but it cannot have the sum of one either.
        scoring = [line for line in lines if _sum_of(self.board, line) in POINTS]
        made = Counter(_sum_of(self.board, line) for line in scoring)
        sheet = self.sheets[self.seat]
        columns = {
            total: (*column, made[total] * POINTS[total]) if made[total] else column
            for total, column in sheet.columns.items()
        }
        crosses = sum(
            cell in LIGHT and any(cell in line for line in scoring) for cell in self.placed
        )
        self.sheets = list(self.sheets)
        self.sheets[self.seat] = Sheet(sheet.crosses + crosses, columns)

    @property
    def current_player(self) -> int:
        """The seat to move, -1 when the game is over."""
        return -1 if self.seat is None else self.seat

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.seat is None

    @property
    def is_truncated(self) -> bool:
        """Whether a move cap ended the game, which Zatre does not need."""
        return False

    def scores(self) -> list[float]:
        """The totals of the sheets; when the game is over, less the tiles in the hands."""
        totals = [sheet.total() for sheet in self.sheets]
        if self.is_terminal:
            totals = [total - sum(hand) for total, hand in zip(totals, self.hands, strict=True)]
        return [float(total) for total in totals]

    def returns(self) -> list[float]:
        """The shares of winners and losers: the highest score wins, or several of them do."""
        seats = len(self.hands)
        scores = self.scores()
        winners = scores.count(max(scores))
        if not self.is_terminal or winners == seats:
            return [0.0] * seats
        return [1 / winners if score == max(scores) else -1 / (seats - winners) for score in scores]

    # --- Section 7: position and action notation -------------------------------------------------

    def action_name(self, action: int) -> str:
        """The text of a placement, legal or not.

        Raises:
            ValueError: If no placement has this number.
        """
        return str(Placement.numbered(action))

    def parse_action(self, text: str) -> int:
        """The number of a placement, legal or not, that is written as ``VALUE@CELL``.

        Raises:
            ValueError: If the text is no placement on a cell of the board.
        """
        value, at, name = text.partition("@")
        if value not in tuple("123456") or not at or name not in CELL_OF_NAME:
            raise ValueError(f"action {text!r}: expected VALUE@CELL, such as 5@H8")
        return Placement(int(value), CELL_OF_NAME[name]).action

    def __str__(self) -> str:
        """The position in the notation."""
        return " ".join(
            [
                board_text(self.board),
                "-" if self.seat is None else str(self.seat),
                "/".join("".join(map(str, hand)) or "-" for hand in self.hands),
                ",".join(map(_cell_name, self.placed)) or "-",
                "-" if self.pending is None else _cell_name(self.pending),
                "/".join(map(str, self.sheets)),
            ]
        )

    def __repr__(self) -> str:
        """The notation as an expression, so that a failing test shows the position."""
        return f"Reference.parse({str(self)!r}, players={len(self.hands)})"

    @classmethod
    def parse(cls, text: str, *, players: int = 2, seed: int | None = None) -> Self:
        """Read a position in the notation; the bag holds the tiles that it does not show.

        Raises:
            ValueError: If the text is not a position; the message names the field and the reason.
        """
        _check_players(players)
        fields = text.split(" ")
        if len(fields) != 6:
            raise ValueError(
                f"a position has six fields with one space between them, got {len(fields)}"
            )
        board_text, seat_text, hands_text, placed_text, pending_text, sheets_text = fields
        board = _parse_board(board_text)
        seat = _parse_seat(seat_text, players)
        hands = _parse_hands(hands_text, players)
        placed = _parse_cells("placed", placed_text)
        pending = _parse_cells("pending", pending_text)
        if len(pending) > 1:
            raise ValueError(f"pending: {pending_text!r} is more than one cell")
        sheets = _parse_sheets(sheets_text, players)
        position = cls(
            board,
            seat,
            hands,
            placed,
            pending[0] if pending else None,
            sheets,
            random.Random(seed),
        )
        position._check()
        return position

    def _check(self) -> None:
        """Refuse what each field allows on its own but not all of them together."""
        for value, number in self.bag().items():
            if number < 0:
                raise ValueError(
                    f"board and hands: more tiles of value {value} than the {TILES[value]} "
                    "of the game"
                )
        # Not of section 7: positions have a fixed size in the suite, so sheets are bounded.
        most = len(self.board) - len(self.placed) + SPARE_ROWS
        for sheet in self.sheets:
            lengths = [sheet.crosses, *map(len, sheet.columns.values())]
            if max(lengths) > most:
                raise ValueError(f"sheets: a column has {max(lengths)} entries, at most {most}")
            for total, points in POINTS.items():
                if any(entry > MOST_LINES * points for entry in sheet.columns[total]):
                    raise ValueError(f"sheets: an entry in column {total} exceeds {MOST_LINES}")
        for cell in self.placed:
            if cell not in self.board:
                raise ValueError(f"placed: cell {_cell_name(cell)} holds no tile")
        if len(set(self.placed)) != len(self.placed):
            raise ValueError("placed: a cell is filled only once")
        if self.seat is None:
            if self.placed:
                raise ValueError("placed: must be '-' when the game is over")
            if self.pending is not None:
                raise ValueError("pending: must be '-' when the game is over")
            return
        if self.pending is not None:
            self._check_pending(self.pending)
        if not self._legal_placements():
            raise ValueError(f"seat: seat {self.seat} has no legal placement")

    def _check_pending(self, pending: Cell) -> None:
        name = _cell_name(pending)
        if pending not in self.board:
            raise ValueError(f"pending: cell {name} holds no tile")
        if pending not in LIGHT:
            raise ValueError(f"pending: cell {name} is not light")
        if self.placed[-1:] != [pending]:
            raise ValueError(f"pending: cell {name} is not the last placed cell")
        if next(_completions(self.board, pending, self.hands[self.seat]), None) is None:
            raise ValueError(f"pending: no tile of the hand completes cell {name}")

    def clone(self) -> Self:
        """A copy that shares nothing with this position, not even the course of chance."""
        chance = random.Random()
        chance.setstate(self._chance.getstate())
        copy = self._copy(chance)
        copy._legal = self._legal
        return copy

    def _copy(self, chance: random.Random) -> Self:
        return type(self)(
            dict(self.board),
            self.seat,
            [list(hand) for hand in self.hands],
            list(self.placed),
            self.pending,
            list(self.sheets),
            chance,
        )


class _Drawing:
    """All that is drawn during one call: at random, or as an outcome says it."""

    def __init__(self, outcome: Sequence[int] | None) -> None:
        self._outcome = None if outcome is None else list(outcome)
        self._drawn = 0

    def next_tile(self, bag: dict[int, int], chance: random.Random) -> int:
        """Return the value of the next tile; every tile in the bag is equally likely."""
        if self._outcome is None:
            return chance.choice([value for value in VALUES for _ in range(bag[value])])
        if self._drawn == len(self._outcome):
            raise ValueError(f"outcome {self._outcome}: more than {self._drawn} tiles are drawn")
        value = self._outcome[self._drawn]
        if value not in VALUES or bag[value] == 0:
            raise ValueError(f"outcome {self._outcome}: no tile {value!r} is in the bag")
        self._drawn += 1
        return int(value)

    def finish(self) -> None:
        """Refuse an outcome of which something is left over."""
        if self._outcome is not None and self._drawn != len(self._outcome):
            raise ValueError(f"outcome {self._outcome}: only {self._drawn} tiles are drawn")


def _check_players(players: int) -> None:
    if players not in range(FEWEST_PLAYERS, MOST_PLAYERS + 1):
        raise ValueError(f"players: {players!r} is not in {FEWEST_PLAYERS}..{MOST_PLAYERS}")


def _parse_board(text: str) -> Board:
    rows = text.split("/")
    if len(rows) != SIZE:
        raise ValueError(f"board: {SIZE} rows are needed, got {len(rows)}")
    board: Board = {}
    for row, row_text in enumerate(rows):
        if len(row_text) != SIZE:
            raise ValueError(f"board: row {row + 1} needs {SIZE} characters, got {len(row_text)}")
        for col, character in enumerate(row_text):
            if character not in "#.123456":
                raise ValueError(f"board: row {row + 1}: unknown character {character!r}")
            if (character == "#") == ((row, col) in ALL_CELLS):
                raise ValueError(
                    f"board: row {row + 1}: {character!r} at column {COLUMN_LETTERS[col]}, but '#' "
                    "stands where there is no cell and nowhere else"
                )
            if character in "123456":
                board[row, col] = int(character)
    for cell in board:
        for axis in AXES:
            total = _sum_of(board, _line(board, cell, axis))
            if total > HIGHEST_SUM:
                raise ValueError(f"board: a line through {_cell_name(cell)} has the sum {total}")
    return board


# The characters of an empty board, row by row.
EMPTY_BOARD = {
    (row, col): "." if _is_cell(row, col) else "#" for row in range(SIZE) for col in range(SIZE)
}


def board_text(board: Board) -> str:
    """Return the first field of the notation."""
    characters = "".join(map(str, {**EMPTY_BOARD, **board}.values()))
    return "/".join(characters[SIZE * row :][:SIZE] for row in range(SIZE))


def _parse_seat(text: str, players: int) -> int | None:
    if text == "-":
        return None
    for seat in range(players):
        if text == str(seat):
            return seat
    raise ValueError(f"seat: {text!r} is neither '-' nor a seat from 0 to {players - 1}")


def _parse_hands(text: str, players: int) -> list[list[int]]:
    texts = text.split("/")
    if len(texts) != players:
        raise ValueError(f"hands: {players} hands are needed, got {len(texts)}")
    hands = []
    for hand_text in texts:
        if not re.fullmatch("-|1*2*3*4*5*6*", hand_text) or hand_text == "":
            raise ValueError(
                f"hands: {hand_text!r} is neither '-' nor values from 1 to 6 in ascending order"
            )
        hands.append([] if hand_text == "-" else [int(value) for value in hand_text])
    return hands


def _parse_cells(field: str, text: str) -> list[Cell]:
    if text == "-":
        return []
    for name in text.split(","):
        if name not in CELL_OF_NAME:
            raise ValueError(f"{field}: {name!r} is no cell of the board")
    return [CELL_OF_NAME[name] for name in text.split(",")]


# A number of the notation. No game comes near 15 digits, and all their sums are exact as floats.
NUMBER = "[1-9][0-9]{0,14}"
SPARE_ROWS = 40  # how many more entries a column may have than tiles were laid in earlier turns
MOST_LINES = 121  # in one entry


def _parse_sheets(text: str, players: int) -> list[Sheet]:
    texts = text.split("/")
    if len(texts) != players:
        raise ValueError(f"sheets: {players} sheets are needed, got {len(texts)}")
    return [_parse_sheet(sheet_text) for sheet_text in texts]


def _parse_sheet(text: str) -> Sheet:
    texts = text.split(":")
    if len(texts) != 1 + len(POINTS):
        raise ValueError(f"sheets: {1 + len(POINTS)} columns are needed, got {text!r}")
    if not re.fullmatch(f"0|{NUMBER}", texts[0]):
        raise ValueError(f"sheets: {texts[0]!r} is no number of crosses")
    columns = {
        total: _parse_column(column_text, points)
        for column_text, (total, points) in zip(texts[1:], POINTS.items(), strict=True)
    }
    return Sheet(int(texts[0]), columns)


def _parse_column(text: str, points: int) -> tuple[int, ...]:
    if text == "-":
        return ()
    entries = text.split(",")
    for entry in entries:
        if not re.fullmatch(NUMBER, entry) or int(entry) % points:
            raise ValueError(f"sheets: the entry {entry!r} is no positive multiple of {points}")
    return tuple(map(int, entries))
