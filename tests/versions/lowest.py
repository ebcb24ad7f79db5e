"""Constraints for pip: the lowest version of everything that pyproject.toml names with one.

    python tests/versions/lowest.py sb3 test > lowest.txt

The arguments are the extras whose requirements are added to those of the package itself.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?>=(?P<lowest>[0-9.]+)")


def lowest_versions(extras: Iterable[str]) -> Iterator[str]:
    """Yield `name==version` for each dependency with a lowest version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = list(project["dependencies"])
    for extra in extras:
        requirements += project["optional-dependencies"][extra]
    for match in filter(None, map(_REQUIREMENT.match, requirements)):
        yield f"{match['name']}=={match['lowest']}"


if __name__ == "__main__":
    print(*lowest_versions(sys.argv[1:]), sep="\n")
