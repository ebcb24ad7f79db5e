"""`expectimax` of Twenty One and `turn-search` of Zatre: what looking ahead finds, and wins."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.agents import action_values_of, make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.games.twenty_one.expectimax import OTHERS_REROLL, PACE, solve
from tzaar_envs.games.twenty_one.optimal_solo import ALL_FREE, BEFORE_ROLL
from tzaar_envs.jit.rng import new_generator

BASELINE = {"twenty_one": "expectimax", "zatre": "turn-search"}
GAMES = [
    *(tzaar_envs.load_game("twenty_one", players=players) for players in (2, 3, 6)),
    *(tzaar_envs.load_game("zatre", players=players) for players in (2, 3, 4)),
]
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
TWENTY_ONE = GAMES[0]
ZATRE = GAMES[3]
BONUS = [0, 1, 3, 6, 10, 15, 21]

# Six tiles are in the bag. The light cell A9 is beside A10, and A11 shows a three.
SHORTLY_BEFORE_THE_END = (
    "####246#.33####/#6.56.5412...5#/#64....3341.63#/#.561.343.1452#/..2451..525..1./"
    "...255...642.../....164.641.5../#.....561..461#/....13323.6411./.2.165.21432.../"
    "33.344.213312../#2361....3.1..#/#35..25.524...#/#246..146.65..#/####.56#122#### 0 34/- - - "
    "13:1,1,2,1,1,1,1,2,1,1,1,1:2,2,2,2,2,2,2,2,2,4,2,2,2:4,8,4,4,4,4,4,4,4,4,4,4,8,8/"
    "12:1,1,2,1,1,1,2,1,1,1,1,1:4,2,2,2,2,2,2,2,2,2,4,2:4,4,4,4,4,8,8,4,4,8,4,4,8,8,4"
)


def values_of(state: State, name: str = "", seed: int = 0) -> dict[int, float]:
    """Return what the baseline of the state's game, or another one, makes of each action."""
    action_values = action_values_of(name or BASELINE[state.game.name], state.game.spec)
    values = action_values(state.game, state.words[None], new_generator(seed))[0]
    return {action: float(value) for action, value in enumerate(values) if np.isfinite(value)}


# --- All games of both ---------------------------------------------------------------------------


@every_game
def test_every_legal_action_has_a_return_as_its_value(game: Game) -> None:
    choices = random.Random(1)
    for seed in range(3):
        state = game.new_state(seed)
        while not state.is_terminal:
            values = values_of(state)
            assert list(values) == state.legal_actions().tolist()
            assert all(-1 <= value <= 1 for value in values.values())
            state.apply(choices.choice(list(values)))
        assert values_of(state) == {}


# --- Nobody peeks --------------------------------------------------------------------------------


def test_expectimax_does_not_see_what_others_have_chosen() -> None:
    """Seat 0 may have completed row 5 or not, which decides whether seat 1 should."""
    above = "653321,533321,432321,532221"
    seen = set()
    for choice in (0, 1, 2, 3):
        state = TWENTY_ONE.parse(f"fill 0 1 131322 A:{above},..3221/B:{above},5..... {choice}/-")
        assert len(values_of(state)) > 2
        seen.add(tuple(values_of(state).items()))
    assert len(seen) == 1


def test_turn_search_does_not_see_the_hands_of_others() -> None:
    """A one on I9 ends the game, as nothing fits any more; then the tiles in the hands decide."""
    row = "#.............#"
    wide = "..............."
    board = (
        f"####...#...####/{row}/{row}/{row}/{wide}/{wide}/{wide}/#......264....#/"
        f".......6.5...../.......453...../{wide}/{row}/{row}/{row}/####...#...####"
    )
    seen = set()
    for hand in itertools.combinations_with_replacement("123456", 2):
        state = ZATRE.parse(f"{board} 0 1/{''.join(hand)} - - 0:-:-:-/0:-:-:-")
        seen.add(tuple(tuple(values_of(state, seed=seed).items()) for seed in range(20)))
        state.apply(state.parse_action("1@I9"))
        assert state.is_terminal
    assert len(seen) == 1


