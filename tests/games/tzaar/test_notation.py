"""The notation of positions and actions of Tzaar, in the rules and in their reference."""

import pytest
from games.tzaar.texts import (
    FIXED_BOARD,
    POINTS,
    assert_running,
    board_text,
    listed,
    names,
    position,
)
from implementations import Rules

# --- Section 7: notation -------------------------------------------------------------------------


SMALL = position("C4T2 A2Z1 I3R1", "C7R2 C1Z3 G6T1 A4T1")
START_PLACEMENT = position("", "", "w", "place", "6.9.15/6.9.15")


def test_notation_spelled_out(rules: Rules) -> None:
    text = ".,Z,.,t,./.,.,.,.,.,./z3,.,.,T2,.,.,r2/.,.,.,.,.,.,.,./.,.,.,.,.,.,.,./"
    text += ".,.,.,.,.,.,.,./.,.,.,.,.,t,./.,.,.,.,.,./.,.,R,.,. w 1 -"
    assert text == SMALL
    assert str(rules.parse(text)) == text


@pytest.mark.parametrize("phase", ["1", "2"])
@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize("setup", ["random", "fixed", "tournament"])
def test_notation_round_trip(rules: Rules, setup: str, side: str, phase: str) -> None:
    for white, black in (
        ("C4T2 A2Z1 I3R1", "C7R2 C1Z3 G6T1 A4T1"),
        ("E4R12 A1Z10 I5T8", "E6T28 E9Z1 E1R1"),
        ("D4Z1 D5R1 E6T1", "F5Z1 F4R1 E4T1"),
    ):
        text = position(white, black, side, phase)
        assert str(rules.parse(text, setup=setup)) == text


@pytest.mark.parametrize(
    "text",
    [
        START_PLACEMENT,
        position("E4Z1", "", "b", "place", "5.9.15/6.9.15"),
        position("E4Z1 E6T1", "I5R1 A1Z1", "w", "place", "5.9.14/5.8.15"),
    ],
)
def test_notation_round_trip_of_placements(rules: Rules, text: str) -> None:
    assert str(rules.parse(text, setup="tournament")) == text


@pytest.mark.parametrize("setup", ["random", "fixed", "tournament"])
def test_opening_with_fewer_pieces_is_read(rules: Rules, setup: str) -> None:
    text = position("D4Z1 D5R1 E6T1", "F5Z1 F4R1 E4T1", "w", "open")
    state = rules.parse(text, setup=setup)
    assert str(state) == text
    assert names(state) == listed("D4xE4 E6xF5")
    assert_running(state, 0)


def with_stack(point: str, stack: str) -> str:
    """Return a sound position with any text in place of the stack of one point."""
    stacks = {"A1": "Z", "A2": "R", "A3": "T", "I1": "z", "I2": "r", "I3": "t", point: stack}
    return f"{board_text(stacks)} w 1 -"


def with_letters(letters: str) -> str:
    """Return a position with both colours complete and these further single pieces."""
    points = (point for point in POINTS if point[0] not in "AI")
    stacks = {"A1": "Z", "A2": "R", "A3": "T", "I1": "z", "I2": "r", "I3": "t"}
    return f"{board_text(stacks | dict(zip(points, letters, strict=False)))} w 1 -"


@pytest.mark.parametrize(
    "text",
    [
        with_stack("E4", "."),
        with_stack("E4", "Z2"),
        with_stack("E4", "Z27"),
        with_stack("E4", "t27"),
        with_letters("Z" * 5 + "z" * 5),
        with_letters("R" * 8 + "r" * 8),
        with_letters("T" * 14 + "t" * 14),
        f"{FIXED_BOARD} b 2 -",
    ],
)
def test_all_that_the_material_allows_is_read(rules: Rules, text: str) -> None:
    assert str(rules.parse(text)) == text


BOARD, _, _, _ = SMALL.split(" ")
FILES = BOARD.split("/")
BOARD_ERROR = r"(?i)board|file|point|stack|piece|height|sum|letter|type"

