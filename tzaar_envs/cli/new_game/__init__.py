"""The command `new-game`: a package of a game of your own, to begin with.

The files in `template` are a small complete game. Each ends in `.in`, since it is no code yet:
`NAME` and `TITLE` are replaced.
"""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tzaar_envs.cli.output import new_console
from tzaar_envs.registry import list_games

_TEMPLATE = Path(__file__).with_name("template")


def new_game(
    name: Annotated[str, Parameter(name="NAME")],
    folder: Annotated[Path | None, Parameter(name="FOLDER")] = None,
    /,
) -> None:
    """Write the package of a new game: rules to replace, tests, playthrough, entry point.

    Args:
        name: Name of the game: letters, digits and underscores.
        folder: Folder of the package; the name of the game by default.
    """
    if name in list_games():
        raise ValueError(f"there is a game {name!r} already: choose another name")
    chosen = Path(name) if folder is None else folder
    console = new_console()
    for path in write_package(name, chosen):
        console.print(str(path), soft_wrap=True)
    console.print(f'\nNext: cd {chosen}; pip install -e ".[test]"; python -m pytest')


def write_package(name: str, folder: Path) -> list[Path]:
    """Write the package of a new game.

    Args:
        name: Name of the game and its package: lower-case letters, digits and underscores.
        folder: Where the package goes; it may exist, but must be empty.

    Returns:
        The files that were written.

    Raises:
        ValueError: A name that is not allowed, or a folder that is not empty.
    """
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        raise ValueError(
            f"game name {name!r} is not allowed: use lower-case letters, digits and underscores, "
            "starting with a letter"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{str(folder)!r} is not an empty folder: choose another one")
    title = " ".join(word.capitalize() for word in name.split("_"))

    def filled(text: str) -> str:
        return text.replace("NAME", name).replace("TITLE", title)

    written = []
    for source in sorted(_TEMPLATE.rglob("*.in")):
        target = folder / filled(str(source.relative_to(_TEMPLATE).with_suffix("")))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(filled(source.read_text(encoding="utf-8")), encoding="utf-8")
        written.append(target)
    return written
