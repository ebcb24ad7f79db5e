"""The rules of Tzaar, position by position, on the reference and on the compiled game."""

import random
import re
from collections import Counter
from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from protocols import Position, Rules
from reference.tzaar import Reference

import tzaar_envs
from tzaar_envs.core.state import State


class ReferenceRules:
    def initial(self, setup: str = "random", seed: int | None = None) -> Position:
        return Reference.initial(setup=setup, seed=seed)

    def parse(self, text: str, setup: str = "random") -> Position:
        return Reference.parse(text, setup=setup)


class CompiledRules:
    def initial(self, setup: str = "random", seed: int | None = None) -> Position:
        return tzaar_envs.load_game("tzaar", setup=setup).new_state(seed=seed)

    def parse(self, text: str, setup: str = "random") -> Position:
        return tzaar_envs.load_game("tzaar", setup=setup).parse(text)


@pytest.fixture(params=["reference", "compiled"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return ReferenceRules() if request.param == "reference" else CompiledRules()


# --- Points, positions and moves as text ---------------------------------------------------------

DIAGRAM = """
                    E9
                 D8    F8
              C7    E8    G7
           B6    D7    F7    H6
        A5    C6    E7    G6    I5
           B5    D6    F6    H5
        A4    C5    E6    G5    I4
           B4    D5    F5    H4
        A3    C4   (**)   G4    I3
           B3    D4    F4    H3
        A2    C3    E4    G3    I2
           B2    D3    F3    H2
        A1    C2    E3    G2    I1
           B1    D2    F2    H1
              C1    E2    G1
                 D1    F1
                    E1
"""
# Where the picture shows each point: (file counted from the left, line counted from the top).
PICTURED = {
    name: ("ABCDEFGHI".index(name[0]), line)
    for line, row in enumerate(DIAGRAM.splitlines())
    for name in re.findall(r"[A-I][1-9]", row)
}
AT_PICTURED = {place: name for name, place in PICTURED.items()}
PICTURED_STEPS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))  # N, NE, SE, S, SW, NW

POINTS_OF_FILE = {
    file: sorted(name for name in PICTURED if name[0] == file) for file in "ABCDEFGHI"
}
POINTS = [point for points in POINTS_OF_FILE.values() for point in points]

TYPES = ("Z", "R", "T")
PIECES = {"Z": 6, "R": 9, "T": 15}
PASS = 486


def pictured_line(point: str, direction: int) -> list[str]:
    """Return the points that the picture shows in a direction up to the edge or the hole."""
    column, line = PICTURED[point]
    columns, lines = PICTURED_STEPS[direction]
    points = []
    while (column + columns, line + lines) in AT_PICTURED:
        column, line = column + columns, line + lines
        points.append(AT_PICTURED[column, line])
    return points


def board_text(stacks: dict[str, str]) -> str:
    """Return the board field with these stacks by point."""
    return "/".join(
        ",".join(stacks.get(point, ".") for point in points) for points in POINTS_OF_FILE.values()
    )


def position(white: str, black: str, side: str = "w", phase: str = "1", reserve: str = "-") -> str:
    """Return the notation of the stacks of both colours, listed like ``E4Z2 A1T1``."""
    stacks = {}
    for colour, listed in (("w", white), ("b", black)):
        for stack in listed.split():
            point, letter, height = stack[:2], stack[2], stack[3:]
            assert point in PICTURED, stack
            assert point not in stacks, stack
            letter = letter if colour == "w" else letter.lower()
            stacks[point] = letter if height == "1" else letter + height
    return f"{board_text(stacks)} {side} {phase} {reserve}"


def stacks_of(text: str) -> dict[str, tuple[str, int]]:
    """Return letter and height by point of the board field of a notation."""
    stacks = {}
    files = text.split(" ")[0].split("/")
    for points, file_text in zip(POINTS_OF_FILE.values(), files, strict=True):
        for point, stack in zip(points, file_text.split(","), strict=True):
            if stack != ".":
                stacks[point] = (stack[0], int(stack[1:] or 1))
    return stacks


def side_and_phase(state: Position) -> str:
    return " ".join(str(state).split(" ")[1:3])