REFUSED = {
    "no fields": ("", r"(?i)field"),
    "three fields": (f"{BOARD} w 1", r"(?i)field"),
    "five fields": (f"{BOARD} w 1 - -", r"(?i)field"),
    "eight files": (f"{'/'.join(FILES[:8])} w 1 -", r"(?i)file|board"),
    "ten files": (f"{BOARD}/.,.,.,.,. w 1 -", r"(?i)file|board"),
    "no files": ("- w 1 -", r"(?i)file|board"),
    "empty file": (f"{'/'.join(['', *FILES[1:]])} w 1 -", r"(?i)file|point|board"),
    "missing point": (f"{BOARD[2:]} w 1 -", r"(?i)file|point|board"),
    "surplus point": (f".,{BOARD} w 1 -", r"(?i)file|point|board"),
    "hole as a point": (
        f"{'/'.join([*FILES[:4], FILES[4] + ',.', *FILES[5:]])} w 1 -",
        r"(?i)file|point|board",
    ),
    "swapped files": (f"{'/'.join([FILES[1], FILES[0], *FILES[2:]])} w 1 -", r"(?i)file|point"),
    "unknown letter": (with_stack("E4", "X"), BOARD_ERROR),
    "unknown small letter": (with_stack("E4", "q2"), BOARD_ERROR),
    "two letters": (with_stack("E4", "ZR"), BOARD_ERROR),
    "height in letters": (with_stack("E4", "Za"), BOARD_ERROR),
    "height before type": (with_stack("E4", "2Z"), BOARD_ERROR),
    "only a height": (with_stack("E4", "2"), BOARD_ERROR),
    "empty point with a height": (with_stack("E4", ".2"), BOARD_ERROR),
    "empty stack": (with_stack("E4", ""), BOARD_ERROR),
    "foreign digit": (with_stack("E4", "Z\N{SUPERSCRIPT TWO}"), BOARD_ERROR),
    "foreign decimal": (with_stack("E4", "Z1\N{ARABIC-INDIC DIGIT TWO}"), BOARD_ERROR),
    "fraction": (with_stack("E4", "Z1.5"), BOARD_ERROR),
    "height zero": (with_stack("E4", "Z0"), r"(?i)height|board|point"),
    "height zero of Black": (with_stack("E4", "t0"), r"(?i)height|board|point"),
    "negative height": (with_stack("E4", "Z-1"), r"(?i)height|board|point"),
    "height one written": (with_stack("E4", "Z1"), r"(?i)height|board|point"),
    "height with a leading zero": (with_stack("E4", "Z02"), r"(?i)height|board|point"),
    "seven Tzaars": (with_letters("Z" * 6), BOARD_ERROR),
    "seven black Tzaars": (with_letters("z" * 6), BOARD_ERROR),
    "ten Tzarras": (with_letters("R" * 9), BOARD_ERROR),
    "ten black Tzarras": (with_letters("r" * 9), BOARD_ERROR),
    "sixteen Totts": (with_letters("T" * 15), BOARD_ERROR),
    "sixteen black Totts": (with_letters("t" * 15), BOARD_ERROR),
    "31 white pieces": (with_stack("E4", "Z28"), r"(?i)height|sum|board"),
    "31 black pieces": (with_stack("E4", "t28"), r"(?i)height|sum|board"),
    "huge height": (with_stack("E4", "Z" + "9" * 30), r"(?i)height|sum|board"),
    "height beyond 8 bits": (with_stack("E4", "Z257"), r"(?i)height|sum|board"),
    "height beyond 64 bits": (with_stack("E4", f"t{2**64 + 2}"), r"(?i)height|sum|board"),
    "unknown side": (f"{BOARD} x 1 -", r"(?i)side"),
    "capital side": (f"{BOARD} W 1 -", r"(?i)side"),
    "side by number": (f"{BOARD} 0 1 -", r"(?i)side"),
    "unknown phase": (f"{BOARD} w 3 -", r"(?i)phase"),
    "phase zero": (f"{BOARD} w 0 -", r"(?i)phase"),
    "capital phase": (f"{BOARD} w OPEN -", r"(?i)phase"),
    "open with Black": (f"{FIXED_BOARD} b open -", r"(?i)side|phase"),
    "both lack a type": (position("A1Z1 A2R1", "I1Z1 I2T1"), r"(?i)board|type|lack"),
    "both lack a type in open": (
        position("A1Z1 A2R1", "I1Z1 I2T1", "w", "open"),
        r"(?i)board|type|lack",
    ),
    "both lack a type in action 2": (
        position("A1Z1 A2R1", "I1Z1 I2R1", "b", "2"),
        r"(?i)board|type|lack",
    ),
    "empty board": (position("", ""), r"(?i)board|type|lack"),
    "reserve in action 1": (f"{BOARD} w 1 0.0.0/0.0.0", r"(?i)reserve"),
    "reserve in action 2": (f"{BOARD} w 2 6.9.15/6.9.15", r"(?i)reserve"),
    "reserve in open": (f"{FIXED_BOARD} w open 0.0.0/0.0.0", r"(?i)reserve"),
    "unknown reserve": (f"{BOARD} w 1 x", r"(?i)reserve"),
}


