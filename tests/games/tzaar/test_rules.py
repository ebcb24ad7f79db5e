"""The rules of Tzaar that are no data: loops over the board, statistics, options.

The positions are data: see `tests/games/test_positions.py`.
"""

from __future__ import annotations

import random
from collections import Counter
from math import sqrt

import pytest
from games.tzaar.texts import (
    PICTURED,
    PIECES,
    POINTS,
    TYPES,
    actions,
    assert_running,
    board_text,
    names,
    pictured_line,
    play,
    side_and_phase,
    stacks_of,
)
from implementations import Rules


@pytest.mark.parametrize("point", POINTS)
def test_neighbours_are_those_of_the_picture(rules: Rules, point: str) -> None:
    neighbours = {
        direction: line[0] for direction in range(6) if (line := pictured_line(point, direction))
    }
    check_captures_from(rules, point, neighbours)


@pytest.mark.parametrize("point", POINTS)
def test_lines_run_to_the_edge_or_the_hole(rules: Rules, point: str) -> None:
    ends = {
        direction: line[-1] for direction in range(6) if (line := pictured_line(point, direction))
    }
    check_captures_from(rules, point, ends)


def check_captures_from(rules: Rules, point: str, targets: dict[int, str]) -> None:
    """Check number and name of the captures from a point with black stacks on these targets."""
    black = {target: "zrt"[n % 3] for n, target in enumerate(targets.values())}
    on_lines = {other for direction in range(6) for other in pictured_line(point, direction)}
    off_lines = [other for other in POINTS if other != point and other not in on_lines]
    stacks = {**black, point: "Z", off_lines[0]: "R", off_lines[-1]: "T"}
    state = rules.parse(f"{board_text(stacks)} w 1 -")
    column, line = PICTURED[point]
    # Row of the skewed grid: E5 (column 4, line 9) is in row 4; NE is one row up, SE is none.
    j = 4 + (column - 4 + 9 - line) // 2
    expected = {
        direction * 81 + j * 9 + column: f"{point}x{target}"
        for direction, target in targets.items()
    }
    found = {action: state.action_name(action) for action in actions(state)}
    assert {a: name for a, name in found.items() if name.startswith(point)} == expected
    for action, name in expected.items():
        assert state.parse_action(name) == action


FULL_COUNTS = {"Z": 6, "R": 9, "T": 15, "z": 6, "r": 9, "t": 15}


@pytest.mark.parametrize("seed", range(20))
def test_random_setup_deals_all_pieces(rules: Rules, seed: int) -> None:
    state = rules.initial(setup="random", seed=seed)
    stacks = stacks_of(str(state))
    assert sorted(stacks) == sorted(POINTS)
    assert Counter(letter for letter, _ in stacks.values()) == FULL_COUNTS
    assert {height for _, height in stacks.values()} == {1}
    assert str(state).endswith(" w open -")
    assert_running(state, 0)


def test_random_setup_is_the_default_and_follows_the_seed(rules: Rules) -> None:
    deals = [str(rules.initial(seed=seed)) for seed in range(20)]
    assert deals == [str(rules.initial(setup="random", seed=seed)) for seed in range(20)]
    assert len(set(deals)) == 20


def test_random_setup_is_uniform(rules: Rules) -> None:
    deals = 600
    seen = Counter(
        (point, letter)
        for seed in range(deals)
        for point, (letter, _) in stacks_of(str(rules.initial(seed=seed))).items()
    )
    for point in POINTS:
        for letter, pieces in FULL_COUNTS.items():
            share = pieces / 60
            deviation = sqrt(deals * share * (1 - share))
            assert abs(seen[point, letter] - deals * share) < 6 * deviation, (point, letter)


@pytest.mark.parametrize("seed", range(2))
def test_tournament_full_placement_leads_to_the_opening_turn(rules: Rules, seed: int) -> None:
    rng = random.Random(seed)
    state = rules.initial(setup="tournament", seed=seed)
    left = {0: dict(PIECES), 1: dict(PIECES)}
    for ply in range(60):
        player = ply % 2
        assert_running(state, player)
        assert str(state).split(" ")[2:] == [
            "place",
            "/".join(".".join(str(left[seat][piece]) for piece in TYPES) for seat in (0, 1)),
        ]
        empty = set(POINTS) - set(stacks_of(str(state)))
        assert names(state) == sorted(
            f"{piece}@{point}" for piece in TYPES if left[player][piece] for point in empty
        )
        name = rng.choice(names(state))
        before = stacks_of(str(state))
        state.apply(state.parse_action(name))
        letter = name[0] if player == 0 else name[0].lower()
        assert stacks_of(str(state)) == {**before, name[2:]: (letter, 1)}
        left[player][name[0]] -= 1
    assert str(state).endswith(" w open -")
    assert_running(state, 0)
    assert {name[2] for name in names(state)} == {"x"}
    state = play(state, names(state)[0])
    assert side_and_phase(state) == "b 1"
    assert_running(state, 1)
