"""The tutorials' code, as somebody who follows them types it."""

import re
import shlex
from pathlib import Path
from typing import Any

from command_line import run_cli

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LIBRARIES = ("TorchRL", "Tianshou", "RLlib")  # sections that need an extra


def sections(page: str) -> dict[str, str]:
    """Return the sections of a tutorial by their titles."""
    title, *parts = re.split(r"^## (.*)\n", (FOLDER / page).read_text("utf-8"), flags=re.MULTILINE)
    return {"": title} | dict(zip(parts[::2], parts[1::2], strict=True))


def run_section(text: str, names: dict[str, Any]) -> int:
    """Run the blocks of a section in the current folder; return how many there were."""
    blocks = BLOCK.findall(text)
    for language, code in blocks:
        if language == "python":
            exec(compile(code, "tutorial", "exec"), names)
            continue
        for command in code.replace("\\\n", " ").splitlines():
            program, *words = shlex.split(command, comments=True)
            assert program == "tzaar-envs", command
            code, _, errors = run_cli(*words)
            assert code == 0, (command, errors)
    return len(blocks)
