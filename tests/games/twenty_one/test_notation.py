"""The notation of positions and actions of Twenty One, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.twenty_one.texts import (
    KEEP,
    LETTERS,
    REROLL,
    STRUCK_ROW,
    TABLE,
    actions,
    assert_running,
    changed,
    in_row,
    position,
    sheet,
)
from implementations import Rules

# --- Section 7: notation -------------------------------------------------------------------------


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
