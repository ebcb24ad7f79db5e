"""The engines on the page about engines play."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tzaar_envs import load_game
from tzaar_envs.arena import play_match

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")
GAME = load_game("twenty_one")


def block(language: str) -> str:
    """Return the first block of code in a language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found is not None
    assert len(found[1].splitlines()) == 10
    return found[1]


def play(command: str) -> None:
    result = play_match(GAME, [f"engine:{command}", "random"], 2)
    assert [record.forfeit for record in result.games] == [None, None]


def test_the_python_engine_plays(tmp_path: Path) -> None:
    script = tmp_path / "ten_lines.py"
    script.write_text(block("python"))
    play(shlex.join([sys.executable, str(script)]))


@pytest.mark.compiler
def test_the_cpp_engine_plays(tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    assert compiler is not None
    source, program = tmp_path / "ten_lines.cpp", tmp_path / "ten_lines"
    source.write_text(block("cpp"))
    subprocess.run(
        [compiler, "-O2", "-Wall", "-Werror", "-o", str(program), str(source)], check=True
    )
    play(shlex.quote(str(program)))


def test_our_engine_answers_as_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)[-1]
    exec(compile(code, "engines.md", "exec"), {})
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "id name greedy (Tzaar)"
    assert out[-1].startswith("bestmove ")
