"""AlphaZero: what is learnt from a search, and whole runs in small."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training_runs import Script, ctrl_c, differing, every_game, nth_call, play

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.policies.evaluator import NetworkEvaluator
from tzaar_envs.policies.file import load_policy
from tzaar_envs.policies.network import NetworkShape, PolicyNetwork
from tzaar_envs.search.mcts.results import SearchResults, new_results
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.training.alphazero import (
    Arguments,
    Samples,
    SelfPlay,
    policy_target,
    train,
)
from tzaar_envs.training.common.replay import Replay

SCRIPT = Script(
    train,
    Arguments,
    steps=96,
    num_envs=8,
    simulations=6,
    quick_simulations=2,
    full_share=0.5,
    batch_size=32,
    replay_mib=1.0,
    width=4,
    evaluation_games=1,
    final_games=1,
)


def new_self_play(folder: Path, **changes: Any) -> SelfPlay:
    """Return games that have just started."""
    arguments = SCRIPT.small(**changes)
    game = arguments.load_game()
    samples = Samples(game, arguments.simulations)
    replay = Replay(folder / "replay.npy", samples.dtype, arguments.replay_mib)
    return SelfPlay(game, arguments, samples, replay)


def new_search(self_play: SelfPlay) -> Mcts:
    """Return a full search guided by a fresh network."""
    torch.manual_seed(3)
    network = PolicyNetwork(NetworkShape.for_game(self_play.game, width=4, blocks=1))
    evaluator = NetworkEvaluator(self_play.game, network)
    return Mcts(self_play.game, evaluator, simulations=self_play.arguments.simulations)


def play_round(self_play: SelfPlay, search: Mcts) -> int:
    """Play a move in every game, return the number of positions in games that ended."""
    result = search.search(self_play.batch.states, self_play.search_seed())
    self_play.keep_samples(result)
    positions, _ = self_play.play(result, self_play.rng())
    return positions


def replay_of(folder: Path) -> Replay:
    run = Arguments.from_json(json.loads((folder / "config.json").read_text())["arguments"])
    samples = Samples(run.load_game(), run.simulations)
    return Replay(folder / "replay.npy", samples.dtype, run.replay_mib)


def result_of(visits: list[list[int]], values: list[list[float]]) -> SearchResults:
    result = new_results(np.zeros(len(visits), np.int64), len(visits[0]), len(values[0]))
    result.visits[:] = visits
    result.values[:] = values
    result.actions[:] = result.visits.argmax(axis=1)
    return result


# --- what is learnt ------------------------------------------------------------------------------


def test_a_policy_is_the_share_of_visits_unless_the_result_is_proven() -> None:
    result = result_of(
        [[3, 1, 0, 4], [3, 1, 0, 4], [3, 1, 0, 4], [3, 1, 0, 4]],
        [[0.5, -0.5], [1.0, -1.0], [1.0, -1.0], [0.0, 0.0]],
    )
    result.proven[1:] = True
    result.actions[1:] = 0
    policy = policy_target(result, np.array([0, 0, 1, 1]))
    shares = [3 / 8, 1 / 8, 0, 4 / 8]
    # Won for seat 0, lost for seat 1, drawn.
    assert policy.tolist() == [shares, [1, 0, 0, 0], shares, [1, 0, 0, 0]]


def test_samples_come_back_as_they_were_packed() -> None:
    game = tzaar_envs.load_game("twenty_one", players=3)
    samples = Samples(game, simulations=5)
    rng = np.random.default_rng(0)
    seen = rng.integers(3, size=(2, 3, *game.observation_shape)).astype(np.int8)
    masks = np.zeros((2, game.num_actions), np.int8)
    visits = np.zeros((2, game.num_actions), np.int64)
    masks[0, [4, 7, 60]] = masks[1, [0, 65]] = 1
    visits[0, [4, 60]] = 3, 2
    visits[1, [0, 65]] = 1, 4
    result = result_of(visits.tolist(), [[0.1, 0.2, -0.3], [0.4, 0.5, -0.9]])
    seats = np.array([[2, 0, 1], [1, 2, 0]])
    packed = samples.of_search(seen, seats, masks, result)
    assert packed.shape == (2, 3)
    observations, legal, policies, values = samples.unpack(packed.ravel())
    assert np.array_equal(observations.reshape(seen.shape), seen)
    assert np.array_equal(legal.reshape(2, 3, -1)[:, 0], masks.astype(np.bool_))
    assert policies.reshape(2, 3, -1)[:, 0] == pytest.approx(visits / 5, abs=1e-3)
    # Who does not act has nothing to choose, but a value.
    assert not legal.reshape(2, 3, -1)[:, 1:].any()
    assert not policies.reshape(2, 3, -1)[:, 1:].any()
    assert values.tolist() == pytest.approx([-0.3, 0.1, 0.2, 0.5, -0.9, 0.4])


@pytest.mark.usefixtures("unmeasured")
def test_all_images_of_a_position_are_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learns one position only, whatever is played, and asks for all its images."""
    game = tzaar_envs.load_game("turm_und_waechter")
    state = game.new_state(0)
    for _ in range(4):  # to a position that is not an image of itself
        state.apply(int(state.legal_actions()[2]))
    actions = state.legal_actions()[[1, 5]]
    visits = np.zeros((1, game.num_actions), np.int64)
    visits[0, actions] = 2, 4
    result = result_of(visits.tolist(), [[0.25, -0.25]])
    sample = Samples(game, SCRIPT.small().simulations).of_search(
        state.observation(0)[None, None], np.array([[0]]), state.legal_mask()[None], result
    )
    monkeypatch.setattr(
        Replay, "draw", lambda self, count, rng: np.repeat(sample[0, :1], count, axis=0)
    )
    SCRIPT.train(
        tmp_path / "run",
        game="turm_und_waechter",
        width=16,
        learning_rate=5e-2,  # a tenth of it, since the first finished game uses the budget
        steps=1,
        passes=400.0,
        num_envs=2,
    )
    network, _ = load_policy(tmp_path / "run" / "policy.safetensors")
    for symmetry in game.symmetries:
        image = symmetry.apply_to_observations(state.observation(0))
        mask = symmetry.apply_to_actions(state.legal_mask())
        with torch.no_grad():
            logits, value = network(torch.from_numpy(image[None]))
        policy = logits[0].masked_fill(torch.from_numpy(mask == 0), -1e8).softmax(dim=0).numpy()
        assert policy[symmetry.images_of(actions)] == pytest.approx([1 / 3, 2 / 3], abs=0.1)
        assert value.item() == pytest.approx(0.25, abs=0.1)


