"""The rules of Zatre that are no data: loops over the board, statistics, options.

The positions are data: see `tests/games/test_positions.py`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from math import sqrt

import pytest
from games.zatre.texts import (
    ABSENT,
    COLOURS,
    LIGHT,
    TILES,
    action_number,
    actions,
    assert_running,
    cell_name,
    hands,
    names,
    neighbours,
    position,
    sheet,
    tile,
    tiles_of,
)
from implementations import Rules


@pytest.mark.parametrize("row", range(15))
def test_neighbours_of_each_cell(rules: Rules, row: int) -> None:
    """Beside a 5 another 5 scores on dark and light cells alike."""
    for col in (col for col in range(15) if (row, col) in COLOURS):
        state = rules.parse(position(f"5@{row},{col}", "5"))
        expected = sorted(action_number(5, *cell) for cell in neighbours(row, col))
        assert actions(state) == expected


@pytest.mark.parametrize("row", range(15))
def test_light_cells_give_a_cross(rules: Rules, row: int) -> None:
    for col in (col for col in range(15) if (row, col) in COLOURS):
        beside = neighbours(row, col)[0]
        state = rules.parse(position(f"5@{beside[0]},{beside[1]}", "5"), seed=0)
        state.apply(action_number(5, row, col))
        assert sheet(state) == ("1:1:-:-" if (row, col) in LIGHT else "0:1:-:-")


@pytest.mark.parametrize("row", range(15))
def test_light_cells_are_closed_to_tiles_that_do_not_score(rules: Rules, row: int) -> None:
    """A tile on a dark cell far away has dark neighbours, so that nothing is forced."""
    far = "1@2,7" if row > 6 else "1@12,7"
    always = {action_number(2, *cell) for cell in neighbours(*tile(far)[1])}
    for col in (col for col in range(15) if (row, col) in COLOURS):
        state = rules.parse(position(f"{far} 1@{row},{col}", "2"))
        beside = {action_number(2, *cell) for cell in neighbours(row, col) if cell not in LIGHT}
        assert actions(state) == sorted(always | beside)


@pytest.mark.parametrize(("row", "col"), ABSENT)
def test_nothing_can_lie_on_an_absent_cell(rules: Rules, row: int, col: int) -> None:
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    board = " ".join(f"1@{r},{c}" for r, c in around if (r, c) in COLOURS) or "1@7,7"
    state = rules.parse(position(board, "123456"))
    before = str(state)
    for value in range(1, 7):
        assert action_number(value, row, col) not in actions(state)
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            state.apply(action_number(value, row, col))
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            state.apply(state.parse_action(f"{value}@{cell_name(row, col)}"))
    assert str(state) == before


@pytest.mark.parametrize("values", list(itertools.combinations_with_replacement("123456", 3)))
def test_first_turn(rules: Rules, values: tuple[str, str, str]) -> None:
    """All three tiles can always be placed, no light cell is reachable before the third."""
    hand = "".join(values)
    start = rules.initial(outcome=[int(value) for value in values])
    assert str(start) == position("", hand)
    assert names(start) == sorted(f"{value}@H8" for value in set(values))
    for first in actions(start):
        second = start.clone()
        second.apply(first, outcome=())
        assert_running(second, 0)
        assert not any(divmod(action % 225, 15) in LIGHT for action in actions(second))
        for action in actions(second):
            third = second.clone()
            third.apply(action, outcome=())
            assert_running(third, 0)
            assert len(hands(third)[0]) == 1
            if (first + action) % 5 == 0:
                third.apply(actions(third)[-1], outcome=(1, 2))
                assert_running(third, 1)
                assert len(tiles_of(third)) == 3
                assert hands(third) == ["-", "12"]


def test_each_tile_in_the_bag_is_equally_likely(rules: Rules) -> None:
    games = 400
    drawn = Counter("".join(hands(rules.initial(seed=seed))[0] for seed in range(games)))
    for value, number in TILES.items():
        share = number / 121
        deviation = sqrt(3 * games * share * (1 - share))
        assert abs(drawn[value] - 3 * games * share) < 6 * deviation


def test_numbers_of_all_placements(rules: Rules) -> None:
    """Each tile on each cell, beside a tile with which it makes 10 if that is possible."""
    for (row, col), value in itertools.product(COLOURS, range(1, 7)):
        beside = neighbours(row, col)[0]
        board = f"{max(1, 10 - value) if value > 3 else 6}@{beside[0]},{beside[1]}"
        state = rules.parse(position(board, f"{value}" + ("6" if value < 6 else "")))
        number = action_number(value, row, col)
        text = f"{value}@{cell_name(row, col)}"
        if (row, col) not in LIGHT or value > 3:
            assert state.parse_action(text) == number
            assert state.action_name(number) == text
