"""Parts of training on their own: warm start, networks for vectors, run folder."""

import copy
import dataclasses
import importlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.agents import action_values_of, make_agent
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.agents.searchers import BestActionAgent
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import write_mask
from tzaar_envs.core.state import State
from tzaar_envs.jit.arrays import RngState
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.card import make_card
from tzaar_envs.networks.file import find_policy, load_policy, save_policy
from tzaar_envs.networks.network import AnyNetwork, NetworkShape, PolicyNetwork
from tzaar_envs.training.common.algorithms import ALGORITHMS
from tzaar_envs.training.common.learning_curve import draw_learning_curve
from tzaar_envs.training.common.run_folder import RunFolder
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.warm_start import (
    BATCH,
    clone_behaviour,
    collect_demonstrations,
    one_cycle,
)
from tzaar_envs.training.ppo import Arguments as PpoArguments

GAME = tzaar_envs.load_game("tzaar")


@pytest.mark.parametrize(
    ("name", "options", "teacher"),
    [
        ("tzaar", {}, "greedy"),
        ("black_elephant", {}, "greedy"),
        ("twenty_one", {"players": 3}, "optimal-solo"),
        ("turm_und_waechter", {}, "alphabeta:depth=2"),
    ],
)
def test_demonstrations_show_what_the_teacher_prefers(
    name: str, options: dict[str, Any], teacher: str
) -> None:
    game = tzaar_envs.load_game(name, **options)
    agent = make_agent(teacher, game)
    demonstrations = collect_demonstrations(game, agent, 500, seed=1, report=lambda done: None)
    assert (
        500
        <= len(demonstrations.returns)
        == len(demonstrations.observations)
        == len(demonstrations.targets)
    )
    assert demonstrations.observations.shape[1:] == game.observation_shape
    masks = np.unpackbits(demonstrations.masks, axis=1, count=game.num_actions).astype(bool)
    assert not demonstrations.targets[~masks].any()
    assert demonstrations.targets.astype(np.float64).sum(axis=1) == pytest.approx(1.0, abs=0.01)
    seats = game.num_players
    shares = {1 / winners for winners in range(1, seats)}
    assert (
        {1.0, -1 / (seats - 1)}
        <= set(demonstrations.returns)
        <= shares | {0.0} | {-x for x in shares}
    )


