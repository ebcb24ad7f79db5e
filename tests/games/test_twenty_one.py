"""The rules of Twenty One, position by position, on the reference and on the compiled game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import chain, product
from math import sqrt
from typing import Any

import pytest
from protocols import Position, Rules
from reference.twenty_one import Reference


class ReferenceRules:
    def initial(
        self, seed: int | None = None, outcome: Iterable[int] | None = None, **options: Any
    ) -> Position:
        return Reference.initial(seed=seed, outcome=outcome, **options)

    def parse(self, text: str, seed: int | None = None, **options: Any) -> Position:
        return Reference.parse(text, seed=seed, **options)


class CompiledRules:
    def initial(
        self, seed: int | None = None, outcome: Iterable[int] | None = None, **options: Any
    ) -> Position:
        import tzaar_envs

        return tzaar_envs.load_game("twenty_one", **options).new_state(seed, outcome=outcome)

    def parse(self, text: str, seed: int | None = None, **options: Any) -> Position:
        import tzaar_envs

        return tzaar_envs.load_game("twenty_one", **options).parse(text, seed=seed)


@pytest.fixture(params=["reference", "compiled"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return ReferenceRules() if request.param == "reference" else CompiledRules()


# --- Positions and actions as text ---------------------------------------------------------------

COLOURS = "YBWGKR"
LETTERS = "ABCDEF"
KEEP, REROLL = 64, 65
FREE_ROW = "......"
STRUCK_ROW = "xxxxxx"

# Section 3.2, as it is printed in the rules document.
PRINTED = """\
A:Y6 B5 W4 G3 K2 R1|B5 G5 R4 Y3 W2 K1|W5 R4 B4 K3 Y2 G1|G5 Y4 K3 B3 R2 W1|K5 W4 Y3 R2 G2 B1
B:R6 Y5 B4 W3 G2 K1|K5 B5 G4 R3 Y2 W1|G5 W4 R4 B3 K2 Y1|W5 G4 Y3 K3 B2 R1|B5 K4 W3 Y2 R2 G1
C:K6 R5 Y4 B3 W2 G1|W5 K5 B4 G3 R2 Y1|Y5 G4 W4 R3 B2 K1|R5 W4 G3 Y3 K2 B1|G5 B4 K3 W2 Y2 R1
D:G6 K5 R4 Y3 B2 W1|Y5 W5 K4 B3 G2 R1|K5 Y4 G4 W3 R2 B1|B5 R4 W3 G3 Y2 K1|R5 G4 B3 K2 W2 Y1
E:W6 G5 K4 R3 Y2 B1|R5 Y5 W4 K3 B2 G1|B5 K4 Y4 G3 W2 R1|K5 B4 R3 W3 G2 Y1|Y5 R4 G3 B2 K2 W1
F:B6 W5 G4 K3 R2 Y1|G5 R5 Y4 W3 K2 B1|R5 B4 K4 Y3 G2 W1|Y5 K4 B3 R3 W2 G1|W5 Y4 R3 G2 B2 K1
"""
TABLE = {line[0]: [row.split() for row in line[2:].split("|")] for line in PRINTED.splitlines()}
STANDARD = "/".join(",".join("".join(row) for row in TABLE[letter]) for letter in LETTERS)


def dice(listed: str, others: int = 6) -> str:
    """Return the dice field of values listed like ``Y3 B6``."""
    values = {name[0]: name[1] for name in listed.split()}
    return "".join(values.get(colour, str(others)) for colour in COLOURS)


def sheet(listed: str) -> str:
    """Return a sheet such as ``A:654321,5.....`` with free rows added below the listed ones."""
    letter, rows = listed.split(":")
    given = rows.split(",") if rows else []
    return f"{letter}:{','.join(given + [FREE_ROW] * (5 - len(given)))}"


def in_row(letter: str, number: int, marks: str = FREE_ROW) -> str:
    """Return a sheet with these marks in a row (counted from 1) and all rows above struck."""
    return sheet(f"{letter}:{','.join([STRUCK_ROW] * (number - 1) + [marks])}")


def position(
    *sheets: str,
    rolled: str = "666666",
    phase: str = "fill",
    active: int = 0,
    decides: int | None = None,
    choices: str | None = None,
) -> str:
    """Return the notation; by default the active seat is the next to fill."""
    decider = "-" if phase == "over" else str(active if decides is None else decides)
    chosen = choices or "/".join("-" * len(sheets))
    return f"{phase} {active} {decider} {rolled} {'/'.join(map(sheet, sheets))} {chosen}"


def sheets_of(text: str) -> list[tuple[str, list[str]]]:
    """Return letter and rows of every seat."""
    return [(part[0], part[2:].split(",")) for part in text.split(" ")[4].split("/")]


def actions(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def scores(state: Position) -> list[float]:
    return [float(score) for score in state.scores()]


def returns(state: Position) -> list[float]:
    return [float(value) for value in state.returns()]


def play(state: Position, *chosen: int) -> Position:
    """Play actions on a copy; what chance brings is left to the state."""
    state = state.clone()
    for action in chosen:
        state.apply(action)
    return state


def rows_after(state: Position, seat: int, *chosen: int) -> list[str]:
    return sheets_of(str(play(state, *chosen)))[seat][1]


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert actions(state)
    assert set(returns(state)) == {0.0}


def assert_over(state: Position, totals: list[float], result: list[float]) -> None:
    assert state.is_terminal
    assert not state.is_truncated
    assert state.current_player == -1
    assert actions(state) == []
    assert scores(state) == totals
    assert returns(state) == pytest.approx(result)
    before = str(state)
    for action in (0, 1, KEEP, REROLL):
        with pytest.raises(ValueError, match=r"."):
            state.apply(action)
    assert str(state) == before


def assert_refused(state: Position, action: int, outcome: Iterable[int] | None = None) -> None:
    """Check that an action is refused and leaves everything as it was."""
    before, legal = str(state), actions(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(action, outcome)
    assert str(state) == before
    assert actions(state) == legal


def subsets(mask: int) -> list[int]:
    return [part for part in range(64) if part & mask == part]


# --- Section 3: the sheets -----------------------------------------------------------------------


def colour_of(letter: str, row: int, pos: int) -> str:
    return TABLE[letter][row - 1][pos][0]


def test_table_follows_the_formulas() -> None:
    for s, row, pos in product(range(6), range(1, 6), range(6)):
        number = 6 - pos - (1 if pos < row - 1 else 0)
        colour = COLOURS[(row * (((pos - s) % 6) + 1)) % 7 - 1]
        assert TABLE[LETTERS[s]][row - 1][pos] == f"{colour}{number}"


def test_numbers_are_those_of_the_table() -> None:
    rows = ["654321", "554321", "544321", "543321", "543221"]
    for letter in LETTERS:
        assert ["".join(field[1] for field in row) for row in TABLE[letter]] == rows
    assert [sum(map(int, row)) for row in rows] == [21, 20, 19, 18, 17]


def test_properties_of_the_colours() -> None:
    every = set(COLOURS)
    for letter, row in product(LETTERS, range(1, 6)):
        assert {colour_of(letter, row, pos) for pos in range(6)} == every
    for row, pos in product(range(1, 6), range(6)):
        assert {colour_of(letter, row, pos) for letter in LETTERS} == every
    for letter, pos in product(LETTERS, range(6)):
        assert len({colour_of(letter, row, pos) for row in range(1, 6)}) == 5
    arrangements = {"".join(field[0] for field in row) for row in chain(*TABLE.values())}
    assert len(arrangements) == 30
    assert TABLE["A"][0][:3] == ["Y6", "B5", "W4"]
    assert TABLE["B"][0][:2] == ["R6", "Y5"]


def assert_printed(rules: Rules, letter: str, number: int, row: list[str], **options: Any) -> None:
    """Check the fields of a row by what is legal in it and how it is called."""
    other = "B" if letter == "A" else "A"
    for value in range(1, 7):
        rolled = str(value) * 6
        state = rules.parse(position(in_row(letter, number), f"{other}:", rolled=rolled), **options)
        fits = sum(1 << pos for pos, field in enumerate(row) if int(field[1]) >= value)
        assert actions(state) == subsets(fits)
        for pos, field in enumerate(row):
            if fits >> pos & 1:
                assert state.action_name(1 << pos) == f"enter {field[0]}"


@pytest.mark.parametrize("letter", LETTERS)
def test_standard_sheets(rules: Rules, letter: str) -> None:
    for number, row in enumerate(TABLE[letter], start=1):
        assert_printed(rules, letter, number, row)


@pytest.mark.parametrize("players", range(2, 7))
def test_seat_i_uses_sheet_i(rules: Rules, players: int) -> None:
    state = rules.initial(seed=1, players=players)
    assert sheets_of(str(state)) == [(letter, [FREE_ROW] * 5) for letter in LETTERS[:players]]


def test_standard_sheets_may_be_written_out(rules: Rules) -> None:
    first, second = rules.initial(seed=3), rules.initial(seed=3, sheets=STANDARD)
    assert str(first) == str(second)
    for letter in "AF":
        assert_printed(rules, letter, 5, TABLE[letter][4], sheets=STANDARD)


def other_sheets() -> dict[str, list[list[str]]]:
    """Return sheets with other numbers, the standard ones' colours and letters turned round."""
    numbers = ["666666", "665544", "643111", "222222", "111111"]
    return {
        letter: [
            [f"{field[0]}{number}" for field, number in zip(row, printed, strict=True)]
            for row, printed in zip(TABLE[other], numbers, strict=True)
        ]
        for letter, other in zip(LETTERS, reversed(LETTERS), strict=True)
    }


