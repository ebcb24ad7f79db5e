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
from tzaar_envs.networks.sparse.network import SparseNetwork, SparseShape
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


def with_entry(array: Any, value: int) -> Any:
    array = array.copy()
    array[0, 0] = value
    return array


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("rows", lambda array: array[:-1]),
        ("rows", lambda array: array[:, :-1]),
        ("rows", lambda array: array.astype(np.int64)),
        ("rows", lambda array: with_entry(array, -1)),
        ("rows", lambda array: with_entry(array, 10**6)),
        ("factors", lambda array: array[:, :-1]),
        ("actions", lambda array: array[:, :-1]),
        ("actions", lambda array: with_entry(array, 10**6)),
        ("actions", lambda array: np.full_like(array, -1)),
        ("policy", lambda array: array.ravel()),
        ("values", lambda array: array[:, :-1]),
        ("values", lambda array: array[:-1]),
    ],
)
def test_samples_that_cannot_be_learnt_from_are_refused(
    name: str, change: Callable[[Any], Any]
) -> None:
    wrong = replace(samples(), **{name: change(getattr(samples(), name))})
    with pytest.raises(ValueError, match=r"were given: use|cannot be learnt from"):
        learner().add_gradients(wrong, np.zeros(1, np.int64), np.zeros(1, np.int64))


def test_more_inputs_or_actions_than_there_are_cannot_be_learnt_from() -> None:
    right, most = samples(), small_network(TURM).shape.size + 1
    one = np.zeros(1, np.int64)
    rows = np.zeros((len(right), most), np.int32)
    with pytest.raises(ValueError, match="cannot be learnt from"):
        learner().add_gradients(
            replace(right, rows=rows, factors=rows.astype(np.int8) + 1), one, one
        )
    actions = np.zeros((len(right), TURM.num_actions + 1), np.int32)
    with pytest.raises(ValueError, match="cannot be learnt from"):
        learner().add_gradients(
            replace(right, actions=actions, policy=actions.astype(np.float32)), one, one
        )


def test_more_inputs_than_there_is_room_for_cannot_be_learnt_from() -> None:
    """Planes that are the same in all cells are one input each."""
    game = tzaar_envs.load_game("zatre")
    shape = SparseShape.for_game(game, 8, 8)
    assert shape.most_inputs < shape.size
    rows = np.zeros((1, shape.most_inputs + 1), np.int32)
    ones, one = np.ones((1, 1), np.float32), np.zeros(1, np.int64)
    values = np.zeros((1, shape.players), np.float32)
    full = Samples(rows, rows.astype(np.int8) + 1, rows[:, :1], ones, values)
    learner = Learner(SparseNetwork(shape, game), SampleSymmetries(game, shape), 1.0, 1.0)
    with pytest.raises(ValueError, match="cannot be learnt from"):
        learner.add_gradients(full, one, one)
    learner.add_gradients(replace(full, rows=rows[:, 1:], factors=full.factors[:, 1:]), one, one)


def test_a_refused_sample_leaves_no_gradients_and_losses() -> None:
    learning, one = learner(), np.zeros(1, np.int64)
    learning.add_gradients(samples(), one, one)
    for chosen in ([0, -1], [0] * 1500 + [10**6]):
        wrong = np.array(chosen)
        with pytest.raises(ValueError, match=f"sample {wrong[-1]}, seen by symmetry 0, cannot be"):
            learning.add_gradients(samples(), wrong, np.zeros_like(wrong))
        assert not any(each.any() for each in learning.gradients().values())
    whole = learner()
    whole.add_gradients(samples(), one, one)
    assert learning.mean_losses() == whole.mean_losses()


@pytest.mark.parametrize("chosen", [-1, 10**6, 2**62])
def test_samples_and_symmetries_that_do_not_exist_are_refused(chosen: int) -> None:
    right, wrong = np.zeros(1, np.int64), np.array([chosen])
    for places in ((right, wrong), (wrong, right)):
        with pytest.raises(ValueError, match="cannot be learnt from"):
            learner().add_gradients(samples(), *places)
    with pytest.raises(ValueError, match="images of shape"):
        learner().add_gradients(samples(), right, np.zeros(2, np.int64))


@pytest.mark.parametrize("count", [0, -1, 10**30])
def test_a_gradient_step_takes_some_samples(count: int) -> None:
    with pytest.raises(ValueError, match="is not allowed: draw 1 to"):
        learner().step(samples(), count, np.random.default_rng(0), 0.1)


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
    with pytest.raises(ValueError, match="symmetries are of a network of another shape"):
        Learner(small_network(TURM), SampleSymmetries(TZAAR, small_network(TZAAR).shape), 1.0, 1.0)
    with pytest.raises(ValueError, match="another shape than the learner's"):
        learner().load(small_network(TZAAR))


@pytest.mark.parametrize("number", [-1, 10**6])
@pytest.mark.parametrize("name", ["rows", "actions"])
def test_tables_of_symmetries_are_checked_and_cannot_be_changed_afterwards(
    name: str, number: int
) -> None:
    shape, one = small_network(TURM).shape, np.zeros(1, np.int64)
    symmetries = SampleSymmetries(TURM, shape)
    learning = Learner(small_network(TURM), symmetries, 1.0, 1.0)
    getattr(symmetries, name)[:] = number
    learning.add_gradients(samples(), one, one)
    with pytest.raises(ValueError, match=f"{name} of the symmetries do not all exist: use 0 to"):
        Learner(small_network(TURM), symmetries, 1.0, 1.0)


def test_many_samples_are_learnt_from_in_parts_with_the_same_gradient() -> None:
    once, often = learner(), learner()
    chosen = np.zeros(1, np.int64)
    once.add_gradients(samples(), chosen, chosen)
    often.add_gradients(samples(), np.repeat(chosen, 3000), np.repeat(chosen, 3000))
    for name, gradient in once.gradients().items():
        np.testing.assert_allclose(often.gradients()[name], gradient, atol=1e-4)