def test_the_teacher_is_the_one_that_is_asked_for() -> None:
    game = tzaar_envs.load_game("twenty_one")
    asked: list[int] = []

    def first_legal(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
        asked.append(len(states))
        masks = np.empty((len(states), game.num_actions), np.int8)
        for words, mask in zip(states, masks, strict=True):
            write_mask(game.rules.functions, words, mask)
        return np.where(masks, -np.arange(game.num_actions, dtype=np.float64), -np.inf)

    teacher = BestActionAgent(game, "first-legal", first_legal)
    demonstrations = collect_demonstrations(game, teacher, 200, seed=1, report=lambda done: None)
    masks = np.unpackbits(demonstrations.masks, axis=1, count=game.num_actions)
    assert sum(asked) >= 200
    assert (demonstrations.targets.argmax(axis=1) == masks.argmax(axis=1)).all()
    for name in ("greedy", "optimal-solo"):
        agent = make_agent(name, game)
        assert isinstance(agent, BestActionAgent)
        assert agent.action_values is action_values_of(name, game.spec)
    assert action_values_of("greedy", game.spec) is not action_values_of("optimal-solo", game.spec)


@pytest.mark.parametrize("name", ["random", "policy:x", "optimal-sol", ""])
def test_what_values_no_actions_is_no_teacher(name: str) -> None:
    spec = tzaar_envs.load_game("twenty_one").spec
    with pytest.raises(ValueError, match=r"use one of greedy, optimal-solo, expectimax$"):
        action_values_of(name, spec)


@pytest.mark.parametrize(
    ("name", "teacher"), [("turm_und_waechter", "greedy"), ("twenty_one", "optimal-solo")]
)
def test_behaviour_cloning_brings_the_network_near_its_teacher(name: str, teacher: str) -> None:
    game = tzaar_envs.load_game(name)
    action_values = action_values_of(teacher, game.spec)
    torch.manual_seed(0)
    network = PolicyNetwork(NetworkShape.for_game(game, width=16, blocks=1))
    states = [random_position(game, seed) for seed in range(200)]
    values = action_values(game, np.stack([state.words for state in states]), new_generator(0))
    best = values == values.max(axis=1, keepdims=True)  # what the teacher likes best
    demonstrations = collect_demonstrations(
        game, make_agent(teacher, game), 8000, seed=1, report=lambda done: None
    )
    course: list[float] = []
    clone_behaviour(
        network,
        demonstrations,
        4,
        seed=0,
        report=lambda done, divergence: course.append(divergence),
    )
    assert len(course) == 4 * (len(demonstrations.returns) // 256)
    assert np.mean(course[-5:]) < 0.9 * np.mean(course[:5])
    chosen = PolicyAgent(game, network).act_batch(states)
    by_chance = best.sum(axis=1) / np.isfinite(values).sum(axis=1)
    assert best[np.arange(len(states)), chosen].mean() > by_chance.mean() + 0.2


FLAT = tzaar_envs.load_game("twenty_one", players=3)


def flat_observations(count: int) -> torch.Tensor:
    states = [random_position(FLAT, seed) for seed in range(count)]
    return torch.from_numpy(np.stack([state.observation(0) for state in states]))


def test_a_flat_observation_has_a_network_of_its_own() -> None:
    shape = NetworkShape.for_game(FLAT, width=8, blocks=2)
    assert shape.is_flat
    assert not NetworkShape.for_game(GAME, width=8, blocks=2).is_flat
    network = PolicyNetwork(shape)
    observations = flat_observations(5)
    logits, values = network(observations)
    assert logits.shape == (5, FLAT.num_actions)
    assert values.shape == (5, 1)
    assert network.trunk(observations).shape == (5, *shape.feature_shape)
    assert logits.std(dim=1).max() < 0.2  # nearly equal at the start
    assert not any(isinstance(module, torch.nn.Conv2d) for module in network.modules())


def test_every_number_of_a_flat_observation_reaches_the_network_on_one_scale() -> None:
    network = PolicyNetwork(NetworkShape.for_game(FLAT, width=8, blocks=0))
    highs = torch.tensor(FLAT.layout.plane_highs)
    ones = torch.ones(1, highs.numel())
    expected = torch.relu(network.trunk.stem(ones))
    assert torch.allclose(network.trunk(highs[None].to(torch.int8)), expected, atol=1e-5)
    observation = highs[None].float().requires_grad_()
    network.trunk(observation).square().sum().backward()
    assert observation.grad is not None
    assert (observation.grad != 0).all()


def test_a_policy_for_flat_observations_comes_back_as_it_was(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = PolicyNetwork(NetworkShape.for_game(FLAT, width=4, blocks=1))
    path = tmp_path / "flat.safetensors"
    save_policy(path, network, make_card(FLAT, network.shape, {}))
    loaded, card = load_policy(path)
    assert loaded.shape == network.shape
    assert card["options"] == dict(FLAT.options)
    observations = flat_observations(20)
    with torch.no_grad():
        for before, after in zip(network(observations), loaded(observations), strict=True):
            assert torch.equal(before, after)
    states = [random_position(FLAT, seed) for seed in range(20)]
    actions = make_agent(f"policy:{path}", FLAT).act_batch(states)
    assert all(state.is_legal(int(a)) for state, a in zip(states, actions, strict=True))
    for players in (2, 6):
        with pytest.raises(ValueError, match="does not fit"):
            make_agent(f"policy:{path}", tzaar_envs.load_game("twenty_one", players=players))


def random_position(game: Game, seed: int) -> State:
    """Return a position after ten random plies."""
    agent = make_agent("random", game, seed)
    state = game.new_state(seed)
    for _ in range(10):
        state.apply(agent.act(state))
    return state


def test_the_learning_curve_is_a_picture(tmp_path: Path) -> None:
    by_seat = [[5, 1, 4], [7, 0, 3]]
    records = [
        {"steps": steps, "minutes": minutes, "results": {"random": by_seat}}
        for steps, minutes in ((0, 0.0), (1000, 1.5))
    ]
    draw_learning_curve(tmp_path / "curve.png", "a title", ("White", "Black"), records)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_a_torn_or_damaged_evaluation_ends_the_list(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert folder.read_evaluations(2) == []
    results = {"random": [[5, 1, 4], [7, 0, 3]]}
    times = {"minutes": 0.5, "cpu_minutes": 0.5}
    whole = [{"steps": steps, **times, "results": results} for steps in (1, 2)]
    for record in whole:
        folder.append_evaluation(record)
    content = folder.evaluations.read_bytes()
    for damage in (
        b'{"steps": 3, "win',
        b"\xff\n",
        b"[]\n",
        b'{"steps": 3, "minutes": 1, "cpu_minutes": 1, "results": {}}\n',
        b'{"steps": 3, "minutes": 1, "results": {"random": [[5, 1, 4], [7, 0, 3]]}}\n',
        json.dumps(whole[0] | {"results": {"random": [[5, 1, 4], [0, 0, 0]]}}).encode(),
    ):
        folder.evaluations.write_bytes(content + damage)
        assert folder.read_evaluations(2) == whole
    assert folder.read_evaluations(3) == []


# --- limits of a warm start, runs from scratch ---------------------------------------------------


def test_a_warm_start_ends_with_its_time() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    agent = make_agent("random", game, 0)
    found = collect_demonstrations(game, agent, 10**6, 1, lambda done: None, seconds=0.0)
    assert BATCH <= len(found.returns) < 10**5
    network = PolicyNetwork(NetworkShape.for_game(game, 8, 1))
    before = copy.deepcopy(network.state_dict())
    steps: list[int] = []
    clone_behaviour(network, found, 5, 1, lambda done, loss: steps.append(done), seconds=0.0)
    assert steps == []
    assert all(map(torch.equal, before.values(), network.state_dict().values()))


def test_the_learning_rate_of_a_warm_start_rises_and_falls() -> None:
    rates = [one_cycle(place / 100) for place in range(101)]
    assert (rates[0], max(rates), rates[100]) == pytest.approx((0, 1, 0))
    assert rates.index(max(rates)) == 10


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_from_scratch_is_without_any_help(algorithm: str) -> None:
    arguments = importlib.import_module(ALGORITHMS[algorithm].module).Arguments
    settings = arguments.for_game("tzaar", from_scratch=True).without_help()
    assert settings.imitation == 0
    assert getattr(settings, "shaping", 0) == 0
    assert arguments.for_game("tzaar").without_help() == arguments.for_game("tzaar")


def test_a_run_starts_from_a_policy(tmp_path: Path) -> None:
    arguments = PpoArguments(game="tzaar", width=8, blocks=0, imitation=99)
    first = arguments.new_network(GAME)
    path = tmp_path / "first.safetensors"
    save_policy(path, first, make_card(GAME, first.shape, {"steps": 7}))
    changes = {"start": str(path), "folder": tmp_path / "run"}
    with Session(dataclasses.replace(arguments, **changes), "PPO") as session:
        assert session.arguments.imitation == 0
        network = session.arguments.new_network(GAME)
        assert not torch.equal(weights_of(network), weights_of(first))
        session.warm_start(network)
        assert torch.equal(weights_of(network), weights_of(first))
        wide = dataclasses.replace(arguments, width=16).new_network(GAME)
        with pytest.raises(ValueError, match="than this run: width 8 in place of 16"):
            session.warm_start(wide)
        sparse = dataclasses.replace(arguments, network="sparse").new_network(GAME)
        with pytest.raises(ValueError, match="a NetworkShape in place of a SparseShape"):
            session.warm_start(sparse)


def weights_of(network: AnyNetwork) -> torch.Tensor:
    """Return all weights in a row."""
    return torch.cat([weights.flatten() for weights in network.parameters()])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"start": "reference", "from_scratch": True}, "start='reference' is not allowed with"),
        ({"start": "nowhere.safetensors"}, "there is no policy file 'nowhere.safetensors'"),
        ({"game": "zatre", "start": str(find_policy("reference", GAME.spec))}, "does not fit"),
    ],
)
def test_a_policy_that_no_run_can_start_from_is_refused_before_the_folder_is_made(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    arguments = PpoArguments(**{"game": "tzaar", "folder": tmp_path / "run", **changes})
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(said)):
        Session(arguments, "PPO")
    assert not (tmp_path / "run").exists()


def test_from_scratch_meets_random_and_itself_only(tmp_path: Path) -> None:
    arguments = PpoArguments(
        game="tzaar", folder=tmp_path / "run", from_scratch=True, rival="alphabeta:depth=1"
    )
    with Session(arguments, "PPO") as session:
        assert session.arguments.imitation == 0
        assert session.baselines == ["random", "greedy", "alphabeta:depth=1"]
        assert [agent.name for agent in session.baseline_agents()] == ["random"]