def actions(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def names(state: Position) -> list[str]:
    return sorted(state.action_name(action) for action in actions(state))


def listed(text: str) -> list[str]:
    return sorted(text.split())


def play(state: Position, *texts: str) -> Position:
    """Play actions on a copy."""
    state = state.clone()
    for text in texts:
        state.apply(state.parse_action(text))
    return state


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert list(state.returns()) == [0.0, 0.0]
    assert actions(state)


def assert_won(state: Position, winner: int) -> None:
    assert state.is_terminal
    assert not state.is_truncated
    assert state.current_player == -1
    assert list(state.returns()) == ([1.0, -1.0] if winner == 0 else [-1.0, 1.0])
    assert actions(state) == []
    before = str(state)
    for action in (0, 120, PASS):
        with pytest.raises(ValueError, match=r"(?i)illegal|legal|over|ended|terminal"):
            state.apply(action)
    assert str(state) == before


# --- Section 3: board ----------------------------------------------------------------------------


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


# --- Section 4: set-ups --------------------------------------------------------------------------

FIXED = {
    "Z": "C5 D3 D6 E3 G4 G5",
    "R": "B5 C2 C6 D2 D7 E2 H3 H4 H5",
    "T": "A5 B1 B6 C1 C7 D1 D5 D8 E1 E4 F5 I2 I3 I4 I5",
    "z": "C3 C4 E7 F3 F6 G3",
    "r": "B2 B3 B4 E8 F2 F7 G2 G6 H2",
    "t": "A1 A2 A3 A4 D4 E6 E9 F1 F4 F8 G1 G7 H1 H6 I1",
}
FIXED_BOARD = board_text(
    {point: letter for letter, points in FIXED.items() for point in points.split()}
)
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


# --- Section 10: action encoding -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "action"), [("D5xE6", 120), ("A5xA4", 279), ("I5xH6", 485), ("E4xD4", 5 * 81 + 31)]
)
@pytest.mark.parametrize("setup", ["random", "fixed", "tournament"])
def test_number_of_a_move(rules: Rules, setup: str, name: str, action: int) -> None:
    state = rules.parse(f"{FIXED_BOARD} w open -", setup=setup)
    assert state.parse_action(name) == action
    assert state.action_name(action) == name
    assert action in actions(state)


@pytest.mark.parametrize(
    ("name", "action"),
    [("Z@A1", 487), ("Z@E4", 518), ("R@E4", 518 + 81), ("T@I5", 729), ("T@E9", 729 - 4)],
)
def test_number_of_a_placement(rules: Rules, name: str, action: int) -> None:
    state = rules.initial(setup="tournament")
    assert state.parse_action(name) == action
    assert state.action_name(action) == name
    assert action in actions(state)


@pytest.mark.parametrize(
    "text", ["", "foo", "A5", "A5xA9", "A5xZ4", "a5xa4", "A5-A4", "A5xA4 ", "Pass", "Z@", "E5xE6"]
)
def test_unreadable_action_is_refused(rules: Rules, text: str) -> None:
    state = rules.initial(setup="fixed")
    with pytest.raises(ValueError, match=r"."):
        state.parse_action(text)


@pytest.mark.parametrize("action", [-1, PASS, 487, 730, 10**6, 4 * 9 + 4, 0, 3 * 81 + 0, 120 - 81])
def test_illegal_action_leaves_the_position_unchanged(rules: Rules, action: int) -> None:
    state = rules.initial(setup="fixed")
    before, legal = str(state), actions(state)
    assert action not in legal
    with pytest.raises(ValueError, match=r"."):
        state.apply(action)
    assert str(state) == before
    assert actions(state) == legal
    assert_running(state, 0)


def test_clone_is_independent(rules: Rules) -> None:
    for setup in ("fixed", "tournament"):
        state = rules.initial(setup=setup)
        before, legal = str(state), actions(state)
        copy = state.clone()
        assert str(copy) == before
        copy.apply(legal[0])
        assert str(copy) != before
        assert str(state) == before
        assert actions(state) == legal


# --- Section 11: worked positions ----------------------------------------------------------------


