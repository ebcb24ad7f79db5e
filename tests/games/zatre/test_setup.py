"""Board, set-up and options of Zatre, in the rules and in their reference."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from games.zatre.texts import (
    ABSENT,
    COLOURS,
    LIGHT,
    TILES,
    action_number,
    actions,
    board_text,
    cell_name,
    field,
    hands,
    neighbours,
    position,
    rest_of,
    sheet,
    tile,
    tiles_of,
)
from implementations import Rules

# --- Section 1.1: components ---------------------------------------------------------------------


def test_tiles_of_the_game(rules: Rules) -> None:
    everything = rest_of("", "")
    assert len(everything) == 121
    assert sum(map(int, everything)) == 421
    state = rules.parse(position("", everything, "-"))
    assert list(state.scores()) == [-421, 0]


@pytest.mark.parametrize("value", "123456")
def test_no_more_tiles_of_a_value_than_exist(rules: Rules, value: str) -> None:
    most = TILES[value]
    for board, there in (("", 0), (f"{value}@7,7", 1)):
        for seat in (0, "-"):
            own = value * (most - there - 1)
            text = position(board, f"{own}/{value}", seat)
            assert str(rules.parse(text)) == text
            with pytest.raises(ValueError, match=r"(?i)tile|board|hand"):
                rules.parse(position(board, f"{own}{value}/{value}", seat))
            with pytest.raises(ValueError, match=r"(?i)tile|board|hand"):
                rules.parse(position(board, f"{own}/{value}{value}", seat))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_numbers_of_players(rules: Rules, players: int) -> None:
    state = rules.initial(players=players, seed=1)
    assert len(hands(state)) == len(list(state.scores())) == players
    assert len(list(state.returns())) == players


@pytest.mark.parametrize("players", [-1, 0, 1, 5])
def test_other_numbers_of_players_are_refused(rules: Rules, players: int) -> None:
    with pytest.raises(ValueError, match="players"):
        rules.initial(players=players)


# --- Section 1.2: the board ----------------------------------------------------------------------


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
        with pytest.raises(ValueError, match=r"."):
            state.apply(action_number(value, row, col))
        with pytest.raises(ValueError, match=r"."):
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
