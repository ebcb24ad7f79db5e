"""A slow, plain reference of Twenty One.

Every rule stands here once, in the order of docs/rules/twenty_one.md, in the most direct form that
Python allows. No fact about a position is stored twice: what the fields of the notation do not
say (current rows, hits, scores, whose choice comes next) is worked out whenever it is asked for.
Section numbers in comments are those of ``twenty_one.md``.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

# --- Section 1.1: components ---------------------------------------------------------------------

COLOURS = "YBWGKR"
NUM_DICE = len(COLOURS)
LETTERS = "ABCDEF"
PLAYERS = range(2, 7)

# --- Section 1: the sheets -----------------------------------------------------------------------

NUM_ROWS = 5
ROW_LENGTH = 6
POSITIONS = range(ROW_LENGTH)


class Field(NamedTuple):
    """A printed field of a sheet."""

    colour: int
    number: int


Row = tuple[Field, ...]
Sheet = tuple[Row, ...]


def _standard_number(row: int, pos: int) -> int:
    """The formula of 3.1; rows count from 1."""
    return 6 - pos - (1 if pos < row - 1 else 0)


def _standard_colour(sheet: int, row: int, pos: int) -> int:
    """The formula of 3.2; rows count from 1."""
    return (row * ((pos - sheet) % 6 + 1)) % 7 - 1


STANDARD_SHEETS: tuple[Sheet, ...] = tuple(
    tuple(
        tuple(
            Field(_standard_colour(sheet, row, pos), _standard_number(row, pos))
            for pos in POSITIONS
        )
        for row in range(1, NUM_ROWS + 1)
    )
    for sheet in range(len(LETTERS))
)


@functools.cache
def parse_sheets(text: str) -> tuple[Sheet, ...]:
    """Read the option: ``standard``, or six sheets of the kind that section 1 describes.

    Raises:
        ValueError: The text is neither; the message names the sheet, the row and the reason.
    """
    if text == "standard":
        return STANDARD_SHEETS
    sheet_texts = text.split("/")
    if len(sheet_texts) != len(LETTERS):
        raise ValueError(f"sheets: expected 'standard' or six sheets, got {len(sheet_texts)}")
    sheets = tuple(
        _parse_printed_sheet(letter, sheet_text)
        for letter, sheet_text in zip(LETTERS, sheet_texts, strict=True)
    )
    for letter, sheet in zip(LETTERS, sheets, strict=True):
        if _numbers(sheet) != _numbers(sheets[0]):
            raise ValueError(f"sheets: the numbers of sheet {letter} are not those of sheet A")
    if len(set(sheets)) != len(sheets):
        raise ValueError("sheets: two of them are equal")
    return sheets


def _numbers(sheet: Sheet) -> list[list[int]]:
    return [[field.number for field in row] for row in sheet]


def _parse_printed_sheet(letter: str, text: str) -> Sheet:
    row_texts = text.split(",")
    if len(row_texts) != NUM_ROWS:
        raise ValueError(f"sheets: sheet {letter} has {len(row_texts)} rows instead of {NUM_ROWS}")
    rows = []
    for index, row_text in enumerate(row_texts, start=1):
        where = f"sheets: row {index} of sheet {letter} {row_text!r}"
        if not re.fullmatch(r"([YBWGKR][1-6]){6}", row_text):
            raise ValueError(f"{where}: expected six fields of a colour letter and a number 1-6")
        row = tuple(
            Field(COLOURS.index(colour), int(number))
            for colour, number in zip(row_text[::2], row_text[1::2], strict=True)
        )
        if len({field.colour for field in row}) != NUM_DICE:
            raise ValueError(f"{where}: a colour is missing or there twice")
        if any(row[pos].number < row[pos + 1].number for pos in range(ROW_LENGTH - 1)):
            raise ValueError(f"{where}: the numbers rise from left to right")
        rows.append(row)
    return tuple(rows)


# --- Section 1.4: field states -------------------------------------------------------------------

FREE = "."
STRUCK = "x"
ENTERED = "123456"

# The marks of a row are a text of six characters, those of a player five such texts.
Marks = list[str]


def _is_complete(row_marks: str) -> bool:
    return FREE not in row_marks


def _current_row(marks: Marks) -> int:
    """The topmost row that is not complete; only asked while the player has one."""
    return [_is_complete(row_marks) for row_marks in marks].index(False)


# --- Section 3: a turn ---------------------------------------------------------------------------


def _enterable(row: Row, row_marks: str, dice: Sequence[int]) -> set[int]:
    """The set E of 6.2: free positions whose die shows at most the printed number."""
    return {
        pos
        for pos in POSITIONS
        if row_marks[pos] == FREE and dice[row[pos].colour] <= row[pos].number
    }


# The positions that each filling enters; a strike enters none.
FILLED = {mask: {pos for pos in POSITIONS if mask >> pos & 1} for mask in range(2**ROW_LENGTH)}


def _legal_fillings(row: Row, row_marks: str, dice: Sequence[int]) -> list[int]:
    """Strike, which is always allowed, and every non-empty subset of E."""
    possible = _enterable(row, row_marks, dice)
    return [filling for filling, positions in FILLED.items() if positions <= possible]


def _filled(row: Row, row_marks: str, dice: Sequence[int], filling: int) -> str:
    """The marks of a row after a filling, 6.2."""
    fields = list(row_marks)
    if filling == STRIKE:
        fields[row_marks.index(FREE)] = STRUCK
    for pos in FILLED[filling]:
        fields[pos] = str(dice[row[pos].colour])
    return "".join(fields)


BONUS = (0, 1, 3, 6, 10, 15, 21)


def _row_score(row: Row, row_marks: str) -> int:
    """Entered values and hit bonus, 6.3; struck and free fields count nothing."""
    entered = {pos: int(row_marks[pos]) for pos in POSITIONS if row_marks[pos] in ENTERED}
    hits = sum(value == row[pos].number for pos, value in entered.items())
    return sum(entered.values()) + BONUS[hits]


# --- Section 8: chance ---------------------------------------------------------------------------


class _Chance:
    """What chance brings during one call: given from outside, or drawn where nothing is given."""

    def __init__(self, rng: random.Random, outcome: Iterable[int] | None) -> None:
        self._rng = rng
        self._given = None if outcome is None else list(outcome)

    def _next(self, allowed: Sequence[int], what: str) -> int:
        if self._given is None:
            return self._rng.choice(allowed)
        if not self._given:
            raise ValueError(f"outcome: too short, {what} is missing")
        value = self._given.pop(0)
        if value not in allowed:
            raise ValueError(f"outcome: {what} cannot be {value!r}")
        return int(value)

    def die(self, colour: int) -> int:
        return self._next(range(1, 7), f"the die {COLOURS[colour]}")

    def dice(self) -> list[int]:
        return [self.die(colour) for colour in range(NUM_DICE)]

    def sheets(self, players: int) -> list[int]:
        dealt: list[int] = []
        for seat in range(players):
            left = [sheet for sheet in range(len(LETTERS)) if sheet not in dealt]
            dealt.append(self._next(left, f"the sheet of seat {seat}"))
        return dealt

    def end(self) -> None:
        if self._given:
            raise ValueError(f"outcome: too long, {self._given!r} is left over")


# --- Action numbers -------------------------------------------------------------------------------

STRIKE = 0
KEEP = 64
REROLL = 65
NUM_ACTIONS = 66

# --- Section 7: phases ---------------------------------------------------------------------------

ROLL = "roll"
FILL = "fill"
OVER = "over"


class Reference:
    """A position of Twenty One with the public interface of the compiled states.

    Attributes:
        sheets: The six printed sheets of the game.
        phase: One of ``roll``, ``fill`` and ``over``.
        active: The active seat; when the game is over that of the last turn.
        dice: The values of the dice in colour order.
        letters: Per seat the number of the sheet, 0 for A.
        marks: Per seat the marks of the five rows.
        choices: Per seat the filling already chosen in this turn, or None.
    """

    def __init__(
        self,
        sheets: tuple[Sheet, ...],
        phase: str,
        active: int,
        dice: list[int],
        letters: list[int],
        marks: list[Marks],
        choices: list[int | None],
        rng: random.Random,
    ) -> None:
        """Store the fields as they are; ``initial`` and ``parse`` are the public constructors."""
        self.sheets = sheets
        self.phase = phase
        self.active = active
        self.dice = dice
        self.letters = letters
        self.marks = marks
        self.choices = choices
        self._rng = rng

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
        chance = _Chance(rng, outcome)
        letters = chance.sheets(players) if deal == "random" else list(range(players))
        dice = chance.dice()
        chance.end()
        marks = [[FREE * ROW_LENGTH] * NUM_ROWS for _ in range(players)]
        return cls(printed, ROLL, 0, dice, letters, marks, [None] * players, rng)

    @property
    def _players(self) -> int:
        return len(self.letters)

    # --- Section 3: a turn -----------------------------------------------------------------------

    @property
    def _to_decide(self) -> int | None:
        """The seat to decide: the active one, then the next ones in turn order (section 3.5)."""
        if self.phase == OVER:
            return None
        if self.phase == ROLL:
            return self.active
        chosen = sum(choice is not None for choice in self.choices)
        return (self.active + chosen) % self._players

    def _row(self, seat: int) -> Row:
        """The printed fields of the current row of a seat."""
        return self.sheets[self.letters[seat]][_current_row(self.marks[seat])]

    def _row_marks(self, seat: int) -> str:
        return self.marks[seat][_current_row(self.marks[seat])]

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; none when the game is over."""
        seat = self._to_decide
        if seat is None:
            return []
        if self.phase == ROLL:
            return [KEEP] if self.dice == [1] * NUM_DICE else [KEEP, REROLL]
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
        chance = _Chance(self._rng, outcome)
        if self.phase == ROLL:
            self._decide_on_the_roll(action, chance)
        else:
            self._choose(action, chance)

    def _decide_on_the_roll(self, action: int, chance: _Chance) -> None:
        """6.1: keep, or roll everything again once that does not show 1."""
        dice = list(self.dice)
        if action == REROLL:
            dice = [
                value if value == 1 else chance.die(colour) for colour, value in enumerate(dice)
            ]
        chance.end()
        self.dice = dice
        self.phase = FILL

    def _choose(self, filling: int, chance: _Chance) -> None:
        """6.2: a choice is only stored; the last one makes all take effect together."""
        seat = self._to_decide
        assert seat is not None, "an action is legal"
        choices = [*self.choices]
        choices[seat] = filling
        made = [choice for choice in choices if choice is not None]
        if len(made) < self._players:
            chance.end()
            self.choices = choices
            return
        marks = [self._marks_after(seat, made[seat]) for seat in range(self._players)]
        over = _somebody_has_finished(marks)
        # 6.4 and 7: after the turn that ends the game nobody rolls any more.
        dice = self.dice if over else chance.dice()
        chance.end()
        self.marks = marks
        self.choices = [None] * self._players
        self.dice = dice
        if over:
            self.phase = OVER
        else:
            self.phase = ROLL
            self.active = (self.active + 1) % self._players

    def _marks_after(self, seat: int, filling: int) -> Marks:
        marks = [*self.marks[seat]]
        row_marks = _filled(self._row(seat), self._row_marks(seat), self.dice, filling)
        marks[_current_row(marks)] = row_marks
        return marks

    # --- Sections 3.3 and 4: scores, end and result ----------------------------------------------

    def scores(self) -> list[float]:
        """Return the points of the complete rows, and of all rows when the game is over."""
        return [
            float(
                sum(
                    _row_score(row, row_marks)
                    for row, row_marks in zip(self.sheets[letter], marks, strict=True)
                    if _is_complete(row_marks) or self.is_terminal
                )
            )
            for letter, marks in zip(self.letters, self.marks, strict=True)
        ]

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.phase == OVER

    @property
    def is_truncated(self) -> bool:
        """Whether a move cap ended the game, which Twenty One does not need."""
        return False

    @property
    def current_player(self) -> int:
        """The seat to decide, -1 when the game is over."""
        seat = self._to_decide
        return -1 if seat is None else seat

    def returns(self) -> list[float]:
        """Return what the winners and the others share, zeros while the game runs."""
        totals = self.scores()
        winners = totals.count(max(totals))
        others = len(totals) - winners
        if not self.is_terminal or others == 0:
            return [0.0] * len(totals)
        return [1 / winners if total == max(totals) else -1 / others for total in totals]

    # --- Section 7: action notation --------------------------------------------------------------

    def action_name(self, action: int) -> str:
        """Return the text of an action, legal or not, for the seat to decide.

        Raises:
            ValueError: No action has this number, or nobody has to decide any more.
        """
        seat = self._to_decide
        if seat is None or action not in range(NUM_ACTIONS):
            raise ValueError(f"action: {action!r} has no name in {self}")
        if action in (KEEP, REROLL):
            return "keep" if action == KEEP else "reroll"
        if action == STRIKE:
            return "strike"
        row = self._row(seat)
        chosen = sorted(FILLED[int(action)])
        return "enter " + "".join(COLOURS[row[pos].colour] for pos in chosen)

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
        seat = self._to_decide
        sheets = "/".join(
            f"{LETTERS[letter]}:{','.join(marks)}"
            for letter, marks in zip(self.letters, self.marks, strict=True)
        )
        choices = "/".join("-" if choice is None else str(choice) for choice in self.choices)
        dice = "".join(map(str, self.dice))
        decides = "-" if seat is None else seat
        return f"{self.phase} {self.active} {decides} {dice} {sheets} {choices}"

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
        printed = parse_sheets(sheets)
        fields = text.split(" ")
        if len(fields) != 6:
            raise ValueError(
                "a position has six fields (phase, active seat, seat to decide, dice, sheets, "
                f"choices) with one space between them, got {len(fields)} in {text!r}"
            )
        phase, active_text, decides_text, dice_text, sheets_text, choices_text = fields
        if phase not in (ROLL, FILL, OVER):
            raise ValueError(f"phase: {phase!r} is none of roll, fill and over")
        active = _parse_seat("active seat", active_text, players)
        decides = None
        if decides_text != "-":
            decides = _parse_seat("seat to decide", decides_text, players)
        if not re.fullmatch("[1-6]{6}", dice_text):
            raise ValueError(f"dice: {dice_text!r} are not six digits from 1 to 6")
        dice = [int(value) for value in dice_text]
        letters, marks = _parse_sheets_field(sheets_text, players, printed)
        choices = _parse_choices(choices_text, players)
        position = cls(printed, phase, active, dice, letters, marks, choices, random.Random(seed))
        position._check_phase(decides)
        return position

    def _check_phase(self, decides: int | None) -> None:
        """Refuse a phase that does not go with the sheets, the choices or the seat to decide."""
        if _somebody_has_finished(self.marks) != (self.phase == OVER):
            raise ValueError(
                f"phase: {self.phase!r} does not go with the sheets; the game is over when a row 5 "
                "is complete, and only then"
            )
        if decides != self._to_decide:
            raise ValueError(
                f"seat to decide: {decides} does not go with phase, active seat and choices"
            )
        in_order = [(self.active + turn) % self._players for turn in range(self._players)]
        chosen = [seat for seat in in_order if self.choices[seat] is not None]
        if self.phase != FILL and chosen:
            raise ValueError(f"choices: there are none in phase {self.phase!r}")
        if chosen != in_order[: len(chosen)] or len(chosen) == self._players:
            raise ValueError(
                "choices: those before the seat to decide have chosen, beginning with the active "
                "one, and nobody else"
            )
        for seat in chosen:
            filling = self.choices[seat]
            if filling not in _legal_fillings(self._row(seat), self._row_marks(seat), self.dice):
                raise ValueError(f"choices: {filling} of seat {seat} is not legal with these dice")

    def clone(self) -> Reference:
        """Return an independent copy, which draws the same dice from here on."""
        rng = random.Random()
        rng.setstate(self._rng.getstate())
        return Reference(
            self.sheets,
            self.phase,
            self.active,
            [*self.dice],
            [*self.letters],
            [[*marks] for marks in self.marks],
            [*self.choices],
            rng,
        )