def test_z1_opening_of_the_fixed_setup(rules: Rules) -> None:
    state = rules.initial(setup="fixed")
    legal = names(state)
    assert len(legal) == len(set(legal)) == len(actions(state)) == 42
    assert {name[2] for name in legal} == {"x"}
    assert {"A5xA4", "E4xD4", "E4xF4", "D5xE6", "F5xE6"} <= set(legal)
    assert "E4xE6" not in legal
    assert PASS not in actions(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(state.parse_action("E4xE6"))
    for name in legal:
        after = play(state, name)
        assert side_and_phase(after) == "b 1"
        assert_running(after, 1)


@pytest.mark.parametrize(
    ("side", "expected"), [("w", "D4xE4 E6xF5"), ("b", "E4xD4 F5xE6")], ids=["white", "black"]
)
def test_z2_nothing_crosses_the_hole(rules: Rules, side: str, expected: str) -> None:
    state = rules.parse(position("D4Z1 D5R1 E6T1", "F5Z1 F4R1 E4T1", side))
    assert names(state) == listed(expected)


@pytest.mark.parametrize(
    ("side", "expected"),
    [("w", "A2xA4 C4xA4 C4xC7 C4xG6"), ("b", "A4xA2 C1xC4 C1xI3 C7xC4 C7xI3")],
    ids=["white", "black"],
)
def test_z3_height_and_sliding(rules: Rules, side: str, expected: str) -> None:
    state = rules.parse(position("C4T2 A2Z1 I3R1", "C7R2 C1Z3 G6T1 A4T1", side))
    assert names(state) == listed(expected)


Z4 = position("B2Z1 B4Z1 D2R1 G3T2 H5T1", "B5T1 D6R1 G6Z1 I2T1")


def test_z4_action_1_is_a_capture(rules: Rules) -> None:
    state = rules.parse(Z4)
    assert names(state) == listed("B4xB5 B4xD6 D2xD6 G3xG6 H5xG6")
    for refused in ("B2+B4", "B2+D2", "G3+D2", "pass"):
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action(refused))
    assert str(state) == Z4


def test_z5_action_2_captures_stacks_or_passes(rules: Rules) -> None:
    state = play(rules.parse(Z4), "B4xB5")
    assert str(state) == position("B2Z1 B5Z1 D2R1 G3T2 H5T1", "D6R1 G6Z1 I2T1", "w", "2")
    assert_running(state, 0)
    stacks = "B2+B5 B2+D2 B5+B2 D2+B2 D2+G3 G3+D2"
    assert names(state) == listed(f"D2xD6 G3xG6 H5xG6 {stacks} pass")
    assert actions(state)[-1] == PASS


@pytest.mark.parametrize(
    ("name", "white", "black"),
    [
        ("pass", "B2Z1 B5Z1 D2R1 G3T2 H5T1", "D6R1 G6Z1 I2T1"),
        ("D2+G3", "B2Z1 B5Z1 G3R3 H5T1", "D6R1 G6Z1 I2T1"),
        ("G3+D2", "B2Z1 B5Z1 D2T3 H5T1", "D6R1 G6Z1 I2T1"),
        ("B2+B5", "B5Z2 D2R1 G3T2 H5T1", "D6R1 G6Z1 I2T1"),
        ("B2+D2", "B5Z1 D2Z2 G3T2 H5T1", "D6R1 G6Z1 I2T1"),
        ("G3xG6", "B2Z1 B5Z1 D2R1 G6T2 H5T1", "D6R1 I2T1"),
        ("D2xD6", "B2Z1 B5Z1 D6R1 G3T2 H5T1", "G6Z1 I2T1"),
    ],
)
def test_z5_what_action_2_does(rules: Rules, name: str, white: str, black: str) -> None:
    state = play(rules.parse(Z4), "B4xB5", name)
    assert str(state) == position(white, black, "b", "1")


def test_z6_win_by_action_1(rules: Rules) -> None:
    state = rules.parse(position("C2Z1 C4T1 F3R1", "C6T1 F6Z1 H2R1 A1T1"))
    assert names(state) == listed("C4xC6 C4xF6 F3xF6")
    for name, white in (("C4xF6", "C2Z1 F6T1 F3R1"), ("F3xF6", "C2Z1 C4T1 F6R1")):
        after = play(state, name)
        assert_won(after, 0)
        assert str(after) == position(white, "C6T1 H2R1 A1T1", "w", "2")
    after = play(state, "C4xC6")
    assert_running(after, 0)
    assert side_and_phase(after) == "w 2"


