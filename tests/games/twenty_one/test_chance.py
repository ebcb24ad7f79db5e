"""Chance and hidden information of Twenty One, in the rules and in their reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product
from math import sqrt
from typing import Any

import pytest
from games.twenty_one.texts import (
    FREE_ROW,
    KEEP,
    LETTERS,
    REROLL,
    actions,
    assert_refused,
    assert_running,
    dice,
    in_row,
    play,
    position,
    returns,
    scores,
    sheets_of,
)
from implementations import Rules

# --- Sections 2, 3.1 and 8: setup, rolling and chance --------------------------------------------


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
