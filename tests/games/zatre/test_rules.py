"""The rules of Zatre that are no data: loops over the board, statistics, options.

The positions are data: see `tests/games/test_positions.py`.
"""

from __future__ import annotations

import itertools
import random
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
    board_text,
    cell_name,
    field,
    hands,
    lay,
    names,
    neighbours,
    position,
    rest_of,
    sheet,
    tile,
    tiles_of,
)
from implementations import Rules


def test_diagram_and_formulas_agree() -> None:
    assert Counter(COLOURS.values()) == {"d": 160, "L": 32, "S": 1}
    assert len(ABSENT) == 32
    ends = (4, 5, 6, 8, 9, 10)
    for row, col in itertools.product(range(15), repeat=2):
        inside = 1 <= row <= 13 and 1 <= col <= 13
        outside = (row in (0, 14) and col in ends) or (col in (0, 14) and row in ends)
        assert ((row, col) in COLOURS) == (inside or outside)
        light = (inside and (row == col or row + col == 14) and (row, col) != (7, 7)) or (
            outside and bool({row, col} <= {0, 14, 6, 8})
        )
        assert ((row, col) in LIGHT) == light
    assert not any(cell in LIGHT for light in LIGHT for cell in neighbours(*light))


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


SYMMETRIES = [
    lambda row, col: (row, col),
    lambda row, col: (col, 14 - row),
    lambda row, col: (14 - row, 14 - col),
    lambda row, col: (14 - col, row),
    lambda row, col: (row, 14 - col),
    lambda row, col: (14 - row, col),
    lambda row, col: (col, row),
    lambda row, col: (14 - col, 14 - row),
]


@pytest.mark.parametrize("symmetry", range(1, 8))
def test_board_is_symmetric(rules: Rules, symmetry: int) -> None:
    """The picture of a position has the pictures of its placements, with the same points."""
    turned = SYMMETRIES[symmetry]

    def picture(names: str) -> str:
        if names == "-":
            return names
        at = {cell_name(*cell): cell_name(*turned(*cell)) for cell in COLOURS}
        return ",".join(at[each] for each in names.split(","))

    choices = random.Random(symmetry)
    state = rules.initial(seed=symmetry)
    for _ in range(60):
        _, seat, hand, placed, pending, sheets = str(state).split(" ")
        board = board_text({turned(*cell): value for cell, value in tiles_of(state).items()})
        text = " ".join([board, seat, hand, picture(placed), picture(pending), sheets])
        other = rules.parse(text)
        images = {}
        for action in actions(state):
            value, place = divmod(action, 225)
            images[action] = action_number(value + 1, *turned(*divmod(place, 15)))
        assert actions(other) == sorted(images.values())
        action = choices.choice(actions(state))
        state.apply(action)
        other.apply(images[action])
        assert field(other, 5) == field(state, 5)


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


def test_few_tiles_of_a_value_are_seldom_drawn(rules: Rules) -> None:
    """The bag holds 1, 2 and nine times 3."""
    board = "5@7,7"
    bag = "12" + "3" * 9
    text = position(board, f"4/1/{rest_of(board, '41', bag)}", players=3)
    drawn: Counter[str] = Counter()
    for seed in range(330):
        after = lay(rules.parse(text, players=3, seed=seed), "4@7,8")
        drawn.update(Counter(hands(after)[1]) - Counter("1"))
    assert drawn.keys() == {"1", "2", "3"}
    assert abs(drawn["1"] - 30) < 30
    assert abs(drawn["2"] - 30) < 30


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
