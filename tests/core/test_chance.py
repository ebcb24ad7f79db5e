"""What chance brings: how it is drawn, given and kept, and that a seed fixes it everywhere."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from distributions import assert_distributed, assert_uniform
from variants import every_game, make_env

import tzaar_envs
from tzaar_envs import make_parallel
from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.single_agent import SingleAgentEnv
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


def test_tape_goes_on_with_a_copy_of_the_generator() -> None:
    generator = new_generator(4)
    before = generator.copy()
    draw_some(new_tape(generator))
    assert (generator == before).all()


def test_given_outcomes_are_returned_and_kept() -> None:
    tape = new_tape(new_generator(5))
    for die, index in itertools.product((1, 3, 6), (0, 2, 3)):
        rewind(tape, (die, index))
        assert (between(tape, 1, 6), pick(tape, WEIGHTS)) == (die, index)
        check_tape(tape)
        assert read_tape(tape) == (die, index)


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


def test_giving_what_was_drawn_changes_nothing() -> None:
    drawing = new_tape(new_generator(7))
    giving = new_tape(new_generator(7))
    for _ in range(50):
        rewind(drawing)
        drawn = draw_some(drawing)
        rewind(giving, read_tape(drawing))
        assert draw_some(giving) == drawn
        check_tape(giving)
        assert giving[0] == drawing[0]
        assert read_tape(giving) == read_tape(drawing)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ((0, 0), "number 1, 0, is impossible here"),
        ((7, 0), "number 1, 7, is impossible here"),
        ((2**31 - 1, 0), "number 1, 2147483647, is impossible here"),
        ((1, 1), "number 2, 1, is impossible here"),
        ((1, 4), "number 2, 4, is impossible here"),
        ((1, 5), "number 2, 5, is impossible here"),
        ((), "0 numbers, but 2 are needed"),
        ((1,), "1 numbers, but 2 are needed"),
        ((1, 0, 1), "3 numbers, but 2 are needed"),
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
        assert same_seed.generator == end.generator
        assert other_seed.generator != end.generator
        for state in (end, same_seed):
            state.restart()
        assert str(end) == str(same_seed)
        assert (end.last_outcome, end.generator) == (same_seed.last_outcome, same_seed.generator)


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


@every_game
def test_wrong_outcome_of_the_setup_is_refused(game: Game) -> None:
    state, twin = game.new_state(3), game.new_state(3)
    twin.restart()
    before = everything_of(state)
    for outcome in wrong_outcomes(twin.last_outcome):
        with pytest.raises(ValueError, match="outcome"):
            game.new_state(3, outcome)
        with pytest.raises(ValueError, match="outcome"):
            state.restart(outcome)
        assert everything_of(state) == before
    state.restart()
    assert everything_of(state) == everything_of(twin)


def test_illegal_action_with_an_outcome_is_refused() -> None:
    state = tzaar_envs.load_game("twenty_one").new_state(1)
    before = everything_of(state)
    with pytest.raises(ValueError, match="action 0 is not among"):
        state.apply(0, ())
    assert everything_of(state) == before


def test_dice_are_given_in_the_order_of_the_colours() -> None:
    game = tzaar_envs.load_game("twenty_one")
    state = game.new_state(1, (1, 2, 3, 4, 1, 6))
    assert str(state).split()[3] == "123416"
    state.apply(state.parse_action("reroll"), (5, 5, 1, 2))
    assert str(state).split()[3] == "155112"


def test_drawn_tiles_are_given_by_value() -> None:
    state = tzaar_envs.load_game("zatre").new_state(1, (6, 1, 4))
    assert str(state).split()[2] == "146/-"


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


def test_dice_of_following_turns_are_independent() -> None:
    state = tzaar_envs.load_game("twenty_one").new_state(2)
    rolls = []
    while len(rolls) < 12_000:
        if state.is_terminal:
            state.restart()
        if state.last_outcome:
            rolls.append(state.last_outcome)
        state.apply(int(state.legal_actions()[0]))  # keep, or strike
    for colour in range(6):
        assert_uniform(Counter((a[colour], b[colour]) for a, b in itertools.pairwise(rolls)), 36)


def test_reroll_keeps_ones_and_rolls_the_rest() -> None:
    game = tzaar_envs.load_game("twenty_one")
    empty = "......,......,......,......,......"
    text = f"roll 0 0 131561 A:{empty}/B:{empty} -/-"
    counts: Counter[str] = Counter()
    for seed in range(6500):
        state = game.parse(text, seed)
        state.apply(state.parse_action("reroll"))
        dice = str(state).split()[3]
        assert (dice[0], dice[2], dice[5]) == ("1", "1", "1")
        assert state.last_outcome == (int(dice[1]), int(dice[3]), int(dice[4]))
        counts[dice] += 1
    assert_uniform(counts, 216)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_sheets_are_dealt_uniformly(players: int) -> None:
    state = tzaar_envs.load_game("twenty_one", players=players, deal="random").new_state(4)
    counts: Counter[str] = Counter()
    for _ in range(9000):
        state.restart()
        counts["".join(sheet[0] for sheet in str(state).split()[4].split("/"))] += 1
    assert all(len(set(letters)) == players for letters in counts)
    assert_uniform(counts, math.perm(6, players))
    for seat in range(players):
        of_seat: Counter[str] = Counter()
        for letters, count in counts.items():
            of_seat[letters[seat]] += count
        assert_uniform(of_seat, 6)


def hypergeometric(available: Sequence[int], number: int) -> dict[str, float]:
    """Return how likely each hand of so many tiles is: values in ascending order as text."""
    tiles = {value: count for value, count in enumerate(available, start=1) if count}
    chances = {}
    for values in itertools.combinations_with_replacement(tiles, number):
        drawn = Counter(values)
        ways = math.prod(math.comb(tiles[value], count) for value, count in drawn.items())
        if ways:
            chances["".join(map(str, values))] = ways / math.comb(sum(tiles.values()), number)
    return chances


def test_first_three_tiles() -> None:
    state = tzaar_envs.load_game("zatre").new_state(5)
    counts: Counter[str] = Counter()
    for _ in range(15_000):
        state.restart()
        counts[str(state).split()[2].partition("/")[0]] += 1
    assert_distributed(counts, hypergeometric((21, 20, 20, 20, 20, 20), 3))


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


@pytest.mark.parametrize("outcome", [(2, 2), (1, 3), (3, 3, 3)])
def test_tiles_that_are_not_in_the_bag_cannot_be_given(outcome: tuple[int, ...]) -> None:
    game = tzaar_envs.load_game("zatre", players=3)
    state = game.parse(before_drawing(Counter({2: 1, 3: 2}), ""), 1)
    with pytest.raises(ValueError, match="outcome"):
        state.apply(state.parse_action("1@G8"), outcome)
    state.apply(state.parse_action("1@G8"), (3, 3))
    assert state.last_outcome == (3, 3)


# --- One seed, one game --------------------------------------------------------------------------

COPIES: dict[str, Callable[[object], object]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda original: pickle.loads(pickle.dumps(original)),
}


@every_game
@pytest.mark.parametrize("copier", COPIES)
def test_environment_plays_the_game_of_the_seed(game: Game, copier: str) -> None:
    _, _, history = play(game, 6)
    env = make_env(game)
    env.reset(seed=6)
    state = game.new_state(6)
    for number, ply in enumerate(history):
        if number == len(history) // 2:
            env, state = COPIES[copier](env), COPIES[copier](state)
        env.step(ply.action)
        state.apply(ply.action)
        assert str(env.game_state) == str(state) == ply.position
    env.reset()
    state.restart()
    assert str(env.game_state) == str(state)


@pytest.mark.parametrize("copier", COPIES)
@pytest.mark.parametrize("players", [2, 3, 6])
def test_parallel_environment_plays_the_game_of_the_seed(players: int, copier: str) -> None:
    game = tzaar_envs.load_game("twenty_one", players=players)
    _, _, history = play(game, 7)
    env = make_parallel("twenty_one", players=players)
    env.reset(seed=7)
    plies = iter(history)
    for step in itertools.count():
        if step == 20:
            env = COPIES[copier](env)
        acting = env.game_state.acting_players()
        seats = [(env.game_state.current_player + turn) % players for turn in range(len(acting))]
        taken = [next(plies) for _ in acting]
        env.step({f"player_{seat}": ply.action for seat, ply in zip(seats, taken, strict=True)})
        assert str(env.game_state) == taken[-1].position
        if not env.agents:
            break
    assert next(plies, None) is None


class FirstAction(Agent):
    """Plays the first legal action."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.name = "first"

    def seed(self, seed: int | Sequence[int] | None) -> None:
        pass

    def act(self, position: State | AgentObservation) -> int:
        assert isinstance(position, State)
        return int(position.legal_actions()[0])


