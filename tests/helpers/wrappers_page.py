"""The examples on the page about wrappers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

TEXT = (Path(__file__).parents[2] / "docs" / "wrappers.md").read_text(encoding="utf-8")


def run_example(heading: str) -> dict[str, Any]:
    """Run the code under a heading as it stands, and return its names."""
    section = TEXT.partition(f"### {heading}\n")[2].partition("\n##")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, "wrappers.md", "exec"), names)
    return names
