"""A slow, plain reference of Tzaar.

Every rule stands here once, in the order of docs/rules/tzaar.md, in the most direct form that
Python allows. Speed plays no role: no fact about a position is stored twice, all is derived from
the four fields of the notation whenever it is asked for.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from reference import tzaar_board as b
from reference.common import NamesOfLegalActions
from reference.tzaar_notation import position_text, read_position

# --- Action numbers -------------------------------------------------------------------------------

CELLS = 81
PASS = len(b.DIRECTIONS) * CELLS
FIRST_PLACEMENT = PASS + 1


def _cell(point: str) -> int:
    i, j = b.GRID[point]
    return j * 9 + i


POINT_OF_CELL = {_cell(point): point for point in b.POINTS}


def _move_action(origin: str, direction: int) -> int:
    return direction * CELLS + _cell(origin)


def _placement_action(piece: str, point: str) -> int:
    return FIRST_PLACEMENT + b.TYPES.index(piece) * CELLS + _cell(point)


class Reference(NamesOfLegalActions, b.Position):
    """A position of Tzaar with the public interface of the compiled states.

    ``initial`` and ``parse`` are its constructors.
    """

    _legal: list[int] | None = None  # of this position, once they were asked for

    # --- Section 2: set-up -----------------------------------------------------------------------

    @classmethod
    def initial(cls, setup: str = b.RANDOM, seed: int | None = None) -> Reference:
        """Return the start position of a set-up; only the random one uses the seed."""
        b.check_setup(setup)
        if setup == b.TOURNAMENT:
            return cls(setup, {}, b.WHITE, b.PLACE, (dict(b.PIECES), dict(b.PIECES)))
        if setup == b.FIXED:
            board = {
                point: b.Stack(owner, piece, 1)
                for (owner, piece), points in b.FIXED_POINTS.items()
                for point in points.split()
            }
        else:
            pieces = [
                b.Stack(owner, piece, 1)
                for owner in (b.WHITE, b.BLACK)
                for piece, number in b.PIECES.items()
                for _ in range(number)
            ]
            random.Random(seed).shuffle(pieces)
            board = dict(zip(b.POINTS, pieces, strict=True))
        return cls(setup, board, b.WHITE, b.OPEN, b.empty_reserve())

    # --- Section 7: position notation ------------------------------------------------------------

    @classmethod
    def parse(cls, text: str, setup: str = b.RANDOM) -> Reference:
        """Read a position in the notation.

        Raises:
            ValueError: The text is not a position of a game with this set-up; the message names
                the field and the reason.
        """
        return cls(**vars(read_position(text, setup)))

    def __str__(self) -> str:
        """Return the position in the notation."""
        return position_text(self)

    def __repr__(self) -> str:
        """Return the set-up and the notation, so that a failing test shows the position."""
        return f"Reference.parse({str(self)!r}, setup={self.setup!r})"

    def clone(self) -> Reference:
        """Return an independent copy."""
        reserve = (dict(self.reserve[b.WHITE]), dict(self.reserve[b.BLACK]))
        copy = Reference(self.setup, dict(self.board), self.side, self.phase, reserve)
        copy._legal = self._legal
        return copy

    # --- Section 3: play -------------------------------------------------------------------------

    def _reach(self, origin: str, direction: int) -> str | None:
        """Return the first occupied point of a line, the only possible target on it."""
        for point in b.LINES[origin, direction]:
            if point in self.board:
                return point
        return None

    def _captures(self) -> Iterator[int]:
        """Yield the captures of the side to act, whether or not the game is over."""
        for origin, stack in self.board.items():
            if stack.owner != self.side:
                continue
            for direction in range(len(b.DIRECTIONS)):
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
            for direction in range(len(b.DIRECTIONS)):
                target = self._reach(origin, direction)
                if target is not None and self.board[target].owner == self.side:
                    yield _move_action(origin, direction)

    def _placements(self) -> list[int]:
        return [
            _placement_action(piece, point)
            for piece in b.TYPES
            for point in b.POINTS
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
        if self.phase == b.PLACE:
            return sorted(self._placements())
        if self.phase == b.ACTION_2:
            return sorted([*self._captures(), *self._stackings(), PASS])
        return sorted(self._captures())

    def apply(self, action: int, outcome: Sequence[int] = ()) -> None:
        """Play an action; chance has no part in it, so `outcome` must be empty.

        Raises:
            ValueError: The action is illegal, or has an outcome; the position is unchanged.
        """
        self.check_legal(action)
        if outcome:
            raise ValueError(f"outcome {outcome}: chance deals the pieces at the start only")
        if self.phase == b.PLACE:
            piece, point = _read_placement(action)
            self.reserve[self.side][piece] -= 1
            self.board[point] = b.Stack(self.side, piece, 1)
        elif action != PASS:
            origin, target = self._read_move(action)
            moving = self.board.pop(origin)
            met = self.board[target]
            if met.owner == moving.owner:
                # The moving stack comes to lie on top, so its type is the one that counts.
                self.board[target] = b.Stack(moving.owner, moving.type, moving.height + met.height)
            else:
                self.board[target] = moving
        self._advance()

    def _advance(self) -> None:
        """Go on to the next side and phase, also after the action that ended the game."""
        self._legal = None
        other = b.BLACK if self.side == b.WHITE else b.WHITE
        if self.phase == b.PLACE:
            left = sum(sum(reserve.values()) for reserve in self.reserve)
            if left > 0:
                self.side = other
            else:
                self.side, self.phase = b.WHITE, b.OPEN
        elif self.phase == b.ACTION_1:
            self.phase = b.ACTION_2
        else:
            # The opening turn has one action only and hands over like an action 2.
            self.side, self.phase = other, b.ACTION_1

    # --- Section 4: end of the game --------------------------------------------------------------

    def _loser(self) -> int | None:
        """Return the colour that has lost, or None while the game runs."""
        if self.phase == b.PLACE:
            return None
        # The order of the two colours is of no importance: they never lack a type both.
        for owner in (b.WHITE, b.BLACK):
            if b.lacks_a_type(self.board, owner):
                return owner
        # An action 2 can always be a pass; only the start of a turn demands a capture.
        if self.phase in (b.OPEN, b.ACTION_1) and not self._can_capture():
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
        return [-1.0 if seat == loser else 1.0 for seat in (b.WHITE, b.BLACK)]

    def scores(self) -> list[float]:
        """Return the returns: the game has no points."""
        return self.returns()

    # --- Section 7: action notation --------------------------------------------------------------

    def name_legal(self, action: int) -> str:
        """Return the text of a legal action, such as ``A5xA4``, ``B2+D2``, ``pass`` or ``Z@E4``."""
        if self.phase == b.PLACE:
            piece, point = _read_placement(action)
            return f"{piece}@{point}"
        if action == PASS:
            return "pass"
        origin, target = self._read_move(action)
        sign = "+" if self.board[target].owner == self.side else "x"
        return f"{origin}{sign}{target}"

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
    return b.TYPES[index], POINT_OF_CELL[cell]
