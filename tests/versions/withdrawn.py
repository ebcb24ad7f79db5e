"""Report of withdrawn releases, from what `pip install --report` says about them.

python tests/versions/withdrawn.py report.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def withdrawn(report: dict[str, Any]) -> list[str]:
    """Return the releases that were withdrawn, as `name version`."""
    found = [item for item in report["install"] if item["is_yanked"]]
    return [f"{item['metadata']['name']} {item['metadata']['version']}" for item in found]


if __name__ == "__main__":
    releases = withdrawn(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    for release in releases:
        print(f"withdrawn from the package index: {release}")
    sys.exit(bool(releases))
