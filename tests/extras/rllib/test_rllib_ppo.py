"""A whole run in small: train, interrupt, resume, measure."""

from pathlib import Path
from typing import Any

import pytest
from training_runs import Script, ctrl_c, differing, evaluated_steps, nth_call, some_games

from tzaar_envs.training.common.session import Session
from tzaar_envs.training.rllib_ppo import RllibArguments, train

pytestmark = pytest.mark.usefixtures("local_ray")

SCRIPT = Script(
    train,
    RllibArguments,
    steps=300,
    num_envs=4,
    rollout=16,
    batch_size=32,
    epochs=1,
    width=4,
    blocks=0,
)


@some_games
def test_a_run_leaves_a_policy_that_plays(tmp_path: Path, changes: dict[str, Any]) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder, **changes)
    assert evaluated_steps(folder)[0] == 0
    SCRIPT.assert_left_a_policy_that_plays(folder, **changes)


def test_an_interrupted_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    with ctrl_c(Session, "log", nth_call(3)):
        stored = SCRIPT.train_until_stopped(folder, capsys, game="twenty_one")
    assert 0 < stored["steps"] < 300

    after = SCRIPT.resume_after(stored, folder, capsys)
    assert after["steps"] >= 300
    assert differing(after["learner"]["network"], stored["learner"]["network"])
