"""What chance brings: how it is drawn, given and kept, and that a seed fixes it everywhere."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from distributions import assert_distributed, assert_uniform
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import (
    TAPE_LENGTH,
    below,
    between,
    check_tape,
    new_generator,
    new_tape,
    pick,
    read_tape,
    rewind,
    shuffle,
)

# --- Tapes ---------------------------------------------------------------------------------------

WEIGHTS = np.array([3, 0, 1, 6, 0])

either_source = pytest.mark.parametrize(
    "source", [new_generator, lambda seed: new_tape(new_generator(seed))], ids=["generator", "tape"]
)


def draw_some(rng: np.ndarray) -> list[int]:
    """Return what a die, a weighted choice and a shuffled pack bring."""
    pack = np.arange(5)
    drawn = [between(rng, 1, 6), pick(rng, WEIGHTS)]
    shuffle(rng, pack)
    return [*drawn, *pack.tolist()]


@either_source
def test_between_is_uniform(source: Callable[[int], np.ndarray]) -> None:
    rng = source(1)
    assert_uniform(Counter(between(rng, 1, 6) for _ in range(12_000)), 6)
    assert_uniform(Counter(between(rng, 0, 18) for _ in range(12_000)), 19)
    assert {between(rng, 4, 4) for _ in range(20)} == {4}


@either_source
def test_pick_follows_the_weights(source: Callable[[int], np.ndarray]) -> None:
    rng = source(2)
    counts = Counter(pick(rng, WEIGHTS) for _ in range(20_000))
    assert_distributed(counts, {0: 0.3, 2: 0.1, 3: 0.6})


@either_source
def test_shuffle_brings_every_order_equally_often(source: Callable[[int], np.ndarray]) -> None:
    rng = source(3)
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(12_000):
        items = np.arange(4)
        shuffle(rng, items)
        counts[tuple(items.tolist())] += 1
    assert_uniform(counts, 24)


def test_tape_draws_what_its_generator_draws() -> None:
    generator = new_generator(4)
    tape = new_tape(generator)
    for _ in range(50):
        assert draw_some(generator) == draw_some(tape)
        assert generator[0] == tape[0]


def test_every_order_can_be_given_to_shuffle() -> None:
    tape = new_tape(new_generator(6))
    seen = set()
    for outcome in itertools.product(range(4), range(3), range(2)):
        items = np.arange(4)
        rewind(tape, outcome)
        shuffle(tape, items)
        check_tape(tape)
        seen.add(tuple(items.tolist()))
    assert seen == set(itertools.permutations(range(4)))


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ((0, 0), "number 1, 0, is impossible here"),
        ((7, 0), "number 1, 7, is impossible here"),
        ((2**31 - 1, 0), "number 1, 2147483647, is impossible here"),
        ((1, 1), "number 2, 1, is impossible here"),
        ((1, 4), "number 2, 4, is impossible here"),
        ((1, 5), "number 2, 5, is impossible here"),
        ((), "needs 2 numbers, not 0"),
        ((1,), "needs 2 numbers, not 1"),
        ((1, 0, 1), "needs 2 numbers, not 3"),
    ],
)
def test_outcome_that_does_not_fit_is_refused(outcome: tuple[int, ...], reason: str) -> None:
    tape = new_tape(new_generator(8))
    rewind(tape, outcome)
    assert 1 <= between(tape, 1, 6) <= 6
    assert WEIGHTS[pick(tape, WEIGHTS)] > 0
    with pytest.raises(ValueError, match=reason):
        check_tape(tape)


@pytest.mark.parametrize("outcome", [(-1,), (2**31,), (1,) * (TAPE_LENGTH + 1)])
def test_outcome_that_no_tape_holds_is_refused(outcome: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"use at most {TAPE_LENGTH} numbers from 0 to"):
        rewind(new_tape(new_generator(9)), outcome)


def test_tape_keeps_the_first_outcomes_and_draws_on() -> None:
    generator = new_generator(10)
    tape = new_tape(generator)
    drawn = [between(tape, 0, 999) for _ in range(TAPE_LENGTH + 20)]
    assert drawn == [between(generator, 0, 999) for _ in drawn]
    assert read_tape(tape) == tuple(drawn[:TAPE_LENGTH])
    rewind(tape, drawn[:TAPE_LENGTH])
    assert [between(tape, 0, 999) for _ in range(TAPE_LENGTH)] == drawn[:TAPE_LENGTH]
    check_tape(tape)


def test_below_is_neither_given_nor_kept() -> None:
    tape = new_tape(new_generator(11))
    rewind(tape, (6,))
    assert {below(tape, 2) for _ in range(20)} == {0, 1}
    assert between(tape, 1, 6) == 6
    check_tape(tape)


# --- Given outcomes in games ---------------------------------------------------------------------


class Ply(NamedTuple):
    action: int
    outcome: tuple[int, ...]
    position: str


def play(game: Game, seed: int, plies: int = 10**9) -> tuple[State, tuple[int, ...], list[Ply]]:
    """Play a random game, return its last position, the outcome of its set-up, and its plies."""
    choices = random.Random(seed)
    state = game.new_state(seed)
    setup = state.last_outcome
    history: list[Ply] = []
    while not state.is_terminal and len(history) < plies:
        action = int(choices.choice(state.legal_actions()))
        state.apply(action)
        history.append(Ply(action, state.last_outcome, str(state)))
    return state, setup, history


@every_game
def test_game_is_replayed_from_its_outcomes(game: Game) -> None:
    for seed in range(5):
        end, setup, history = play(game, seed)
        same_seed = game.new_state(seed, setup)
        other_seed = game.new_state(seed + 1000, setup)
        for ply in history:
            for state in (same_seed, other_seed):
                state.apply(ply.action, ply.outcome)
                assert str(state) == ply.position
                assert state.last_outcome == ply.outcome
            assert other_seed.determinize(0, 1).last_outcome == ()
        assert same_seed.generator == end.generator
        assert other_seed.generator != end.generator
        for state in (end, same_seed):
            state.restart()
        assert str(end) == str(same_seed)
        assert (end.last_outcome, end.generator) == (same_seed.last_outcome, same_seed.generator)
        assert len(end.last_outcome) == len(setup)  # nothing of the game before


@every_game
def test_games_have_outcomes_iff_their_record_says_so(game: Game) -> None:
    _, setup, history = play(game, 1)
    brought = any([setup, *(ply.outcome for ply in history)])
    draws_setup = game.options.get("setup") == "random" or game.name in ("zatre", "twenty_one")
    assert bool(setup) == draws_setup
    assert game.spec.has_chance >= brought


def wrong_outcomes(outcome: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return outcomes that are impossible, too long and too short."""
    wrong = [(*outcome, 0), (*outcome, 1), (*outcome, *[1] * TAPE_LENGTH)]
    if outcome:
        wrong += [outcome[:-1], ()]
    for index in {0, len(outcome) - 1} if outcome else ():
        for value in (-1, 10**6, 2**31):
            wrong.append((*outcome[:index], value, *outcome[index + 1 :]))
    return wrong


