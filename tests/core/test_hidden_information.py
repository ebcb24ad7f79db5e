"""What a seat cannot see: `determinize` draws it anew, and nothing that the seat sees tells it."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from distributions import assert_distributed, assert_uniform
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from positions import positions

import tzaar_envs
from tzaar_envs.agents import action_values_of
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator

HIDING = [
    *(tzaar_envs.load_game("zatre", players=players) for players in (2, 4)),
    *(tzaar_envs.load_game("twenty_one", players=players) for players in (2, 6)),
    tzaar_envs.load_game("twenty_one", players=3, deal="random"),
]
HIDING_IDS = ["-".join([game.name, *map(str, game.options.values())]) for game in HIDING]
every_hiding_game = pytest.mark.parametrize("game", HIDING, ids=HIDING_IDS)

# The field of the notation that hides something: hands, and choices.
HIDDEN_FIELD = {"zatre": 2, "twenty_one": 5}


def positions_of_random_games(game: Game, number: int, seed: int = 0) -> Iterator[State]:
    """Yield about so many positions of random games, the last ones too; the same object each."""
    choices = random.Random(seed)
    state = game.new_state(seed)
    for _ in range(number):
        yield state
        if state.is_terminal:
            state.restart()
        else:
            state.apply(int(choices.choice(state.legal_actions())))


def hidden(state: State) -> list[str]:
    """Return the hands, or the choices of this turn, of all seats."""
    return str(state).split()[HIDDEN_FIELD[state.game.name]].split("/")


def public(state: State, seat: int) -> str:
    """Return the notation with question marks for the tiles and the choices of other seats."""
    fields = str(state).split()
    own = [
        text if owner == seat or text == "-" or state.is_terminal
        else "?" * len(text) if state.game.name == "zatre"
        else "?"
        for owner, text in enumerate(hidden(state))
    ]  # fmt: skip
    fields[HIDDEN_FIELD[state.game.name]] = "/".join(own)
    return " ".join(fields)


def assert_looks_the_same(state: State, other: State, seat: int) -> None:
    """Compare all that a seat can know of two positions."""
    assert public(other, seat) == public(state, seat)
    np.testing.assert_array_equal(other.observation(seat), state.observation(seat))
    np.testing.assert_array_equal(other.legal_mask_of(seat), state.legal_mask_of(seat))
    assert other.current_player == state.current_player
    assert other.acting_players() == state.acting_players()
    assert other.is_terminal == state.is_terminal
    assert other.is_truncated == state.is_truncated
    assert other.scores().tolist() == state.scores().tolist()
    assert other.returns().tolist() == state.returns().tolist()
    assert other.evaluate(seat) == state.evaluate(seat)


def play_to_the_end(state: State, seed: int) -> None:
    choices = random.Random(seed)
    for _ in range(state.game.max_plies + 1):
        if state.is_terminal:
            return
        state.apply(int(choices.choice(state.legal_actions())))
    pytest.fail("the game goes on after its longest possible course")


# --- What is redrawn -----------------------------------------------------------------------------


@every_hiding_game
def test_seat_cannot_tell_a_redrawn_position(game: Game) -> None:
    changed = 0
    for number, state in enumerate(positions_of_random_games(game, 200)):
        before = (state.words.tolist(), state.generator.tolist(), state.last_outcome)
        seat = random.Random(number).randrange(game.num_players)
        redrawn = state.determinize(seat, number)
        assert (state.words.tolist(), state.generator.tolist(), state.last_outcome) == before
        assert_looks_the_same(state, redrawn, seat)
        assert str(game.parse(str(redrawn))) == str(redrawn)
        assert redrawn.last_outcome == ()
        assert number % 4 or redrawn.draw(viewer=seat) == state.draw(viewer=seat)  # slow
        changed += redrawn != state
        if number % 40 == 0:
            play_to_the_end(redrawn, number)
    assert changed > 10


@every_hiding_game
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_seat_cannot_tell_a_redrawn_odd_position(game: Game, data: st.DataObject) -> None:
    try:
        state = game.parse(data.draw(positions(game)))
    except ValueError:
        assume(False)
    for seat in range(game.num_players):
        redrawn = state.determinize(seat, 1)
        assert_looks_the_same(state, redrawn, seat)
        assert redrawn.draw(viewer=seat) == state.draw(viewer=seat)
        assert str(game.parse(str(redrawn))) == str(redrawn)
    play_to_the_end(redrawn, 1)


# --- How likely everything is --------------------------------------------------------------------

_EMPTY_BOARD = (
    "####...#...####/#.............#/#.............#/#.............#/.............../"
    ".............../.............../#.............#/.............../.............../"
    ".............../#.............#/#.............#/#.............#/####...#...####"
)


def board(tiles: dict[str, str]) -> str:
    """Return the field of the notation with tiles on cells such as `H8`."""
    rows = [list(row) for row in _EMPTY_BOARD.split("/")]
    for cell, value in tiles.items():
        rows[int(cell[1:]) - 1]["ABCDEFGHIJKLMNO".index(cell[0])] = value
    return "/".join(map("".join, rows))


def hoarded(unseen: str, placed: str) -> str:
    """Return a hand with all tiles but those that are unseen or on the board."""
    left = Counter({1: 21, 2: 20, 3: 20, 4: 20, 5: 20, 6: 20}) - Counter(map(int, unseen + placed))
    return "".join(str(value) * left[value] for value in sorted(left))


def hands_of_others(unseen: str, must_hold: str) -> dict[tuple[str, str], float]:
    """Return how likely two hands are, if the first is known to hold a value."""
    counts: Counter[tuple[str, str]] = Counter()
    for order in itertools.permutations(unseen):
        hand = "".join(sorted(order[:2]))
        if must_hold in hand:
            counts[hand, order[2]] += 1
    return {hands: count / counts.total() for hands, count in counts.items()}


@pytest.mark.parametrize(
    ("mover", "must_hold"), [(0, ""), (1, "1")], ids=["own-turn", "turn-of-another"]
)
def test_zatre_hands_are_drawn_from_all_unseen_tiles(mover: int, must_hold: str) -> None:
    """There is room for ones alone: seat 1 can only be to act if it holds one of them."""
    game = tzaar_envs.load_game("zatre", players=3)
    square = board({"H8": "6", "I8": "6", "H9": "6", "I9": "5"})
    unseen = "112345"
    own = hoarded(unseen, "6665")
    text = f"{square} {mover} {own}/12/3 - - 0:-:-:-/0:-:-:-/0:-:-:-"
    state = game.parse(text)
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(8000):
        own_after, first, second = hidden(state.determinize(0, seed))
        assert own_after == own
        counts[first, second] += 1
    assert_distributed(counts, hands_of_others(unseen, must_hold))


EMPTY_SHEET = "......,......,......,......,......"
EMPTY_SHEETS = "/".join(f"{letter}:{EMPTY_SHEET}" for letter in "ABC")


def test_twenty_one_choices_are_uniform_over_the_legal_ones() -> None:
    """The dice fit on three fields of the first row of sheet A, and on four of that of sheet B."""
    game = tzaar_envs.load_game("twenty_one", players=3)
    state = game.parse(f"fill 0 2 543666 {EMPTY_SHEETS} 0/0/-")
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(6000):
        first, second, own = hidden(state.determinize(2, seed))
        assert own == "-"
        counts[first, second] += 1
    assert {first for first, _ in counts} == {str(choice) for choice in range(8)}
    assert {second for _, second in counts} == {str(choice) for choice in range(16)}
    assert_uniform(counts, 8 * 16)


# --- Nobody peeks --------------------------------------------------------------------------------


def with_full_hands(state: State) -> State:
    """Return a Zatre position in which other seats hold two tiles from the bag, if it has them."""
    fields = str(state).split()
    used = Counter(map(int, "".join(filter(str.isdigit, fields[0] + fields[2]))))
    bag = Counter({1: 21, 2: 20, 3: 20, 4: 20, 5: 20, 6: 20}) - used
    tiles = random.Random(bag.total()).sample([*bag.elements()], bag.total())
    hands = hidden(state)
    for seat in range(state.game.num_players):
        if seat != state.current_player and hands[seat] == "-" and len(tiles) > 2:
            hands[seat] = "".join(sorted(str(tiles.pop()) for _ in range(2)))
    fields[2] = "/".join(hands)
    return state.game.parse(" ".join(fields))


@every_hiding_game
def test_baselines_do_not_depend_on_what_their_seat_cannot_know(game: Game) -> None:
    names = ["greedy", *(baseline.name for baseline in game.spec.baselines)]
    different = 0
    for number, state in enumerate(positions_of_random_games(game, 200, seed=3)):
        if state.is_terminal:
            continue
        known = with_full_hands(state) if game.name == "zatre" else state.clone()
        redrawn = known.determinize(known.current_player, number)
        different += redrawn != known
        for name in names:
            action_values = action_values_of(name, game.spec)
            values, others = (
                action_values(game, seen.words[None], new_generator(number))
                for seen in (known, redrawn)
            )
            np.testing.assert_array_equal(values, others)
    assert different > 30
