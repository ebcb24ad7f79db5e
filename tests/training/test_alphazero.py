"""AlphaZero: what is learnt from self-play, and whole runs in small."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_runs import Script, ctrl_c, differing, every_game, nth_call, play

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.policies.file import load_policy
from tzaar_envs.policies.sparse.compiled import CompiledNetwork
from tzaar_envs.policies.sparse.network import SparseNetwork
from tzaar_envs.policies.sparse.samples import NO_ACTION, Sampler, SampleRing, Samples
from tzaar_envs.policies.sparse.shape import SparseShape
from tzaar_envs.policies.sparse.symmetry import SampleSymmetries
from tzaar_envs.search.mcts.self_play import Positions, SelfPlay
from tzaar_envs.training.alphazero import Arguments, Rounds, losses, train

SCRIPT = Script(
    train,
    Arguments,
    steps=96,
    round=32,
    simulations=3,
    considered=2,
    batch_size=32,
    buffer=500,
    width=8,
    hidden=4,
    evaluation_games=1,
    final_games=1,
)


def one_position(name: str) -> tuple[SparseNetwork, Positions]:
    """Return a network, and a position of its game in which two actions are good."""
    game = tzaar_envs.load_game(name)
    torch.manual_seed(0)
    network = SparseNetwork(SparseShape.for_game(game, width=16, hidden=8), game)
    state = game.new_state(0)
    for _ in range(5):  # to a position that is not an image of itself, of player 1
        state.apply(int(state.legal_actions()[2]))
    actions = state.legal_actions().astype(np.int32)
    policy = np.zeros(len(actions), np.float32)
    policy[[1, 5]] = 1 / 3, 2 / 3
    values = np.full((1, 2), -0.25)
    values[0, state.current_player] = 0.25
    first = np.array([0, len(actions)])
    return network, Positions(state.words[None], first, actions, policy, values, games=1)


# --- what is learnt ------------------------------------------------------------------------------


def test_samples_and_observations_give_the_same_loss() -> None:
    network, positions = one_position("turm_und_waechter")
    game = tzaar_envs.load_game("turm_und_waechter")
    samples = Sampler(game, CompiledNetwork(game, network)).samples_of(positions)
    policy_loss, value_loss, least = losses(network, samples)
    player = int(positions.states[0, 0])
    state = game.new_state(0)
    for _ in range(5):
        state.apply(int(state.legal_actions()[2]))
    logits, value = network(torch.from_numpy(state.observation(player)[None]))
    log_policy = logits[0, state.legal_actions().tolist()].log_softmax(dim=0)
    expected = -(torch.from_numpy(positions.policy) * log_policy).sum()
    assert policy_loss.item() == pytest.approx(expected.item(), abs=1e-5)
    assert value_loss.item() == pytest.approx((value.item() - 0.25) ** 2, abs=1e-5)
    assert least.item() == pytest.approx(-(np.log(1 / 3) + 2 * np.log(2 / 3)) / 3, abs=1e-5)


@pytest.mark.parametrize("name", ["turm_und_waechter", "tzaar"])
def test_all_images_of_a_position_are_learnt(name: str) -> None:
    """Learns one position only, whatever image of it is drawn."""
    game = tzaar_envs.load_game(name)
    network, positions = one_position(name)
    sample = Sampler(game, CompiledNetwork(game, network)).samples_of(positions)
    repeated = Samples(**{key: np.repeat(each, 64, axis=0) for key, each in vars(sample).items()})
    symmetries, rng = SampleSymmetries(game, network.shape), np.random.default_rng(0)
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    for _ in range(200):
        policy_loss, value_loss, _ = losses(network, symmetries.images(repeated, rng))
        optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        optimizer.step()
    state = game.new_state(0)
    for _ in range(5):
        state.apply(int(state.legal_actions()[2]))
    seen = state.observation(state.current_player)
    for symmetry in game.symmetries:
        with torch.no_grad():
            image = symmetry.apply_to_observations(seen)
            logits, value = network(torch.from_numpy(image[None]))
        legal = symmetry.images_of(state.legal_actions())
        policy = logits[0, legal.tolist()].softmax(dim=0).numpy()
        assert policy[[1, 5]] == pytest.approx([1 / 3, 2 / 3], abs=0.1)
        assert value.item() == pytest.approx(0.25, abs=0.1)


def test_a_full_ring_keeps_the_latest_samples() -> None:
    ring = SampleRing(5)
    rng = np.random.default_rng(0)

    def samples(numbers: list[int], width: int) -> Samples:
        count = len(numbers)
        return Samples(
            rows=np.full((count, width), 7, np.int32),
            factors=np.ones((count, width), np.int8),
            actions=np.full((count, width), 3, np.int32),
            policy=np.ones((count, width), np.float32),
            values=np.array(numbers, np.float32)[:, None],
        )

    ring.add(samples([0, 1, 2], 2))
    ring.add(samples([3, 4, 5, 6], 4))  # wider than those before
    assert len(ring) == 5
    drawn = ring.draw(200, rng)
    assert set(drawn.values[:, 0].tolist()) == {2, 3, 4, 5, 6}
    narrow = drawn.values[:, 0] == 2
    assert ((drawn.factors[narrow] != 0).sum(axis=1) == 2).all()
    assert ((drawn.actions[narrow] != NO_ACTION).sum(axis=1) == 2).all()
    assert ((drawn.factors[~narrow] != 0).sum(axis=1) == 4).all()
    replaced = replace(drawn, values=drawn.values + 1)
    assert len(replaced) == 200


# --- whole runs ----------------------------------------------------------------------------------


@every_game
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    changes = changes | {"steps": 32}
    SCRIPT.train(folder, **changes)
    assert f"{folder}/policy.safetensors" in capsys.readouterr().out.replace("\n", "")
    SCRIPT.assert_left_a_policy_that_plays(folder, others=["mcts_greedy"], **changes)
    network, _ = load_policy(folder / "policy.safetensors")
    assert isinstance(network, SparseNetwork)
    game = SCRIPT.small(**changes).load_game()
    searching = f"mcts:policy={folder}/policy.safetensors,simulations=4"
    play(make_agent(searching, game), game, most_plies=40)


@pytest.mark.usefixtures("unmeasured")
def test_a_run_follows_from_its_seed_whatever_the_threads(tmp_path: Path) -> None:
    one, same, other = (
        SCRIPT.train(tmp_path / name, game="tzaar", **changes)["learner"]["network"]
        for name, changes in (("one", {}), ("same", {"threads": 3}), ("other", {"seed": 4}))
    )
    assert not differing(one, same)
    assert differing(one, other)


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize(("owner", "name"), [(Rounds, "start"), (SelfPlay, "play")])
def test_an_interrupted_run_loses_only_the_games_in_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], owner: Any, name: str
) -> None:
    folder = tmp_path / "run"
    with ctrl_c(owner, name, nth_call(2 if owner is Rounds else 5)):
        stored = SCRIPT.train_until_stopped(folder, capsys, game="twenty_one", steps=500)
    ended = SCRIPT.resume_after(stored, folder, capsys)
    assert ended["steps"] >= 500
    assert ended["learner"]["rounds"]["played"] > stored["learner"]["rounds"]["played"]
    assert differing(ended["learner"]["network"], stored["learner"]["network"])
    # Once the budget is used, there is nothing more to learn.
    assert SCRIPT.resume(folder)["learner"]["rounds"] == ended["learner"]["rounds"]


@pytest.mark.usefixtures("unmeasured")
def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder, game="twenty_one", steps=8)
    SCRIPT.assert_refuses_damaged_checkpoints(folder)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "tzar"}, "did you mean 'tzaar'"),
        ({"game": "tzaar", "simulations": 0}, "simulations=0 is not allowed: use more than 0"),
        ({"game": "tzaar", "trace": 1.5}, "trace=1.5 is not allowed: use more than 0, at most 1"),
        ({"game": "tzaar", "randomness": -0.1}, "randomness=-0.1 is not allowed: use 0 or more"),
        ({"game": "tzaar", "buffer": 0}, "buffer=0 is not allowed"),
    ],
)
def test_wrong_arguments(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    SCRIPT.assert_refuses(tmp_path / "run", changes, words)
