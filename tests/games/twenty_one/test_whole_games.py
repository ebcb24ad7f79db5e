"""Invariants over whole games of Twenty One, in the rules and in their reference."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.twenty_one.texts import (
    COLOURS,
    KEEP,
    REROLL,
    TABLE,
    actions,
    assert_over,
    assert_running,
    returns,
    scores,
    sheets_of,
    subsets,
)
from implementations import Rules

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
@pytest.mark.parametrize("seed", range(2))
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
