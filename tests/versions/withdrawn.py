"""Report of withdrawn releases, from what `pip install --report` says about them.

    python tests/versions/withdrawn.py report.json

The exit status is 1 if a release is withdrawn, else 3 if that is not known of every release.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOUND = 1
UNKNOWN = 3


def judge(report: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the releases that were withdrawn, and those of which that is not known.

    Files in a local folder, and releases of pip before 23.3, do not say it.
    """
    withdrawn, unknown = [], []
    for item in report["install"]:
        release = f"{item['metadata']['name']} {item['metadata']['version']}"
        if item.get("is_yanked"):
            withdrawn.append(release)
        elif "is_yanked" not in item or item["download_info"]["url"].startswith("file:"):
            unknown.append(release)
    return withdrawn, unknown


if __name__ == "__main__":
    withdrawn, unknown = judge(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    for release in withdrawn:
        print(f"withdrawn from the package index: {release}")
    if unknown:
        print(
            f"NOT CHECKED whether {len(unknown)} releases were withdrawn, since they come from a "
            f"local folder: {', '.join(unknown)}"
        )
    sys.exit(FOUND if withdrawn else UNKNOWN if unknown else 0)
