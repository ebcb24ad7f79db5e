"""The notation of positions and actions of Turm & Wächter, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.turm_und_waechter.texts import (
    START,
    legal_names,
)
from implementations import Rules

# Section 7.3: notation of positions.


@pytest.mark.parametrize(
    "text",
    [
        START,
        "r14RG1/7/7/7/7/7/BG6 r 1 0",
        "RG6/7/7/7/7/7/6BG b 2 0",
        "RG6/7/7/7/7/7/6BG r 2 499",
        "RG6/7/7/7/7/7/6BG r 3 0",
        "RG6/7/7/7/7/7/6BG b 1 500",
        "r7RGb7BG3/7/7/7/7/7/7 r 1 3",
        "r1r1r1r1r1r1r1/RG6/7/7/7/6BG/b1b1b1b1b1b1b1 b 2 77",
        "RG6/7/7/7/7/7/7 r 1 0",
        "7/7/7/7/7/7/6BG b 1 0",
    ],
)
def test_notation_round_trip(rules: Rules, text: str) -> None:
    assert str(rules.parse(text)) == text


def test_a_run_of_zero_fields_is_empty(rules: Rules) -> None:
    # Section 3: any digit that is not a height is a run of that many empty fields.
    assert str(rules.parse("r1040RG1/7/07/70/7/7/BG600 r 1 0")) == "r14RG1/7/7/7/7/7/BG6 r 1 0"


def test_notation_places_the_figures(rules: Rules) -> None:
    # A height is followed by a run of empty fields: r1, then four of them, then the guard.
    state = rules.parse("r14RG1/7/7/7/7/7/BG6 r")
    expected = "A7-A6-1 A7-B7-1 F7-E7-1 F7-G7-1 F7-F6-1"
    assert set(legal_names(state)) == set(expected.split())


@pytest.mark.parametrize("board_and_side", [START[:-4], "RG6/7/7/3r33/7/7/6BG b"])
def test_short_form_is_first_occurrence_at_ply_zero(rules: Rules, board_and_side: str) -> None:
    state = rules.parse(board_and_side)
    assert str(state) == f"{board_and_side} 1 0"
    assert state == rules.parse(f"{board_and_side} 1 0")


def test_runs_may_be_split_when_read(rules: Rules) -> None:
    state = rules.parse("RG15/34/7/1111111/7/7/6BG r 1 0")
    assert str(state) == "RG6/7/7/7/7/7/6BG r 1 0"


def test_equality_is_that_of_the_notation(rules: Rules) -> None:
    text = "RG6/7/7/7/7/7/6BG r 1 0"
    state = rules.parse(text)
    assert state == rules.parse(text)
    assert hash(state) == hash(rules.parse(text))
    for other in [
        "RG6/7/7/7/7/7/6BG b 1 0",
        "RG6/7/7/7/7/7/6BG r 2 0",
        "RG6/7/7/7/7/7/6BG r 1 2",
        "1RG5/7/7/7/7/7/6BG r 1 0",
    ]:
        assert state != rules.parse(other)


RANK = r"(?i)rank"
RANK_OR_CHARACTER = r"(?i)rank|character"
FIELDS = r"(?i)field|side|rank|board|occur|pl(y|ies)"
OCCURRENCES = r"(?i)occur"
PLIES = r"(?i)pl(y|ies)"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("RG5/7/7/7/7/7/6BG r 1 0", RANK, id="rank-too-short"),
        pytest.param("RG6/7/7/8/7/7/6BG r 1 0", RANK, id="rank-too-long"),
        pytest.param("RG6/7/7/7r1/7/7/6BG r 1 0", RANK, id="rank-too-long-by-a-tower"),
        pytest.param("RG6/7/7/7/7/7/7BG r 1 0", RANK, id="rank-too-long-by-a-guard"),
        pytest.param("RG6/7/7//7/7/6BG r 1 0", RANK, id="rank-empty"),
        pytest.param("RG6/7/7/7/7/6BG r 1 0", RANK, id="six-ranks"),
        pytest.param("RG6/7/7/7/7/7/7/6BG r 1 0", RANK, id="eight-ranks"),
        pytest.param("RG6/7/7/7/7/7/6BG/ r 1 0", RANK, id="rank-behind-the-last"),
        pytest.param("RG6/7/7/3x3/7/7/6BG r 1 0", RANK_OR_CHARACTER, id="unknown-letter"),
        pytest.param("RG6/7/7/3.3/7/7/6BG r 1 0", RANK_OR_CHARACTER, id="unknown-sign"),
        pytest.param("RG6/7/7/7/7/7/6G r 1 0", RANK_OR_CHARACTER, id="guard-of-no-side"),
        pytest.param("RG6/7/7/7/7/7/6B r 1 0", RANK_OR_CHARACTER, id="side-of-no-figure"),
        pytest.param("RG6/7/7/7/7/7/6bG r 1 0", RANK_OR_CHARACTER, id="guard-in-lower-case"),
        pytest.param("RG6/7/7/3R13/7/7/6BG r 1 0", RANK_OR_CHARACTER, id="tower-in-upper-case"),
        pytest.param(
            "RG6/7/7/6r/7/7/6BG r 1 0", r"(?i)rank|character|height", id="tower-without-height"
        ),
        pytest.param("RG6/7/7/3r03/7/7/6BG r 1 0", r"(?i)height", id="height-0"),
        pytest.param("RG6/7/7/3b83/7/7/6BG r 1 0", r"(?i)height", id="height-8"),
        pytest.param("RG6/7/7/3r93/7/7/6BG r 1 0", r"(?i)height", id="height-9"),
        pytest.param("RG6/7/7/r7r15/7/7/6BG r 1 0", r"(?i)stone", id="eight-red-stones"),
        pytest.param(
            "RG6/b16/7/b1b1b1b1b1b1b1/7/7/6BG r 1 0", r"(?i)stone", id="eight-blue-stones"
        ),
        pytest.param("RG5RG/7/7/7/7/7/6BG r 1 0", r"(?i)guard", id="two-red-guards"),
        pytest.param("RG6/7/7/7/7/7/BG5BG r 1 0", r"(?i)guard", id="two-blue-guards"),
        pytest.param("r16/7/7/7/7/7/6b1 r 1 0", r"(?i)guard", id="no-guard"),
        pytest.param("7/7/7/7/7/7/7 r 1 0", r"(?i)guard", id="no-figure"),
        pytest.param("3BG3/7/7/7/7/7/3RG3 r 1 0", r"(?i)castle", id="both-on-enemy-castles"),
        pytest.param("RG6/7/7/7/7/7/6BG w 1 0", r"(?i)side", id="side-unknown"),
        pytest.param("RG6/7/7/7/7/7/6BG R 1 0", r"(?i)side", id="side-in-upper-case"),
        pytest.param("RG6/7/7/7/7/7/6BG rb 1 0", r"(?i)side", id="side-too-long"),
        pytest.param("RG6/7/7/7/7/7/6BG w", r"(?i)side", id="side-unknown-short-form"),
        pytest.param("RG6/7/7/7/7/7/6BG r 0 0", OCCURRENCES, id="occurrences-0"),
        pytest.param("RG6/7/7/7/7/7/6BG r 4 0", OCCURRENCES, id="occurrences-4"),
        pytest.param("RG6/7/7/7/7/7/6BG r -1 0", OCCURRENCES, id="occurrences-negative"),
        pytest.param("RG6/7/7/7/7/7/6BG r x 0", OCCURRENCES, id="occurrences-not-a-number"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1.0 0", OCCURRENCES, id="occurrences-not-whole"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1 -1", PLIES, id="plies-negative"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1 501", PLIES, id="plies-501"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1 x", PLIES, id="plies-not-a-number"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1 99999999999999999999", PLIES, id="plies-huge"),
        pytest.param("", FIELDS, id="nothing"),
        pytest.param("RG6/7/7/7/7/7/6BG", FIELDS, id="one-field"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1", FIELDS, id="three-fields"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1 0 0", FIELDS, id="five-fields"),
        pytest.param("RG6/7/7/7/7/7/6BG  r 1 0", FIELDS, id="two-spaces"),
        pytest.param("RG6/7/7/7/7/7/6BG r 1 0 ", FIELDS, id="space-behind"),
        pytest.param(" RG6/7/7/7/7/7/6BG r 1 0", FIELDS, id="space-before"),
    ],
)
def test_notation_refusals(rules: Rules, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        rules.parse(text)


# Section 7.3: notation of actions.


def test_guard_move_may_omit_the_number(rules: Rules) -> None:
    state = rules.initial()
    assert state.parse_action("D7-D6") == state.parse_action("D7-D6-1") == 633
    state.apply(633)
    assert state.parse_action("D1-D2") == state.parse_action("D1-D2-1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "D5",
        "D5-D4",
        "D5D4",
        "D5-D4-",
        "D5-D4-0",
        "D5-D4-2",
        "D5-D4-7",
        "D5-D4-x",
        "D5-D4-1-1",
        "D5-D5-1",
        "D5-E4-1",
        "D5-E4-2",
        "D5-H5-4",
        "D7-D8-1",
        "D7-D8",
        "D7-D5",
        "D7-E6",
        "X5-D5-1",
        "D5-D4-1 ",
        " D5-D4-1",
    ],
)
def test_action_refusals(rules: Rules, text: str) -> None:
    state = rules.initial()
    with pytest.raises(ValueError, match=r"(?i)action|move|expected|field|illegal|number|text"):
        state.parse_action(text)
    assert str(state) == START
