"""Odd positions of Twenty One, as notation text: most can be read, some cannot."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from hypothesis import strategies as st
from reference.twenty_one import KEEP, STRIKE, Reference
from reference.twenty_one_board import FREE, LETTERS, NUM_ROWS, ROW_LENGTH, STRUCK, Row, Sheet
from reference.twenty_one_notation import parse_sheets

from tzaar_envs.core.game import Game

FREE_ROW = FREE * ROW_LENGTH
LAST_ROW = NUM_ROWS - 1

# --- Marks ---------------------------------------------------------------------------------------


# Hypothesis takes far longer to make a strategy than to draw from it, so each is made once.


@cache
def _entry(number: int) -> st.SearchStrategy[str]:
    """An entry of a field: a hit half of the time, or any value that is small enough."""
    return st.one_of(st.just(str(number)), st.integers(1, number).map(str))


@cache
def _entry_or(mark: str, number: int) -> st.SearchStrategy[str]:
    return st.one_of(st.just(mark), _entry(number))


@cache
@st.composite
def complete_row(draw: st.DrawFn, row: Row) -> str:
    """All hits, all struck, or anything in between."""
    style = draw(st.sampled_from(["hits", "struck", "mixed", "mixed", "mixed"]))
    if style == "hits":
        return "".join(str(field.number) for field in row)
    if style == "struck":
        return STRUCK * ROW_LENGTH
    return "".join(draw(_entry_or(STRUCK, field.number)) for field in row)


@cache
@st.composite
def incomplete_row(draw: st.DrawFn, row: Row) -> str:
    """Free fields anywhere, but none to the left of a struck one; often only one field is free."""
    first_free = draw(st.integers(0, ROW_LENGTH - 1))
    almost = draw(st.booleans())
    marks = ""
    for pos, field in enumerate(row):
        if pos == first_free:
            marks += FREE
        elif pos < first_free:
            marks += draw(_entry_or(STRUCK, field.number))
        else:
            marks += draw(_entry(field.number) if almost else _entry_or(FREE, field.number))
    return marks


@cache
def _begun_row(row: Row) -> st.SearchStrategy[str]:
    return st.one_of(st.just(FREE_ROW), incomplete_row(row))


@cache
@st.composite
def marks_of_sheet(draw: st.DrawFn, sheet: Sheet, rows: int) -> list[str]:
    """The given number of rows is complete; the next one, if any, is begun or not."""
    marks = [draw(complete_row(row)) for row in sheet[:rows]]
    if rows < len(sheet):
        marks.append(draw(_begun_row(sheet[rows])))
    return marks + [FREE_ROW] * (len(sheet) - len(marks))


# --- Positions -----------------------------------------------------------------------------------

DICE = st.one_of(
    st.lists(st.integers(1, 6), min_size=6, max_size=6),
    st.lists(st.sampled_from([1, 1, 1, 2, 6]), min_size=6, max_size=6),
    st.sampled_from([[1] * 6, [6] * 6, [1] * 5 + [2], [5, 1, 1, 1, 1, 1]]),
)


def _fits(sheet: Sheet, marks: list[str], dice: list[int]) -> list[int]:
    """The fillings of a player with these dice."""
    number = next(n for n, row in enumerate(marks) if FREE in row)
    row = sheet[number]
    fits = sum(
        1 << pos
        for pos in range(ROW_LENGTH)
        if marks[number][pos] == FREE and dice[row[pos].colour] <= row[pos].number
    )
    return [mask for mask in range(64) if mask & fits == mask]


def _text(
    phase: str,
    active: int,
    decides: int | str,
    dice: list[int],
    letters: list[str],
    marks: list[list[str]],
    choices: list[int | None],
) -> str:
    sheets = "/".join(
        f"{letter}:{','.join(rows)}" for letter, rows in zip(letters, marks, strict=True)
    )
    chosen = "/".join("-" if choice is None else str(choice) for choice in choices)
    return f"{phase} {active} {decides} {''.join(map(str, dice))} {sheets} {chosen}"


@st.composite
def turns(draw: st.DrawFn, players: int, sheets: tuple[Sheet, ...], *, late: bool) -> str:
    """Any moment of a turn; late: everybody is in the last row or near it."""
    letters = draw(st.permutations(LETTERS))[:players]
    printed = [sheets[LETTERS.index(letter)] for letter in letters]
    done = st.integers(LAST_ROW - 1, LAST_ROW) if late else st.integers(0, LAST_ROW)
    marks = [draw(marks_of_sheet(sheet, draw(done))) for sheet in printed]
    dice = draw(DICE)
    active = draw(st.integers(0, players - 1))
    choices: list[int | None] = [None] * players
    if draw(st.integers(0, 4)) == 0:
        return _text("roll", active, active, dice, letters, marks, choices)
    chosen = draw(st.one_of(st.integers(0, players - 1), st.just(players - 1)))
    for turn in range(chosen):
        seat = (active + turn) % players
        legal = _fits(printed[seat], marks[seat], dice)
        choices[seat] = draw(st.one_of(st.sampled_from(legal), st.just(legal[-1])))
    return _text("fill", active, (active + chosen) % players, dice, letters, marks, choices)


@st.composite
def ended(draw: st.DrawFn, players: int, sheets: tuple[Sheet, ...]) -> str:
    """A finished game; as all sheets have the same numbers, equal marks give a tie."""
    letters = draw(st.permutations(LETTERS))[:players]
    printed = [sheets[LETTERS.index(letter)] for letter in letters]
    marks: list[list[str]] = []
    for seat, sheet in enumerate(printed):
        if seat and draw(st.integers(0, 2)) == 0:
            marks.append(draw(st.sampled_from(marks)))
        else:
            rows = draw(st.one_of(st.integers(0, LAST_ROW + 1), st.just(LAST_ROW + 1)))
            marks.append(draw(marks_of_sheet(sheet, rows)))
    active = draw(st.integers(0, players - 1))
    return _text("over", active, "-", draw(DICE), letters, marks, [None] * players)


@st.composite
def inconsistent(draw: st.DrawFn, players: int, texts: st.SearchStrategy[str]) -> str:
    """A position with one field replaced by one that would be right elsewhere."""
    fields = draw(texts).split(" ")
    seats = st.integers(0, players).map(str)
    choice = st.sampled_from(["-", "0", "1", "5", "32", "63", "64"])
    replacements = {
        0: st.sampled_from(["roll", "fill", "over"]),
        1: seats,
        2: st.one_of(seats, st.just("-")),
        3: st.text("0123456", min_size=5, max_size=7),
        4: st.sampled_from([fields[4].replace(FREE, STRUCK, 1), fields[4].replace("1", "2", 1)]),
        5: st.lists(choice, min_size=players, max_size=players).map("/".join),
    }
    index = draw(st.integers(0, 5))
    fields[index] = draw(replacements[index])
    return " ".join(fields)


def positions(game: Game) -> st.SearchStrategy[str]:
    """Return odd positions of a game with its options."""
    players = game.options["players"]
    sheets = parse_sheets(game.options["sheets"])
    early = turns(players, sheets, late=False)
    late = turns(players, sheets, late=True)
    over = ended(players, sheets)
    return st.one_of(early, late, late, over, inconsistent(players, st.one_of(early, late, over)))


# --- What the positions must reach ---------------------------------------------------------------


def _decides_last(reference: Reference) -> bool:
    return reference.phase == "fill" and reference.choices.count(None) == 1


def _after(reference: Reference, action: int) -> Reference:
    after = reference.clone()
    after.apply(action)
    return after


def _some_end_and_some_do_not(reference: Reference) -> bool:
    if not _decides_last(reference):
        return False
    endings = {_after(reference, action).is_terminal for action in reference.legal_actions()}
    return endings == {False, True}


def _begun(reference: Reference) -> list[bool]:
    """Per seat whether there is a row with marks that is not complete."""
    return [any(FREE in row and row != FREE_ROW for row in marks) for marks in reference.marks]


def _finished(reference: Reference) -> list[bool]:
    return [FREE not in marks[LAST_ROW] for marks in reference.marks]


def _finisher_loses(reference: Reference) -> bool:
    return reference.is_terminal and any(
        finished and share < 0
        for finished, share in zip(_finished(reference), reference.returns(), strict=True)
    )


def _strikes_though_it_fits(reference: Reference) -> bool:
    """The leftmost free field, which a strike takes, may also be entered."""
    if reference.phase != "fill":
        return False
    marks = next(row for row in reference.marks[reference.current_player] if FREE in row)
    return 1 << marks.index(FREE) in reference.legal_actions()


RARE: dict[str, Callable[[Reference], bool]] = {
    "all dice show 1": lambda reference: reference.legal_actions() == [KEEP],
    "one die to reroll": lambda reference: (
        reference.phase == "roll" and reference.dice.count(1) == 5
    ),
    "nothing fits": lambda reference: reference.legal_actions() == [STRIKE],
    "all 64 fillings": lambda reference: len(reference.legal_actions()) == 64,
    "a strike though the field fits": _strikes_though_it_fits,
    "a strike has been chosen": lambda reference: STRIKE in reference.choices,
    "the last row of somebody can be completed": _some_end_and_some_do_not,
    "the game ends whatever is chosen": lambda reference: (
        _decides_last(reference)
        and all(_after(reference, a).is_terminal for a in reference.legal_actions())
    ),
    "both complete row 5 together": lambda reference: (
        _decides_last(reference)
        and any(all(_finished(_after(reference, a))) for a in reference.legal_actions())
    ),
    "the active seat completes row 5 and the other fills": lambda reference: (
        _decides_last(reference)
        and FREE
        not in reference._marks_after(reference.active, reference.choices[reference.active] or 0)[
            LAST_ROW
        ]
    ),
    "tied above 0": lambda reference: (
        reference.is_terminal and set(reference.returns()) == {0.0} and reference.scores()[0] > 0
    ),
    "an unfinished row at the end": lambda reference: (
        reference.is_terminal and any(_begun(reference))
    ),
    "a row not begun at the end": lambda reference: (
        reference.is_terminal and not all(_finished(reference)) and not any(_begun(reference))
    ),
    "who completes row 5 loses": _finisher_loses,
    "six hits": lambda reference: any(marks[0] == "654321" for marks in reference.marks),
    "nothing but strikes": lambda reference: reference.is_terminal and 0.0 in reference.scores(),
    "free fields left of an entry": lambda reference: any(
        FREE in row.rstrip(FREE) for marks in reference.marks for row in marks
    ),
    "far apart": lambda reference: (
        not reference.is_terminal
        and {FREE in marks[0] for marks in reference.marks} == {False, True}
        and any(FREE not in marks[LAST_ROW - 1] for marks in reference.marks)
    ),
    "sheets not in the order of the seats": lambda reference: (
        reference.letters != sorted(reference.letters)
    ),
}
