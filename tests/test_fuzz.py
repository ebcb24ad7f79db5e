"""Public calls with wrong arguments: each works, or refuses them in a sentence.

A few hundred calls are part of every run. `python -m pytest -m fuzz tests/test_fuzz.py` makes
thousands; with `NUMBA_BOUNDSCHECK=1` before it, compiled code raises where it would read or write
outside of an array, which is a finding. A crash is one too.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.core.playouts import perft, random_playouts
from tzaar_envs.core.state import State
from tzaar_envs.envs.single_agent import SingleAgentEnv, SingleAgentVectorEnv
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.wrappers import RandomSymmetry, RecordVectorTransitions

REFUSALS = (
    ValueError, TypeError, AssertionError, IndexError, KeyError, OverflowError,
    gymnasium.error.Error,
)  # fmt: skip
"""What a call may raise. A `TypeError` of Numba is another class, and a finding."""

NUMBERS = (-(10**7), -2, -1, 0, 1, 2, 1350, 10**6, 2**31, 2**40, 2**63 - 1, 2**63, 10**30)
OTHERS: tuple[Any, ...] = (
    None, True, 1.0, 1.5, float("nan"), float("inf"), "", "0", "pass", "\ud800", b"1", (), [], {},
    [0], [1, 2], [None], np.int8(1), np.uint64(1), np.float64(2.0), np.bool_(True), np.array(1),
    np.array([1]), np.array([0.5]), np.zeros(0), object(),
)  # fmt: skip

anything = st.sampled_from([*NUMBERS, *OTHERS])
ROWS = np.array([True, False, True])


@st.composite
def spoiled(draw: st.DrawFn, array: NDArray[Any]) -> Any:
    """Return an array that is right in half of the cases, otherwise spoiled in some way."""
    array = np.array(array)
    ways: list[Callable[[], Any]] = [
        lambda: draw(anything),
        lambda: array.astype(draw(st.sampled_from(["f8", "f4", "i1", "u8", ">i8", "?", "O"]))),
        lambda: array[:-1],
        lambda: array[..., :-1],
        lambda: array[None],
        lambda: np.repeat(array, 2, axis=-1)[..., ::2],
        array.tolist,
        lambda: np.where(np.arange(len(array)) == 0, draw(st.sampled_from(NUMBERS[:10])), array),
    ]
    if array.size == 0 or draw(st.booleans()):
        return array
    return draw(st.sampled_from(ways))()


@st.composite
def action(draw: st.DrawFn, state: State) -> Any:
    """Return a legal action in half of the cases, otherwise anything."""
    legal = state.legal_actions().tolist()
    return draw(st.sampled_from(legal) if legal and draw(st.booleans()) else anything)


@st.composite
def text(draw: st.DrawFn, right: str) -> Any:
    """Return a text with up to three characters changed, or anything."""
    if draw(st.integers(0, 9)) == 0:
        return draw(anything)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(right)))
        new = draw(st.sampled_from([*"0179-/. ,:rbRGxzA@", "", "\0", "é", "99"]))
        right = right[:at] + new + right[at + draw(st.integers(0, 1)) :]
    return right


def doors(game: Game, draw: st.DrawFn) -> list[Callable[[State], Any]]:
    """Return public calls; each gets a position and draws its other arguments."""
    seed, outcome = draw(anything), draw(st.one_of(anything, st.lists(anything, max_size=7)))
    aec, vector, batch = environments(game)
    row_words = np.stack([game.new_state(1).words] * 2)
    asked = (
        State.is_legal, State.why_illegal, State.action_name, State.parse_action,
        State.observation, State.evaluate, State.legal_mask_of,
    )  # fmt: skip
    found: list[Callable[[State], Any]] = [
        lambda state: state.apply(draw(action(state))),
        lambda state: state.apply(draw(action(state)), outcome),
        *(lambda state, ask=ask: ask(state, draw(anything)) for ask in asked),
        lambda state: state.draw(viewer=draw(anything)),
        lambda state: state.svg(viewer=draw(anything), width=draw(anything)),
        lambda state: state.clone().play_and_observe(draw(action(state))),
        lambda state: state.determinize(draw(anything), seed),
        lambda state: game.parse(draw(text(str(state))), seed),
        lambda state: state.parse_action(draw(text("A1-B2"))),
        lambda state: game.new_state(seed, outcome),
        lambda state: state.restart(outcome),
        lambda state: State(game, draw(spoiled(state.words[:-1])), state.generator),
        lambda state: perft(state, draw(st.sampled_from([0, 1, 2, -1, 2**40, 1.5, "1"]))),
        lambda _: random_playouts(game, draw(st.sampled_from([0, 3, -1, 1.5, None])), seed),
        lambda state: ActionSampler(seed).sample(draw(spoiled(state.legal_mask()[None]))),
        lambda state: [s.images_of(draw(spoiled(state.legal_actions()))) for s in game.symmetries],
        lambda _: Mcts(game, simulations=6).search(draw(spoiled(row_words)), seed),
        lambda state: AlphaBeta(game, draw(st.sampled_from([2, 0, 3, 1.5]))).search(state, 1, 0),
        lambda state: AlphaBeta(game, 64).search(state, draw(anything), 50),
        lambda _: make_agent("greedy", game, seed=1).act(draw(anything)),
        lambda state: make_agent("mcts:simulations=3", game, seed=1).act_batch([state, seed]),
        lambda state: aec.reset(seed, {"position": draw(text(str(state)))}),
        lambda _: aec.step(draw(action(aec.game_state))),
        lambda _: aec.observe(draw(st.sampled_from(["player_0", "player_9", 0, None]))),
        lambda _: vector.step(draw(spoiled(vector.sample_actions()))),
        lambda _: vector.reset(seed=seed, options={"reset_mask": draw(spoiled(ROWS))}),
        lambda _: batch.step(draw(spoiled(batch.random_actions)), draw(spoiled(ROWS))),
        lambda _: batch.step(draw(spoiled(batch.random_actions)), restart=True),
        lambda _: batch.observe(draw(spoiled(np.arange(2))), draw(spoiled(np.arange(2)))),
        lambda _: batch.evaluate(draw(spoiled(np.arange(2)))),
        lambda _: batch.forfeit(draw(spoiled(ROWS))),
        lambda _: batch.seed(draw(anything), seed),
        lambda _: batch.state(draw(anything)),
        lambda _: single_agent(game, draw),
        lambda _: wrapped(game, draw),
    ]
    return found


@functools.cache
def environments(game: Game) -> tuple[Any, Any, Batch]:
    """Return an AEC environment, a vector environment and a batch, all with games in progress."""
    aec = tzaar_envs.make(game.name, illegal="raise", **game.options)
    aec.reset(seed=0)
    vector = tzaar_envs.make_vec(game.name, 3, illegal="raise", copy=False, **game.options)
    vector.reset(seed=0)
    batch = Batch(game, 3)
    batch.seed(0, 1)
    batch.reset(np.ones(3, np.bool_))
    return aec, vector, batch


def single_agent(game: Game, draw: st.DrawFn) -> None:
    """Step the environments with an opponent inside."""
    env = SingleAgentEnv(game, "random", seat=draw(st.sampled_from([None, 0, 1, 9])))
    env.reset(seed=0)
    env.step(draw(anything))
    games = SingleAgentVectorEnv(game, "random", seed=0, num_envs=2)
    _, infos = games.reset()
    games.step(draw(spoiled(infos["action_mask"].argmax(axis=1))))


def wrapped(game: Game, draw: st.DrawFn) -> None:
    """Step wrapped environments."""
    env = RandomSymmetry(tzaar_envs.make(game.name, **game.options))
    env.reset(seed=1)
    env.step(draw(action(env.unwrapped.game_state)))
    games = RecordVectorTransitions(tzaar_envs.make_vec(game.name, 2, **game.options))
    games.reset(seed=0)
    games.step(draw(spoiled(games.env.sample_actions())))
    games.take()


def fuzz(game: Game, examples: int) -> None:
    """Make calls in so many sequences of six."""

    @settings(
        max_examples=examples, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(st.data())
    def sequence(data: st.DataObject) -> None:
        state = game.new_state(data.draw(st.integers(0, 9)))
        for _ in range(data.draw(st.integers(0, 12))):
            if not state.is_terminal:
                state.apply(data.draw(st.sampled_from(state.legal_actions().tolist())))
        for _ in range(6):
            call = data.draw(st.sampled_from(doors(game, data.draw)))
            before, refused_by = str(state), ""
            try:
                call(state)
            except REFUSALS as error:
                refused_by = type(error).__module__
            assert not refused_by.startswith("numba")
            assert not refused_by or str(state) == before
            assert state.is_terminal or state.legal_actions().size > 0
            with contextlib.suppress(ValueError):
                assert str(game.parse(str(state))) == str(state)

    sequence()


GAMES = [tzaar_envs.load_game(name) for name in tzaar_envs.list_games()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_wrong_arguments_are_refused(game: Game) -> None:
    fuzz(game, 20)


@pytest.mark.fuzz
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_thousands_of_wrong_arguments_are_refused(game: Game) -> None:
    fuzz(game, 1000)