# --- The table of expectimax ---------------------------------------------------------------------


def naive_hope(row: int, free: tuple[int, ...], hits: int, wait: int) -> float:
    """Return what a set of free fields is worth before a roll, by enumeration."""
    if not free:
        below = solve(TWENTY_ONE)[wait, row + 1, ALL_FREE, 0, BEFORE_ROLL] if row < 4 else 0.0
        return BONUS[hits] + below
    numbers = [6 - field - (field < row) for field in free]
    after = 1 - wait
    fills = {}
    for dice in itertools.product(range(1, 7), repeat=len(free)):
        best = naive_hope(row, free[1:], hits, after)  # a strike
        fitting = [k for k in range(len(free)) if dice[k] <= numbers[k]]
        for size in range(1, len(fitting) + 1):
            for entered in itertools.combinations(fitting, size):
                left = tuple(field for k, field in enumerate(free) if k not in entered)
                exact = sum(dice[k] == numbers[k] for k in entered)
                points = sum(dice[k] for k in entered)
                best = max(best, points + naive_hope(row, left, hits + exact, after))
        fills[dice] = best
    total = 0.0
    for dice, fill in fills.items():
        rerolls = [
            value
            for other, value in fills.items()
            if all(new == 1 for old, new in zip(dice, other, strict=True) if old == 1)
        ]
        reroll = sum(rerolls) / len(rerolls)
        own = max(fill, reroll)
        total += own if wait == 0 else (1 - OTHERS_REROLL) * fill + OTHERS_REROLL * reroll
    return total / len(fills) - PACE


@pytest.mark.parametrize("row", [0, 3, 4])
@pytest.mark.parametrize("free", [(0,), (5,), (1, 4), (0, 5), (4, 5)])
@pytest.mark.parametrize("wait", [0, 1])
def test_table_is_what_enumeration_gives(row: int, free: tuple[int, ...], wait: int) -> None:
    bits = sum(1 << position for position in free)
    found = solve(TWENTY_ONE)[wait, row, bits, 2, BEFORE_ROLL]
    assert found == pytest.approx(naive_hope(row, free, 2, wait), abs=1e-9)


# --- What greedy misses --------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [True, False])
def test_expectimax_completes_its_sheet_only_if_that_wins(ahead: bool) -> None:
    """Seat 0 can enter its last two fields, or one of them; seat 1 can enter nothing."""
    rows = "5x4x21,5x43x1,543x21"
    own, other = ("6543x1", "6x4x2x") if ahead else ("6x4x2x", "6543x1")
    state = TWENTY_ONE.parse(f"fill 0 0 616266 A:{own},{rows},x432../B:{other},{rows},54.... -/-")
    values = values_of(state)
    complete = values.pop(state.parse_action("enter GB"))
    if ahead:
        assert complete == 1 > max(values.values())
    else:
        assert complete == -1 < min(values.values())


def test_turn_search_finds_the_placement_that_prepares_the_next() -> None:
    """A three on A10 scores nothing, but then a four on A9 makes 10 and a cross: 22 points.

    To greedy it is one of several placements that score nothing.
    """
    state = ZATRE.parse(SHORTLY_BEFORE_THE_END)
    before = state.scores()[0]
    prepares, other = state.parse_action("3@A10"), state.parse_action("3@O5")
    by_greedy = values_of(state, "greedy")
    assert by_greedy[prepares] == by_greedy[other] == max(by_greedy.values())
    values = values_of(state)
    assert values[prepares] == max(values.values()) > values[other] + 0.5
    agent = make_agent("turn-search", ZATRE, seed=0)
    for seed in range(10):
        agent.seed(seed)
        played = state.clone()
        for _ in range(2):
            played.apply(agent.act(played))
        assert played.scores()[0] == before + 22
