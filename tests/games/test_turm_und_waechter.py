"""The worked positions and the notation of Turm & Wächter, on the compiled rules and the reference.

Section numbers and the names W1 to W16 are those of the rules document.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Protocol, Self

import numpy as np
import pytest
from reference.turm_und_waechter import Reference

import tzaar_envs
from tzaar_envs.games.turm_und_waechter import board
from tzaar_envs.jit.arrays import StateArray

START = "r1r11RG1r1r1/2r11r12/3r13/7/3b13/2b11b12/b1b11BG1b1b1 r 1 0"
NUM_ACTIONS = 1176

ONGOING = [0.0, 0.0]
DRAWN = [0.0, 0.0]
RED_WINS = [1.0, -1.0]
BLUE_WINS = [-1.0, 1.0]


class State(Protocol):
    """What both implementations offer."""

    @property
    def current_player(self) -> int: ...
    @property
    def is_terminal(self) -> bool: ...
    @property
    def is_truncated(self) -> bool: ...
    def legal_actions(self) -> Iterable[int]: ...
    def apply(self, action: int) -> None: ...
    def action_name(self, action: int) -> str: ...
    def parse_action(self, text: str) -> int: ...
    def returns(self) -> Iterable[float]: ...
    def clone(self) -> Self: ...


class Rules(Protocol):
    """Where states come from."""

    def initial(self) -> State: ...
    def parse(self, text: str) -> State: ...


class CompiledRules:
    """The rules of the package."""

    def __init__(self) -> None:
        game = tzaar_envs.load_game("turm_und_waechter")
        self.initial = game.new_state
        self.parse = game.parse


@pytest.fixture(params=["reference", "compiled"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return Reference if request.param == "reference" else CompiledRules()


def legal(state: State) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def legal_names(state: State) -> list[str]:
    return [state.action_name(action) for action in legal(state)]


def play(state: State, moves: str) -> None:
    for move in moves.split():
        state.apply(state.parse_action(move))


def assert_ongoing(state: State, seat: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == seat
    assert list(state.returns()) == ONGOING
    assert legal(state)


def assert_over(state: State, returns: list[float], *, truncated: bool = False) -> None:
    assert state.is_terminal
    assert bool(state.is_truncated) is truncated
    assert state.current_player == -1
    assert list(state.returns()) == returns
    assert legal(state) == []


def assert_refused(state: State, action: int) -> None:
    before, moves_before = str(state), legal(state)
    with pytest.raises(ValueError, match=r"(?i)action|legal|over"):
        state.apply(action)
    assert str(state) == before
    assert legal(state) == moves_before


def leaves(state: State, depth: int) -> int:
    """The number of move sequences of this length."""
    if depth == 1:
        return len(legal(state))
    total = 0
    for action in legal(state):
        child = state.clone()
        child.apply(action)
        total += leaves(child, depth - 1)
    return total


# Section 10: exactly these moves, nothing else.

W2_MOVES = (
    "D4-C4-1 D4-E4-1 D4-D3-1 D4-D5-1 D4-B4-2 D4-F4-2 D4-D2-2 D4-D6-2 D4-A4-3 D4-G4-3 D4-D1-3 "
    "D7-C7-1 D7-D6-1 D7-E7-1"
)

ALL_MOVES = [
    pytest.param(
        "r1r11RG1r1r1/2r11r12/3r13/7/3b13/2b11b12/b1b11BG1b1b1 r",
        25,
        "A7-A6-1 A7-B7-1 B7-A7-1 B7-B6-1 B7-C7-1 C6-B6-1 C6-C5-1 C6-C7-1 C6-D6-1 D5-C5-1 D5-D4-1 "
        "D5-D6-1 D5-E5-1 D7-C7-1 D7-D6-1 D7-E7-1 E6-D6-1 E6-E5-1 E6-E7-1 E6-F6-1 F7-E7-1 F7-F6-1 "
        "F7-G7-1 G7-F7-1 G7-G6-1",
        id="W1",
    ),
    pytest.param("3RG3/7/7/3r33/7/7/BG6 r", 14, W2_MOVES, id="W2"),
    pytest.param("3RG3/7/7/1b11r33/7/7/BG6 r", 13, W2_MOVES.replace("D4-A4-3 ", ""), id="W3"),
    pytest.param(
        "6BG/7/2b34/7/2r44/7/RG6 r",
        11,
        "C3-C4-1 C3-C2-1 C3-C1-2 C3-B3-1 C3-A3-2 C3-D3-1 C3-E3-2 C3-F3-3 C3-G3-4 A1-A2-1 A1-B1-1",
        id="W4",
    ),
    pytest.param(
        "BG6/7/3b53/2b1RGr12/7/7/7 r",
        6,
        "D4-D5-1 D4-C4-1 D4-D3-1 E4-E5-1 E4-E3-1 E4-F4-1",
        id="W5",
    ),
    pytest.param(
        "r31r14/7/7/RG6/7/7/6BG r",
        10,
        "A7-A6-1 A7-B7-1 A7-A5-2 A7-C7-2 C7-B7-1 C7-C6-1 C7-D7-1 A4-A5-1 A4-A3-1 A4-B4-1",
        id="W6",
    ),
    # The document names only D7-D4-3 and the number 10 here; the others follow from section 4.
    pytest.param(
        "RG2r33/7/7/3BG3/7/7/7 r",
        10,
        "A7-A6-1 A7-B7-1 D7-C7-1 D7-B7-2 D7-E7-1 D7-F7-2 D7-G7-3 D7-D6-1 D7-D5-2 D7-D4-3",
        id="W7",
    ),
    pytest.param(
        "RG2r23/7/7/3BG3/7/7/7 r",
        8,
        "A7-A6-1 A7-B7-1 D7-C7-1 D7-E7-1 D7-D6-1 D7-B7-2 D7-F7-2 D7-D5-2",
        id="W8",
    ),
    pytest.param("3b1BG2/7/7/7/7/7/RG6 b", 4, "D7-C7-1 D7-D6-1 E7-E6-1 E7-F7-1", id="W9"),
    pytest.param(
        "3r2BG2/7/7/7/7/3b13/RG6 b",
        7,
        "E7-D7-1 E7-E6-1 E7-F7-1 D2-C2-1 D2-D1-1 D2-D3-1 D2-E2-1",
        id="W10",
    ),
    pytest.param(
        "r76/7/7/7/7/3RG3/6BG r",
        16,
        "A7-A6-1 A7-A5-2 A7-A4-3 A7-A3-4 A7-A2-5 A7-A1-6 A7-B7-1 A7-C7-2 A7-D7-3 A7-E7-4 A7-F7-5 "
        "A7-G7-6 D2-C2-1 D2-E2-1 D2-D3-1 D2-D1-1",
        id="W11",
    ),
    pytest.param("4r2b1BG/5r2b1/6r2/7/7/7/RG6 b", 0, "", id="W12"),
    pytest.param("RG6/7/7/7/7/7/6BG r", 2, "A7-A6-1 A7-B7-1", id="W13"),
    pytest.param(
        "7/3b43/2r1RG3/3r13/7/7/3BG3 r",
        8,
        "C5-B5-1 C5-C4-1 C5-C6-1 D4-C4-1 D4-D3-1 D4-E4-1 D5-D6-1 D5-E5-1",
        id="W14",
    ),
    pytest.param("3RG3/3BG3/7/7/7/7/r16 r", 5, "D7-C7-1 D7-E7-1 D7-D6-1 A1-A2-1 A1-B1-1", id="W15"),
    pytest.param("3RG3/3BG3/7/7/7/7/r16 b", 4, "D6-C6-1 D6-E6-1 D6-D5-1 D6-D7-1", id="W16"),
]


@pytest.mark.parametrize(("position", "count", "moves"), ALL_MOVES)
def test_worked_position_has_exactly_these_moves(
    rules: Rules, position: str, count: int, moves: str
) -> None:
    state = rules.parse(position)
    names = legal_names(state)
    assert len(names) == count
    assert set(names) == set(moves.split())
    assert legal(state) == sorted(set(legal(state)))
    assert [state.parse_action(name) for name in names] == legal(state)


# Positions after a move in which the game goes on.
CONTINUATIONS = [
    pytest.param(
        "3RG3/7/7/3r33/7/7/BG6 r",
        "D4-D1-3",
        "3RG3/7/7/7/7/7/BG2r33 b 1 1",
        id="W2-tower-on-castle",
    ),
    pytest.param(
        "3RG3/7/7/1b11r33/7/7/BG6 r",
        "D4-B4-2",
        "3RG3/7/7/1r21r13/7/7/BG6 b 1 1",
        id="W3-part-of-a-tower-captures",
    ),
    pytest.param(
        "6BG/7/2b34/7/2r44/7/RG6 r",
        "C3-G3-4",
        "6BG/7/2b34/7/6r4/7/RG6 b 1 1",
        id="W4-whole-tower-moves",
    ),
    pytest.param(
        "BG6/7/3b53/2b1RGr12/7/7/7 r",
        "D4-D5-1",
        "BG6/7/3RG3/2b11r12/7/7/7 b 1 1",
        id="W5-guard-captures-tall-tower",
    ),
    pytest.param(
        "BG6/7/3b53/2b1RGr12/7/7/7 r",
        "D4-C4-1",
        "BG6/7/3b53/2RG1r12/7/7/7 b 1 1",
        id="W5-guard-captures-small-tower",
    ),
    pytest.param(
        "r31r14/7/7/RG6/7/7/6BG r",
        "A7-C7-2",
        "r11r34/7/7/RG6/7/7/6BG b 1 1",
        id="W6-stacking-while-unstacking",
    ),
    pytest.param(
        "r31r14/7/7/RG6/7/7/6BG r",
        "C7-B7-1",
        "r3r15/7/7/RG6/7/7/6BG b 1 1",
        id="W6-single-stone-moves",
    ),
    pytest.param(
        "3r2BG2/7/7/7/7/3b13/RG6 b",
        "D2-D1-1",
        "3r2BG2/7/7/7/7/7/RG2b13 r 1 1",
        id="W10-tower-on-own-castle",
    ),
    pytest.param(
        "r76/7/7/7/7/3RG3/6BG r",
        "A7-D7-3",
        "r42r33/7/7/7/7/3RG3/6BG b 1 1",
        id="W11-tower-on-own-castle",
    ),
    pytest.param(
        "7/3b43/2r1RG3/3r13/7/7/3BG3 r",
        "D5-D6-1",
        "7/3RG3/2r14/3r13/7/7/3BG3 b 1 1",
        id="W14-guard-captures",
    ),
    pytest.param(
        "2RG4/7/7/7/7/7/BG6 r",
        "C7-D7-1",
        "3RG3/7/7/7/7/7/BG6 b 1 1",
        id="guard-on-own-castle",
    ),
    pytest.param(
        "3RG3/7/7/b32r43/7/7/BG6 r",
        "D4-A4-3",
        "3RG3/7/7/r32r13/7/7/BG6 b 1 1",
        id="equal-height-captures",
    ),
]


@pytest.mark.parametrize(("position", "move", "after"), CONTINUATIONS)
def test_move_leads_to(rules: Rules, position: str, move: str, after: str) -> None:
    state = rules.parse(position)
    play(state, move)
    assert str(state) == after
    assert_ongoing(state, seat=0 if " r " in after else 1)


# Positions after a move that wins.
WINS = [
    pytest.param(
        "RG2r33/7/7/3BG3/7/7/7 r",
        "D7-D4-3",
        "RG6/7/7/3r33/7/7/7 b 1 1",
        RED_WINS,
        id="W7-tower-takes-guard",
    ),
    pytest.param(
        "RG2r33/3BG3/7/7/7/7/7 r",
        "D7-D6-1",
        "RG2r23/3r13/7/7/7/7/7 b 1 1",
        RED_WINS,
        id="part-of-a-tower-takes-guard",
    ),
    pytest.param(
        "3r2BG2/7/7/7/7/3b13/RG6 b",
        "E7-D7-1",
        "3BG3/7/7/7/7/3b13/RG6 r 1 1",
        BLUE_WINS,
        id="W10-castle-with-capture",
    ),
    pytest.param(
        "r76/7/7/7/7/3RG3/6BG r",
        "D2-D1-1",
        "r76/7/7/7/7/7/3RG2BG b 1 1",
        RED_WINS,
        id="W11-castle",
    ),
    pytest.param(
        "4r2b1BG/5r2b1/6r2/7/7/RG6/7 r",
        "A2-A1-1",
        "4r2b1BG/5r2b1/6r2/7/7/7/RG6 b 1 1",
        RED_WINS,
        id="W12-no-legal-move",
    ),
    pytest.param(
        "3RG3/3BG3/7/7/7/7/r16 r",
        "D7-D6-1",
        "7/3RG3/7/7/7/7/r16 b 1 1",
        RED_WINS,
        id="W15-guard-takes-guard",
    ),
    pytest.param(
        "3RG3/3BG3/7/7/7/7/r16 b",
        "D6-D7-1",
        "3BG3/7/7/7/7/7/r16 r 1 1",
        BLUE_WINS,
        id="W16-guard-takes-guard-on-castle",
    ),
]


@pytest.mark.parametrize(("position", "move", "after", "returns"), WINS)
def test_move_wins(
    rules: Rules, position: str, move: str, after: str, returns: list[float]
) -> None:
    state = rules.parse(position)
    assert_ongoing(state, seat=0 if position.endswith("r") else 1)
    play(state, move)
    assert str(state) == after
    assert_over(state, returns)


@pytest.mark.parametrize(
    ("position", "move"),
    [
        pytest.param("3RG3/7/7/3r33/7/7/BG6 r", "D4-D7-3", id="W2-own-guard"),
        pytest.param("3RG3/7/7/1b11r33/7/7/BG6 r", "D4-A4-3", id="W3-jump"),
        pytest.param("6BG/7/2b34/7/2r44/7/RG6 r", "C3-C5-2", id="W4-too-few-stones"),
        pytest.param("r31r14/7/7/RG6/7/7/6BG r", "A7-A4-3", id="W6-own-guard"),
        pytest.param("r31r14/7/7/RG6/7/7/6BG r", "A7-D7-3", id="W6-jump-own-tower"),
        pytest.param("RG2r23/7/7/3BG3/7/7/7 r", "D7-D4-3", id="W8-not-that-high"),
        pytest.param("3b1BG2/7/7/7/7/7/RG6 b", "E7-D7-1", id="W9-own-tower-on-castle"),
        pytest.param("7/3b43/2r1RG3/3r13/7/7/3BG3 r", "D5-C5-1", id="W14-guard-onto-tower"),
        pytest.param("7/3b43/2r1RG3/3r13/7/7/3BG3 r", "D4-D5-1", id="W14-tower-onto-guard"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 b", "A1-A2-1", id="enemy-tower"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 b", "D7-C7-1", id="enemy-guard"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 b", "B3-B4-1", id="empty-field"),
        pytest.param("3RG3/3BG3/7/7/7/7/r16 r", "D7-B7-2", id="guard-moves-two"),
    ],
)
def test_illegal_move_changes_nothing(rules: Rules, position: str, move: str) -> None:
    state = rules.parse(position)
    before, moves_before = str(state), legal(state)
    with pytest.raises(ValueError, match=rf"(?i)action|legal|{move}"):
        state.apply(state.parse_action(move))
    assert str(state) == before
    assert legal(state) == moves_before


def test_every_other_number_is_refused(rules: Rules) -> None:
    state = rules.initial()
    for action in sorted({*range(-1, NUM_ACTIONS + 1)} - {*legal(state)}):
        assert_refused(state, action)


def test_ended_game_takes_no_move(rules: Rules) -> None:
    state = rules.parse("RG2r33/7/7/3BG3/7/7/7 r")
    play(state, "D7-D4-3")
    for action in range(NUM_ACTIONS):
        assert_refused(state, action)


@pytest.mark.parametrize(("depth", "count"), [(1, 25), (2, 625), (3, 14_896)])
def test_node_counts(rules: Rules, depth: int, count: int) -> None:
    assert leaves(rules.initial(), depth) == count


def test_initial_state(rules: Rules) -> None:
    state = rules.initial()
    assert str(state) == START
    assert_ongoing(state, seat=0)
    state.apply(state.parse_action("D5-D4-1"))
    assert str(state) == "r1r11RG1r1r1/2r11r12/7/3r13/3b13/2b11b12/b1b11BG1b1b1 b 1 1"
    assert_ongoing(state, seat=1)


# Section 9.


@pytest.mark.parametrize(
    ("position", "name", "action"),
    [
        (START, "A7-B7-1", 336),
        (START, "D7-D6-1", 633),
        ("3RG3/7/7/3r33/7/7/BG6 r", "D4-A4-3", 1004),
        # The first and the last number that stay on the board.
        ("6RG/7/7/7/7/7/r15BG r", "A1-A2-1", 0),
        ("6r6/RG6/7/7/7/7/6BG r", "G7-A7-6", 1175),
    ],
)
def test_action_numbers(rules: Rules, position: str, name: str, action: int) -> None:
    state = rules.parse(position)
    assert action in legal(state)
    assert state.action_name(action) == name
    assert state.parse_action(name) == action


def test_half_of_all_numbers_stay_on_the_board(rules: Rules) -> None:
    expected: dict[int, str] = {}
    for rank in range(7):
        for file in range(7):
            for direction, (east, north) in enumerate([(0, 1), (1, 0), (0, -1), (-1, 0)]):
                for count in range(1, 7):
                    to_file, to_rank = file + count * east, rank + count * north
                    if 0 <= to_file < 7 and 0 <= to_rank < 7:
                        number = (direction * 6 + count - 1) * 49 + rank * 7 + file
                        start, target = "ABCDEFG"[file] + str(rank + 1), "ABCDEFG"[to_file]
                        expected[number] = f"{start}-{target}{to_rank + 1}-{count}"
    assert len(expected) == 588

    # A red tower of height 7 on every field; what a guard blocks in one place is free in another.
    seen: dict[int, str] = {}
    guard_fields = [((6, 0), (6, 1)), ((0, 0), (0, 1)), ((6, 5), (6, 6))]
    for red_guard, blue_guard in guard_fields:
        for tower in [(rank, file) for rank in range(7) for file in range(7)]:
            if tower in (red_guard, blue_guard):
                continue
            cells = {red_guard: "RG", blue_guard: "BG", tower: "r7"}
            board = "/".join(
                "".join(cells.get((rank, file), "1") for file in range(7))
                for rank in reversed(range(7))
            )
            state = rules.parse(f"{board} r")
            seen |= {action: state.action_name(action) for action in legal(state)}
    assert seen == expected


# Section 5: the orders in which a game ends.


SHUFFLE = "A7-A6-1 G1-G2-1 A6-A7-1 G2-G1-1"


def test_w13_third_occurrence_draws(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(state, SHUFFLE)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 2 4"
    assert_ongoing(state, seat=0)
    for ply, move in enumerate(SHUFFLE.split()[:3], start=5):
        play(state, move)
        assert_ongoing(state, seat=ply % 2)
    play(state, SHUFFLE.split()[3])
    assert str(state) == "RG6/7/7/7/7/7/6BG r 3 8"
    assert_over(state, DRAWN)


def test_start_position_is_the_first_occurrence(rules: Rules) -> None:
    state = rules.initial()
    cycle = "D7-D6-1 D1-D2-1 D6-D7-1 D2-D1-1"
    play(state, cycle)
    assert str(state) == START.replace(" 1 0", " 2 4")
    assert_ongoing(state, seat=0)
    play(state, cycle)
    assert str(state) == START.replace(" 1 0", " 3 8")
    assert_over(state, DRAWN)


def test_occurrences_need_not_be_consecutive_or_cyclic(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(state, SHUFFLE)
    play(state, "A7-B7-1 G1-F1-1 B7-B6-1 F1-F2-1 B6-A6-1 F2-F1-1 A6-A7-1")
    assert str(state) == "RG6/7/7/7/7/7/5BG1 b 1 11"
    assert_ongoing(state, seat=1)
    play(state, "F1-G1-1")
    assert str(state) == "RG6/7/7/7/7/7/6BG r 3 12"
    assert_over(state, DRAWN)


def test_side_to_move_belongs_to_the_position(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/r25BG r")
    # Red needs five moves to bring both stones back, so the same board has Blue to move.
    play(state, "A1-A3-2 G1-G2-1 A3-A2-1 G2-G1-1 A3-A2-1 G1-G2-1 A2-A1-1 G2-G1-1 A2-A1-1")
    assert str(state) == "RG6/7/7/7/7/7/r25BG b 1 9"
    assert_ongoing(state, seat=1)


def test_heights_belong_to_the_position(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/r2r14BG r")
    play(state, "A1-A3-2 G1-G2-1 A3-A2-1 G2-G1-1 A2-B2-1 G1-G2-1")
    play(state, "B2-B1-1 G2-G1-1 A3-A2-1 G1-G2-1 A2-A1-1 G2-G1-1")
    assert str(state) == "RG6/7/7/7/7/7/r1r24BG r 1 12"
    assert_ongoing(state, seat=0)


def test_parsed_position_begins_a_new_history(rules: Rules) -> None:
    played = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(played, SHUFFLE)
    read = rules.parse(str(played))
    assert read == played
    assert hash(read) == hash(played)
    play(played, "A7-A6-1")
    play(read, "A7-A6-1")
    assert str(played) == "7/RG6/7/7/7/7/6BG b 2 5"
    assert str(read) == "7/RG6/7/7/7/7/6BG b 1 5"
    assert read != played
    play(read, "G1-G2-1 A6-A7-1 G2-G1-1")
    assert str(read) == "RG6/7/7/7/7/7/6BG r 3 8"
    assert_over(read, DRAWN)


def test_move_cap_truncates(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r 1 498")
    play(state, "A7-A6-1")
    assert str(state) == "7/RG6/7/7/7/7/6BG b 1 499"
    assert_ongoing(state, seat=1)
    play(state, "G1-G2-1")
    assert str(state) == "7/RG6/7/7/7/6BG/7 r 1 500"
    assert_over(state, DRAWN, truncated=True)


def test_second_occurrence_at_the_cap_is_a_truncation(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r 1 496")
    play(state, SHUFFLE)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 2 500"
    assert_over(state, DRAWN, truncated=True)


def test_third_occurrence_at_the_cap_is_a_termination(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r 2 496")
    play(state, SHUFFLE)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 3 500"
    assert_over(state, DRAWN)


@pytest.mark.parametrize(("position", "move", "after", "returns"), WINS)
def test_win_at_the_cap_is_a_win(
    rules: Rules, position: str, move: str, after: str, returns: list[float]
) -> None:
    state = rules.parse(f"{position} 1 499")
    play(state, move)
    assert str(state) == after.replace(" 1 1", " 1 500")
    assert_over(state, returns)


# Section 11: whether and how a position has ended follows from the four fields.


@pytest.mark.parametrize("counters", ["1 0", "2 7", "3 8", "1 500", "3 500"])
@pytest.mark.parametrize(
    ("position", "returns"),
    [
        pytest.param("RG6/7/7/3r33/7/7/7 b", RED_WINS, id="no-blue-guard"),
        pytest.param("RG6/7/7/3r33/7/7/7 r", RED_WINS, id="no-blue-guard-red-next"),
        pytest.param("BG6/7/7/3r33/7/7/7 r", BLUE_WINS, id="no-red-guard"),
        pytest.param("BG6/7/7/3r33/7/7/7 b", BLUE_WINS, id="no-red-guard-blue-next"),
        pytest.param("r76/7/7/7/7/7/3RG2BG b", RED_WINS, id="red-on-castle"),
        pytest.param("r76/7/7/7/7/7/3RG2BG r", RED_WINS, id="red-on-castle-red-next"),
        pytest.param("3BG3/7/7/7/7/3b13/RG6 r", BLUE_WINS, id="blue-on-castle"),
        pytest.param("3BG3/7/7/7/7/3b13/RG6 b", BLUE_WINS, id="blue-on-castle-blue-next"),
        pytest.param("4r2b1BG/5r2b1/6r2/7/7/7/RG6 b", RED_WINS, id="W12-blue-blocked"),
        pytest.param("BG6/7/7/7/6b2/5b2r1/4b2r1RG r", BLUE_WINS, id="red-blocked"),
        # The lost guard decides before the missing move does.
        pytest.param("4r2b1BG/5r2b1/6r2/7/7/7/7 b", BLUE_WINS, id="no-red-guard-blue-blocked"),
        pytest.param("7/7/7/7/6b2/5b2r1/4b2r1RG r", RED_WINS, id="no-blue-guard-red-blocked"),
    ],
)
def test_won_position_is_won_whatever_its_counters(
    rules: Rules, position: str, returns: list[float], counters: str
) -> None:
    text = f"{position} {counters}"
    state = rules.parse(text)
    assert str(state) == text
    assert_over(state, returns)


@pytest.mark.parametrize("position", ["4r2b1BG/5r2b1/6r2/7/7/7/RG6 r", "3RG3/7/7/7/7/7/3BG3 b"])
def test_position_that_only_looks_ended(rules: Rules, position: str) -> None:
    state = rules.parse(position)
    assert_ongoing(state, seat=0 if position.endswith("r") else 1)


@pytest.mark.parametrize("plies", [0, 8, 499, 500])
def test_parsed_third_occurrence_is_a_draw(rules: Rules, plies: int) -> None:
    assert_over(rules.parse(f"RG6/7/7/7/7/7/6BG r 3 {plies}"), DRAWN)


@pytest.mark.parametrize("occurrences", [1, 2])
def test_parsed_move_cap_is_a_truncation(rules: Rules, occurrences: int) -> None:
    state = rules.parse(f"RG6/7/7/7/7/7/6BG b {occurrences} 500")
    assert_over(state, DRAWN, truncated=True)


# Section 11: notation of positions.


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


# Section 11: notation of actions.


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


# Whole games.


def test_clone_shares_nothing(rules: Rules) -> None:
    state = rules.parse("RG6/7/7/7/7/7/6BG r")
    play(state, SHUFFLE)
    copy = state.clone()
    assert copy == state
    play(copy, SHUFFLE)
    assert_over(copy, DRAWN)
    assert str(state) == "RG6/7/7/7/7/7/6BG r 2 4"
    assert_ongoing(state, seat=0)
    # The copy has taken the history along, and what it added stays its own.
    play(state, "A7-A6-1")
    assert str(state) == "7/RG6/7/7/7/7/6BG b 2 5"
    assert str(copy) == "RG6/7/7/7/7/7/6BG r 3 8"


@pytest.mark.parametrize("seed", range(3))
def test_notation_holds_all_of_a_random_game(rules: Rules, seed: int) -> None:
    rng = random.Random(seed)
    state = rules.initial()
    plies = 0
    while not state.is_terminal:
        assert state.current_player == plies % 2
        state.apply(rng.choice(legal(state)))
        plies += 1
        read = rules.parse(str(state))
        assert str(read) == str(state)
        assert str(state).endswith(f" {plies}")
        assert legal(read) == legal(state)
        assert read.current_player == state.current_player
        assert read.is_terminal == state.is_terminal
        assert read.is_truncated == state.is_truncated
        assert list(read.returns()) == list(state.returns())
    assert plies <= 500
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "position",
    [
        START,
        "3RG3/7/1r15/r33b42/7/2b11r12/2BG4 b 1 0",
        "r7RG5/7/7/7/7/7/5BGb7 r 2 12",
        "1r1r2RG3/b1r25/7/3b43/7/r1r15/3BG2b2 r 1 300",
    ],
)
def test_kept_words_are_those_that_follow_from_the_notation(position: str, seed: int) -> None:
    """Nothing that a move carries along differs from what reading the position works out."""
    game = tzaar_envs.load_game("turm_und_waechter")
    rng = random.Random(seed)
    state = game.parse(position)
    words = state.words
    history = words[board.HISTORY][: words[board.HISTORY_LENGTH]].tolist()
    figures = words[board.FIGURES]
    while not state.is_terminal:
        state.apply(rng.choice(legal(state)))
        words, read = state.words, game.parse(str(state)).words
        key = read[board.HISTORY][0]
        # A capture leaves fewer bits; only then is the history forgotten.
        if stones_and_guards(words[board.FIGURES]) < stones_and_guards(figures):
            history = []
        history.append(key)
        figures = words[board.FIGURES]
        assert words[board.HISTORY][: words[board.HISTORY_LENGTH]].tolist() == history
        assert history.count(key) == words[board.OCCURRENCES]
        for derived in (words, read):
            derived[board.HISTORY_LENGTH] = 0
            derived[board.HISTORY] = 0
        np.testing.assert_array_equal(words, read)


def stones_and_guards(figures: StateArray) -> int:
    return sum(int(cells).bit_count() for cells in figures)
