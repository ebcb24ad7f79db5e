"""What sparse networks and their self-play are given from outside is checked, once per call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.policies.sparse.compiled import CompiledNetwork
from tzaar_envs.policies.sparse.network import SparseNetwork
from tzaar_envs.policies.sparse.samples import Sampler
from tzaar_envs.policies.sparse.shape import SparseShape
from tzaar_envs.search.alphabeta.search import AlphaBeta
from tzaar_envs.search.mcts.gumbel import Gumbel
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.search.mcts.self_play import Play, Positions, SelfPlay

TURM = tzaar_envs.load_game("turm_und_waechter")
TZAAR = tzaar_envs.load_game("tzaar")
GUMBEL, PLAY = Gumbel(2, 2, 50.0, 0.1), Play(0.1, 0.5)


@functools.cache
def network(game: Game) -> SparseNetwork:
    torch.manual_seed(0)
    return SparseNetwork(SparseShape.for_game(game, width=8, hidden=4), game)


@functools.cache
def compiled(game: Game) -> CompiledNetwork:
    return CompiledNetwork(game, network(game))


def words(game: Game = TURM) -> Any:
    return np.stack([game.new_state(seed).words for seed in range(3)])


@pytest.mark.parametrize(
    "states",
    [
        words()[0],
        words()[:, :-1],
        words(TZAAR),
        words().astype(np.float64),
        words()[None],
        5,
        None,
    ],
)
def test_positions_of_another_shape_are_refused(states: Any) -> None:
    with pytest.raises(ValueError, match=r"positions of shape .* were given: use int64 of shape"):
        compiled(TURM)(states)


def test_positions_that_cannot_occur_are_refused() -> None:
    for word in range(12):
        states = words()
        states[1, word] += 1 << 40
        with pytest.raises(ValueError, match="position 1 cannot occur in turm_und_waechter"):
            compiled(TURM)(states)


def test_positions_of_any_layout_and_integer_type_are_read() -> None:
    right = compiled(TURM)(words())
    read_only = words()
    read_only.setflags(write=False)
    for states in (
        np.asfortranarray(words()),
        words().astype(">i8"),
        np.repeat(words(), 2, axis=1)[:, ::2],
        read_only,
        words().tolist(),
    ):
        for found, expected in zip(compiled(TURM)(states), right, strict=True):
            np.testing.assert_array_equal(found, expected)
    assert compiled(TURM)(words()[:0])[0].shape == (0, TURM.num_actions)


def test_a_game_that_is_over_has_no_priors() -> None:
    state = TURM.parse("BG6/7/7/7/7/3RG3/7 r")
    state.apply(next(a for a in state.legal_actions() if "D1" in state.action_name(a)))
    assert state.is_terminal
    with pytest.raises(ValueError, match="the game is over"):
        compiled(TURM)(state.words[None])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CompiledNetwork(TURM, network(TZAAR)), "does not have the shape of"),
        (lambda: CompiledNetwork(TURM, network(TURM)).load(network(TZAAR)), "another shape than"),
        (lambda: Mcts(TURM, compiled(TZAAR)), "the evaluator is for"),
        (lambda: AlphaBeta(TURM, evaluator=compiled(TZAAR)), "the evaluator is for"),
        (lambda: SelfPlay(TURM, compiled(TZAAR), GUMBEL, PLAY), "the evaluator is for"),
        (lambda: Sampler(TURM, compiled(TZAAR)), "the evaluator is for"),
    ],
)
def test_a_network_of_another_game_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "wrong",
    [
        {"gumbel": GUMBEL._replace(simulations=0)},
        {"gumbel": GUMBEL._replace(simulations=10**30)},
        {"gumbel": GUMBEL._replace(considered=-1)},
        {"gumbel": GUMBEL._replace(value_scale=float("nan"))},
        {"gumbel": GUMBEL._replace(visit_offset=float("inf"))},
        {"play": PLAY._replace(randomness=float("nan"))},
        {"play": PLAY._replace(trace=1.5)},
        {"positions": 0},
        {"positions": 2**63},
        {"exploration": float("nan")},
    ],
)
def test_self_play_refuses_impossible_numbers(wrong: dict[str, Any]) -> None:
    arguments = {"gumbel": GUMBEL, "play": PLAY, **wrong}
    with pytest.raises(ValueError, match="is not allowed: use"):
        SelfPlay(TURM, compiled(TURM), **arguments)
    with pytest.raises(TypeError, match=r"simulations 1\.5 is not an integer"):
        SelfPlay(TURM, compiled(TURM), GUMBEL._replace(simulations=1.5), PLAY)


@functools.cache
def played() -> Positions:
    found = SelfPlay(TURM, compiled(TURM), GUMBEL, PLAY, positions=3).play(1)
    arrays = {name: np.array(value) for name, value in vars(found).items() if name != "games"}
    return replace(found, **arrays)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("states", lambda array: array[:, :-1]),
        ("first_action", lambda array: array[:-1]),
        ("first_action", lambda array: array - 1),
        ("first_action", lambda array: array + 10**6),
        ("first_action", lambda array: array[::-1].copy()),
        ("actions", lambda array: array + 10**6),
        ("actions", lambda array: array - 10**6),
        ("actions", lambda array: array.astype(np.int64)),
        ("policy", lambda array: array[:-1]),
        ("values", lambda array: array[:, :-1]),
        ("values", lambda array: array.ravel()),
    ],
)
def test_samples_of_arrays_that_do_not_fit_are_refused(
    name: str, change: Callable[[Any], Any]
) -> None:
    sampler = Sampler(TURM, compiled(TURM))
    assert len(sampler.samples_of(played())) == len(played().states)
    with pytest.raises(ValueError, match=rf"^{name} "):
        sampler.samples_of(replace(played(), **{name: change(getattr(played(), name))}))
