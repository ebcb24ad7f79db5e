"""What surrounds a command: its streams and their encoding, the shell, and the home folder."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_cli as run

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.arena import MatchResult

RULES, PLAY = "rules tzaar", "play twenty_one --save game.jsonl"
ENGINE = "engine turm_und_waechter --agent greedy"
CLOSED = (
    (RULES, "<&- >&- 2>&-", {0}),
    (RULES, "| true", {0, 1}),
    ("nonsense", "<&- >&- 2>&-", {2}),
    (PLAY, "<&- >&- 2>&-", {0}),
    (PLAY, "> /dev/full", {2}),
    ("evaluate tzaar random random --games 2", "> /dev/full", {2}),
    (ENGINE, "| true", {0, 1}),
)


def shell(line: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line with `tzaar-envs` in a shell."""
    program = f"{shlex.quote(sys.executable)} -m tzaar_envs"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("tzaar-envs", program)],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("command", "streams", "codes"), CLOSED)
def test_streams_that_are_closed(
    command: str, streams: str, codes: set[int], tmp_path: Path
) -> None:
    done = shell(f"tzaar-envs {command} {streams}", tmp_path)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    assert done.returncode in codes


@pytest.mark.parametrize("command", [RULES, PLAY, ENGINE])
def test_streams_of_any_encoding_where_engines_speak_utf_8(command: str, tmp_path: Path) -> None:
    typed = "printf 'protocol 1\\nposition über\\nquit\\n' | " * command.startswith("engine")
    coding = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = shell(f"{typed}tzaar-envs {command}", tmp_path, **coding)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert not typed or re.search("(?s)Turm & Wächter.*über", done.stdout.decode())


def test_the_home_folder_is_known_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    game = tzaar_envs.load_game("tzaar")
    assert game.spec.reference is not None
    (tmp_path / "p.safetensors").write_bytes(game.spec.reference.read_bytes())
    words = ["evaluate", "tzaar", "random", "greedy:policy=~/p.safetensors", "--games", "2"]
    code, _, err = run(*words, "--json=~/=.json")
    assert code == 0, err
    assert len(MatchResult.load(tmp_path / "=.json").games) == 2
    assert run("card", "~/p.safetensors")[0] == 0
    (tmp_path / "engine").symlink_to(sys.executable)
    make_agent("engine:~/engine", game)


def test_a_training_run_prints_commands_for_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    line = "train turm_und_waechter --algo ppo --steps 512 --minutes 0 --final-games 2 --width 8"
    more = "--evaluation-games 2 --num-envs 16 --rollout 16 --blocks 0 --folder"
    code, out, err = run(*line.split(), *more.split(), "my [run]'s")
    assert code == 0, err
    [play] = [text for text in out.splitlines() if "play against it" in text]
    words = shlex.split(play.partition("it  ")[2])
    assert words[-1] == 'policy:"my [run]\'s/policy.safetensors"'
    read = shell(f"printf '%s\\n' {play.partition('it  ')[2]}", tmp_path).stdout.decode()
    assert read.splitlines()[3:] == words[1:]  # after `python -m tzaar_envs`
    assert run(*words[1:])[0] == 0
