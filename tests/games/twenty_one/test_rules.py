"""The rules of Twenty One that are no data: loops over the board, statistics, options.

The positions are data: see `tests/games/test_positions.py`.
"""

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
    TABLE,
    actions,
    assert_running,
    in_row,
    position,
    sheets_of,
    subsets,
)
from implementations import Rules


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
