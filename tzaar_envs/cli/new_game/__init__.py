"""New games: a package of a game of your own, to begin with.

The files in `template` are a small complete game. Each ends in `.in`, since it is no code yet:
`NAME` and `TITLE` are replaced.
"""

from __future__ import annotations

import keyword
from pathlib import Path

_TEMPLATE = Path(__file__).with_name("template")


def write_package(name: str, folder: Path) -> list[Path]:
    """Write the package of a new game.

    Args:
        name: of the game and its package: lower-case letters, digits and underscores.
        folder: where the package goes; it may exist, but must be empty.

    Returns:
        The files that were written.

    Raises:
        ValueError: a name that is not allowed, or a folder that is not empty.
    """
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        raise ValueError(
            f"game name {name!r} is not allowed: use lower-case letters, digits and underscores, "
            "starting with a letter"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{str(folder)!r} is not an empty folder: choose another one")
    written = []
    for source in sorted(_TEMPLATE.rglob("*.in")):
        parts = source.relative_to(_TEMPLATE).with_suffix("").parts
        target = folder.joinpath(*(_filled(part, name) for part in parts))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_filled(source.read_text(encoding="utf-8"), name), encoding="utf-8")
        written.append(target)
    return written


def _filled(text: str, name: str) -> str:
    title = " ".join(word.capitalize() for word in name.split("_"))
    return text.replace("NAME", name).replace("TITLE", title)
