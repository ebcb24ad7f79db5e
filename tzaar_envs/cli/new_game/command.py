"""The command `new-game`: a package to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tzaar_envs.cli.output import new_console


def new_game(
    name: Annotated[
        str, Parameter(name="NAME", help="Name of the game: letters, digits and underscores.")
    ],
    folder: Annotated[
        Path | None,
        Parameter(name="FOLDER", help="Folder of the package; the name of the game by default."),
    ] = None,
    /,
) -> None:
    """Write the package of a new game: rules to replace, tests, playthrough, entry point."""
    from tzaar_envs.cli.new_game import write_package
    from tzaar_envs.registry import list_games

    if name in list_games():
        raise ValueError(f"there is a game {name!r} already: choose another name")
    chosen = Path(name) if folder is None else folder
    console = new_console()
    for path in write_package(name, chosen):
        console.print(str(path), soft_wrap=True)
    console.print(f'\nNext: cd {chosen}; pip install -e ".[test]"; python -m pytest')
