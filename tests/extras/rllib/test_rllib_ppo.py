"""A whole run in small: train, interrupt, resume, measure."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from exploit import Exploit
from training_runs import Script, differing, evaluated_steps, every_game

from tzaar_envs.training.libraries.rllib_league import LEARNER
from tzaar_envs.training.rllib_ppo import Arguments, train

pytestmark = pytest.mark.usefixtures("local_ray")


SCRIPT = Script(
    train,
    Arguments,
    steps=300,
    imitation=200,
    imitation_passes=1,
    runners=0,
    num_envs=4,
    rollout=16,
    batch_size=32,
    epochs=1,
    width=4,
    blocks=0,
    snapshots=2,
    snapshot_every=100,
    evaluation_games=1,
    final_games=1,
)


@every_game
def test_a_run_leaves_a_policy_that_plays(
    tmp_path: Path,
    after_updates: Callable[[Callable[[Any, int], None]], None],
    assert_same_members: Callable[[Any], None],
    changes: dict[str, Any],
) -> None:
    folder = tmp_path / "run"
    compared = []

    def compare(league: Any, steps: int) -> None:
        compared.append(steps)
        assert_same_members(league)

    after_updates(compare)
    stored = SCRIPT.train(folder, **changes)["learner"]["league"]
    assert len(compared) >= 2

    versions = json.loads((folder / "config.json").read_text())["environment"]["versions"]
    assert "ray" in versions
    assert evaluated_steps(folder)[0] == 0
    SCRIPT.assert_left_a_policy_that_plays(folder, **changes)

    assert stored["record"]["snapshots"] == len(list((folder / "snapshots").iterdir())) >= 2
    assert differing(stored["weights"]["snapshot_0"], stored["weights"]["snapshot_1"])


def test_an_interrupted_run_goes_on(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    after_updates: Callable[[Callable[[Any, int], None]], None],
) -> None:
    folder = tmp_path / "run"
    rates: list[float] = []
    interrupted: list[int] = []

    def interrupt(league: Any, steps: int) -> None:
        rates.append(
            league.on_learner(lambda learner: learner.get_optimizer(LEARNER).param_groups[0]["lr"])
        )
        if steps >= 150 and not interrupted:
            interrupted.append(steps)
            raise KeyboardInterrupt

    after_updates(interrupt)
    stored = SCRIPT.train_until_stopped(folder, capsys, game="twenty_one")
    assert rates[0] == pytest.approx(1e-3)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < rates[0]
    assert 150 <= stored["steps"] == interrupted[0] < 300

    after = SCRIPT.resume_after(stored, folder, capsys)
    assert after["steps"] >= 300
    before, now = (run["learner"]["league"]["weights"][LEARNER] for run in (stored, after))
    assert differing(before, now)
    counts = [run["learner"]["league"]["optimizer"]["state"][0]["step"] for run in (stored, after)]
    assert counts[0] < counts[1]

    # What a checkpoint holds is not trusted.
    for name in ("snapshot_1", LEARNER):
        del after["learner"]["league"]["weights"][name]
        torch.save(after, folder / "checkpoint.pt")
        SCRIPT.assert_refuses_checkpoint(folder)
    torch.save(Exploit(tmp_path / "witness"), folder / "checkpoint.pt")
    SCRIPT.assert_refuses_checkpoint(folder)
    assert not (tmp_path / "witness").exists()


def test_the_same_seed_gives_the_same_policy(tmp_path: Path) -> None:
    one, two = (run["league"]["weights"] for run in SCRIPT.train_twice(tmp_path, game="twenty_one"))
    assert one.keys() == two.keys()
    for member, weights in one.items():
        assert not differing(weights, two[member]), member


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "tzar"}, "did you mean 'tzaar'"),
        ({"game": "tzaar", "runners": -1}, "runners=-1 is not allowed: use 0 to 10,000"),
        ({"game": "tzaar", "snapshots": 0}, "snapshots=0 is not allowed: use more than 0"),
        ({"game": "tzaar", "snapshot_wins": 1.5}, "snapshot_wins=1.5 is not allowed"),
    ],
)
def test_wrong_arguments(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    SCRIPT.assert_refuses(tmp_path / "run", changes, words)
