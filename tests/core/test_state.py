"""State: the whole public interface of a position, on every game."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from variants import GAMES, every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

COPIES: dict[str, Callable[[State], State]] = {
    "clone": State.clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
}


def random_game(game: Game, seed: int) -> Iterator[State]:
    """Yield each position of a random game, the same object each time."""
    choices = random.Random(seed)
    state = game.new_state(seed)
    while not state.is_terminal:
        yield state
        state.apply(choices.choice(state.legal_actions()))
    yield state


@every_game
def test_interface_of_every_position(game: Game) -> None:
    for state in random_game(game, 1):
        actions, mask = state.legal_actions(), state.legal_mask()
        assert isinstance(actions, np.ndarray)
        assert np.issubdtype(actions.dtype, np.integer)
        assert mask.dtype == np.int8
        assert set(np.unique(mask)) <= {0, 1}
        np.testing.assert_array_equal(actions, np.flatnonzero(mask))
        assert [state.is_legal(action) for action in range(game.num_actions)] == mask.tolist()
        assert type(state.is_terminal) is bool
        assert type(state.is_truncated) is bool
        assert type(state.current_player) is int
        assert state.returns().dtype == np.float64
        assert state.scores().dtype == np.float64
        assert state.scores().shape == state.returns().shape == (game.num_players,)
        assert state.words.dtype == np.int64
        assert all(type(seat) is int for seat in state.acting_players())
        assert all(type(number) is int for number in state.last_outcome)
        if state.is_terminal:
            assert state.current_player == -1
            assert state.acting_players() == []
            assert actions.size == 0
        else:
            assert state.current_player in range(game.num_players)
            assert state.current_player in state.acting_players()
            assert set(state.acting_players()) <= set(range(game.num_players))
            assert actions.size > 0
            assert not state.is_truncated
            assert not state.returns().any()


@every_game
def test_every_acting_seat_has_its_actions(game: Game) -> None:
    acted_together = False
    for state in random_game(game, 1):
        acting = state.acting_players()
        acted_together |= len(acting) > 1
        for seat in range(game.num_players):
            mask = state.legal_mask_of(seat)
            assert mask.dtype == np.int8
            assert mask.any() == (seat in acting)
            if seat == state.current_player:
                np.testing.assert_array_equal(mask, state.legal_mask())
    assert acted_together == game.spec.simultaneous


@every_game
def test_illegal_action_is_refused_and_changes_nothing(game: Game) -> None:
    state = game.new_state(4)
    words, generator = state.words, state.generator.copy()
    for action in np.flatnonzero(state.legal_mask() == 0):
        with pytest.raises(ValueError, match=rf"^action {action} is not "):
            state.apply(action)
        with pytest.raises(ValueError, match=rf"^action {action} is not "):
            state.action_name(int(action))
    np.testing.assert_array_equal(state.words, words)
    np.testing.assert_array_equal(state.generator, generator)


@every_game
@pytest.mark.parametrize("copier", COPIES)
def test_copy_is_equal_and_independent(game: Game, copier: str) -> None:
    choices = random.Random(6)
    for state in list(random_positions(game, 6)):
        copied = COPIES[copier](state)
        assert type(copied) is State
        assert copied == state
        assert hash(copied) == hash(state)
        assert copied.game == game
        np.testing.assert_array_equal(copied.words, state.words)
        before = str(state)
        action = choices.choice(state.legal_actions())
        copied.apply(action)
        assert str(state) == before
        assert copied != state
        state.apply(action)
        assert copied == state


def random_positions(game: Game, seed: int) -> Iterator[State]:
    """Yield copies of some running positions of a random game."""
    for ply, state in enumerate(random_game(game, seed)):
        if ply % 9 == 0 and not state.is_terminal:
            yield state.clone()


@every_game
@pytest.mark.parametrize("copier", COPIES)
def test_random_stream_goes_with_the_copy(game: Game, copier: str) -> None:
    state = game.new_state(7)
    copied = COPIES[copier](state)
    starts = []
    for each in (state, copied):
        each.restart()
        first = str(each)
        each.restart()
        starts.append((first, str(each)))
    assert starts[0] == starts[1]


def test_copy_keeps_the_history() -> None:
    """The notation does not hold what occurred before, copies do."""
    state = tzaar_envs.load_game("turm_und_waechter").parse("RG6/7/7/7/7/7/6BG r 1 0")
    moves = ["A7-A6-1", "G1-G2-1", "A6-A7-1", "G2-G1-1"] * 2
    for name in moves[:-1]:
        state.apply(state.parse_action(name))
    for copier in COPIES.values():
        copied = copier(state)
        copied.apply(copied.parse_action("G2-G1-1"))
        assert copied.is_terminal
    assert not state.is_terminal


@every_game
def test_equality(game: Game) -> None:
    state = game.new_state(1)
    other = game.new_state(1)
    other.apply(other.legal_actions()[0])
    assert state != other
    assert state != str(state)
    assert len({state, game.new_state(1), other}) == 2


@every_game
def test_arrays_are_copies(game: Game) -> None:
    state = game.new_state(1)
    before = str(state)
    seat = state.current_player
    for array in (
        state.words,
        state.legal_mask(),
        state.legal_mask_of(seat),
        state.observation(0),
        state.returns(),
        state.scores(),
        state.generator,
    ):
        array[...] = 1
    state.legal_actions()[...] = 0
    assert str(state) == before
    np.testing.assert_array_equal(state.legal_mask(), game.new_state(1).legal_mask())
    kept = [(array, array.copy()) for array in (state.legal_mask(), state.observation(0))]
    state.apply(state.legal_actions()[0])
    state.legal_mask()
    for array, copied in kept:
        np.testing.assert_array_equal(array, copied)


@every_game
def test_evaluation_is_bounded_and_exact_at_the_end(game: Game) -> None:
    for seed in range(5):
        *running, end = (state.clone() for state in random_game(game, seed))
        for state in running:
            assert all(-1 < state.evaluate(seat) < 1 for seat in range(game.num_players))
        assert [end.evaluate(seat) for seat in range(game.num_players)] == end.returns().tolist()


@pytest.mark.parametrize(
    "game",
    [game for game in GAMES if game.num_players == 2 and not game.spec.hidden_information],
    ids=repr,
)
def test_evaluation_is_antisymmetric_if_both_seats_know_the_same(game: Game) -> None:
    for seed in range(5):
        for state in random_game(game, seed):
            assert state.evaluate(0) == -state.evaluate(1)


@every_game
def test_drawing_for_a_seat_hides_what_it_cannot_see(game: Game) -> None:
    hidden, seats = False, random.Random(2)
    for state in itertools.islice(random_game(game, 1), 0, None, 4):  # a picture is slow
        seat = seats.randrange(game.num_players)
        drawn = state.draw(colour=False, viewer=seat)
        assert drawn == state.determinize(seat, 7).draw(colour=False, viewer=seat)
        assert max(map(len, drawn.splitlines())) <= 80
        hidden |= drawn != state.draw(colour=False)
    assert hidden == game.spec.hidden_information


def test_a_position_is_played_on_whether_or_not_its_mask_was_asked_for() -> None:
    game = tzaar_envs.load_game("twenty_one")
    asked, played, observed = (game.new_state(1) for _ in range(3))
    action = int(asked.legal_actions()[0])
    for state in (asked, played):
        state.apply(action)
    observed.play_and_observe(action)
    assert str(asked) == str(played) == str(observed)