def everything_of(state: State) -> tuple[object, ...]:
    return (
        str(state),
        state.words.tolist(),
        state.generator.tolist(),
        state.last_outcome,
        state.legal_actions().tolist(),
    )


@every_game
def test_wrong_outcome_changes_neither_position_nor_later_chance(game: Game) -> None:
    choices = random.Random(2)
    state, twin = game.new_state(2), game.new_state(2)
    while not state.is_terminal:
        action = int(choices.choice(state.legal_actions()))
        twin.apply(action)
        before = everything_of(state)
        for outcome in wrong_outcomes(twin.last_outcome):
            with pytest.raises(ValueError, match="outcome"):
                state.apply(action, outcome)
            assert everything_of(state) == before
        state.apply(action)
        assert everything_of(state) == everything_of(twin)


# --- How chance is distributed in games ----------------------------------------------------------


def test_dice_are_fair_and_independent() -> None:
    state = tzaar_envs.load_game("twenty_one").new_state(1)
    rolls = []
    for _ in range(12_000):
        state.restart()
        rolls.append(str(state).split()[3])
    for colour in range(6):
        assert_uniform(Counter(roll[colour] for roll in rolls), 6)
    for first, second in itertools.combinations(range(6), 2):
        assert_uniform(Counter((roll[first], roll[second]) for roll in rolls), 36)


ZATRE_ROWS = (
    "####...#...####/#.............#/#.............#/#.............#/.............../"
    ".............../.............../#......5......#/.............../.............../"
    ".............../#.............#/#.............#/#.............#/####...#...####"
)


def before_drawing(bag: Counter[int], next_hand: str) -> str:
    """Return a position of three: seat 0 lays its last tile, seat 2 has hoarded all but the bag."""
    left = Counter({1: 21, 2: 20, 3: 20, 4: 20, 5: 20, 6: 20}) - bag
    left -= Counter(map(int, f"51{next_hand}"))
    hoard = "".join(str(value) * left[value] for value in sorted(left))
    sheets = "/".join(["0:-:-:-"] * 3)
    return f"{ZATRE_ROWS} 0 1/{next_hand or '-'}/{hoard} - - {sheets}"


@pytest.mark.parametrize(
    ("bag", "next_hand", "chances"),
    [
        ({2: 1, 3: 2}, "", {(2, 3): 1 / 3, (3, 2): 1 / 3, (3, 3): 1 / 3}),
        ({2: 1, 6: 3}, "4", {(2,): 1 / 4, (6,): 3 / 4}),
        ({4: 1, 6: 1}, "", {(4, 6): 1 / 2, (6, 4): 1 / 2}),
        ({4: 1}, "", {(4,): 1.0}),
    ],
)
def test_drawing_from_a_nearly_empty_bag(
    bag: dict[int, int], next_hand: str, chances: dict[tuple[int, ...], float]
) -> None:
    game = tzaar_envs.load_game("zatre", players=3)
    start = game.parse(before_drawing(Counter(bag), next_hand))
    action = start.parse_action("1@G8")
    counts: Counter[tuple[int, ...]] = Counter()
    for seed in range(2000):
        state = start.clone()
        state.continue_chance(game.new_state(seed))
        state.apply(action)
        assert state.current_player == 1
        hand = sorted([*map(int, next_hand), *state.last_outcome])
        assert str(state).split()[2].split("/")[1] == "".join(map(str, hand))
        counts[state.last_outcome] += 1
    assert_distributed(counts, chances)
