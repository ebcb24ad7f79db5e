"""What sparse networks and their self-play are given from outside is checked, once per call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_policies import small_evaluator, small_network

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.sparse.learner import Learner, SampleSymmetries
from tzaar_envs.networks.sparse.samples import Sampler, SampleRing, Samples
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.mcts.gumbel import Gumbel
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.search.mcts.self_play import GumbelSelfPlay
from tzaar_envs.search.one_ply.self_play import OnePlySelfPlay
from tzaar_envs.search.self_play import Play, Positions

TURM = tzaar_envs.load_game("turm_und_waechter")
TZAAR = tzaar_envs.load_game("tzaar")
GUMBEL, PLAY = Gumbel(2, 2, 50.0, 0.1), Play(0.1, 0.5, 2)


def words(game: Game = TURM) -> Any:
    return np.stack([game.new_state(seed).words for seed in range(3)])


@pytest.mark.parametrize(
    "states",
    [
        lambda: words()[0],
        lambda: words()[:, :-1],
        lambda: words(TZAAR),
        lambda: words().astype(np.float64),
        lambda: words()[None],
        lambda: 5,
        lambda: None,
    ],
)
def test_positions_of_another_shape_are_refused(states: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"positions of shape .* were given: use int64 of shape"):
        small_evaluator(TURM)(states())


def test_positions_that_cannot_occur_are_refused() -> None:
    for word in range(12):
        states = words()
        states[1, word] += 1 << 40
        with pytest.raises(ValueError, match="position 1 cannot occur in turm_und_waechter"):
            small_evaluator(TURM)(states)


def test_positions_of_any_layout_and_integer_type_are_read() -> None:
    right = small_evaluator(TURM)(words())
    read_only = words()
    read_only.setflags(write=False)
    for states in (
        np.asfortranarray(words()),
        words().astype(">i8"),
        np.repeat(words(), 2, axis=1)[:, ::2],
        read_only,
        words().tolist(),
    ):
        for found, expected in zip(small_evaluator(TURM)(states), right, strict=True):
            np.testing.assert_array_equal(found, expected)
    assert small_evaluator(TURM)(words()[:0])[0].shape == (0, TURM.num_actions)


def test_a_game_that_is_over_has_no_priors() -> None:
    state = TURM.parse("BG6/7/7/7/7/3RG3/7 r")
    state.apply(next(a for a in state.legal_actions() if "D1" in state.action_name(a)))
    assert state.is_terminal
    with pytest.raises(ValueError, match="the game is over"):
        small_evaluator(TURM)(state.words[None])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CompiledNetwork(TURM, small_network(TZAAR)), "does not have the shape of"),
        (lambda: small_evaluator(TURM).load(small_network(TZAAR)), "another shape than"),
        (lambda: Mcts(TURM, small_evaluator(TZAAR)), "the evaluator is for"),
        (lambda: AlphaBeta(TURM, evaluator=small_evaluator(TZAAR)), "the evaluator is for"),
        (
            lambda: GumbelSelfPlay(TURM, small_evaluator(TZAAR), GUMBEL, PLAY),
            "the evaluator is for",
        ),
        (lambda: OnePlySelfPlay(TURM, small_evaluator(TZAAR), 1, PLAY), "the evaluator is for"),
        (lambda: Sampler(TURM, small_evaluator(TZAAR)), "the evaluator is for"),
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
        {"play": PLAY._replace(opening=-1)},
        {"positions": 0},
        {"positions": 2**63},
        {"exploration": float("nan")},
    ],
)
def test_self_play_refuses_impossible_numbers(wrong: dict[str, Any]) -> None:
    arguments = {"gumbel": GUMBEL, "play": PLAY, **wrong}
    with pytest.raises(ValueError, match="is not allowed: use"):
        GumbelSelfPlay(TURM, small_evaluator(TURM), **arguments)
    with pytest.raises(TypeError, match=r"simulations 1\.5 is not an integer"):
        GumbelSelfPlay(TURM, small_evaluator(TURM), GUMBEL._replace(simulations=1.5), PLAY)


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"draws": 1001}, {"positions": 0}])
def test_self_play_by_one_ply_refuses_impossible_numbers(wrong: dict[str, Any]) -> None:
    arguments = {"draws": 1, "play": PLAY, **wrong}
    with pytest.raises(ValueError, match="is not allowed: use 1 to"):
        OnePlySelfPlay(TURM, small_evaluator(TURM), **arguments)


@functools.cache
def played() -> Positions:
    found = GumbelSelfPlay(TURM, small_evaluator(TURM), GUMBEL, PLAY, positions=3).play(1)
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
    sampler = Sampler(TURM, small_evaluator(TURM))
    assert len(sampler.samples_of(played())) == len(played().states)
    with pytest.raises(ValueError, match=rf"^{name} "):
        sampler.samples_of(replace(played(), **{name: change(getattr(played(), name))}))


def learner(game: Game = TURM) -> Learner:
    return Learner(small_network(game), SampleSymmetries(game, small_network(game).shape), 1.0, 1.0)


@functools.cache
def samples() -> Samples:
    return Sampler(TURM, small_evaluator(TURM)).samples_of(played())


def test_a_ring_takes_arrays_with_a_row_for_each_sample() -> None:
    ring, right = SampleRing(5), samples()
    ring.add(replace(right, rows=right.rows.tolist()))
    assert len(ring) == min(5, len(right))
    for wrong in (right.rows[:-1], right.rows.ravel(), "x", None):
        with pytest.raises(ValueError, match=r"rows of shape .* does not have a row per sample"):
            ring.add(replace(right, rows=wrong))
    for capacity in (0, -1):
        with pytest.raises(ValueError, match=f"capacity={capacity} is not allowed: use 1 or more"):
            SampleRing(capacity)
    with pytest.raises(TypeError, match=r"capacity 1\.5 is not"):
        SampleRing(1.5)  # type: ignore[arg-type]


def test_a_learner_refuses_what_is_of_another_network() -> None:
    with pytest.raises(ValueError, match="another shape than the learner's"):
        learner().load(small_network(TZAAR))


def test_many_samples_are_learnt_from_in_parts_with_the_same_gradient() -> None:
    once, often = learner(), learner()
    chosen = np.zeros(1, np.int64)
    once.add_gradients(samples(), chosen, chosen)
    often.add_gradients(samples(), np.repeat(chosen, 3000), np.repeat(chosen, 3000))
    for name, gradient in once.gradients().items():
        np.testing.assert_allclose(often.gradients()[name], gradient, atol=1e-4)
