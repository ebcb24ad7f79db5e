"""Parameters that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tzaar_envs.cli.arguments import number_reader
from tzaar_envs.core.spec import GameSpec

if TYPE_CHECKING:
    from tzaar_envs.core.game import Game


def number(flag: str, minimum: int, **settings: Any) -> Any:
    """Return an option that takes an integer, `minimum` or more."""
    return typer.Option(flag, parser=number_reader(flag, int, minimum), metavar="N", **settings)


MatchSeed = Annotated[int, number("--seed", 0, help="Fixes all games.")]
Workers = Annotated[int, number("--workers", 1, help="Processes; they do not change the games.")]
OpeningPlies = Annotated[
    int, number("--opening-plies", 0, help="Random plies before the agents take over.")
]


GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game, see `tzaar-envs list`.")]
PolicyPath = Annotated[Path, typer.Argument(metavar="POLICY", help="The file of a saved policy.")]
GameOptions = Annotated[
    list[str],
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the game, see `tzaar-envs info GAME`; can be repeated.",
    ),
]


def game_of(spec: GameSpec, texts: list[str]) -> Game:
    """Return the game with options given as `name=value`."""
    from tzaar_envs.core.game import Game

    return Game(spec, **spec.parse_options(texts))