def _somebody_has_finished(marks: list[Marks]) -> bool:
    """Section 4: a complete row 5 ends the game."""
    return any(_is_complete(rows[-1]) for rows in marks)


def _check_options(players: int, deal: str) -> None:
    if players not in PLAYERS:
        raise ValueError(f"players: {players!r} is not in 2..6")
    if deal not in ("fixed", "random"):
        raise ValueError(f"deal: {deal!r} is neither 'fixed' nor 'random'")


def _parse_seat(name: str, text: str, players: int) -> int:
    for seat in range(players):
        if text == str(seat):
            return seat
    raise ValueError(f"{name}: {text!r} is not a seat of a game for {players}")


def _parse_sheets_field(
    text: str, players: int, printed: tuple[Sheet, ...]
) -> tuple[list[int], list[Marks]]:
    """Read letters and marks of all seats."""
    sheet_texts = text.split("/")
    if len(sheet_texts) != players:
        raise ValueError(f"sheets: {len(sheet_texts)} instead of one for each of {players} seats")
    letters: list[int] = []
    marks: list[Marks] = []
    for seat, sheet_text in enumerate(sheet_texts):
        letter_text, colon, rows_text = sheet_text.partition(":")
        if not colon or len(letter_text) != 1 or letter_text not in LETTERS:
            raise ValueError(f"sheets: {sheet_text!r} of seat {seat} has no letter A-F before ':'")
        letter = LETTERS.index(letter_text)
        if letter in letters:
            raise ValueError(f"sheets: {letter_text} is there twice")
        rows = rows_text.split(",")
        _check_marks(f"sheets: seat {seat}", rows, printed[letter])
        letters.append(letter)
        marks.append(rows)
    return letters, marks


