"""The tutorials about games of one's own do what they say, step by step."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>.*?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)```", re.DOTALL
)


def run(folder: Path, words: list[str], *, compiled: bool) -> subprocess.CompletedProcess[str]:
    """Run a command of the tutorial as a shell would in this environment."""
    program = {
        "python": [sys.executable],
        "tzaar-envs": [sys.executable, "-m", "tzaar_envs"],
    }[words[0]]
    settings = {**os.environ, "NUMBA_DISABLE_JIT": str(int(not compiled))}
    settings.pop("PYTHONPATH", None)
    return subprocess.run(
        [*program, *words[1:]],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


class Reader:
    """Somebody who does what the tutorial says."""

    def __init__(self, folder: Path, compiled: bool) -> None:
        self.folder = folder
        self.compiled = compiled
        self.old = ""
        self.commands = 0

    def do(self, mark: str, language: str, text: str) -> None:
        if language == "sh":
            for line in text.splitlines():
                self.command(shlex.split(line))
            return
        action, _, name = (mark or "").partition(" ")
        file = self.folder / name
        if action in ("write", "create"):
            assert file.exists() == (action == "write"), "files to write are there, others are not"
            file.write_text(text, encoding="utf-8")
        elif action == "append":
            file.write_text(f"{file.read_text(encoding='utf-8')}\n\n{text}", encoding="utf-8")
        elif action == "old":
            self.old = text.rstrip("\n")
        elif action == "new":
            content = file.read_text(encoding="utf-8")
            assert content.count(self.old) == 1
            file.write_text(content.replace(self.old, text.rstrip("\n")), encoding="utf-8")
        elif action == "finding":
            command = [*shlex.split("python -m pytest tests/test_promises.py -p no:cacheprovider")]
            done = run(self.folder, command, compiled=self.compiled)
            assert done.returncode == 1
            assert text.strip() in done.stdout

    def command(self, words: list[str]) -> None:
        self.commands += 1
        if words[0] == "cd":
            self.folder /= words[1]
        elif words[0] == "rm":
            (self.folder / words[1]).unlink()
        else:
            done = run(self.folder, words, compiled=self.compiled)
            assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "compiled"]
)
@pytest.mark.parametrize(
    ("page", "commands", "files"), [("connect_four.md", 9, 9), ("kuhn_poker.md", 5, 11)]
)
def test_the_tutorial_works(
    tmp_path: Path, page: str, commands: int, files: int, compiled: bool
) -> None:
    reader = Reader(tmp_path, compiled)
    blocks = BLOCK.findall((FOLDER / page).read_text(encoding="utf-8"))
    for mark, language, text in blocks:
        reader.do(mark, language, text)
    assert reader.commands == commands
    assert sum(mark.startswith(("write", "append")) for mark, *_ in blocks) == files
