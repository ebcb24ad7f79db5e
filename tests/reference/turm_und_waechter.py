"""Turm & Wächter written once more, straight from its rules and without any cleverness.

The tests hold the compiled rules against this module, so it is meant to be checked by reading it
next to the document. Section numbers in comments are those of ``turm_und_waechter.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple, Self

from reference.common import read_number

FILES = "ABCDEFG"
RANKS = "1234567"
BOARD_SIZE = 7
STONES_PER_SIDE = 7
LONGEST_MOVE = BOARD_SIZE - 1
DRAWING_OCCURRENCE = 3
PLY_CAP = 500

NUM_CELLS = BOARD_SIZE * BOARD_SIZE
NUM_ACTIONS = 4 * LONGEST_MOVE * NUM_CELLS


class Side(Enum):
    """A side of the game; its value is its letter in the notation."""

    RED = "r"
    BLUE = "b"

    @property
    def opponent(self) -> Side:
        """The other side."""
        return Side.BLUE if self is Side.RED else Side.RED

    @property
    def seat(self) -> int:
        """The number of the player: Red is player_0, Blue is player_1."""
        return 0 if self is Side.RED else 1


class Field(NamedTuple):
    """A field of the board; file and rank both count from 0 at A1."""

    file: int
    rank: int

    @classmethod
    def named(cls, name: str) -> Field:
        """The field with a name such as ``D7``."""
        return cls(FILES.index(name[0]), RANKS.index(name[1]))

    def __str__(self) -> str:
        """The name of the field."""
        return FILES[self.file] + RANKS[self.rank]

    @property
    def is_on_board(self) -> bool:
        """Whether the board has this field."""
        return self.file in range(BOARD_SIZE) and self.rank in range(BOARD_SIZE)


class Direction(Enum):
    """A direction of movement as its steps in file and rank, in the order of the action planes."""

    NORTH = (0, 1)
    EAST = (1, 0)
    SOUTH = (0, -1)
    WEST = (-1, 0)

    def ahead(self, start: Field, distance: int) -> Field:
        """The field at a distance from a start, possibly off the board."""
        file_step, rank_step = self.value
        return Field(start.file + distance * file_step, start.rank + distance * rank_step)


DIRECTIONS = tuple(Direction)


class Guard(NamedTuple):
    """The guard of a side."""

    side: Side

    def __str__(self) -> str:
        """The guard in the notation."""
        return self.side.value.upper() + "G"


class Tower(NamedTuple):
    """One or more stones of a side that share a field."""

    side: Side
    height: int

    def __str__(self) -> str:
        """The tower in the notation."""
        return f"{self.side.value}{self.height}"


Figure = Guard | Tower
Board = dict[Field, Figure]

CASTLE = {Side.RED: Field.named("D7"), Side.BLUE: Field.named("D1")}
START = "r1r11RG1r1r1/2r11r12/3r13/7/3b13/2b11b12/b1b11BG1b1b1 r 1 0"


class Move(NamedTuple):
    """A number of stones (or the guard, then 1) that goes exactly that number of fields."""

    start: Field
    direction: Direction
    stones: int

    @property
    def target(self) -> Field:
        """The field on which the move ends."""
        return self.direction.ahead(self.start, self.stones)

    @property
    def action(self) -> int:
        """The number of the move, see docs/games/turm_und_waechter.md."""
        cell = self.start.rank * BOARD_SIZE + self.start.file
        plane = DIRECTIONS.index(self.direction) * LONGEST_MOVE + (self.stones - 1)
        return plane * NUM_CELLS + cell

    @classmethod
    def numbered(cls, action: int) -> Move:
        """The move with this number.

        Raises:
            ValueError: If no move on the board has this number.
        """
        if action not in range(NUM_ACTIONS):
            raise ValueError(f"action {action} is not in 0..{NUM_ACTIONS - 1}")
        plane, cell = divmod(int(action), NUM_CELLS)
        direction, stones_less_one = divmod(plane, LONGEST_MOVE)
        rank, file = divmod(cell, BOARD_SIZE)
        move = cls(Field(file, rank), DIRECTIONS[direction], stones_less_one + 1)
        if not move.target.is_on_board:
            raise ValueError(f"action {action} leaves the board")
        return move

    def __str__(self) -> str:
        """The move as ``FROM-TO-n``."""
        return f"{self.start}-{self.target}-{self.stones}"


class Verdict(NamedTuple):
    """How a game ended: the winner (none in a draw), and whether only the move cap ended it."""

    winner: Side | None
    by_move_cap: bool = False


KEPT = ("_verdict", "_legal")  # what is found out about a position once


class Reference:
    """A position of Turm & Wächter together with the history of its game."""

    def __init__(self, board: Board, side: Side, occurrences: int, plies: int) -> None:
        """Begins a history in which this position has occurred the given number of times."""
        self._board = board
        self._side = side
        self._plies = plies
        self._history = Counter({self._position(): occurrences})
        self._forget()

    def _forget(self) -> None:
        """Forgets what was found out about the position: how the game ended and what is legal."""
        for name in KEPT:
            self.__dict__.pop(name, None)

    @classmethod
    def initial(cls, seed: int | None = None) -> Self:
        """The start position; the game has no chance, so the seed changes nothing."""
        del seed
        return cls.parse(START)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the notation of section 7.3, with or without its two counters.

        Raises:
            ValueError: If the text is not a position; the message names the field and the reason.
        """
        fields = text.split(" ")
        if len(fields) == 2:
            fields += ["1", "0"]
        if len(fields) != 4:
            raise ValueError(
                f"position {text!r}: expected 2 or 4 fields with one space between them"
            )
        board_text, side_text, occurrences_text, plies_text = fields
        board = _parse_board(board_text)
        if side_text not in {side.value for side in Side}:
            raise ValueError(f"side to move {side_text!r}: expected r or b")
        occurrences = read_number("occurrences", occurrences_text, 1, DRAWING_OCCURRENCE)
        plies = read_number("plies", plies_text, 0, PLY_CAP)
        return cls(board, Side(side_text), occurrences, plies)

    def __str__(self) -> str:
        """The full notation: board, side to move, occurrences, plies."""
        occurrences = self._history[self._position()]
        return f"{_board_text(self._board)} {self._side.value} {occurrences} {self._plies}"

    def __eq__(self, other: object) -> bool:
        """Two states are equal if their notations are (section 7.3), whatever led to them."""
        if not isinstance(other, Reference):
            return NotImplemented
        return str(self) == str(other)

    def __hash__(self) -> int:
        """Agrees with equality."""
        return hash(str(self))

    @property
    def current_player(self) -> int:
        """The seat to move, -1 when the game is over."""
        return -1 if self.is_terminal else self._side.seat

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over, for whatever reason."""
        return self._verdict is not None

    @property
    def is_truncated(self) -> bool:
        """Whether nothing but the move cap ended the game."""
        verdict = self._verdict
        return verdict is not None and verdict.by_move_cap

    def returns(self) -> list[float]:
        """The rewards of both seats, section 5."""
        verdict = self._verdict
        if verdict is None or verdict.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if verdict.winner is Side.RED else [-1.0, 1.0]

    def scores(self) -> list[float]:
        """Return the returns: the game has no points."""
        return self.returns()

    def legal_actions(self) -> list[int]:
        """The numbers of all legal moves, ascending; none when the game is over."""
        return list(self._legal)

    @cached_property
    def _legal(self) -> list[int]:
        if self.is_terminal:
            return []
        return sorted(move.action for move in self._moves())

    def action_name(self, action: int) -> str:
        """The text of a move, legal or not.

        Raises:
            ValueError: If no move on the board has this number.
        """
        return str(Move.numbered(action))

    def parse_action(self, text: str) -> int:
        """The number of a move, legal or not, that is written as ``FROM-TO-n``.

        Raises:
            ValueError: If the text is not a move, or has no number though no guard moves.
        """
        match = re.fullmatch(r"([A-G][1-7])-([A-G][1-7])(?:-([1-6]))?", text)
        if match is None:
            raise ValueError(f"action {text!r}: expected FROM-TO-n, such as A7-B7-1")
        start, target = Field.named(match[1]), Field.named(match[2])
        if match[3] is None and self._board.get(start) != Guard(self._side):
            raise ValueError(f"action {text!r}: only a guard's move may omit the number")
        stones = int(match[3] or 1)
        for direction in DIRECTIONS:
            move = Move(start, direction, stones)
            if move.target == target:
                return move.action
        raise ValueError(f"action {text!r}: {target} is not {stones} fields straight from {start}")

    def apply(self, action: int, outcome: Sequence[int] = ()) -> None:
        """Plays a move; chance has no part in the game, so `outcome` must be empty.

        Raises:
            ValueError: If the move is illegal, the game is over, or there is an outcome; the state
                is unchanged.
        """
        if outcome:
            raise ValueError(f"outcome {outcome}: the game has no chance")
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is illegal in {self}")
        move = Move.numbered(action)
        figure = self._board.pop(move.start)
        at_target = self._board.get(move.target)
        if isinstance(figure, Tower):
            if figure.height > move.stones:
                self._board[move.start] = Tower(self._side, figure.height - move.stones)
            arriving = move.stones
            if isinstance(at_target, Tower) and at_target.side is self._side:
                arriving += at_target.height
            figure = Tower(self._side, arriving)
        self._board[move.target] = figure
        self._side = self._side.opponent
        self._plies += 1
        self._history[self._position()] += 1
        self._forget()

    def clone(self) -> Self:
        """A copy that shares nothing with this state."""
        copy = type(self)(dict(self._board), self._side, 1, self._plies)
        copy._history = self._history.copy()
        copy.__dict__ |= {name: self.__dict__[name] for name in KEPT if name in self.__dict__}
        return copy

    def _position(self) -> tuple[frozenset[tuple[Field, Figure]], Side]:
        """What repetition compares (section 4, rule 4): the placement and the side to move."""
        return frozenset(self._board.items()), self._side

    @cached_property
    def _verdict(self) -> Verdict | None:
        """How the game ended, none while it runs; the order of section 4 decides.

        A move can only capture the guard of the opponent and only bring the own guard to a castle,
        so rules 1 and 2 need not know who moved last (section 7.3).
        """
        for side in Side:
            if Guard(side) not in self._board.values():
                return Verdict(winner=side.opponent)
        for side in Side:
            if self._board.get(CASTLE[side.opponent]) == Guard(side):
                return Verdict(winner=side)
        if not any(self._moves()):
            return Verdict(winner=self._side.opponent)
        if self._history[self._position()] >= DRAWING_OCCURRENCE:
            return Verdict(winner=None)
        if self._plies >= PLY_CAP:
            return Verdict(winner=None, by_move_cap=True)
        return None

    def _moves(self) -> Iterator[Move]:
        """All moves of the side to move, section 3, without asking whether the game is over."""
        for start, figure in self._board.items():
            if figure.side is not self._side:
                continue
            tallest = 1 if isinstance(figure, Guard) else min(figure.height, LONGEST_MOVE)
            for direction in DIRECTIONS:
                for stones in range(1, tallest + 1):
                    move = Move(start, direction, stones)
                    if self._may_move(figure, move):
                        yield move

    def _may_move(self, figure: Figure, move: Move) -> bool:
        """Whether a figure of the side to move (or that many of its stones) can make the move."""
        if not move.target.is_on_board:
            return False
        between = (move.direction.ahead(move.start, step) for step in range(1, move.stones))
        if any(field in self._board for field in between):
            return False
        at_target = self._board.get(move.target)
        if at_target is None:
            return True
        if isinstance(figure, Guard):
            # 4.1: a guard captures whatever the enemy has, however high.
            return at_target.side is not self._side
        if isinstance(at_target, Guard):
            # 4.2: stones never stand with their own guard, and any number captures the other.
            return at_target.side is not self._side
        if at_target.side is self._side:
            return True
        # 4.2: the stones that move count, not the tower that they come from.
        return move.stones >= at_target.height


def _parse_board(text: str) -> Board:
    """Reads the first field of the notation and checks that the figures can be those of a game."""
    ranks = text.split("/")
    if len(ranks) != BOARD_SIZE:
        raise ValueError(f"board {text!r}: expected {BOARD_SIZE} ranks, found {len(ranks)}")
    board: Board = {}
    for index, rank_text in enumerate(ranks):
        board |= _parse_rank(rank_text, BOARD_SIZE - 1 - index)
    for side in Side:
        figures = [figure for figure in board.values() if figure.side is side]
        stones = sum(figure.height for figure in figures if isinstance(figure, Tower))
        guards = figures.count(Guard(side))
        if stones > STONES_PER_SIDE:
            raise ValueError(
                f"board {text!r}: {side.name} has {stones} stones, at most {STONES_PER_SIDE} exist"
            )
        if guards > 1:
            raise ValueError(f"board {text!r}: {side.name} has {guards} guards instead of one")
    if not any(isinstance(figure, Guard) for figure in board.values()):
        raise ValueError(f"board {text!r}: no guard at all")
    if all(board.get(CASTLE[side.opponent]) == Guard(side) for side in Side):
        raise ValueError(f"board {text!r}: both guards stand on the enemy castle")
    return board


def _parse_rank(text: str, rank: int) -> Board:
    """Reads one rank, from file A to file G."""
    where = f"rank {RANKS[rank]} {text!r}"
    board: Board = {}
    file = 0
    rest = text
    while rest:
        if match := re.match(r"([RB])G", rest):
            board[Field(file, rank)] = Guard(Side(match[1].lower()))
            file += 1
        elif match := re.match(r"([rb])([0-9])", rest):
            height = int(match[2])
            if not 1 <= height <= STONES_PER_SIDE:
                raise ValueError(f"{where}: height {height} is not in 1..{STONES_PER_SIDE}")
            board[Field(file, rank)] = Tower(Side(match[1]), height)
            file += 1
        elif match := re.match(r"[0-9]", rest):
            file += int(match[0])
        else:
            raise ValueError(f"{where}: unknown characters at {rest!r}")
        rest = rest[match.end() :]
    if file != BOARD_SIZE:
        raise ValueError(f"{where}: adds up to {file} fields instead of {BOARD_SIZE}")
    return board


def _board_text(board: Board) -> str:
    """The first field of the notation."""
    ranks = []
    for rank in reversed(range(BOARD_SIZE)):
        symbols = [str(board.get(Field(file, rank), ".")) for file in range(BOARD_SIZE)]
        ranks.append(re.sub(r"\.+", lambda run: str(len(run[0])), "".join(symbols)))
    return "/".join(ranks)
