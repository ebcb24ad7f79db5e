"""Report of releases with known vulnerabilities, from the JSON that pip-audit writes.

    python tests/versions/vulnerable.py audit.json

The exit status is 1 if a release has one, else 3 if not every release could be looked up.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOUND = 1
UNKNOWN = 3


def judge(audit: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the vulnerabilities as sentences, and the releases that were not looked up."""
    found, unknown = [], []
    for entry in audit["dependencies"]:
        if "skip_reason" in entry:
            unknown.append(str(entry["name"]))
        for flaw in entry.get("vulns", ()):
            fixed = ", ".join(flaw["fix_versions"]) or "no release yet"
            found.append(f"{entry['name']} {entry['version']}: {flaw['id']}, mended in {fixed}")
    return found, unknown


if __name__ == "__main__":
    path = Path(sys.argv[1])
    if not path.exists():
        print("NOT CHECKED for vulnerabilities at all: pip-audit says why above")
        sys.exit(UNKNOWN)
    found, unknown = judge(json.loads(path.read_text(encoding="utf-8")))
    for sentence in found:
        print(f"vulnerable: {sentence}")
    if unknown:
        print(
            f"NOT CHECKED for vulnerabilities, since the index has no list of them: "
            f"{', '.join(unknown)}"
        )
    sys.exit(FOUND if found else UNKNOWN if unknown else 0)
