"""The command line, from outside."""

import dataclasses
import json
import re
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import run_cli as run

import tzaar_envs
from tzaar_envs.arena import read_results
from tzaar_envs.cli.app import COMMANDS
from tzaar_envs.cli.terminal_game import load_saved_game
from tzaar_envs.envs.base import ENV_OPTIONS
from tzaar_envs.training.common.settings import Settings


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def error_of(*words: str) -> str:
    """Return the one line that a wrong command prints."""
    code, out, err = run(*words)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err.removeprefix("error: ").rstrip("\n")


# --- list and info --------------------------------------------------------------------------------


def test_help_names_every_command() -> None:
    code, out, _ = run("--help")
    assert code == 0
    for command in ("list", "info", "rules", "play", "evaluate", "train"):
        assert command in out


def test_the_list_tells_how_many_can_play() -> None:
    code, out, _ = run("list")
    assert code == 0
    assert re.search(r"twenty_one_v0 +2 to 6 ", out)
    assert re.search(r"tzaar_v0 +2 ", out)


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_info_has_the_whole_record(name: str) -> None:
    code, out, _ = run("info", name, columns=2000)  # so that no cell is broken into lines
    assert code == 0
    game = tzaar_envs.load_game(name)
    for option in (*game.spec.options, *ENV_OPTIONS):
        assert option.name in out
        assert option.allowed in out
    for block in game.layout.actions:
        assert block.name in out
    rows = [line.rstrip().split(maxsplit=3) for line in out.splitlines()]
    for numbers, plane in game.layout.numbered_planes():
        assert [numbers, plane.name, f"0-{plane.high}", plane.description] in rows
    for seat in game.layout.seat_names:
        assert seat in out
    assert "policy:PATH" in out


@pytest.mark.parametrize("command", ["list", *(f"info {name}" for name in tzaar_envs.list_games())])
def test_a_terminal_of_80_columns_breaks_no_word(command: str) -> None:
    _, wide, _ = run(*command.split())
    code, narrow, _ = run(*command.split(), columns=80)
    assert code == 0
    assert set(wide.split()) <= set(narrow.split())


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_rules_are_shown_as_a_whole(name: str) -> None:
    code, out, err = run("rules", name)
    assert (code, err) == (0, "")
    assert "You win " in out
    for section in ("3. A turn", "7.1 Legend", "10. Sources"):
        assert f"\n{section}" in out
    assert "<!--" not in out
    assert "```" not in out


# --- play -----------------------------------------------------------------------------------------


