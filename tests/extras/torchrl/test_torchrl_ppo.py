"""PPO of TorchRL: what is learnt from, and whole runs in small."""

from pathlib import Path
from typing import Any

import pytest
import torch
from tensordict import TensorDict
from training_runs import Script, ctrl_c, differing, nth_call, some_games

from tzaar_envs.training.torchrl_ppo import TorchRlArguments, Trajectories, train

SCRIPT = Script(train, TorchRlArguments, num_envs=8, rollout=16, batch_size=64, epochs=2)


@some_games
def test_a_run_leaves_a_policy_that_plays(tmp_path: Path, changes: dict[str, Any]) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder, **changes)
    SCRIPT.assert_left_a_policy_that_plays(folder, **changes)


def test_a_decision_is_rewarded_by_what_its_own_seat_receives() -> None:
    """Two games by hand: seat 0 ends the first, the second continues; no discount, no network."""
    trajectories = Trajectories(num_players=2, gamma=1.0, gae_lambda=1.0)

    def rollout(players: list[list[int]], ends: list[list[bool]]) -> TensorDict:
        shape = (2, len(players[0]))
        over = torch.tensor(ends)
        entries = {
            "player": torch.tensor(players),
            "action": torch.arange(shape[0] * shape[1]).reshape(shape),
            "observation": torch.zeros(*shape, 1, dtype=torch.int8),
            "action_mask": torch.ones(*shape, 9, dtype=torch.bool),
            "action_log_prob": torch.zeros(shape),
            "state_value": torch.zeros(*shape, 1),
        }
        rewards = torch.where(over[..., None], torch.tensor([1.0, -1.0]), 0.0)
        following = TensorDict({"rewards": rewards, "done": over[..., None]}, shape)
        return TensorDict(entries | {"next": following}, shape)

    first = trajectories.extend(
        rollout([[0, 1, 0], [0, 1, 0]], [[False, False, True], [False] * 3])
    )
    assert first["player"].tolist() == [0, 1, 0, 0]
    assert first["advantage"][:, 0].tolist() == [1.0, -1.0, 1.0, 0.0]
    assert trajectories.waiting["player"].tolist() == [[-1, -1], [0, 1]]
    assert trajectories.waiting["action"][1].tolist() == [5, 4]
    second = trajectories.extend(rollout([[0], [1]], [[False], [True]]))
    assert second["player"].tolist() == [0, 1, 1]
    assert second["value_target"][:, 0].tolist() == [1.0, -1.0, -1.0]
    assert trajectories.waiting["player"].tolist() == [[0, -1], [-1, -1]]


def test_an_interrupted_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    with ctrl_c(Trajectories, "extend", nth_call(3)):
        stored = SCRIPT.train_until_stopped(folder, capsys, game="tzaar")
    assert stored["steps"] == 256

    after = SCRIPT.resume_after(stored, folder, capsys)
    assert after["steps"] == 512
    assert differing(after["learner"]["network"], stored["learner"]["network"])