OTHER = other_sheets()
OTHER_TEXT = "/".join(",".join("".join(row) for row in OTHER[letter]) for letter in LETTERS)


@pytest.mark.parametrize("letter", LETTERS)
def test_other_sheets(rules: Rules, letter: str) -> None:
    for number, row in enumerate(OTHER[letter], start=1):
        assert_printed(rules, letter, number, row, sheets=OTHER_TEXT)


def test_other_sheets_score_by_their_own_numbers(rules: Rules) -> None:
    marks = "A:666666,665544,643111,222222,111111"
    less = "B:555555,664433,xxxxxx,111111,xxxxxx"
    state = rules.parse(position(marks, less, phase="over"), sheets=OTHER_TEXT)
    first = 36 + 30 + 16 + 12 + 6 + 5 * 21
    second = 30 + (26 + 3) + 0 + 6 + 0
    assert_over(state, [first, second], [1, -1])
    with pytest.raises(ValueError, match="6"):
        rules.parse(position(marks, less, phase="over"))
    refused = position("A:666666,665545", "B:", phase="roll")
    with pytest.raises(ValueError, match="5"):
        rules.parse(refused, sheets=OTHER_TEXT)


def changed(old: str, new: str, text: str = STANDARD) -> str:
    """Replace the only place, or the first one, where a text has something."""
    assert old in text
    return text.replace(old, new, 1)


SHEETS = STANDARD.split("/")

BAD_SHEETS = {
    "empty": "",
    "unknown word": "Standard",
    "five sheets": "/".join(SHEETS[:5]),
    "seven sheets": "/".join([*SHEETS, SHEETS[0]]),
    "four rows": changed(",K5W4Y3R2G2B1/", "/"),
    "six rows": changed(",K5W4Y3R2G2B1/", ",K5W4Y3R2G2B1,K5W4Y3R2G2B1/"),
    "five fields": changed("Y6B5W4G3K2R1", "Y6B5W4G3K2"),
    "seven fields": changed("Y6B5W4G3K2R1", "Y6B5W4G3K2R1R1"),
    "field without number": changed("Y6B5W4G3K2R1", "YB5W4G3K2R1"),
    "field without colour": changed("Y6B5W4G3K2R1", "6B5W4G3K2R1"),
    "number of two digits": changed("Y6B5W4G3K2R1", "Y06B5W4G3K2R1"),
    "separated fields": changed("Y6B5W4G3K2R1", "Y6 B5 W4 G3 K2 R1"),
    "colour twice": changed("Y6B5W4G3K2R1", "Y6Y5W4G3K2R1"),
    "unknown colour": changed("Y6B5W4G3K2R1", "Y6B5W4G3K2P1"),
    "small letter": changed("Y6B5W4G3K2R1", "y6B5W4G3K2R1"),
    "seven, everywhere": STANDARD.replace("6", "7"),
    "zero, everywhere": STANDARD.replace("1", "0"),
    "Arabic digits, everywhere": STANDARD.replace("1", "\u0661"),
    "rising numbers, everywhere": STANDARD.replace("6", "4"),
    "rising numbers in one row": changed("Y6B5W4G3K2R1", "Y6B5W3G4K2R1"),
    "other numbers on one sheet": changed("R6Y5B4W3G2K1", "R6Y5B4W3G1K1"),
    "numbers in other rows": changed(
        "R6Y5B4W3G2K1,K5B5G4R3Y2W1", "K5B5G4R3Y2W1,R6Y5B4W3G2K1", STANDARD
    ),
    "two equal sheets": "/".join([*SHEETS[:5], SHEETS[2]]),
    "trailing newline": STANDARD + "\n",
    "trailing space": STANDARD + " ",
}


@pytest.mark.parametrize("sheets", BAD_SHEETS.values(), ids=BAD_SHEETS)
def test_bad_sheets_are_refused(rules: Rules, sheets: str) -> None:
    with pytest.raises(ValueError, match="sheet"):
        rules.initial(seed=1, sheets=sheets)


@pytest.mark.parametrize("players", [-1, 0, 1, 7, 100])
def test_number_of_players_is_checked(rules: Rules, players: int) -> None:
    with pytest.raises(ValueError, match="players"):
        rules.initial(seed=1, players=players)


def test_unknown_deal_is_refused(rules: Rules) -> None:
    with pytest.raises(ValueError, match="deal"):
        rules.initial(seed=1, deal="drawn")


# --- Sections 5, 6.1 and 8: setup, rolling and chance --------------------------------------------


@pytest.mark.parametrize("players", range(2, 7))
def test_start(rules: Rules, players: int) -> None:
    state = rules.initial(players=players, outcome=[3, 6, 4, 1, 5, 2])
    sheets = [f"{letter}:" for letter in LETTERS[:players]]
    assert str(state) == position(*sheets, rolled="364152", phase="roll")
    assert_running(state, 0)
    assert scores(state) == [0.0] * players
    assert returns(state) == [0.0] * players


def test_defaults(rules: Rules) -> None:
    assert str(rules.initial(seed=4)) == str(
        rules.initial(seed=4, players=2, deal="fixed", sheets="standard")
    )


