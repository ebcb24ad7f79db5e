"""AlphaZero: what is learnt from self-play, and whole runs in small."""

from pathlib import Path
from threading import Semaphore, current_thread, main_thread
from typing import Any

import numpy as np
import pytest
from small_policies import load_policy
from training_runs import Script, ctrl_c, differing, every_game, nth_call, play

from tzaar_envs.agents import make_agent
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.sparse.replay_buffer import NO_ACTION, ReplayBuffer, Samples
from tzaar_envs.search.self_play import SelfPlay
from tzaar_envs.training import alphazero
from tzaar_envs.training.alphazero import AlphaZeroArguments, Rounds, train

SCRIPT = Script(
    train,
    AlphaZeroArguments,
    steps=96,
    round=32,
    simulations=3,
    max_num_considered_actions=2,
    batch_size=32,
    buffer=500,
    width=8,
    hidden=4,
    evaluation_simulations=3,
)


# --- what is learnt ------------------------------------------------------------------------------


def test_a_full_buffer_keeps_the_latest_samples() -> None:
    buffer = ReplayBuffer(5)

    def samples(numbers: list[int], width: int) -> Samples:
        count = len(numbers)
        return Samples(
            rows=np.full((count, width), 7, np.int32),
            factors=np.ones((count, width), np.int8),
            actions=np.full((count, width), 3, np.int32),
            policy=np.ones((count, width), np.float32),
            values=np.array(numbers, np.float32)[:, None],
        )

    buffer.add(samples([0, 1, 2], 2))
    buffer.add(samples([3, 4, 5, 6], 4))  # wider than those before
    assert len(buffer) == 5
    kept = buffer.samples
    assert sorted(kept.values[:, 0].tolist()) == [2, 3, 4, 5, 6]
    narrow = kept.values[:, 0] == 2
    assert ((kept.factors[narrow] != 0).sum(axis=1) == 2).all()
    assert ((kept.actions[narrow] != NO_ACTION).sum(axis=1) == 2).all()
    assert ((kept.factors[~narrow] != 0).sum(axis=1) == 4).all()


# --- whole runs ----------------------------------------------------------------------------------


@every_game
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    changes = changes | {"steps": 32, "pattern": 0}
    SCRIPT.train(folder, **changes)
    out = capsys.readouterr().out
    assert f"{folder}/policy.safetensors" in out
    opponent = out.split("--opponent ")[1].split()[0]
    SCRIPT.assert_left_a_policy_that_plays(
        folder, others=["random-without-search", "greedy-without-search"], **changes
    )
    network, _ = load_policy(folder / "policy.safetensors")
    assert isinstance(network, SparseNetwork)
    game = SCRIPT.small(**changes).load_game()
    assert f"policy={folder}/policy.safetensors" in opponent
    state = game.new_state(0)
    assert state.is_legal(make_agent(opponent, game).act(state))
    searching = f"mcts:policy={folder}/policy.safetensors,simulations=4"
    play(make_agent(searching, game), game, most_plies=40)


@pytest.mark.usefixtures("unmeasured")
def test_a_run_follows_from_its_seed_whoever_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, same, other = (
        SCRIPT.train(tmp_path / name, game="tzaar", **changes)["learner"]["network"]
        for name, changes in (("one", {}), ("same", {"threads": 3}), ("other", {"seed": 4}))
    )
    assert not differing(one, same)
    assert differing(one, other)
    here, turns, play_part = [], Semaphore(0), alphazero.play

    def seen_play(players: Any, network: Any, seed: list[int], self_play: bool) -> Samples:
        if seed[1] == 0 and current_thread() is main_thread():
            here.append(seed[2])
            turns.release()
        elif seed[1] == 0:  # the only thread waits until the learner has played the other parts
            for _ in range(3):
                turns.acquire(timeout=300)
        return play_part(players, network, seed, self_play)

    monkeypatch.setattr(alphazero, "play", seen_play)
    helped = SCRIPT.train(tmp_path / "helped", game="tzaar", threads=1)["learner"]["network"]
    assert here[:3] == [3, 2, 1]
    assert not differing(one, helped)


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize(("owner", "name"), [(Rounds, "collect"), (SelfPlay, "play")])
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
