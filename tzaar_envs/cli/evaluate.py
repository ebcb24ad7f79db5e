"""`tzaar-envs evaluate`: a match."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tzaar_envs.cli.errors import EXIT_INTERRUPTED
from tzaar_envs.cli.output import new_console, progress_of_matches, working
from tzaar_envs.cli.parameters import (
    GameName,
    GameOptions,
    MatchSeed,
    OpeningPlies,
    Workers,
    game_of,
    number,
)


def evaluate(
    name: GameName,
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT", help="One for each seat, see `tzaar-envs info GAME`."),
    ],
    games: Annotated[
        int | None,
        number("--games", 1, help="A multiple of the seats.", show_default="100 for each seat"),
    ] = None,
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 0,
    option: GameOptions = [],  # noqa: B006
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole result to this file.")
    ] = None,
) -> None:
    """Let agents play a match, every start once in each rotation of the seats.

    Ctrl-C ends the match; what is finished then is reported and written.
    """
    if json is not None and json.exists():
        raise ValueError(f"--json {str(json)!r} exists already: choose another name")
    with working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.arena import match_report, play_match
        from tzaar_envs.registry import find_spec

        game = game_of(find_spec(name), option)
        game.rules  # noqa: B018  # loaded here
    with progress_of_matches() as progress:
        result = play_match(
            game,
            agents,
            games if games is not None else 100 * game.num_players,
            seed=seed,
            workers=workers,
            opening_plies=opening_plies,
            progress=progress,
        )
    new_console().print(match_report(result))
    if json is not None:
        print(f"The result is in {result.save(json)}")
    if result.interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)
