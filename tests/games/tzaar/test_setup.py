"""Board, set-up and options of Tzaar, in the rules and in their reference."""

import random
from collections import Counter
from math import sqrt

import pytest
from games.tzaar.texts import (
    FIXED_BOARD,
    PASS,
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
    position,
    side_and_phase,
    stacks_of,
)
from implementations import Rules

# --- Section 1.2: board --------------------------------------------------------------------------


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


def test_fixed_setup(rules: Rules) -> None:
    state = rules.initial(setup="fixed")
    assert str(state) == f"{FIXED_BOARD} w open -"
    assert_running(state, 0)
    assert str(rules.initial(setup="fixed", seed=5)) == str(state)


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


def test_random_setup_without_a_seed_is_a_full_deal(rules: Rules) -> None:
    stacks = stacks_of(str(rules.initial()))
    assert Counter(letter for letter, _ in stacks.values()) == FULL_COUNTS


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


def test_unknown_setup_is_refused(rules: Rules) -> None:
    with pytest.raises(ValueError, match="setup"):
        rules.initial(setup="symmetric")


def test_tournament_starts_empty_with_white_to_place(rules: Rules) -> None:
    state = rules.initial(setup="tournament")
    assert str(state) == position("", "", phase="place", reserve="6.9.15/6.9.15")
    assert_running(state, 0)
    assert names(state) == sorted(f"{piece}@{point}" for piece in TYPES for point in POINTS)
    assert len(actions(state)) == 180


def test_tournament_placing_alternates(rules: Rules) -> None:
    state = rules.initial(setup="tournament")
    state = play(state, "Z@E4")
    assert str(state) == position("E4Z1", "", "b", "place", "5.9.15/6.9.15")
    assert_running(state, 1)
    state = play(state, "T@A1")
    assert str(state) == position("E4Z1", "A1T1", "w", "place", "5.9.15/6.9.14")
    assert_running(state, 0)
    state = play(state, "R@I5")
    assert str(state) == position("E4Z1 I5R1", "A1T1", "b", "place", "5.8.15/6.9.14")
    assert names(state) == sorted(
        f"{piece}@{point}" for piece in TYPES for point in POINTS if point not in "E4 A1 I5"
    )


def test_tournament_used_up_type_cannot_be_placed(rules: Rules) -> None:
    white, black = "A1Z1 A2Z1 A3Z1 A4Z1 A5Z1 B1Z1", "C1R1 C2R1 C3R1 C4R1 C5R1 C6R1"
    free = [point for point in POINTS if point + "Z1" not in white and point + "R1" not in black]
    text = position(white, black, "w", "place", "0.9.15/6.3.15")
    state = rules.parse(text, setup="tournament")
    assert names(state) == sorted(f"{piece}@{point}" for piece in "RT" for point in free)
    for refused in ("Z@I1", "R@A1", "R@C1", "R@E5", "r@I1", "pass"):
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action(refused))
    for refused in (PASS, 487 + 8 + 9 * 4, 487 + 81 + 36, 487 + 81 + 40, 487 + 81 + 5, 730):
        with pytest.raises(ValueError, match=r"."):
            state.apply(refused)
    assert str(state) == text


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


def test_tournament_last_piece(rules: Rules) -> None:
    empty = "I1"
    board = FIXED_BOARD[: -len("t,T,T,T,T")] + ".,T,T,T,T"
    state = rules.parse(f"{board} b place 0.0.0/0.0.1", setup="tournament")
    assert names(state) == [f"T@{empty}"]
    state = play(state, "T@I1")
    assert str(state) == f"{FIXED_BOARD} w open -"
    assert names(state) == names(rules.initial(setup="fixed"))