def test_random_deal_from_an_outcome(rules: Rules) -> None:
    state = rules.initial(players=3, deal="random", outcome=[4, 0, 5, 1, 2, 3, 4, 5, 6])
    assert str(state) == position("E:", "A:", "F:", rolled="123456", phase="roll")


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ({}, [1, 2, 3, 4, 5, 6, 1]),
        ({}, [0, 2, 3, 4, 5, 6]),
        ({}, [1, 2, 3, 4, 5, 7]),
        ({}, [1, 2, -3, 4, 5, 6]),
        ({}, [0, 1, 1, 2, 3, 4, 5, 6]),
        ({"deal": "random"}, [1, 1, 1, 2, 3, 4, 5, 6]),
        ({"deal": "random"}, [1, 6, 1, 2, 3, 4, 5, 6]),
        ({"deal": "random"}, [-1, 1, 1, 2, 3, 4, 5, 6]),
        ({"deal": "random"}, [0, 1, 2, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_impossible_start_is_refused(
    rules: Rules, options: dict[str, Any], outcome: list[int]
) -> None:
    with pytest.raises(ValueError, match=r"."):
        rules.initial(outcome=outcome, **options)


def assert_uniform(seen: Counter[Any], keys: Iterable[Any], draws: int, share: float) -> None:
    deviation = sqrt(draws * share * (1 - share))
    for key in keys:
        assert abs(seen[key] - draws * share) < 6 * deviation, key


def test_random_deal_is_uniform(rules: Rules) -> None:
    seen: Counter[Any] = Counter()
    for seed in range(600):
        sheets = sheets_of(str(rules.initial(seed=seed, players=3, deal="random")))
        assert len({letter for letter, _ in sheets}) == 3
        assert all(rows == [FREE_ROW] * 5 for _, rows in sheets)
        seen.update((seat, letter) for seat, (letter, _) in enumerate(sheets))
    assert_uniform(seen, product(range(3), LETTERS), 600, 1 / 6)


def test_first_roll_is_uniform(rules: Rules) -> None:
    seen: Counter[Any] = Counter()
    for seed in range(600):
        seen.update(enumerate(str(rules.initial(seed=seed)).split(" ")[3]))
    assert_uniform(seen, product(range(6), "123456"), 600, 1 / 6)


def test_reroll_is_uniform_and_independent_and_leaves_ones(rules: Rules) -> None:
    seen: Counter[Any] = Counter()
    text = position("A:", "B:", rolled="213146", phase="roll")
    for seed in range(600):
        state = rules.parse(text, seed=seed)
        state.apply(REROLL)
        rolled = str(state).split(" ")[3]
        assert (rolled[1], rolled[3]) == ("1", "1")
        seen.update((colour, rolled[colour]) for colour in (0, 2, 4, 5))
        seen[rolled[0] + rolled[2]] += 1
    assert_uniform(seen, product((0, 2, 4, 5), "123456"), 600, 1 / 6)
    assert_uniform(seen, map("".join, product("123456", repeat=2)), 600, 1 / 36)


def test_roll_of_the_next_turn_is_uniform(rules: Rules) -> None:
    """All six are rolled, those that showed 1 too."""
    seen: Counter[Any] = Counter()
    text = position("A:", "B:", rolled="111666", decides=1, choices="0/-")
    for seed in range(600):
        state = rules.parse(text, seed=seed)
        state.apply(0)
        seen.update(enumerate(str(state).split(" ")[3]))
    assert_uniform(seen, product(range(6), "123456"), 600, 1 / 6)


@pytest.mark.parametrize("options", [{}, {"players": 4, "deal": "random"}])
def test_seed_decides_everything(rules: Rules, options: dict[str, Any]) -> None:
    def record(seed: int) -> list[str]:
        state = rules.initial(seed=seed, **options)
        texts = [str(state)]
        while not state.is_terminal:
            state.apply(actions(state)[-1])
            texts.append(str(state))
        return texts

    assert record(5) == record(5)
    assert record(5)[0] != record(6)[0]


def test_1_roll_phase(rules: Rules) -> None:
    rolled = dice("Y3 B6 W4 G1 K5 R2")
    state = rules.parse(position("A:", "B:", rolled=rolled, phase="roll"))
    assert_running(state, 0)
    assert actions(state) == [KEEP, REROLL]
    assert [state.action_name(action) for action in actions(state)] == ["keep", "reroll"]
    for action in (0, 1, 5, 63, 66, -1):
        assert_refused(state, action)
    kept = play(state, KEEP)
    assert str(kept) == position("A:", "B:", rolled=rolled)
    state.apply(REROLL, [5, 1, 6, 2, 4])
    assert str(state) == position("A:", "B:", rolled=dice("Y5 B1 W6 G1 K2 R4"))
    assert_running(state, 0)
    # The second result stands: no second reroll.
    assert_refused(state, REROLL)
    assert_refused(state, KEEP)


def test_2_all_dice_show_1(rules: Rules) -> None:
    state = rules.parse(position("A:", "B:", rolled="111111", phase="roll"))
    assert actions(state) == [KEEP]
    assert_refused(state, REROLL)
    assert_refused(state, REROLL, [])
    state = play(state, KEEP)
    assert str(state) == position("A:", "B:", rolled="111111")


@pytest.mark.parametrize("colour", range(6))
def test_one_die_other_than_1_may_be_rerolled(rules: Rules, colour: int) -> None:
    rolled = "1" * colour + "2" + "1" * (5 - colour)
    state = rules.parse(position("A:", "B:", rolled=rolled, phase="roll"))
    assert actions(state) == [KEEP, REROLL]
    assert_refused(state, REROLL, [1, 1])
    state.apply(REROLL, [6])
    assert str(state).split(" ")[3] == rolled.replace("2", "6")


def test_dice_are_rerolled_in_colour_order(rules: Rules) -> None:
    state = rules.parse(position("A:", "B:", rolled="234562", phase="roll"))
    state.apply(REROLL, [6, 5, 4, 3, 2, 1])
    assert str(state).split(" ")[3] == "654321"


ROLLED = position("A:", "B:", rolled="213146", phase="roll")
FIRST_FILLS = position("A:", "B:", rolled="213146")
LAST_FILLS = position("A:", "B:", rolled="213146", decides=1, choices="0/-")
LAST_ENDS = position(in_row("A", 5, "54322."), "B:", rolled="213146", decides=1, choices="0/-")


@pytest.mark.parametrize(
    ("text", "action", "needed"),
    [
        (ROLLED, KEEP, 0),
        (ROLLED, REROLL, 4),
        (FIRST_FILLS, 0, 0),
        (FIRST_FILLS, 1, 0),
        (LAST_FILLS, 0, 6),
        (LAST_FILLS, 2, 6),
        (LAST_ENDS, 0, 0),
    ],
)
def test_given_outcome_is_what_is_rolled(rules: Rules, text: str, action: int, needed: int) -> None:
    state = rules.parse(text)
    assert_refused(state, action, [2] * (needed + 1))
    if needed:
        for wrong in (0, 7, -1):
            assert_refused(state, action, [wrong] + [2] * (needed - 1))
            assert_refused(state, action, [2] * (needed - 1) + [wrong])
    state.apply(action, [5] * needed)
    if needed:
        assert str(state).split(" ")[3] == {4: "515155", 6: "555555"}[needed]


@pytest.mark.parametrize(("text", "action"), [(ROLLED, REROLL), (LAST_FILLS, 0), (LAST_FILLS, 2)])
@pytest.mark.parametrize("given", [0, 1, 3])
def test_too_short_outcome_is_refused(rules: Rules, text: str, action: int, given: int) -> None:
    assert_refused(rules.parse(text), action, [2] * given)


@pytest.mark.parametrize(
    ("deal", "outcome"),
    [
        ("fixed", []),
        ("fixed", [1, 2, 3, 4, 5]),
        ("random", [1]),
        ("random", [1, 2, 3, 4, 5, 6]),
        ("random", [1, 2, 3, 4, 5, 6, 1]),
    ],
)
def test_too_short_outcome_of_a_start_is_refused(
    rules: Rules, deal: str, outcome: list[int]
) -> None:
    with pytest.raises(ValueError, match=r"."):
        rules.initial(outcome=outcome, deal=deal)


# --- Section 6.2: filling, and sections 9 and 12 -------------------------------------------------


def assert_fills(
    rules: Rules, listed: str, rolled: str, legal: list[int], after: dict[int, str]
) -> Position:
    """Check the legal fillings of seat 0, and its current row after some of them."""
    other = "E:" if listed[0] != "E" else "D:"
    state = rules.parse(position(listed, other, rolled=rolled))
    assert_running(state, 0)
    assert actions(state) == legal
    for action in {*range(-1, 67)} - {*legal}:
        assert_refused(state, action)
    number = next(n for n, row in enumerate(sheets_of(str(state))[0][1]) if "." in row)
    for action, marks in after.items():
        rows = rows_after(state, 0, action, 0)
        assert rows[number] == marks
        assert rows[number + 1 :] == [FREE_ROW] * (4 - number)
    return state


ROLL_3 = dice("Y3 B6 W4 G1 K5 R2")


@pytest.mark.parametrize(
    ("listed", "rolled", "legal", "after"),
    [
        pytest.param(
            "A:",
            ROLL_3,
            [0, 1, 4, 5, 8, 9, 12, 13],
            {0: "x.....", 1: "3.....", 5: "3.4...", 8: "...1..", 13: "3.41.."},
            id="3",
        ),
        pytest.param(
            "B:",
            ROLL_3,
            [0, 1, 2, 3, 16, 17, 18, 19],
            {0: "x.....", 1: "2.....", 3: "23....", 16: "....1.", 19: "23..1."},
            id="4",
        ),
        pytest.param("A:1.11..", dice("Y1 B6 W1 G1 K3 R2"), [0], {0: "1x11.."}, id="5"),
        pytest.param("A:x.43..", "161132", [0], {0: "xx43.."}, id="5-struck"),
        *(
            pytest.param(
                "A:1.11..",
                dice("B5 K6 R1", others),
                [0, 2, 32, 34],
                {0: "1x11..", 2: "1511..", 32: "1.11.1", 34: "1511.1"},
                id=f"6-others-{others}",
            )
            for others in range(1, 7)
        ),
        pytest.param(
            in_row("A", 2),
            dice("Y3 B5 W3 G5 K1 R4"),
            subsets(47),
            {0: "x.....", 47: "5543.1", 32: ".....1"},
            id="7",
        ),
        pytest.param(
            "C:",
            dice("K1 R6 Y6 B6 W6 G6"),
            [0, 1],
            {0: "x.....", 1: "1....."},
            id="13",
        ),
        pytest.param(
            in_row("F", 5, "x..1.."),
            dice("Y4 B2 W1 G1 K2 R6"),
            [0, 2, 16, 18],
            {0: "xx.1..", 2: "x4.1..", 16: "x..12.", 18: "x4.12."},
            id="18",
        ),
        pytest.param("A:", "111111", list(range(64)), {63: "111111", 62: ".11111"}, id="all ones"),
        pytest.param("A:", "666666", [0, 1], {0: "x.....", 1: "6....."}, id="all sixes"),
    ],
)
def test_fillings(
    rules: Rules, listed: str, rolled: str, legal: list[int], after: dict[int, str]
) -> None:
    assert_fills(rules, listed, rolled, legal, after)


@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("letter", "AD")
def test_die_fits_if_smaller_or_equal(rules: Rules, letter: str, number: int) -> None:
    """Only the die of the field's own colour counts, whatever the others show."""
    for pos, value, others in product(range(6), range(1, 7), "16"):
        colour, printed = TABLE[letter][number - 1][pos]
        rolled = dice(f"{colour}{value}", int(others))
        state = rules.parse(position(in_row(letter, number), "B:", rolled=rolled))
        assert (1 << pos in actions(state)) == (value <= int(printed))


def test_6_names_of_the_actions(rules: Rules) -> None:
    state = rules.parse(position("A:1.11..", "B:", rolled=dice("B5 K6 R1")))
    names = [state.action_name(action) for action in actions(state)]
    assert names == ["strike", "enter B", "enter R", "enter BR"]
    assert [state.parse_action(name) for name in names] == [0, 2, 32, 34]


def test_7_five_hits(rules: Rules) -> None:
    listed = position(in_row("A", 2), "B:", rolled=dice("Y3 B5 W3 G5 K1 R4"))
    state = rules.parse(listed)
    assert len(actions(state)) == 32
    # With the sixth field struck the row has five hits: 5 + 5 + 4 + 3 + 1 + 15.
    state = play(state, 47, 0, KEEP, 0, 0)
    assert sheets_of(str(state))[0][1][1] == "5543x1"
    assert scores(state) == [33.0, 0.0]


def test_11_six_strikes_in_a_row(rules: Rules) -> None:
    state = rules.initial(seed=2)
    for struck in range(1, 7):
        state = play(state, KEEP, 0, 0)
        assert sheets_of(str(state)) == [
            (letter, ["x" * struck + "." * (6 - struck), *[FREE_ROW] * 4]) for letter in "AB"
        ]
    assert scores(state) == [0.0, 0.0]
    state = play(state, KEEP, 0, 0)
    assert sheets_of(str(state))[0] == ("A", [STRUCK_ROW, "x.....", *[FREE_ROW] * 3])


def test_12_rest_of_the_roll_is_lost(rules: Rules) -> None:
    rolled = dice("Y3 B5 W2 G5 K1 R1")
    state = assert_fills(rules, "A:65432.", rolled, [0, 32], {0: "65432x", 32: "654321"})
    assert rows_after(state, 0, 32, 0) == ["654321", *[FREE_ROW] * 4]
    # The next row starts with the next roll.
    state = play(state, 32)
    state.apply(0, [6, 5, 6, 5, 6, 6])
    assert_running(state, 1)
    state = play(state, KEEP, 0)
    assert state.current_player == 0
    assert actions(state) == [0, 1, 2, 3]
    assert [state.action_name(action) for action in (1, 2, 3)] == ["enter B", "enter G", "enter BG"]


def test_13_one_without_a_hit(rules: Rules) -> None:
    state = rules.parse(position("C:", "E:", rolled=dice("K1")))
    row = rows_after(state, 0, 1, 0)[0]
    assert row == "1....."
    # Completed with strikes only, the row is worth the 1 alone.
    state = rules.parse(position("C:1xxxx.", "E:", rolled=dice("K1")))
    assert scores(play(state, 0, 0)) == [1.0, 0.0]


def test_17_simultaneity(rules: Rules) -> None:
    sheets = ("A:65....", "B:......", "C:x.....")
    rolled = dice("Y4 B4 W1 G2 K2 R1")
    state = rules.parse(position(*sheets, rolled=rolled, phase="roll", active=1), players=3)
    assert_running(state, 1)
    state.apply(KEEP)
    assert_running(state, 1)
    assert actions(state) == subsets(0b010111 | 0b001000)
    for action, decides, choices in ((0b000001, 2, "-/1/-"), (0b000010, 0, "-/1/2")):
        state.apply(action)
        assert str(state) == position(
            *sheets, rolled=rolled, active=1, decides=decides, choices=choices
        )
        assert_running(state, decides)
        assert scores(state) == [0.0] * 3
    state.apply(0b100100, [1, 2, 3, 4, 5, 6])
    after = ("A:651..1", "B:1.....", "C:x1....")
    assert str(state) == position(*after, rolled="123456", phase="roll", active=2)
    assert_running(state, 2)


SEEN = position("A:", "B:", "C:", rolled=dice("", 1), active=1)


def test_17_choices_of_others_are_withheld() -> None:
    """The same to the eye of seat 0, whatever seats 1 and 2 have chosen; they know their own."""
    import tzaar_envs

    game = tzaar_envs.load_game("twenty_one", players=3)
    hidden = []
    for first, second in ((0, 0), (1, 0), (0, 63), (5, 40)):
        state = game.parse(SEEN)
        state.apply(first)
        state.apply(second)
        assert state.current_player == 0
        hidden.append([state.observation(seat).tobytes() for seat in range(3)])
    assert len({seats[0] for seats in hidden}) == 1
    assert len({seats[1] for seats in hidden}) == 3
    assert len({seats[2] for seats in hidden}) == 3


@pytest.mark.parametrize("players", range(2, 7))
def test_order_of_decisions(rules: Rules, players: int) -> None:
    """6.4 and 9: the active seat twice, then the next ones in turn order; then the next turn."""
    state = rules.initial(seed=7, players=players)
    for turn in range(players + 1):
        active = turn % players
        order = [active, *((active + step) % players for step in range(players))]
        for number, seat in enumerate(order):
            assert_running(state, seat)
            assert str(state).split(" ")[:3] == ["fill" if number else "roll", *f"{active}{seat}"]
            state.apply(0 if number else KEEP)


# --- Section 6.3: scoring a row ------------------------------------------------------------------

ROW_SCORES = [
    (1, "652311", 28),  # worked position 8
    (1, "x4422x", 15),  # worked position 9
    (1, "654321", 42),  # worked position 10
    (2, "554321", 41),
    (3, "544321", 40),
    (4, "543321", 39),
    (5, "543221", 38),  # worked position 10
    (1, "xxxxxx", 0),  # worked position 11
    (1, "111111", 7),  # section 10: a 1 on a printed 1 is a hit, elsewhere it is none
    (1, "11111x", 5),
    (1, "543211", 17),
    (1, "54321x", 15),
    (1, "6xxxxx", 7),
    (1, "65xxxx", 14),
    (1, "654xxx", 21),
    (1, "6543xx", 28),
    (1, "65432x", 35),
    (4, "4x3x2x", 9 + 3),
    (5, "x4x2x1", 7 + 6),
]


@pytest.mark.parametrize(("number", "marks", "score"), ROW_SCORES)
@pytest.mark.parametrize("letter", "AE")
def test_row_score(rules: Rules, letter: str, number: int, marks: str, score: int) -> None:
    if number < 5:
        state = rules.parse(position("B:", in_row(letter, number, marks), phase="roll"))
        assert_running(state, 0)
    else:
        state = rules.parse(position("B:", in_row(letter, number, marks), phase="over"))
    assert scores(state) == [0.0, score]


@pytest.mark.parametrize("pos", range(6))
def test_a_hit_is_the_printed_value(rules: Rules, pos: int) -> None:
    for value in range(1, 7 - pos):
        marks = "x" * pos + str(value) + "x" * (5 - pos)
        state = rules.parse(position(f"A:{marks}", "B:", phase="roll"))
        assert scores(state) == [value + (value == 6 - pos), 0.0]


def test_running_scores_leave_out_incomplete_rows_and_choices(rules: Rules) -> None:
    sheets = ("A:654321,5543..", "B:65432.")
    state = rules.parse(position(*sheets, rolled=dice("", 1)))
    assert scores(state) == [42.0, 0.0]
    state.apply(0b110000)
    assert scores(state) == [42.0, 0.0]
    state.apply(32)
    # The row of seat 0 holds 5 5 4 3 1 1 with five hits, that of seat 1 six hits.
    assert scores(state) == [42.0 + 19 + 15, 42.0]


def test_8_and_9_rows_are_scored_when_they_are_filled(rules: Rules) -> None:
    # Sheet A: Y6 B5 W4 G3 K2 R1; sheet B: R6 Y5 B4 W3 G2 K1.
    state = rules.parse(position("A:65.3.1", "B:x44.2.", rolled="662611"))
    state = play(state, 0b010100, 0b101000)
    rows = [rows[0] for _, rows in sheets_of(str(state))]
    assert rows == ["652311", "x44221"]
    assert scores(state) == [28.0, 13.0 + 6]


def test_10_best_possible_game(rules: Rules) -> None:
    """Dice that hit all six fields of sheet A in each turn: 200 points in five turns."""
    rolls = [
        [next(int(f[1]) for f in row if f[0] == colour) for colour in COLOURS] for row in TABLE["A"]
    ]
    state = rules.initial(outcome=rolls[0])
    totals = [42, 83, 123, 162, 200]
    for turn, total in enumerate(totals):
        state.apply(KEEP)
        for _ in range(2):
            action = 63 if state.current_player == 0 else 0
            last = state.current_player == (turn + 1) % 2
            state.apply(action, rolls[turn + 1] if last and turn < 4 else None)
        assert scores(state)[0] == total
    assert sheets_of(str(state)) == [
        ("A", ["654321", "554321", "544321", "543321", "543221"]),
        ("B", ["xxxxx.", *[FREE_ROW] * 4]),
    ]
    assert_over(state, [200, 0], [1, -1])


# --- Section 7: end and result -------------------------------------------------------------------

ROWS_65 = "65321x,5532xx,433211,43221x"  # 20 + 18 + 15 + 12
ROWS_64 = "15432x,114321,221321"  # 25 + 22 + 17


@pytest.mark.parametrize(
    ("rows", "each"), [(ROWS_65, [20, 18, 15, 12]), (ROWS_64, [25, 22, 17])], ids=["65", "64"]
)
def test_14_rows_have_the_scores_of_the_document(rules: Rules, rows: str, each: list[int]) -> None:
    listed = rows.split(",")
    for count in range(1, len(each) + 1):
        state = rules.parse(position(f"A:{','.join(listed[:count])}", "B:", phase="roll"))
        assert scores(state) == [sum(each[:count]), 0.0]


@pytest.mark.parametrize("first", [".", "x"])
@pytest.mark.parametrize("active", [0, 1])
def test_14_end_of_the_game(rules: Rules, active: int, first: str) -> None:
    """The unfinished row counts as it stands; others fill too if the active player ends it."""
    sheets = (f"A:{ROWS_65},x32.11", f"B:{ROWS_64},{first}4....")
    rolled = dice("R1 Y2")
    state = rules.parse(position(*sheets, rolled=rolled, active=active))
    assert scores(state) == [65.0, 64.0]
    fillings = {0: 0b001000, 1: 0b000100}
    for seat in (active, 1 - active):
        assert_running(state, seat)
        state.apply(fillings[seat])
    after = (f"A:{ROWS_65},x32111", f"B:{ROWS_64},{first}42...")
    assert str(state) == position(*after, rolled=rolled, phase="over", active=active)
    assert_over(state, [74, 71], [1, -1])


def test_15_both_complete_row_5(rules: Rules) -> None:
    sheets = [f"{letter}:{ROWS_65},5421x" for letter in "AB"]
    state = rules.parse(position(*(f"{text}." for text in sheets)))
    assert scores(state) == [65.0, 65.0]
    state = play(state, 0, 0)
    assert str(state) == position(*(f"{text}x" for text in sheets), phase="over")
    assert_over(state, [80, 80], [0, 0])
    third = rules.parse(position(*(f"{text}." for text in sheets), "C:"), players=3)
    assert_over(play(third, 0, 0, 1), [80, 80, 7], [0.5, 0.5, -1])


def test_16_rows_not_begun(rules: Rules) -> None:
    finishing, third = in_row("A", 5, "54322."), "B:654321,554321,54432."
    state = rules.parse(position(finishing, third, rolled=dice("", 1)))
    state = play(state, 0, 32)
    assert sheets_of(str(state))[1][1][2:] == ["544321", FREE_ROW, FREE_ROW]
    assert_over(state, [16 + 15, 42 + 41 + 40], [-1, 1])


def test_18_unfinished_row_with_hits(rules: Rules) -> None:
    rolled = dice("Y4 B2 W1 G1 K2 R6")
    sheets = (in_row("F", 5, "x..1.."), in_row("A", 5, "11111."))
    state = rules.parse(position(*sheets, rolled=rolled))
    assert scores(state) == [0.0, 0.0]
    assert_over(play(state, 18, 0), [10, 5], [1, -1])
    assert_over(play(state, 0, 0), [1, 5], [-1, 1])


def test_players_may_be_in_different_rows(rules: Rules) -> None:
    """Section 10: the end depends only on the first completed row 5."""
    sheets = ("A:6.....", in_row("B", 4, "5433.."), in_row("C", 5, "5432.."))
    state = rules.parse(position(*sheets, rolled=dice("", 1)), players=3)
    running = play(state, 0, 0, 0)
    assert not running.is_terminal
    assert running.current_player == 1
    ended = play(state, 0, 0, 0b110000)
    # 6 and one hit; 5 4 3 3 and four hits; 5 4 3 2 1 1 and five hits.
    assert_over(ended, [7, 15 + 10, 16 + 15], [-0.5, -0.5, 1])


@pytest.mark.parametrize("finisher", [0, 1, 2])
@pytest.mark.parametrize("active", [0, 1, 2])
def test_all_fill_in_the_last_turn(rules: Rules, active: int, finisher: int) -> None:
    sheets = [
        in_row(letter, 5, "54322.") if seat == finisher else f"{letter}:6....."
        for seat, letter in enumerate("ABC")
    ]
    state = rules.parse(position(*sheets, active=active), players=3)
    for turn in range(3):
        assert_running(state, (active + turn) % 3)
        state.apply(0)
    assert state.is_terminal
    for seat, (_, rows) in enumerate(sheets_of(str(state))):
        assert "6x...." in rows if seat != finisher else rows[4] == "54322x"
    assert str(state).split(" ")[:3] == ["over", str(active), "-"]


def ended(totals: list[int]) -> str:
    """Return an ended game with totals of 0 or of 7 k."""
    hits = {0: STRUCK_ROW, 7: "6xxxxx", 14: "65xxxx", 21: "654xxx"}
    sheets = [
        f"{letter}:{hits[total]},{','.join([STRUCK_ROW] * 4)}"
        for letter, total in zip(LETTERS, totals, strict=False)
    ]
    return position(*sheets, phase="over")


@pytest.mark.parametrize(
    ("totals", "result"),
    [
        ([7, 0], [1, -1]),
        ([0, 7], [-1, 1]),
        ([7, 7], [0, 0]),
        ([0, 0], [0, 0]),
        ([7, 14, 0], [-1 / 2, 1, -1 / 2]),
        ([14, 14, 7], [1 / 2, 1 / 2, -1]),
        ([14, 14, 14], [0, 0, 0]),
        ([0, 7, 14, 14], [-1 / 2, -1 / 2, 1 / 2, 1 / 2]),
        ([0, 0, 0, 0, 7], [-1 / 4] * 4 + [1]),
        ([7, 7, 7, 7, 0, 7], [1 / 5] * 4 + [-1, 1 / 5]),
        ([7, 21, 14, 21, 0, 21], [-1 / 3, 1 / 3, -1 / 3, 1 / 3, -1 / 3, 1 / 3]),
        ([21] * 6, [0] * 6),
    ],
)
def test_result(rules: Rules, totals: list[int], result: list[float]) -> None:
    state = rules.parse(ended(totals), players=len(totals))
    assert_over(state, [float(total) for total in totals], result)
    assert sum(returns(state)) == pytest.approx(0)


def test_returns_are_zero_while_the_game_runs(rules: Rules) -> None:
    state = rules.parse(position("A:654321", "B:", phase="roll"))
    assert scores(state) == [42.0, 0.0]
    assert returns(state) == [0.0, 0.0]


# --- Whole games ---------------------------------------------------------------------------------


def check_turn(before: str, chosen: dict[int, int], after: str) -> None:
    """Check what a turn, whichever fillings it had, has done to the sheets."""
    rolled = before.split(" ")[3]
    for seat, (letter, rows) in enumerate(sheets_of(before)):
        number = next(n for n, row in enumerate(rows) if "." in row)
        marks = list(rows[number])
        if chosen[seat] == 0:
            marks[marks.index(".")] = "x"
        for pos in range(6):
            if chosen[seat] >> pos & 1:
                assert marks[pos] == "."
                colour, printed = TABLE[letter][number][pos]
                marks[pos] = rolled[COLOURS.index(colour)]
                assert marks[pos] <= printed
        expected = [*rows[:number], "".join(marks), *rows[number + 1 :]]
        assert sheets_of(after)[seat] == (letter, expected)


def total_of(rows: list[str], unfinished: bool) -> int:
    total = 0
    for number, row in enumerate(rows):
        if "." in row and not unfinished:
            continue
        values = [
            (int(mark), 6 - p - (p < number)) for p, mark in enumerate(row) if mark not in ".x"
        ]
        hits = sum(value == printed for value, printed in values)
        total += sum(value for value, _ in values) + hits * (hits + 1) // 2
    return total


def test_bonus_is_triangular() -> None:
    assert [hits * (hits + 1) // 2 for hits in range(7)] == [0, 1, 3, 6, 10, 15, 21]


@pytest.mark.parametrize("greed", ["random", "all", "least"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "options",
    [{}, {"deal": "random"}, {"players": 3}, {"players": 6, "deal": "random"}],
    ids=["two", "two-dealt", "three", "six-dealt"],
)
def test_whole_game(rules: Rules, options: dict[str, Any], seed: int, greed: str) -> None:
    choices = random.Random(seed)
    players = options.get("players", 2)
    state = rules.initial(seed=seed, **options)
    letters = [letter for letter, _ in sheets_of(str(state))]
    assert len(set(letters)) == players
    turns = 0
    while not state.is_terminal:
        turns += 1
        active = (turns - 1) % players
        assert str(state).startswith(f"roll {active} {active} ")
        rolled = str(state).split(" ")[3]
        legal = actions(state)
        assert legal == ([KEEP] if rolled == "111111" else [KEEP, REROLL])
        state.apply(choices.choice(legal))
        before = str(state)
        kept = before.split(" ")[3]
        assert all(new == "1" for old, new in zip(rolled, kept, strict=True) if old == "1")
        chosen: dict[int, int] = {}
        for turn in range(players):
            seat = (active + turn) % players
            text = str(state)
            assert_running(state, seat)
            assert sheets_of(text) == sheets_of(before)
            field = "/".join(str(chosen.get(other, "-")) for other in range(players))
            assert text.split(" ")[5] == field
            legal = actions(state)
            assert legal == subsets(legal[-1])
            again = rules.parse(text, **options)
            assert str(again) == text
            assert actions(again) == legal
            assert scores(again) == scores(state)
            picked = {"random": choices.choice(legal), "all": legal[-1], "least": legal[0]}
            chosen[seat] = picked[greed]
            assert state.parse_action(state.action_name(chosen[seat])) == chosen[seat]
            state.apply(chosen[seat])
        check_turn(before, chosen, str(state))
        assert scores(state) == [
            total_of(rows, state.is_terminal) for _, rows in sheets_of(str(state))
        ]
        assert all(0 <= score <= 200 for score in scores(state))
    assert turns <= 30
    if greed == "least":
        assert turns == 30
        assert_over(state, [0] * players, [0] * players)
    assert any("." not in rows[4] for _, rows in sheets_of(str(state)))
    again = rules.parse(str(state), **options)
    assert str(again) == str(state)
    assert_over(again, scores(state), returns(state))
    assert sum(returns(state)) == pytest.approx(0)


def test_clone_is_independent_and_has_the_same_luck(rules: Rules) -> None:
    state = rules.initial(seed=11)
    before = str(state)
    copies = [state.clone(), state.clone()]
    for _ in range(20):
        for copy in copies:
            copy.apply(actions(copy)[-1])
        assert str(copies[0]) == str(copies[1])
    assert str(state) == before
    assert str(copies[0]) != before


# --- Section 13: notation ------------------------------------------------------------------------

EXAMPLE = (
    "fill 0 1 364152 A:......,......,......,......,....../B:......,......,......,......,...... 5/-"
)


def test_example_of_the_notation(rules: Rules) -> None:
    state = rules.initial(outcome=[3, 6, 4, 1, 5, 2])
    state.apply(KEEP)
    assert state.action_name(5) == "enter YW"
    assert state.parse_action("enter YW") == 5
    state.apply(5)
    assert str(state) == EXAMPLE
    again = rules.parse(EXAMPLE)
    assert str(again) == EXAMPLE
    assert_running(again, 1)
    assert actions(again) == actions(state) == [0, 1, 2, 3, 16, 17, 18, 19]


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("number", range(1, 6))
def test_names_have_the_colours_in_the_order_of_the_row(
    rules: Rules, letter: str, number: int
) -> None:
    other = "B" if letter == "A" else "A"
    state = rules.parse(position(in_row(letter, number), f"{other}:", rolled="111111"))
    row = "".join(field[0] for field in TABLE[letter][number - 1])
    for action in range(1, 64):
        name = "enter " + "".join(colour for pos, colour in enumerate(row) if action >> pos & 1)
        assert state.action_name(action) == name
        assert state.parse_action(name) == action
    assert state.action_name(0) == "strike"
    assert state.parse_action("strike") == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "foo",
        "Keep",
        "keep ",
        " keep",
        "keep\n",
        "re-roll",
        "0",
        "64",
        "enter",
        "enter ",
        "enter WY",
        "enter YY",
        "enter Y W",
        "enter y",
        "enter X",
        "enterY",
        "enter  Y",
        "enter Y ",
        "enter YBWGKRY",
        "strike Y",
        "Strike",
    ],
)
@pytest.mark.parametrize("phase", ["roll", "fill"])
def test_unreadable_action_is_refused(rules: Rules, phase: str, text: str) -> None:
    state = rules.parse(position("A:", "B:", rolled="111112", phase=phase))
    with pytest.raises(ValueError, match=r"."):
        state.parse_action(text)


ACCEPTED = {
    "letters in any order": position("F:", "A:", phase="roll"),
    "first turn of seat 1": position("A:", "B:", phase="roll", active=1),
    "dice of one kind": position("A:", "B:", rolled="333333"),
    "far apart": position("A:", in_row("B", 5, "54..21"), phase="roll"),
    "entered beyond free fields": position("A:.....1", "B:.5.3.1"),
    "struck first": position("A:xx...1", "B:x54.2."),
    "struck beyond entered": position("A:6xx...", "B:65432x"),
    "complete rows with strikes anywhere": position("A:6x4x2x,x5x3x1", "B:xxxxx1", phase="roll"),
    "over, one row 5": position(in_row("A", 5, STRUCK_ROW), "B:", phase="over"),
    "over, the other row 5": position("A:6..3..", in_row("B", 5, "54xx21"), phase="over"),
    "over, dice that nobody entered": position(
        in_row("A", 5, "543221"), in_row("B", 5, "543221"), rolled="666666", phase="over", active=1
    ),
    "strike chosen": position("A:", "B:", decides=1, choices="0/-"),
    "entry chosen": position("A:", "B:", rolled="111111", decides=1, choices="63/-"),
    "seat 0 last": position("A:", "B:", rolled="111111", active=1, decides=0, choices="-/63"),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_positions_need_not_be_reachable(rules: Rules, text: str) -> None:
    state = rules.parse(text)
    assert str(state) == text
    assert state.is_terminal == text.startswith("over")


FINISHED = in_row("A", 5, STRUCK_ROW)
ROLL = position("A:", "B:", rolled="364152", phase="roll")
FILL = position("A:", "B:", rolled="364152")
OVER = position(FINISHED, "B:", rolled="364152", phase="over")
A_ROWS = "A:......,......,......,......,......"


def test_texts_of_the_refusals_are_positions_before_the_change(rules: Rules) -> None:
    for text in (EXAMPLE, ROLL, FILL, OVER):
        assert str(rules.parse(text)) == text


REFUSED = {
    # Fields.
    "empty": ("", "field"),
    "five fields": (EXAMPLE[:-4], "field"),
    "seven fields": (EXAMPLE + " -", "field"),
    "two spaces": (EXAMPLE.replace(" 5/-", "  5/-"), "field"),
    "leading space": (" " + EXAMPLE, "field"),
    "trailing space": (EXAMPLE + " ", "field"),
    "tabs": (EXAMPLE.replace(" ", "\t"), "field"),
    "trailing newline": (EXAMPLE + "\n", "choice"),
    # Phase.
    "unknown phase": (changed("fill", "strike", EXAMPLE), "phase"),
    "capital phase": (changed("fill", "Fill", EXAMPLE), "phase"),
    # Seats.
    "active seat 2 of 2": (changed("fill 0 0", "fill 2 2", FILL), "seat"),
    "active seat -": (changed("fill 0 0", "fill - 0", FILL), "seat"),
    "active seat -1": (changed("fill 0 0", "fill -1 0", FILL), "seat"),
    "active seat 00": (changed("fill 0 0", "fill 00 0", FILL), "seat"),
    "active seat in Arabic": (changed("fill 0 0", "fill \u0660 0", FILL), "seat"),
    "active seat, huge": (changed("fill 0 0", f"fill {'9' * 5000} 0", FILL), "seat"),
    "seat 2 of 2 decides": (changed("fill 0 1", "fill 0 2", EXAMPLE), "seat"),
    "seat 01 decides": (changed("fill 0 1", "fill 0 01", EXAMPLE), "seat"),
    "seat -1 decides": (changed("fill 0 1", "fill 0 -1", EXAMPLE), "seat"),
    # Dice.
    "five dice": (changed("364152", "36415", EXAMPLE), "dice"),
    "seven dice": (changed("364152", "3641521", EXAMPLE), "dice"),
    "a die shows 0": (changed("364152", "364150", EXAMPLE), "dice|die"),
    "a die shows 7": (changed("364152", "364157", EXAMPLE), "dice|die"),
    "no dice": (changed("364152", "-", EXAMPLE), "dice"),
    "dice with commas": (changed("364152", "3,6,4,1,5,2", EXAMPLE), "dice"),
    "dice in Arabic": (changed("364152", "36415\u0662", EXAMPLE), "dice|die"),
    "superscript die": (changed("364152", "36415\u00b2", EXAMPLE), "dice|die"),
    # Sheets.
    "one sheet": (changed(f"{A_ROWS}/", "", EXAMPLE), "sheet"),
    "three sheets": (changed(A_ROWS, f"{sheet('C:')}/{A_ROWS}", EXAMPLE), "sheet"),
    "unknown letter": (changed("A:", "G:", EXAMPLE), "sheet"),
    "small letter": (changed("A:", "a:", EXAMPLE), "sheet"),
    "two letters": (changed("A:", "AC:", EXAMPLE), "sheet"),
    "no letter": (changed("A:", ":", EXAMPLE), "sheet"),
    "no colon": (changed("A:", "A", EXAMPLE), "sheet"),
    "two colons": (changed("A:", "A::", EXAMPLE), "sheet|row"),
    "repeated letter": (changed("B:", "A:", EXAMPLE), "sheet"),
    "four rows": (changed("A:......,", "A:", EXAMPLE), "sheet|row"),
    "six rows": (changed("A:", "A:......,", EXAMPLE), "sheet|row"),
    "five characters": (changed("A:.", "A:", EXAMPLE), "sheet|row"),
    "seven characters": (changed("A:.", "A:..", EXAMPLE), "sheet|row"),
    "unknown character": (changed("A:.", "A:-", EXAMPLE), "sheet|row"),
    "capital strike": (changed("A:.", "A:X", EXAMPLE), "sheet|row"),
    "entered 0": (changed("A:.", "A:0", EXAMPLE), "sheet|row"),
    "entered 7": (changed("A:.", "A:7", EXAMPLE), "sheet|row"),
    "entered in Arabic": (changed("A:.", "A:\u0661", EXAMPLE), "sheet|row"),
    "above the printed number": (position("A:.6....", "B:"), "sheet|row"),
    "above the printed 1": (position("A:", "B:.....2"), "sheet|row"),
    "above in row 2": (position("A:654321,6.....", "B:"), "sheet|row"),
    "above in row 5": (position(in_row("A", 5, "...3.."), "B:"), "sheet|row"),
    "marks below a free row": (position("A:......,5.....", "B:"), "sheet|row"),
    "marks below an incomplete row": (position("A:65432.,5.....", "B:"), "sheet|row"),
    "complete row below an incomplete one": (position("A:65432.,xxxxxx", "B:"), "sheet|row"),
    "marks two rows below": (position("A:", "B:65432.,......,x....."), "sheet|row"),
    "struck beyond a free field": (position("A:.x....", "B:"), "sheet|row"),
    "struck last beyond a free field": (position("A:6543.x", "B:"), "sheet|row"),
    # Choices.
    "one choice": (changed("5/-", "5", EXAMPLE), "choice"),
    "three choices": (changed("5/-", "5/-/-", EXAMPLE), "choice"),
    "empty choice": (changed("5/-", "5/", EXAMPLE), "choice"),
    "choice 64": (changed("5/-", "64/-", EXAMPLE), "choice"),
    "choice -1": (changed("5/-", "-1/-", EXAMPLE), "choice"),
    "choice 05": (changed("5/-", "05/-", EXAMPLE), "choice"),
    "choice +5": (changed("5/-", "+5/-", EXAMPLE), "choice"),
    "choice in Arabic": (changed("5/-", "\u0665/-", EXAMPLE), "choice"),
    "choice, huge": (changed("5/-", "9" * 5000 + "/-", EXAMPLE), "choice"),
    "choice that does not fit": (changed("5/-", "2/-", EXAMPLE), "choice"),
    "choice that fits in part": (changed("5/-", "7/-", EXAMPLE), "choice"),
    "choice of a filled field": (
        position("A:3.....", "B:", rolled="364152", decides=1, choices="5/-"),
        "choice",
    ),
    # A phase that does not go with the choices or the seat to decide.
    "choice while rolling": (changed("-/-", "0/-", ROLL), "phase|choice|seat"),
    "another seat rolls": (changed("roll 0 0", "roll 0 1", ROLL), "phase|choice|seat"),
    "nobody rolls": (changed("roll 0 0", "roll 0 -", ROLL), "phase|choice|seat"),
    "nobody fills": (changed("fill 0 0", "fill 0 -", FILL), "phase|choice|seat"),
    "second fills first": (changed("fill 0 0", "fill 0 1", FILL), "phase|choice|seat"),
    "first fills again": (changed("fill 0 1", "fill 0 0", EXAMPLE), "phase|choice|seat"),
    "not the active seat has chosen": (changed("5/-", "-/1", EXAMPLE), "phase|choice|seat"),
    "all have chosen": (changed("5/-", "5/1", EXAMPLE), "phase|choice|seat"),
    "all have chosen, first to decide": (
        changed("5/-", "5/1", changed("fill 0 1", "fill 0 0", EXAMPLE)),
        "phase|choice|seat",
    ),
    "choice when over": (changed("-/-", "0/-", OVER), "phase|choice|seat"),
    "seat to decide when over": (changed("over 0 -", "over 0 0", OVER), "phase|choice|seat"),
    # Over, or not.
    "over without a complete row 5": (position("A:", "B:", phase="over"), "phase|over|row"),
    "over with an incomplete row 5": (
        position(in_row("A", 5, "54322."), "B:", phase="over"),
        "phase|over|row",
    ),
    "rolling with a complete row 5": (
        position(FINISHED, "B:", phase="roll"),
        "phase|over|row",
    ),
    "filling with a complete row 5": (position("B:", FINISHED), "phase|over|row"),
}


@pytest.mark.parametrize(("text", "field"), REFUSED.values(), ids=REFUSED)
def test_refused_positions(rules: Rules, text: str, field: str) -> None:
    with pytest.raises(ValueError, match=f"(?i){field}"):
        rules.parse(text)


THREE = ("A:", "B:", "C:")


@pytest.mark.parametrize(
    ("active", "decides", "choices", "read"),
    [
        (0, 0, "-/-/-", True),
        (0, 1, "0/-/-", True),
        (0, 2, "0/0/-", True),
        (1, 1, "-/-/-", True),
        (1, 2, "-/0/-", True),
        (1, 0, "-/0/0", True),
        (2, 2, "-/-/-", True),
        (2, 0, "-/-/0", True),
        (2, 1, "0/-/0", True),
        (0, 2, "0/-/-", False),
        (0, 2, "-/0/-", False),
        (0, 1, "-/0/-", False),
        (0, 2, "0/-/0", False),
        (0, 1, "0/-/0", False),
        (1, 0, "0/0/-", False),
        (1, 2, "-/-/0", False),
        (2, 1, "0/0/-", False),
        (2, 2, "0/0/0", False),
    ],
)
def test_choices_go_with_the_seats(
    rules: Rules, active: int, decides: int, choices: str, read: bool
) -> None:
    text = position(*THREE, active=active, decides=decides, choices=choices)
    if read:
        state = rules.parse(text, players=3)
        assert str(state) == text
        assert_running(state, decides)
        return
    with pytest.raises(ValueError, match=r"(?i)phase|choice|seat"):
        rules.parse(text, players=3)


@pytest.mark.parametrize("players", range(2, 7))
def test_number_of_sheets_is_that_of_the_players(rules: Rules, players: int) -> None:
    for count in range(2, 7):
        text = position(*(f"{letter}:" for letter in LETTERS[:count]), phase="roll")
        if count == players:
            assert str(rules.parse(text, players=players)) == text
            last = text.replace("roll 0 0", f"roll {count - 1} {count - 1}")
            assert rules.parse(last, players=players).current_player == count - 1
        else:
            with pytest.raises(ValueError, match=r"(?i)sheet"):
                rules.parse(text, players=players)


def test_equal_seeds_of_a_parsed_position_bring_the_same_dice(rules: Rules) -> None:
    def rolled(seed: int) -> list[str]:
        state = rules.parse(ROLL, seed=seed)
        texts = []
        for action in (REROLL, 0, 0, KEEP, 0, 0):
            state.apply(action)
            texts.append(str(state))
        return texts

    assert rolled(1) == rolled(1)
    assert len({rolled(seed)[0] for seed in range(10)}) > 5