@pytest.mark.parametrize("setup", ["random", "tournament"])
@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_position(rules: Rules, text: str, message: str, setup: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.parse(text, setup=setup)


@pytest.mark.parametrize("setup", ["random", "fixed"])
def test_placement_without_the_tournament_setup_is_refused(rules: Rules, setup: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)phase|setup"):
        rules.parse(START_PLACEMENT, setup=setup)


PIECE_ERROR = r"(?i)reserve|board|piece"

REFUSED_PLACEMENTS = {
    "height two": (
        position("E4T2", "", "w", "place", "6.9.13/6.9.15"),
        r"(?i)height|board|point|stack",
    ),
    "height two counted as one piece": (
        position("E4T2", "", "b", "place", "6.9.14/6.9.15"),
        r"(?i)height|board|point|stack",
    ),
    "height two in balance": (
        position("E4T2", "I1T1 I2T1", "w", "place", "6.9.13/6.9.13"),
        r"(?i)height|board|point|stack",
    ),
    "piece in surplus": (position("E4Z1", "", "b", "place", "6.9.15/6.9.15"), PIECE_ERROR),
    "piece missing": (position("", "", "w", "place", "5.9.15/5.9.15"), PIECE_ERROR),
    "black piece missing": (position("E4Z1", "", "w", "place", "5.9.15/6.9.14"), PIECE_ERROR),
    "other type in reserve": (position("E4Z1", "", "b", "place", "6.8.15/6.9.15"), PIECE_ERROR),
    "colours exchanged": (position("E4Z1", "", "b", "place", "6.9.15/5.9.15"), PIECE_ERROR),
    "too large a reserve": (position("", "", "w", "place", "7.9.15/7.9.15"), PIECE_ERROR),
    "nothing left": (f"{FIXED_BOARD} w place 0.0.0/0.0.0", PIECE_ERROR),
    "Black to act at the start": (
        position("", "", "b", "place", "6.9.15/6.9.15"),
        r"(?i)side|reserve",
    ),
    "White to act twice": (
        position("E4Z1", "", "w", "place", "5.9.15/6.9.15"),
        r"(?i)side|reserve",
    ),
    "White two behind": (
        position("E4Z1", "A1T1 A2T1 A3T1", "b", "place", "5.9.15/6.9.12"),
        PIECE_ERROR,
    ),
    "Black places first": (position("", "A1T1", "b", "place", "6.9.15/6.9.14"), PIECE_ERROR),
    "White two ahead": (position("A1T1 A2T1", "", "b", "place", "6.9.13/6.9.15"), PIECE_ERROR),
    "reserve with a leading zero": (
        position("", "", "w", "place", "06.9.15/6.9.15"),
        r"(?i)reserve",
    ),
    "no reserve": (position("", "", "w", "place", "-"), r"(?i)reserve"),
    "reserve of one colour": (position("", "", "w", "place", "6.9.15"), r"(?i)reserve"),
    "reserve of three colours": (
        position("", "", "w", "place", "6.9.15/6.9.15/6.9.15"),
        r"(?i)reserve",
    ),
    "reserve of two types": (position("", "", "w", "place", "6.9/6.9"), r"(?i)reserve"),
    "reserve in letters": (position("", "", "w", "place", "a.b.c/6.9.15"), r"(?i)reserve"),
    "reserve with a gap": (position("", "", "w", "place", "6..15/6.9.15"), r"(?i)reserve"),
    "negative reserve": (position("", "", "w", "place", "-6.9.15/6.9.15"), r"(?i)reserve"),
    "huge reserve": (
        position("", "", "w", "place", f"{2**64 + 6}.9.15/6.9.15"),
        PIECE_ERROR,
    ),
}


@pytest.mark.parametrize(
    ("text", "message"), REFUSED_PLACEMENTS.values(), ids=REFUSED_PLACEMENTS.keys()
)
def test_refused_placement(rules: Rules, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rules.parse(text, setup="tournament")
