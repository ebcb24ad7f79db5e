"""Ctrl-C and its like in long commands: nothing is lost, nobody left behind, the last line clear.

The quick form interrupts each command once, in the middle of its work. The slow form does it at
`TZAAR_ENVS_INTERRUPTIONS` random moments, 20 by default, and resumes each time:

    python -m pytest tests/cli/test_interruptions.py -m slow
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from processes import eventually, members

import tzaar_envs
from tzaar_envs.arena import MatchResult, read_results
from tzaar_envs.cli.terminal_game import load_saved_game
from tzaar_envs.training.common.run import Checkpoint

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")

TIMES = int(os.environ.get("TZAAR_ENVS_INTERRUPTIONS", "20"))
GAME = "turm_und_waechter"

_EARLY = "Fatal Python error: init_"

Moment = float | Callable[["subprocess.Popen[str]"], bool] | None
"""When Ctrl-C comes: so many seconds after the start, as soon as this is true, or never."""


class Interrupted:
    """What a command had done when Ctrl-C ended it, or at its own end.

    Attributes:
        code: the exit status.
        output: of both streams.
    """

    def __init__(
        self, words: list[str], moment: Moment, typed: str = "", number: int = signal.SIGINT
    ) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "tzaar_envs", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},  # what is printed shows how far it is
        )
        assert process.stdin is not None
        try:
            if typed:
                process.stdin.write(typed)
                process.stdin.flush()
            if moment is None:
                process.stdin.close()
                process.stdin = None
            else:
                _wait_for(process, moment)
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    if number == signal.SIGTERM:
                        process.terminate()
                    else:
                        os.killpg(process.pid, number)  # as the terminal does
            self.output, _ = process.communicate(timeout=300)
        finally:
            process.kill()
        self.code = process.returncode
        self._stopped = 128 + number, -number
        assert eventually(lambda: not members(process.pid)), "a process is left behind"
        # Before Python has started a program, Ctrl-C ends it as any other process, or with a
        # complaint of the start itself.
        self.is_early = self.code == -signal.SIGINT or self.output.startswith(_EARLY)

    @property
    def last_line(self) -> str:
        """The last line that is not empty."""
        return next((line for line in reversed(self.output.splitlines()) if line), "")

    def check(self) -> None:
        """It ended by itself or by Ctrl-C, without a traceback."""
        if not self.is_early:
            assert "Traceback" not in self.output, self.output
            assert self.code in (0, self._stopped[0]), (self.code, self.output)

    def check_in_the_middle(self, last_line: str) -> None:
        """It was ended by Ctrl-C, without a traceback, and its last line begins like this."""
        # If Ctrl-C comes while Python executes a string, for instance as it makes a dataclass, it
        # ends itself by SIGINT at last, although the program goes on; shells show 130 for both.
        assert self.code in self._stopped, self.output
        assert "Traceback" not in self.output, self.output
        assert self.last_line.startswith(last_line), self.output


def _wait_for(process: subprocess.Popen[str], moment: float | Callable[..., bool]) -> None:
    if isinstance(moment, float):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        return
    while not moment(process):
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.02)


def _moments(seed: int, longest: float) -> list[float]:
    """Return seconds after the start, spread over loading and work alike."""
    rng = random.Random(seed)
    return [longest * rng.random() for _ in range(TIMES)]


def _duration(words: list[str], typed: str = "") -> float:
    """Return how long a command takes here until it has loaded everything."""
    start = time.monotonic()
    Interrupted(words, None, typed).check()
    return time.monotonic() - start


def _training(folder: Path) -> list[str]:
    """Return the command of a small training run."""
    words = ["train", GAME, "--algo", "ppo", "--folder", str(folder), "--minutes", "0"]
    words += ["--threads", "1", "--width", "8", "--evaluation-games", "2", "--final-games", "2"]
    return [*words, "--num-envs", "16", "--rollout", "16", "--blocks", "0"]


each_signal = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])


@each_signal
def test_evaluate_writes_what_is_finished(number: int, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    words = ["evaluate", GAME, "random", "random", "--games", "200000", "--workers", "2"]
    ended = Interrupted(
        [*words, "--json", str(path)],
        lambda process: len(members(process.pid)) > 3,
        number=number,
    )
    games = len(MatchResult.load(path).games)
    ended.check_in_the_middle(f"Interrupted after {games:,} of 200,000 games")


def test_benchmark_writes_what_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "speed.json"

    def has_begun(process: subprocess.Popen[str]) -> bool:
        assert process.stdout is not None
        return bool(process.stdout.readline())

    ended = Interrupted(["benchmark", GAME, "--json", str(path)], has_begun)
    ended.check_in_the_middle(f"The result is in {path}")
    assert "measurements" in json.loads(path.read_text())


def test_train_saves_a_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ended = Interrupted(
        [*_training(folder), "--evaluate-every", "0.001"],
        lambda process: (folder / "checkpoint.pt").exists(),
        number=signal.SIGTERM,
    )
    ended.check_in_the_middle(f"  tzaar-envs train --resume {folder}")
    steps = Checkpoint.read(folder / "checkpoint.pt").steps
    assert f"Stopped; saved as of step {steps:,}." in ended.output


def test_play_keeps_the_moves(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    state = tzaar_envs.load_game(GAME).new_state(1)
    move = state.action_name(int(state.legal_actions()[0]))
    ended = Interrupted(
        ["play", GAME, "--seat", "all", "--seed", "1", "--save", str(path)],
        lambda process: path.exists() and load_saved_game(path)[0].moves == [move],
        typed=f"{move}\n",
        number=signal.SIGTERM,
    )
    ended.check_in_the_middle(f"tzaar-envs play --resume {path}")


@each_signal
def test_a_sweep_lets_its_trial_save(number: int, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    words = ["sweep", GAME, "--algo", "ppo", "--minutes", "5", "--folder", str(tmp_path / "a b")]
    policy = tmp_path / "a b/trial-0000/policy.safetensors"
    ended = Interrupted(words, lambda process: policy.exists(), number=number)
    assert "Traceback" not in ended.output
    assert f"the same command with --folder '{tmp_path}/a b' continues" in ended.output
    process = _of_folder(policy.parent)
    assert eventually(lambda: not process())


def _of_folder(folder: Path) -> Callable[[], list[str]]:
    """Return a function that finds the processes with a folder among their words."""

    def found() -> list[str]:
        files = Path("/proc").glob("[0-9]*/cmdline")
        lines = []
        for file in files:
            with contextlib.suppress(OSError):
                lines.append(file.read_text())
        return [line for line in lines if str(folder) in line]

    return found


def test_what_nohup_ignores_ends_nothing(tmp_path: Path) -> None:
    words = ["-m", "tzaar_envs", "watch", GAME, "random", "random", "--delay", "0.01"]
    process = subprocess.Popen(
        ["nohup", sys.executable, *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=300)
    assert process.returncode == 0


@pytest.mark.slow
def test_tournament_at_random_moments(tmp_path: Path) -> None:
    def words(name: str) -> list[str]:
        out = str(tmp_path / name)
        settings = ["--games", "60", "--workers", "2", "--seed", "1", "--out", out]
        return ["tournament", GAME, "random", "greedy", "alphabeta:depth=1", *settings]

    longest = _duration(words("whole.jsonl"))
    kept = 0
    for moment in _moments(1, longest):
        Interrupted(words("cut.jsonl"), moment).check()
        if (tmp_path / "cut.jsonl").exists() and (tmp_path / "cut.jsonl").stat().st_size:
            with contextlib.suppress(ValueError):  # a torn header, which the next run replaces
                games = len(read_results(tmp_path / "cut.jsonl")[1])
                assert games >= kept
                kept = games
    last = Interrupted(words("cut.jsonl"), None)
    assert last.code == 0, last.output
    whole, cut = (
        sorted(map(_without_times, read_results(tmp_path / name)[1]))
        for name in ("whole.jsonl", "cut.jsonl")
    )
    assert cut == whole


def _without_times(game: Any) -> str:
    return str((game.match, game.actions, game.outcomes, game.returns))


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    folder, kept = tmp_path / "run", tmp_path / "run/checkpoint.pt"
    killed = Interrupted(
        [*_training(folder), "--evaluate-every", "0.05"],
        lambda process: kept.exists() and Checkpoint.read(kept).steps > 0,
        number=signal.SIGKILL,
    )
    assert killed.code == -signal.SIGKILL
    steps = Checkpoint.read(kept).steps
    resumed = Interrupted(["train", "--resume", str(folder), "--steps", str(steps + 2000)], None)
    assert resumed.code == 0, resumed.output
    assert f"Resuming after {steps:,} steps" in resumed.output
    assert Checkpoint.read(kept).steps >= steps + 2000
    assert (folder / "result_greedy.json").exists()
