"""Zatre written once more, straight from its rules and without any cleverness.

The tests hold the compiled rules against this module, so it is meant to be checked by reading it
next to the document. Section numbers are those of ``zatre.md``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from reference import zatre_board as b
from reference.common import Chance, shares
from reference.zatre_notation import position_text, read_position

# --- Action numbers -------------------------------------------------------------------------------

NUM_ACTIONS = len(b.VALUES) * b.SIZE * b.SIZE


class Placement(NamedTuple):
    """A tile of some value that is put on a cell."""

    value: int
    cell: b.Cell

    @property
    def action(self) -> int:
        """The number of the placement."""
        row, col = self.cell
        return (self.value - 1) * b.SIZE * b.SIZE + b.SIZE * row + col

    @classmethod
    def numbered(cls, action: int) -> Placement:
        """The placement with this number.

        Raises:
            ValueError: If no cell of the board has this number.
        """
        if action not in range(NUM_ACTIONS):
            raise ValueError(f"action {action} is not in 0..{NUM_ACTIONS - 1}")
        value_less_one, place = divmod(int(action), b.SIZE * b.SIZE)
        cell = divmod(place, b.SIZE)
        if cell not in b.ALL_CELLS:
            raise ValueError(f"action {action} is on no cell of the board")
        return cls(value_less_one + 1, cell)

    def __str__(self) -> str:
        """The placement in the notation, section 7."""
        return f"{self.value}@{b.cell_name(self.cell)}"


def _without(hand: Sequence[int], value: int) -> list[int]:
    rest = list(hand)
    rest.remove(value)
    return rest


class Reference(b.Position):
    """A position of Zatre.

    ``initial`` and ``parse`` are its constructors.
    """

    _legal: list[Placement] | None = None  # of this position, found when asked for

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
        sheets = [b.EMPTY_SHEET] * players
        position = cls({}, 0, hands, [], None, sheets, random.Random(seed))
        chance = Chance(position.rng, outcome)
        position._draw(3, chance)
        chance.end()
        return position

    # --- Section 3.1: drawing --------------------------------------------------------------------

    def _draw_for_turn(self, chance: Chance) -> None:
        """Draw for a turn that begins, but for the very first one."""
        kept = self.hands[self.seat]
        if len(kept) == 0:
            self._draw(2, chance)
        elif len(kept) == 1 or not b.fits_somewhere(self.board, kept):
            self._draw(1, chance)

    def _draw(self, number: int, chance: Chance) -> None:
        for _ in range(min(number, sum(self.bag().values()))):
            tiles = [value for value, left in self.bag().items() for _ in range(left)]
            value = chance.next(tiles, "a tile")
            self.hands[self.seat] = sorted([*self.hands[self.seat], value])

    def _is_last_turn(self) -> bool:
        return sum(self.bag().values()) == 0

    # --- Section 3.2: placing tiles --------------------------------------------------------------

    def _regular(self, values: Iterable[int], cells: set[b.Cell]) -> list[Placement]:
        """Return R, the regular placements."""
        board, hand = self.board, self.hands[self.seat]
        if self.pending is not None:
            return [
                Placement(*placement) for placement in b.completions(board, self.pending, values)
            ]
        return [
            Placement(value, cell)
            for value in values
            for cell in cells
            if b.fits(board, value, cell)
            and (
                cell not in b.LIGHT
                or b.scores_at_once(board, value, cell)
                or b.is_completed_by_next(board, value, cell, set(_without(hand, value)))
            )
        ]

    def _candidates(self) -> list[Placement]:
        """Return C: the regular placements R, or without any the forced placements F."""
        values = set(self.hands[self.seat])
        cells = set(b.fitting_cells(self.board))
        return self._regular(values, cells) or [
            Placement(value, cell)
            for value in values
            for cell in cells
            if b.fits(self.board, value, cell)
        ]

    def _strands(self, placement: Placement) -> bool:
        """Whether no other tile of the hand fits anywhere after a placement."""
        after = {**self.board, placement.cell: placement.value}
        return not b.fits_somewhere(after, _without(self.hands[self.seat], placement.value))

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
        chance = Chance(self.rng, outcome)
        after = self._copy(self.rng)
        after._put(Placement.numbered(action))
        if not after._legal_placements():
            after._end_turn(chance)
        chance.end()
        self.__dict__.update(after.__dict__)

    def _put(self, placement: Placement) -> None:
        value, cell = placement
        hand = self.hands[self.seat]
        rest = _without(hand, value)
        # A tile that completes a pending cell scores, so it is not to be completed itself.
        becomes_pending = b.is_completed_by_next(self.board, value, cell, set(rest))
        self.board[cell] = value
        self.hands[self.seat] = rest
        self.placed.append(cell)
        self.pending = cell if becomes_pending else None
        self._legal = None

    # --- Sections 3.3, 3.4 and 4: the end of a turn and of the game ------------------------------

    def _end_turn(self, chance: Chance) -> None:
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
            self._draw_for_turn(chance)

    def _score_turn(self) -> None:
        lines = {
            tuple(b.line_through(self.board, cell, axis)) for cell in self.placed for axis in b.AXES
        }  # a set: each line once
        # A single tile is no line, but it cannot have the sum of one either.
        scoring = [line for line in lines if b.sum_of(self.board, line) in b.POINTS]
        made = Counter(b.sum_of(self.board, line) for line in scoring)
        sheet = self.sheets[self.seat]
        columns = {
            total: (*column, made[total] * b.POINTS[total]) if made[total] else column
            for total, column in sheet.columns.items()
        }
        crosses = sum(
            cell in b.LIGHT and any(cell in line for line in scoring) for cell in self.placed
        )
        self.sheets = list(self.sheets)
        self.sheets[self.seat] = b.Sheet(sheet.crosses + crosses, columns)

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
        return shares(self.scores()) if self.is_terminal else [0.0] * len(self.hands)

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
        if value not in tuple("123456") or not at or name not in b.CELL_OF_NAME:
            raise ValueError(f"action {text!r}: expected VALUE@CELL, such as 5@H8")
        return Placement(int(value), b.CELL_OF_NAME[name]).action

    def __str__(self) -> str:
        """The position in the notation."""
        return position_text(self)

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
        position = cls(**vars(read_position(text, players, random.Random(seed))))
        if not position.is_terminal and not position._legal_placements():
            raise ValueError(f"seat: seat {position.seat} has no legal placement")
        return position

    def clone(self) -> Self:
        """A copy that shares nothing with this position, not even the course of chance."""
        rng = random.Random()
        rng.setstate(self.rng.getstate())
        copy = self._copy(rng)
        copy._legal = self._legal
        return copy

    def _copy(self, rng: random.Random) -> Self:
        return type(self)(
            dict(self.board),
            self.seat,
            [list(hand) for hand in self.hands],
            list(self.placed),
            self.pending,
            list(self.sheets),
            rng,
        )


def _check_players(players: int) -> None:
    if players not in range(b.FEWEST_PLAYERS, b.MOST_PLAYERS + 1):
        raise ValueError(f"players: {players!r} is not in {b.FEWEST_PLAYERS}..{b.MOST_PLAYERS}")
