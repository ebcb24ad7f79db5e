"""A slow, plain reference of Twenty One.

Every rule stands here once, in the order of docs/rules/twenty_one.md, in the most direct form that
Python allows. No fact about a position is stored twice: what the fields of the notation do not
say (current rows, hits, scores, whose choice comes next) is worked out whenever it is asked for.
Section numbers in comments are those of ``twenty_one.md``.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Sequence

from reference import twenty_one_board as b
from reference.common import Chance, shares
from reference.twenty_one_notation import parse_sheets, position_text, read_position

# --- Section 3: a turn ---------------------------------------------------------------------------


def _enterable(row: b.Row, row_marks: str, dice: Sequence[int]) -> set[int]:
    """The set E of 6.2: free positions whose die shows at most the printed number."""
    return {
        pos
        for pos in b.POSITIONS
        if row_marks[pos] == b.FREE and dice[row[pos].colour] <= row[pos].number
    }


# The positions that each filling enters; a strike enters none.
FILLED = {mask: {pos for pos in b.POSITIONS if mask >> pos & 1} for mask in range(2**b.ROW_LENGTH)}


def _legal_fillings(row: b.Row, row_marks: str, dice: Sequence[int]) -> list[int]:
    """Strike, which is always allowed, and every non-empty subset of E."""
    possible = _enterable(row, row_marks, dice)
    return [filling for filling, positions in FILLED.items() if positions <= possible]


def _filled(row: b.Row, row_marks: str, dice: Sequence[int], filling: int) -> str:
    """The marks of a row after a filling, 6.2."""
    fields = list(row_marks)
    if filling == STRIKE:
        fields[row_marks.index(b.FREE)] = b.STRUCK
    for pos in FILLED[filling]:
        fields[pos] = str(dice[row[pos].colour])
    return "".join(fields)


BONUS = (0, 1, 3, 6, 10, 15, 21)


def _row_score(row: b.Row, row_marks: str) -> int:
    """Entered values and hit bonus, 6.3; struck and free fields count nothing."""
    entered = {pos: int(row_marks[pos]) for pos in b.POSITIONS if row_marks[pos] in b.ENTERED}
    hits = sum(value == row[pos].number for pos, value in entered.items())
    return sum(entered.values()) + BONUS[hits]


# --- Section 8: chance ---------------------------------------------------------------------------


def _die(chance: Chance, colour: int) -> int:
    return chance.next(range(1, 7), f"the die {b.COLOURS[colour]}")


def _dice(chance: Chance) -> list[int]:
    return [_die(chance, colour) for colour in range(b.NUM_DICE)]


def _dealt(chance: Chance, players: int) -> list[int]:
    dealt: list[int] = []
    for seat in range(players):
        left = [sheet for sheet in range(len(b.LETTERS)) if sheet not in dealt]
        dealt.append(chance.next(left, f"the sheet of seat {seat}"))
    return dealt


# --- Action numbers -------------------------------------------------------------------------------

STRIKE = 0
KEEP = 64
REROLL = 65
NUM_ACTIONS = 66


class Reference(b.Position):
    """A position of Twenty One with the public interface of the compiled states.

    ``initial`` and ``parse`` are its constructors.
    """

    # --- Section 2: setup ------------------------------------------------------------------------

    @classmethod
    def initial(
        cls,
        *,
        seed: int | None = None,
        outcome: Iterable[int] | None = None,
        players: int = 2,
        deal: str = "fixed",
        sheets: str = "standard",
    ) -> Reference:
        """Return a start position: sheets dealt, nothing filled, the first dice rolled.

        Raises:
            ValueError: An option is not possible, or the given outcome of chance.
        """
        _check_options(players, deal)
        printed = parse_sheets(sheets)
        rng = random.Random(seed)
        chance = Chance(rng, outcome)
        letters = _dealt(chance, players) if deal == "random" else list(range(players))
        dice = _dice(chance)
        chance.end()
        marks = [[b.FREE * b.ROW_LENGTH] * b.NUM_ROWS for _ in range(players)]
        return cls(printed, b.ROLL, 0, dice, letters, marks, [None] * players, rng)

    @property
    def _players(self) -> int:
        return len(self.letters)

    # --- Section 3: a turn -----------------------------------------------------------------------

    def _row(self, seat: int) -> b.Row:
        """The printed fields of the current row of a seat."""
        return self.sheets[self.letters[seat]][b.current_row(self.marks[seat])]

    def _row_marks(self, seat: int) -> str:
        return self.marks[seat][b.current_row(self.marks[seat])]

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; none when the game is over."""
        seat = self.to_decide
        if seat is None:
            return []
        if self.phase == b.ROLL:
            return [KEEP] if self.dice == [1] * b.NUM_DICE else [KEEP, REROLL]
        return _legal_fillings(self._row(seat), self._row_marks(seat), self.dice)

    def apply(self, action: int, outcome: Iterable[int] | None = None) -> None:
        """Play an action.

        Raises:
            ValueError: The action is illegal, or the given outcome of chance impossible; the
                position is unchanged.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action: {action!r} is illegal in {self}")
        action = int(action)
        chance = Chance(self.rng, outcome)
        if self.phase == b.ROLL:
            self._decide_on_the_roll(action, chance)
        else:
            self._choose(action, chance)

    def _decide_on_the_roll(self, action: int, chance: Chance) -> None:
        """6.1: keep, or roll everything again once that does not show 1."""
        dice = list(self.dice)
        if action == REROLL:
            dice = [
                value if value == 1 else _die(chance, colour) for colour, value in enumerate(dice)
            ]
        chance.end()
        self.dice = dice
        self.phase = b.FILL

    def _choose(self, filling: int, chance: Chance) -> None:
        """6.2: a choice is only stored; the last one makes all take effect together."""
        seat = self.to_decide
        assert seat is not None, "an action is legal"
        choices = [*self.choices]
        choices[seat] = filling
        made = [choice for choice in choices if choice is not None]
        if len(made) < self._players:
            chance.end()
            self.choices = choices
            return
        marks = [self._marks_after(seat, made[seat]) for seat in range(self._players)]
        over = b.somebody_has_finished(marks)
        # 6.4 and 7: after the turn that ends the game nobody rolls any more.
        dice = self.dice if over else _dice(chance)
        chance.end()
        self.marks = marks
        self.choices = [None] * self._players
        self.dice = dice
        if over:
            self.phase = b.OVER
        else:
            self.phase = b.ROLL
            self.active = (self.active + 1) % self._players

    def _marks_after(self, seat: int, filling: int) -> b.Marks:
        marks = [*self.marks[seat]]
        row_marks = _filled(self._row(seat), self._row_marks(seat), self.dice, filling)
        marks[b.current_row(marks)] = row_marks
        return marks

    # --- Sections 3.3 and 4: scores, end and result ----------------------------------------------

    def scores(self) -> list[float]:
        """Return the points of the complete rows, and of all rows when the game is over."""
        return [
            float(
                sum(
                    _row_score(row, row_marks)
                    for row, row_marks in zip(self.sheets[letter], marks, strict=True)
                    if b.is_complete(row_marks) or self.is_terminal
                )
            )
            for letter, marks in zip(self.letters, self.marks, strict=True)
        ]

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.phase == b.OVER

    @property
    def is_truncated(self) -> bool:
        """Whether a move cap ended the game, which Twenty One does not need."""
        return False

    @property
    def current_player(self) -> int:
        """The seat to decide, -1 when the game is over."""
        seat = self.to_decide
        return -1 if seat is None else seat

    def returns(self) -> list[float]:
        """Return what the winners and the others share, zeros while the game runs."""
        return shares(self.scores()) if self.is_terminal else [0.0] * self._players

    # --- Section 7: action notation --------------------------------------------------------------

    def action_name(self, action: int) -> str:
        """Return the text of an action, legal or not, for the seat to decide.

        Raises:
            ValueError: No action has this number, or nobody has to decide any more.
        """
        seat = self.to_decide
        if seat is None or action not in range(NUM_ACTIONS):
            raise ValueError(f"action: {action!r} has no name in {self}")
        if action in (KEEP, REROLL):
            return "keep" if action == KEEP else "reroll"
        if action == STRIKE:
            return "strike"
        row = self._row(seat)
        chosen = sorted(FILLED[int(action)])
        return "enter " + "".join(b.COLOURS[row[pos].colour] for pos in chosen)

    def parse_action(self, text: str) -> int:
        """Return the action with this text, legal or not, for the seat to decide.

        Raises:
            ValueError: No action has this text.
        """
        if not self.is_terminal:
            for action in range(NUM_ACTIONS):
                if self.action_name(action) == text:
                    return action
        raise ValueError(f"action: {text!r} is not the text of an action in {self}")

    # --- Section 7: position notation ------------------------------------------------------------

    def __str__(self) -> str:
        """Return the position in the notation."""
        return position_text(self)

    def __repr__(self) -> str:
        """Return the notation, so that a failing test shows the position."""
        return f"<Reference {self}>"

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        seed: int | None = None,
        players: int = 2,
        deal: str = "fixed",
        sheets: str = "standard",
    ) -> Reference:
        """Read a position in the notation.

        Raises:
            ValueError: The text is not a position of a game with these options; the message names
                the field and the reason.
        """
        _check_options(players, deal)
        rng = random.Random(seed)
        position = cls(**vars(read_position(text, players, parse_sheets(sheets), rng)))
        position._check_choices()
        return position

    def _check_choices(self) -> None:
        for seat, filling in enumerate(self.choices):
            if filling is not None and filling not in _legal_fillings(
                self._row(seat), self._row_marks(seat), self.dice
            ):
                raise ValueError(f"choices: {filling} of seat {seat} is not legal with these dice")

    def clone(self) -> Reference:
        """Return an independent copy, which draws the same dice from here on."""
        return copy.deepcopy(self)


def _check_options(players: int, deal: str) -> None:
    if players not in b.PLAYERS:
        raise ValueError(f"players: {players!r} is not in 2..6")
    if deal not in ("fixed", "random"):
        raise ValueError(f"deal: {deal!r} is neither 'fixed' nor 'random'")