def test_z7_covering_the_last_own_piece_loses(rules: Rules) -> None:
    black = "A1T1 F6Z1 F8Z1 H2R1"
    state = rules.parse(position("C2Z1 C6T1 F3R1", black, phase="2"))
    assert names(state) == listed("C6xF8 F3xF6 C2+C6 C6+C2 pass")
    for name, white in (("C6+C2", "C2T2 F3R1"), ("C2+C6", "C6Z2 F3R1")):
        after = play(state, name)
        assert_won(after, 1)
        assert str(after) == position(white, black, "b", "1")


Z8 = position("B2T2 I5Z1 I1R1", "A1T1 B1R1 A2Z1", "b")


def test_z8_side_to_act_without_a_capture_loses(rules: Rules) -> None:
    assert_won(rules.parse(Z8), 0)


def test_z9_winning_pass(rules: Rules) -> None:
    state = rules.parse(position("B4T2 I5Z1 I1R1", "A1T1 B1R1 A2Z1 B2T1"))
    assert names(state) == ["B4xB2"]
    state = play(state, "B4xB2")
    assert names(state) == listed("B2xA1 B2xA2 B2xB1 I1+I5 I5+I1 pass")
    assert_running(state, 0)
    assert str(play(state, "pass")) == Z8
    for name in ("pass", "B2xA1", "B2xA2", "B2xB1"):
        assert_won(play(state, name), 0)
    for name in ("I1+I5", "I5+I1"):
        assert_won(play(state, name), 1)


def test_z10_own_loss_comes_first(rules: Rules) -> None:
    state = rules.parse(position("B2T2 C3Z1 I1R1", "A1T1 B1R1 A2Z1", phase="2"))
    assert names(state) == listed("B2xA1 B2xA2 B2xB1 B2+C3 C3+B2 pass")
    for name, white in (("B2+C3", "C3T3 I1R1"), ("C3+B2", "B2Z3 I1R1")):
        after = play(state, name)
        assert str(after) == position(white, "A1T1 B1R1 A2Z1", "b", "1")
        assert_won(after, 1)


def test_z11_only_the_top_counts(rules: Rules) -> None:
    state = rules.parse(position("D2R3 F2Z1 G7T1", "D5R3 H1Z1 G4T1 B1T1"))
    assert names(state) == listed("D2xD5 G7xG4")
    assert_won(play(state, "D2xD5"), 0)
    assert_running(play(state, "G7xG4"), 0)


def test_z12_same_stack_twice(rules: Rules) -> None:
    state = rules.parse(position("E1R1 A5Z1 I1T1", "E2T1 E3T1 C1Z1 H6R1"))
    assert names(state) == listed("E1xC1 E1xE2")
    assert_won(play(state, "E1xC1"), 0)
    state = play(state, "E1xE2")
    assert names(state) == listed("E2xE3 pass")
    assert_won(play(state, "E2xE3"), 0)
    state = play(state, "pass")
    assert side_and_phase(state) == "b 1"


def test_z13_all_six_lines(rules: Rules) -> None:
    state = rules.parse(position("G4T1 A5Z1 I1R1", "G7Z1 I5T1 I4R1 G1T1 C2R1 D6T1"))
    assert names(state) == listed("G4xG7 G4xI4 G4xG1 G4xC2 G4xD6 I1xG1 I1xI4")


@pytest.mark.parametrize("seed", range(3))
def test_z14_opening_turn_is_one_capture(rules: Rules, seed: int) -> None:
    state = rules.initial(seed=seed)
    assert {name[2] for name in names(state)} == {"x"}
    for action in actions(state):
        after = state.clone()
        after.apply(action)
        assert after.current_player == 1
        assert side_and_phase(after) == "b 1"
        assert {name[2] for name in names(after)} == {"x"}