def let_others_act(state: State, seat: int) -> None:
    while state.current_player not in (seat, -1):
        state.apply(state.legal_actions()[0])


@every_game
def test_single_agent_environment_plays_the_game_of_the_seed(game: Game) -> None:
    choices = random.Random(8)
    env = SingleAgentEnv(game, FirstAction(game), seat=1)
    seen, info = env.reset(seed=8)
    state = game.new_state(8)
    for step in itertools.count():
        let_others_act(state, 1)
        np.testing.assert_array_equal(seen, state.observation(1))
        np.testing.assert_array_equal(info["action_mask"], state.legal_mask())
        if state.is_terminal:
            break
        if step == 5:
            env = copy.deepcopy(env)
        action = int(choices.choice(state.legal_actions()))
        seen, _, terminated, truncated, info = env.step(action)
        state.apply(action)
    assert terminated or truncated


@every_game
def test_vectorized_environment_plays_the_games_of_its_seed(game: Game) -> None:
    vec = pytest.importorskip("tzaar_envs.wrappers.sb3_vec_env")
    env = vec.SingleAgentVecEnv(game, [FirstAction(game)], 3, seat=1, seed=9)
    seeds = np.random.SeedSequence(9).generate_state(3, np.uint64)
    states = [game.new_state(int(seed)) for seed in seeds]
    choices = random.Random(9)
    seen = env.reset()
    for _ in range(60):
        for state in states:
            let_others_act(state, 1)
            if state.is_terminal:
                state.restart()
                let_others_act(state, 1)
        expected = np.stack([state.observation(1) for state in states])
        np.testing.assert_array_equal(seen, expected)
        actions = [int(choices.choice(state.legal_actions())) for state in states]
        seen, _, _, _ = env.step(np.array(actions))
        for state, action in zip(states, actions, strict=True):
            state.apply(action)


@every_game
def test_records_tell_whether_chance_comes_with_actions(game: Game) -> None:
    rng = np.random.default_rng(0)
    moved = False
    for seed in range(3):
        state = game.new_state(seed)
        before = state.generator
        while not state.is_terminal:
            state.apply(int(rng.choice(state.legal_actions())))
        moved |= bool((state.generator != before).any())
    assert moved == game.spec.chance_in_play
    assert game.spec.has_chance or not moved