@pytest.mark.usefixtures("unmeasured")
def test_gradient_steps_keep_pace_with_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, drawn = Replay.draw, []

    def counted(self: Replay, count: int, rng: np.random.Generator) -> Any:
        drawn.append(count)
        return draw(self, count, rng)

    monkeypatch.setattr(Replay, "draw", counted)
    stored = SCRIPT.train(tmp_path / "run", game="twenty_one", passes=3.0)
    due = replay_of(tmp_path / "run").added * 3.0 / 32
    assert set(drawn) == {32}
    assert len(drawn) == int(due)
    assert stored["learner"]["self_play"]["steps_due"] == pytest.approx(due % 1.0)


@pytest.mark.parametrize(("game", "option"), [("tzaar", ()), ("zatre", ("players=3",))])
def test_only_legal_actions_are_played_and_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, option: tuple[str, ...]
) -> None:
    played = []
    original = Batch.step

    def step(self: Batch, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        if len(actions) == 8:
            played.append(bool(self.masks[np.arange(8), actions].all()))
        original(self, actions, rows)

    monkeypatch.setattr(Batch, "step", step)
    self_play = new_self_play(tmp_path, game=game, option=option)
    search, positions = new_search(self_play), 0
    while positions < 96:
        positions += play_round(self_play, search)
    assert all(played)
    assert len(played) == self_play.rounds
    samples = self_play.replay.draw(300, np.random.default_rng(0))
    _, masks, policies, values = self_play.samples.unpack(samples)
    assert (policies[~masks] == 0).all()
    sums = policies.sum(axis=1)
    assert sums == pytest.approx(masks.any(axis=1).astype(float), abs=1e-3)
    assert (np.abs(values) <= 1).all()
    seats = self_play.game.num_players
    assert self_play.replay.added == positions * (1 if seats == 2 else seats)


def test_the_value_target_of_every_seat_follows_from_its_return(tmp_path: Path) -> None:
    self_play = new_self_play(tmp_path, game="tzaar", root_value=0.25)
    search = new_search(self_play)
    while not self_play.replay.added:
        play_round(self_play, search)
        assert not self_play.batch.over.any()  # new games have started
    values = self_play.replay.draw(1000, np.random.default_rng(0))["value"]
    # A quarter from the search, three quarters from the return, which is never that of a draw.
    assert (np.abs(values) >= 0.5).all()
    assert (values > 0).any()
    assert (values < 0).any()


# --- whole runs ----------------------------------------------------------------------------------


@every_game
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    changes = changes | {"steps": 32, "simulations": 4, "quick_simulations": 1}
    stored = SCRIPT.train(folder, **changes)
    assert f"{folder}/policy.safetensors" in capsys.readouterr().out.replace("\n", "")
    SCRIPT.assert_left_a_policy_that_plays(folder, others=["mcts_greedy"], **changes)
    assert replay_of(folder).added >= stored["steps"]
    game = SCRIPT.small(**changes).load_game()
    searching = f"mcts:policy={folder}/policy.safetensors,simulations=4"
    play(make_agent(searching, game), game, most_plies=40)


@pytest.mark.usefixtures("unmeasured")
def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    one, same, other = (
        SCRIPT.train(tmp_path / name, game="tzaar", **changes)["learner"]["network"]
        for name, changes in (("one", {}), ("same", {}), ("other", {"seed": 4}))
    )
    assert not differing(one, same)
    assert differing(one, other)


@pytest.mark.parametrize("name", ["state_dict", "play"])
@pytest.mark.usefixtures("unmeasured")
def test_an_interrupted_run_loses_only_the_games_in_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / "run"
    whole = SCRIPT.train(tmp_path / "whole", game="twenty_one", steps=48)
    rounds = whole["learner"]["self_play"]["rounds"]
    # The first state is that of the start. Ctrl-C comes with round `rounds + 1` half done.
    with ctrl_c(SelfPlay, name, nth_call(rounds + (2 if name == "state_dict" else 1))):
        stored = SCRIPT.train_until_stopped(folder, capsys, game="twenty_one")
    assert stored["steps"] == whole["steps"] >= 48
    assert stored["learner"]["self_play"] == whole["learner"]["self_play"]
    samples = len(replay_of(folder))
    assert samples >= stored["steps"]

    original, seen = SelfPlay.play, []

    def look(self: SelfPlay, *args: Any) -> Any:
        seen.append((self.rounds, len(self.replay)))
        return original(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(SelfPlay, "play", look)
        ended = SCRIPT.resume_after(stored, folder, capsys)
    assert seen[0] == (rounds, samples)
    assert ended["steps"] >= 96
    assert differing(ended["learner"]["network"], stored["learner"]["network"])
    # Once the budget is used, there is nothing more to learn.
    assert SCRIPT.resume(folder)["learner"]["self_play"] == ended["learner"]["self_play"]


def test_a_resumed_run_plays_other_games(tmp_path: Path) -> None:
    self_play = new_self_play(tmp_path, game="zatre")
    first = self_play.batch.states.copy()
    self_play.load_state_dict({"rounds": 5, "steps_due": 0.5})
    assert self_play.state_dict() == {"rounds": 5, "steps_due": 0.5}
    assert not np.array_equal(self_play.batch.states, first)
    again = self_play.batch.states.copy()
    self_play.load_state_dict({"rounds": 5, "steps_due": 0.5})
    assert np.array_equal(self_play.batch.states, again)


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
        ({"game": "tzaar", "noise": 1.5}, "noise=1.5 is not allowed: use more than 0, at most 1"),
        ({"game": "tzaar", "full_share": 0.0}, "full_share=0.0 is not allowed"),
        ({"game": "tzaar", "replay_mib": 0.0}, "replay_mib=0.0 is not allowed"),
    ],
)
def test_wrong_arguments(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    SCRIPT.assert_refuses(tmp_path / "run", changes, words)