@pytest.mark.parametrize(
    "text",
    [f"{FIXED_BOARD} w open -", f"{FIXED_BOARD} b 1 -", f"{FIXED_BOARD} w 1 -", Z4],
    ids=["open", "full-black", "full-white", "z4"],
)
def test_z15_no_pass_in_action_1(rules: Rules, text: str) -> None:
    state = rules.parse(text)
    assert PASS not in actions(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(PASS)
    with pytest.raises(ValueError, match=r"."):
        state.apply(state.parse_action("pass"))
    assert str(state) == text


# --- Section 5: who may go where -----------------------------------------------------------------


def test_higher_stack_shields_what_lies_behind_it(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 I1R1 I2T1", "A3Z2 A5R1 F1T1"))
    assert "A1xA3" not in names(state)
    assert "A1xA5" not in names(state)


def test_own_stack_shields_what_lies_behind_it(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 A3R1 I2T1", "A5R1 F1T1 H1Z1"))
    assert "A3xA5" in names(state)
    assert "A1xA5" not in names(state)


@pytest.mark.parametrize(("height", "captured"), [(1, False), (2, False), (3, True), (4, True)])
def test_captures_need_at_least_the_height_of_the_target(
    rules: Rules, height: int, captured: bool
) -> None:
    white = f"A1Z{height} I1R1 I2T1"
    state = rules.parse(position(white, "A5T3 H5Z1 I4R1"))
    assert ("A1xA5" in names(state)) == captured
    assert "I2xI4" in names(state)


def test_low_stack_may_go_on_a_high_one(rules: Rules) -> None:
    white, black = "A1T1 A5Z9 I1R1 I2T1 C1Z1", "E9T1 G1Z1 H6R1"
    state = play(rules.parse(position(white, black, phase="2")), "A1+A5")
    assert str(state) == position("A5T10 I1R1 I2T1 C1Z1", black, "b", "1")


# --- Section 6: end of the game ------------------------------------------------------------------


def test_decisive_opening_capture(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 A3R1 I2T1", "A5R1 F1T1 H1Z1", phase="open"))
    state = play(state, "A3xA5")
    assert str(state) == position("A1Z1 A5R1 I2T1", "F1T1 H1Z1", "b", "1")
    assert_won(state, 0)


def test_opening_without_a_capture_is_lost(rules: Rules) -> None:
    state = rules.parse(position("A1Z1 A2R1 A3T1", "I1R1 I2T2 D4Z2", phase="open"))
    assert_won(state, 1)


def test_white_without_a_capture_loses(rules: Rules) -> None:
    black, moved = "A1Z1 A2R1 H6T2", "A1Z1 A2R1 H6T2"
    white = "I5Z1 I1R1 I3T1"
    state = rules.parse(position(white, black, "b", "2"))
    assert_running(state, 1)
    state = play(state, "pass")
    assert str(state) == position(white, moved, "w", "1")
    assert_won(state, 1)


def test_action_2_without_a_capture_goes_on(rules: Rules) -> None:
    state = rules.parse(Z8.replace(" b 1 ", " b 2 "))
    assert_running(state, 1)
    assert {name for name in names(state) if "x" in name} == set()
    assert "pass" in names(state)


@pytest.mark.parametrize("phase", ["1", "2"])
@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize("missing", TYPES)
def test_a_colour_that_lacks_a_type_has_lost(
    rules: Rules, missing: str, side: str, phase: str
) -> None:
    full = {"Z": "Z1", "R": "R1", "T": "T1"}
    complete = " ".join(f"A{n}{full[piece]}" for n, piece in enumerate(TYPES, start=1))
    others = [piece for piece in TYPES if piece != missing]
    lacking = " ".join(f"B{n}{full[piece]}" for n, piece in enumerate(others, start=1))
    assert_won(rules.parse(position(complete, lacking, side, phase)), 0)
    assert_won(rules.parse(position(lacking, complete, side, phase)), 1)


def test_a_colour_without_stacks_has_lost(rules: Rules) -> None:
    assert_won(rules.parse(position("A1Z1 A2R1 A3T1", "", "b", "1")), 0)
    assert_won(rules.parse(position("", "A1Z1 A2R1 A3T1", "w", "open")), 1)


def test_placement_is_never_over(rules: Rules) -> None:
    state = rules.parse(position("A1Z1", "I1Z1", "w", "place", "5.9.15/5.9.15"), setup="tournament")
    assert_running(state, 0)


# --- Sections 5 to 7 over whole games ------------------------------------------------------------

Policy = Callable[[list[str], random.Random], str]


def any_action(legal: list[str], rng: random.Random) -> str:
    return rng.choice(legal)


def pass_if_legal(legal: list[str], rng: random.Random) -> str:
    return "pass" if "pass" in legal else rng.choice(legal)


def stack_if_legal(legal: list[str], rng: random.Random) -> str:
    return rng.choice([name for name in legal if "+" in name] or legal)


@pytest.mark.parametrize("policy", [any_action, pass_if_legal, stack_if_legal])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("setup", "longest"), [("random", 109), ("fixed", 109), ("tournament", 169)]
)
def test_whole_game(rules: Rules, setup: str, longest: int, seed: int, policy: Policy) -> None:
    rng = random.Random(seed)
    state = rules.initial(setup=setup, seed=seed)
    length = 0
    while not state.is_terminal:
        before = str(state)
        _, side, phase, _ = before.split(" ")
        assert_running(state, "wb".index(side))
        legal = actions(state)
        assert legal == sorted(set(legal))
        texts = [state.action_name(action) for action in legal]
        assert len(set(texts)) == len(texts)
        again = rules.parse(before, setup=setup)
        assert str(again) == before
        assert actions(again) == legal
        if phase in ("open", "1"):
            assert {text[2] for text in texts} == {"x"}
        if phase == "2":
            assert legal[-1] == PASS
        text = policy(texts, rng)
        assert state.parse_action(text) == legal[texts.index(text)]
        state.apply(state.parse_action(text))
        length += 1
        if phase != "place":
            check_move(before, text, str(state))
    assert length <= longest
    loser = loser_of(str(state))
    assert_won(state, 1 - loser)
    again = rules.parse(str(state), setup=setup)
    assert str(again) == str(state)
    assert_won(again, 1 - loser)


def check_move(before: str, name: str, after: str) -> None:
    """Check what a move, whichever it was, has done to the position."""
    _, side, phase, _ = before.split(" ")
    other = "b" if side == "w" else "w"
    assert after.split(" ")[1:] == ([side, "2", "-"] if phase == "1" else [other, "1", "-"])
    stacks = stacks_of(before)
    if name == "pass":
        assert phase == "2"
    else:
        origin, sign, target = name[:2], name[2], name[3:]
        letter, height = stacks.pop(origin)
        met_letter, met_height = stacks[target]
        assert letter.isupper() == (side == "w")
        if sign == "x":
            assert met_letter.isupper() != letter.isupper()
            assert met_height <= height
            stacks[target] = (letter, height)
        else:
            assert phase == "2"
            assert met_letter.isupper() == letter.isupper()
            stacks[target] = (letter, height + met_height)
    assert stacks_of(after) == stacks


def loser_of(text: str) -> int:
    """Return who has lost in the notation of an ended game: without a type or without a capture."""
    _, side, _, _ = text.split(" ")
    letters = {letter for letter, _ in stacks_of(text).values()}
    if not set("ZRT") <= letters:
        return 0
    if not set("zrt") <= letters:
        return 1
    assert text.endswith(" 1 -")
    return "wb".index(side)


# --- The words of a position that follow from its board -------------------------------------------


def assert_words_as_read(state: State) -> None:
    """What the actions have kept up to date is what reading the notation makes anew."""
    np.testing.assert_array_equal(state.words, state.game.parse(str(state)).words, str(state))


@pytest.mark.parametrize("policy", [any_action, pass_if_legal, stack_if_legal])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("setup", ["random", "fixed", "tournament"])
def test_words_are_kept_up_to_date(setup: str, seed: int, policy: Policy) -> None:
    choices = random.Random(seed)
    state = tzaar_envs.load_game("tzaar", setup=setup).new_state(seed)
    assert_words_as_read(state)
    while not state.is_terminal:
        texts = [state.action_name(action) for action in actions(state)]
        state.apply(state.parse_action(policy(texts, choices)))
        assert_words_as_read(state)


@pytest.mark.parametrize("phase", ["1", "2"])
@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize(
    ("white", "black"),
    [
        ("C4T2 A2Z1 I3R1", "C7R2 C1Z3 G6T1 A4T1"),
        ("E4R12 A1Z10 I5T8", "E9T28 D4Z1 E1R1"),
        ("D4Z1 D5R1 E6T1", "F5Z1 F4R1 E4T1"),
        ("G4T1 A5Z1 I1R1", "G7Z1 I5T1 I4R1 G1T1 C2R1 D6T1"),
    ],
)
def test_words_are_kept_up_to_date_from_any_position(
    white: str, black: str, side: str, phase: str
) -> None:
    state = tzaar_envs.load_game("tzaar").parse(position(white, black, side, phase))
    for action in actions(state):
        after = state.clone()
        after.apply(action)
        assert_words_as_read(after)
        for answer in actions(after):
            then = after.clone()
            then.apply(answer)
            assert_words_as_read(then)


# --- Section 12: notation ------------------------------------------------------------------------

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
