"""The commands that the documentation shows can be given like that."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tzaar_envs.cli.app import make_app

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "tzaar_envs" / "cli" / "template").rglob("*.md.in")),
]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# In rows of tables, but not in their heads, and in lines of code.
OTHERS = re.compile(r"^(?:\| `| {4})(tzaar-envs [^`\n]*)(?!.*\n\|-)", re.MULTILINE)
PROGRAM = "tzaar-envs"


def commands(text: str) -> Iterator[str]:
    """Yield the commands of a page, each on one line."""
    for language, block in FENCED.findall(text):
        if language in ("", "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                _, found, rest = line.partition(f"{PROGRAM} ")
                if found:
                    yield found + rest
    yield from OTHERS.findall(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_have_arguments_that_exist(page: Path) -> None:
    for command in commands(page.read_text(encoding="utf-8")):
        words = shlex.split(re.split(r" [|<>] | && ", command)[0], comments=True)[1:]
        words = [{"N": "2", "NAME": "ppo"}.get(word, word) for word in words if word != "..."]
        with contextlib.suppress(ModuleNotFoundError):  # the library of a script
            make_app(words).parse_args(words)
