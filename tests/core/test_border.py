"""What public functions of the core do with arguments that compiled code must not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from processes import run_python
from variants import every_game

import tzaar_envs
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.errors import MissingActionError
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ILLEGAL, ActionSampler
from tzaar_envs.core.playouts import perft, random_playouts
from tzaar_envs.core.state import State

TZAAR = tzaar_envs.load_game("tzaar")
ZATRE = tzaar_envs.load_game("zatre")

OUTSIDE = (-(10**7), -1, TZAAR.num_actions, 10**7, 2**40)


# --- State ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [1.5, "0", None, np.float64(1), [0]])
@pytest.mark.parametrize(
    "call", ["evaluate", "determinize", "observation", "legal_mask_of"], ids=lambda name: name
)
def test_a_player_is_an_integer(call: str, player: Any) -> None:
    with pytest.raises(TypeError, match=r"player .* is not an integer"):
        getattr(TZAAR.new_state(0), call)(player)


@pytest.mark.parametrize("player", [np.uint64(1), np.int8(1), True])
def test_a_player_is_an_integer_of_any_type(player: Any) -> None:
    state = TZAAR.new_state(0)
    np.testing.assert_array_equal(state.observation(player), state.observation(1))
    assert state.evaluate(player) == state.evaluate(1)


@pytest.mark.parametrize("call", ["is_legal", "why_illegal", "apply", "action_name"])
@pytest.mark.parametrize("action", [1.5, "1", None, np.nan])
def test_an_action_is_an_integer(call: str, action: Any) -> None:
    with pytest.raises(TypeError, match=r"action .* is not an integer"):
        getattr(TZAAR.new_state(0), call)(action)


@pytest.mark.parametrize("text", [5, None, b"pass", ["pass"]])
def test_an_action_to_parse_is_text(text: Any) -> None:
    with pytest.raises(TypeError, match="an action is text in the notation of tzaar, not"):
        TZAAR.new_state(0).parse_action(text)


@every_game
def test_actions_outside_of_the_game_are_not_played(game: Game) -> None:
    state = game.new_state(0)
    before = state.words
    for action in (-(10**7), -1, game.num_actions, 10**7, 2**40, 2**63, 10**30, -(2**70)):
        assert state.play_and_observe(action)[0] == ILLEGAL
        assert not state.is_legal(action)
        with pytest.raises(ValueError, match="out of range"):
            state.apply(action)
    np.testing.assert_array_equal(state.words, before)


def test_messages_show_nothing_that_is_hidden() -> None:
    state = ZATRE.new_state(0)
    hands = str(state).split(" ")[2]
    illegal = int((state.legal_mask() == 0).argmax())
    with pytest.raises(ValueError, match="is not among the") as error:
        state.apply(illegal)
    assert hands not in str(error.value)
    with pytest.raises(ValueError, match="is not legal") as error:
        state.parse_action("6@A5")
    assert hands not in str(error.value)
    with pytest.raises(ValueError, match="of position 't"):  # nothing is hidden here
        TZAAR.parse(str(TZAAR.new_state(0))).apply(0 if not TZAAR.new_state(0).is_legal(0) else 1)


# --- positions as words ---------------------------------------------------------------------------


@every_game
def test_a_state_is_its_words(game: Game) -> None:
    rng = np.random.default_rng(1)
    for seed in range(3):
        state = game.new_state(seed)
        while not state.is_terminal:
            if rng.random() < 0.2:
                assert State(game, state.words, state.generator) == state
            state.apply(int(rng.choice(state.legal_actions())))
        assert State(game, state.words, state.generator) == state


WRONG_POSITIONS: list[Callable[[], Any]] = [
    lambda: np.zeros((1, 3), np.int64),
    lambda: np.zeros(TZAAR.rules.state_size, np.int64),
    lambda: TZAAR.new_state(0).words[None].astype(np.float64),
    lambda: TZAAR.new_state(0).words[None].astype(np.uint64),
    lambda: "text",
    lambda: None,
]


@pytest.mark.parametrize("positions", WRONG_POSITIONS)
def test_positions_are_arrays_of_the_right_shape_and_type(positions: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="positions of shape"):
        TZAAR.checked_positions(positions())


# --- Batch ----------------------------------------------------------------------------------------


@pytest.fixture
def batch() -> Batch:
    made = Batch(TZAAR, 3)
    for row in range(3):
        made.seed(row, row)
    made.reset(np.ones(3, np.bool_))
    return made


@pytest.mark.parametrize("action", OUTSIDE)
def test_a_batch_plays_nothing_if_an_action_does_not_exist(batch: Batch, action: int) -> None:
    before = batch.states.copy()
    actions = batch.random_actions.copy()
    actions[1] = action
    for restart in (False, True):
        with pytest.raises(MissingActionError, match=f"{action} of row 1 is not an integer from 0"):
            batch.step(actions, restart=restart)
        np.testing.assert_array_equal(batch.states, before)
    batch.step(actions, np.array([True, False, True]))  # row 1 is not stepped


@pytest.mark.parametrize("actions", [[0, 0], [0.0] * 3, [[0, 0, 0]], 0, ["a"] * 3, [None] * 3])
def test_actions_of_a_batch_are_as_many_integers(batch: Batch, actions: Any) -> None:
    with pytest.raises(ValueError, match=r"actions of shape .* use 3 integers"):
        batch.step(actions)


@pytest.mark.parametrize(
    "call",
    [
        lambda batch: batch.observe(np.array([0]), np.array([2])),
        lambda batch: batch.observe(np.array([0]), np.array([-(10**9)])),
        lambda batch: batch.observe(np.array([0]), np.array([0.5])),
        lambda batch: batch.observe(np.array([0, 1]), np.array([0])),
        lambda batch: batch.evaluate(np.array([0, 0, 5])),
        lambda batch: batch.evaluate(np.array([0, 0])),
        lambda batch: batch.set_positions(np.ones(3, np.bool_), np.zeros(5, np.int64)),
        lambda batch: batch.set_generators(np.ones((2, 1), np.uint64)),
    ],
)
def test_a_batch_refuses(batch: Batch, call: Callable[[Batch], Any]) -> None:
    before = batch.states.copy()
    with pytest.raises(ValueError, match=r"exist|were given"):
        call(batch)
    np.testing.assert_array_equal(batch.states, before)


@pytest.mark.parametrize("name", ["masks", "states", "generators", "players", "over", "rewards"])
def test_arrays_of_a_batch_are_read_only(batch: Batch, name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(batch, name)[:] = 1


# --- masks, seeds, numbers ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", *np.typecodes["AllInteger"]])
def test_masks_of_any_integer_type(dtype: str) -> None:
    masks = np.zeros((2, 70), dtype)
    masks[0, [3, 69]] = 1
    masks[1, 5] = 1
    expected = ActionSampler(0).sample(masks.astype(np.int8))
    np.testing.assert_array_equal(ActionSampler(0).sample(masks), expected)
    np.testing.assert_array_equal(ActionSampler(0).sample(np.asfortranarray(masks)), expected)
    masks.setflags(write=False)
    np.testing.assert_array_equal(ActionSampler(0).sample(masks), expected)
    assert expected[1] == 5


def test_what_is_not_zero_is_legal() -> None:
    assert ActionSampler(0).sample(np.array([[0, -3, 0], [0, 0, 256]])).tolist() == [1, 2]


@pytest.mark.parametrize("masks", [np.ones((1, 5)), np.ones(5, np.int8), None, "mask"])
def test_masks_are_rows_of_integers(masks: Any) -> None:
    with pytest.raises(ValueError, match="use integers or bools of shape"):
        ActionSampler(0).sample(masks)


@pytest.mark.parametrize("seed", [-1, 1.5, "a", [1, -2], object()])
@pytest.mark.parametrize(
    "call",
    [
        ActionSampler,
        TZAAR.new_state,
        lambda seed: TZAAR.parse(str(TZAAR.new_state(0)), seed),
        lambda seed: TZAAR.new_state(0).determinize(0, seed),
        lambda seed: random_playouts(TZAAR, 1, seed),
        lambda seed: Batch(TZAAR, 1).seed(0, seed),
    ],
)
def test_an_error_names_the_seed(call: Callable[[Any], Any], seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed=.* is not allowed: use an integer from 0 on"):
        call(seed)


@pytest.mark.parametrize("number", [1.5, "2", None])
def test_depths_and_numbers_of_games_are_integers(number: Any) -> None:
    with pytest.raises(TypeError, match=r"depth .* is not an integer"):
        perft(TZAAR.new_state(0), number)
    with pytest.raises(TypeError, match=r"games .* is not an integer"):
        random_playouts(TZAAR, number)


def test_no_game_is_longer_than_the_longest() -> None:
    assert perft(TZAAR.new_state(0), 10**12) == 0


# --- Ctrl-C ---------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, threading, tzaar_envs
import numpy as np
from tzaar_envs.core.playouts import perft
from tzaar_envs.core.playouts import random_playouts
from tzaar_envs.search.mcts import Mcts

signal.signal(signal.SIGINT, signal.default_int_handler)
game = tzaar_envs.load_game("turm_und_waechter")
state = game.new_state(0)
words = np.stack([state.words] * 3)
perft(state, 2), random_playouts(game, 1), Mcts(game, simulations=1).search(words, 0)
for call in (
    lambda: perft(state, 12),
    lambda: random_playouts(game, 10**8),
    lambda: Mcts(game, simulations=10**8).search(words, 0),
    lambda: Mcts(game, simulations=10**8, threads=3).search(words, 0),
):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_long_calls_notice_ctrl_c() -> None:
    """Each of them would run for hours."""
    assert run_python(INTERRUPTED).split() == ["interrupted"] * 4
