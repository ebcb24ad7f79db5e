"""A whole run in small: train, interrupt, resume, measure."""

from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pytest
from training_runs import Script, ctrl_c, differing, evaluated_steps, nth_call, some_games

from tzaar_envs.envs.opponents import SeatedBatch
from tzaar_envs.networks.file import read_card
from tzaar_envs.training.common.opponents import OpponentSchedule
from tzaar_envs.training.sb3_maskable_ppo import MaskablePpoArguments, train

SCRIPT = Script(
    train, MaskablePpoArguments, num_envs=8, rollout=16, batch_size=64, epochs=1, snapshot_every=128
)


@some_games
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    SCRIPT.train(folder, **changes)
    assert f"{folder}/policy.safetensors" in capsys.readouterr().out.replace("\n", "")
    steps = evaluated_steps(folder)
    assert (steps[0], steps[-1]) == (0, 512)
    SCRIPT.assert_left_a_policy_that_plays(folder, **changes)


@pytest.mark.usefixtures("unmeasured")
def test_an_interrupted_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    # In the middle of the third rollout: the run is saved as it was after the second update.
    with ctrl_c(SeatedBatch, "step", nth_call(40)):
        stored = SCRIPT.train_until_stopped(folder, capsys, game="tzaar", shaping=2.0)
    assert stored["steps"] == 256
    assert read_card(folder / "policy.safetensors")["shaping"] == 1.0  # half of the run is over
    assert stored["seconds"] > 0
    # As a crash could leave it, which has lost the step but not the snapshot.
    copyfile(*(folder / "snapshots" / f"snapshot-{step:09d}.safetensors" for step in (256, 384)))
    joined, load = [], OpponentSchedule.load_snapshots

    def watch(self: OpponentSchedule, session: Any) -> None:
        load(self, session)
        joined[:] = [session.seed, *(snapshot.name for snapshot in self.pool.snapshots)]

    monkeypatch.setattr(OpponentSchedule, "load_snapshots", watch)
    after = SCRIPT.resume_after(stored, folder, capsys)
    assert joined == [3 + 256, "snapshot-000000128", "snapshot-000000256"]  # first the seed
    assert after["steps"] == 512
    assert differing(after["learner"]["network"], stored["learner"]["network"])
    assert "shaping" not in read_card(folder / "policy.safetensors")  # it has decayed to 0
    # Once the budget is used, there is nothing more to learn.
    assert SCRIPT.resume(folder)["steps"] == 512


@pytest.mark.usefixtures("unmeasured")
def test_the_same_seed_gives_the_same_policy(tmp_path: Path) -> None:
    one, two = SCRIPT.train_twice(tmp_path, game="tzaar")
    for name, tensor in one["network"].items():
        assert np.allclose(tensor, two["network"][name], atol=1e-6), name