def _check_marks(where: str, rows: Marks, sheet: Sheet) -> None:
    if len(rows) != NUM_ROWS:
        raise ValueError(f"{where} has {len(rows)} rows instead of {NUM_ROWS}")
    for index, (row_marks, row) in enumerate(zip(rows, sheet, strict=True)):
        here = f"{where}, row {index + 1} {row_marks!r}"
        if len(row_marks) != ROW_LENGTH:
            raise ValueError(f"{here}: {len(row_marks)} characters instead of {ROW_LENGTH}")
        for pos, mark in enumerate(row_marks):
            if mark not in FREE + STRUCK + ENTERED:
                raise ValueError(f"{here}: unknown character {mark!r}")
            if mark in ENTERED and int(mark) > row[pos].number:
                raise ValueError(f"{here}: {mark} is more than the printed {row[pos].number}")
            if mark == STRUCK and FREE in row_marks[:pos]:
                raise ValueError(f"{here}: a struck field has a free one to its left")
        if row_marks != FREE * ROW_LENGTH and not all(map(_is_complete, rows[:index])):
            raise ValueError(f"{here}: there are marks below an incomplete row")


def _parse_choices(text: str, players: int) -> list[int | None]:
    texts = text.split("/")
    if len(texts) != players:
        raise ValueError(f"choices: {len(texts)} instead of one for each of {players} seats")
    # Written out, so that only the plain decimal form is read.
    readable: dict[str, int | None] = {"-": None, **{str(mask): mask for mask in range(64)}}
    for choice in texts:
        if choice not in readable:
            raise ValueError(f"choices: {choice!r} is neither '-' nor a number from 0 to 63")
    return [readable[choice] for choice in texts]
