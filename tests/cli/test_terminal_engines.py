"""Persons play against other people's programs."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from command_line import run_cli

from tzaar_envs import load_game
from tzaar_envs.arena.history import HUMAN, GameHistory
from tzaar_envs.cli.terminal_game import TerminalGame, load_saved_game, start_history

GAME = load_game("turm_und_waechter")
SCRIPT = Path(__file__).parents[1] / "helpers" / "odd_engine.py"


def engine(kind: str) -> str:
    return f"engine:{shlex.join([sys.executable, '-I', '-S', str(SCRIPT), kind])}"


def play(path: Path, opponent: str, *lines: str) -> tuple[GameHistory, str]:
    """Return the game after these lines, and what the terminal showed."""
    shown: list[str] = []
    entered = iter([*lines, "quit"])
    history = start_history(GAME, 1, None, [HUMAN, opponent])
    TerminalGame(history, opponent, path, lambda prompt: next(entered), shown.append).run()
    return history, "\n".join(shown)


def test_an_engine_answers(tmp_path: Path) -> None:
    saved, shown = play(tmp_path / "game.jsonl", engine("noisy"), "A7-B7-1")
    assert len(saved.moves) == 2
    assert f"plays {saved.moves[1]}" in shown
    assert saved.data[1] is not None
    assert saved.data[1].nodes == 99


@pytest.mark.parametrize("kind", ["crash", "illegal"])
def test_an_engine_that_fails_has_lost_and_the_game_can_be_resumed(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.jsonl"
    saved, shown = play(path, engine(kind), "A7-B7-1")
    assert "Blue has lost the game: engine" in shown
    assert saved.moves == ["A7-B7-1"]
    assert load_saved_game(path)[0].moves == saved.moves


def test_a_saved_game_starts_no_program_that_nobody_has_named(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    opponent = engine("good")
    play(path, opponent, "A7-B7-1")
    code, _, err = run_cli("play", "--resume", str(path))
    assert code == 2
    assert "names a program or Python code, which runs only if you name it: resume with" in err
    assert shlex.quote(opponent) in err
    code, out, _ = run_cli("play", "--resume", str(path), "--opponent", opponent, typed="quit\n")
    assert code == 0
    assert "2 moves so far" in out