def test_play_save_and_resume(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    words = ("play", "turm_und_waechter", "--seed", "1", "--save", str(path))
    code, out, err = run(*words, typed="A7-B7-1\nquit\n")
    assert (code, err) == (0, "")
    assert "Red> " in out
    assert f"tzaar-envs play --resume {path}" in out
    before = load_saved_game(path)[0].moves
    code, out, _ = run("play", "--resume", str(path), typed="undo\n")
    assert code == 0
    assert f"Taken back: {len(before)} moves" in out
    assert load_saved_game(path)[0].moves == []
    assert "exists already" in error_of(*words)
    assert "GAME cannot be given with --resume" in error_of("play", "tzaar", "--resume", str(path))
    code, out, _ = run("play", "--resume", str(path), "--opponent", "random", typed="A7-B7-1\n")
    assert load_saved_game(path)[1] == "random"


# --- evaluate -------------------------------------------------------------------------------------


def test_a_gauntlet_ends_with_a_rating_on_the_ladder(tmp_path: Path) -> None:
    files = ("--out", str(tmp_path / "r.jsonl"), "--report", str(tmp_path / "r.html"))
    words = ("evaluate", "tzaar", "greedy", "random", "alphabeta:depth=1", "--gauntlet", *files)
    code, out, _ = run(*words, "--games", "4")
    assert code == 0
    found = re.search(r"greedy has the rating (\d+) ± (\d+) on the scale of the ladder", out)
    assert found is not None
    assert 200 < int(found[1]) < 1500
    assert "Sequential tests" in (tmp_path / "r.html").read_text(encoding="utf-8")
    games = len(read_results(tmp_path / "r.jsonl")[1])
    assert games == 8
    assert run(*words, "--games", "8")[0] == 0
    assert len(read_results(tmp_path / "r.jsonl")[1]) == 16


def test_evaluate_reports_and_writes(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    words = ("evaluate", "tzaar", "greedy", "random", "--games", "8", "--json", str(path))
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert "8 games, seed 0" in out
    assert f"The result is in {path}" in out
    assert len(json.loads(path.read_text())["games"]) == 8
    assert "exists already" in error_of(*words)


# --- train ----------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class Arguments(Settings):
    """Settings of a script.

    Attributes:
        goal: What to learn.
    """

    algorithm = "sb3"

    goal: str = ""


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Arguments]:
    """Put a script in the place of the training script; what it is called with."""
    received: list[Arguments] = []

    def train(arguments: Arguments) -> None:
        """Train a policy."""
        if arguments.steps == 0:
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
        received.append(arguments)

    script = types.ModuleType("script")
    script.MaskablePpoArguments = Arguments  # type: ignore[attr-defined]
    script.train = train  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tzaar_envs.training.sb3_maskable_ppo", script)
    monkeypatch.setattr("tzaar_envs.training.common.settings._tuned", lambda: {"accelerator": {}})
    return received


def test_train_takes_the_script_that_algo_names(trained: list[Arguments]) -> None:
    assert run("train", "--algo", "sb3", "tzaar", "--steps=7") == (0, "", "")
    assert run("train", "tzaar", "--algo=sb3", "--steps=7") == (0, "", "")
    assert trained == [Arguments.for_game("tzaar", steps=7)] * 2
    for command in (["train", "--help"], ["train", "--algo", "ppo", "--help"]):
        code, out, _ = run(*command)
        assert code == 0
        assert "--algo CHOICE" in out
        assert "ppo: PPO in self-play" in out
        assert ("from one decision of a player to its next" in out) == ("ppo" in command)
    for words in (["--algo=sarsa"], ["--algo", "sarsa"]):
        assert "there is no algorithm 'sarsa': use sb3, ppo" in error_of("train", "tzaar", *words)
    assert "--algo requires an argument. See tzaar-envs train --help" in error_of("train", "--algo")
    assert "did you mean 'tzaar'" in error_of("train", "--algo", "ppo", "tzar")


def test_train_resumes_with_the_script_that_made_the_run(
    trained: list[Arguments], tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"algorithm": "ppo", "arguments": 5}')
    assert "is not the configuration of a run" in error_of("train", "--resume", str(tmp_path))
    assert trained == []
    (tmp_path / "config.json").write_text(
        '{"algorithm": "sb3", "arguments": {"game": "tzaar", "option": ["o=1"], "steps": 7}}'
    )
    assert run("train", "--resume", str(tmp_path)) == (0, "", "")
    assert run("train", "tzaar_v0", "--resume", str(tmp_path), "--steps", "9") == (0, "", "")
    stored = Arguments(game="tzaar", option=("o=1",), steps=7, folder=tmp_path, resume=tmp_path)
    assert trained == [stored, dataclasses.replace(stored, steps=9)]
    assert "belongs to a run with --algo 'sb3', not with --algo 'ppo'" in error_of(
        "train", "--algo", "ppo", "--resume", str(tmp_path)
    )
    nowhere = str(tmp_path / "nowhere")
    assert "does not hold a run to resume" in error_of("train", "--resume", nowhere)
    (tmp_path / "config.json").write_text('{"algorithm": "sarsa"}')
    assert "there is no algorithm 'sarsa': use sb3, ppo" in error_of(
        "train", "--resume", str(tmp_path)
    )


# --- help and completion --------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_the_terminal(command: str, columns: int) -> None:
    code, out, err = run(*command.split(), "--help", columns=columns)
    assert (code, err) == (0, "")
    assert max(len(line.rstrip()) for line in out.splitlines()) <= columns
    assert "\N{HORIZONTAL ELLIPSIS}" not in out  # nothing is cut off


def test_what_a_person_can_ask_while_playing() -> None:
    code, out, err = run("play", "tzaar", typed="board\nrules\nrules 3\nhelp\nposition\nquit\n")
    assert (code, err) == (0, "")
    for words in ("6.2 The hole", "Action 1 must be a capture.", "list all legal moves"):
        assert words in out
    assert out.count("White to capture") == 2  # at first, and by `board`


def test_luck_is_taken_from_a_match() -> None:
    words = ("evaluate", "twenty_one", "greedy", "random")
    code, out, _ = run(*words, "--games", "4", "--luck", "reference")
    assert code == 0
    assert "without luck" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["play", ""], "tzaar\tTzaar"),
        (["train", ""], "zatre\tZatre"),
        (["evaluate", "tzaar", ""], "alphabeta"),
        (["play", "zatre", "--opponent", ""], "turn-search"),
    ],
)
def test_games_and_agents_are_completed(words: list[str], expected: str) -> None:
    code, out, _ = run("__complete", *words)
    assert code == 0
    assert expected in out.splitlines()


# --- Processes of their own -----------------------------------------------------------------------


def test_start_is_quick() -> None:
    """Neither the package nor the help imports what only some commands need."""
    code = (
        "import sys; import tzaar_envs; "
        "assert not {'cyclopts', 'rich', 'tzaar_envs.cli'} & set(sys.modules); "
        "import tzaar_envs.cli; assert not {'numba', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


# --- Files to write -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "evaluate tzaar random random --games 2 --json",
        "tournament tzaar random greedy --games 2 --report",
        "benchmark tzaar --json",
    ],
)
def test_a_file_that_cannot_be_written_is_named_before_the_work(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    flag = words.split()[-1]
    name = "file/result.html" if flag == "--report" else "file/result.png"
    assert error_of(*words.split(), name) == f"{flag} '{name}' cannot be written: File exists"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
