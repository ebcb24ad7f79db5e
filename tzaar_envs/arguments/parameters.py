"""Parameters that several commands share, and how they are shown and completed."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Group, Parameter
from cyclopts.validators import Number

from tzaar_envs.core.spec import GameSpec
from tzaar_envs.system.files import check_writable

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

    from tzaar_envs.core.game import Game

HELP_FLAGS = ("--help", "-h")


def new_app(name: str, **settings: Any) -> App:
    """Return an application with the look that all commands share."""
    return App(
        name=name,
        help_flags=HELP_FLAGS,
        help_format="plaintext",
        group_commands=Group("Commands", sort_key=0),
        group_arguments=Group("Arguments", sort_key=1),
        group_parameters=Group("Options", sort_key=2),
        default_parameter=Parameter(negative=(), show_default=_shown_default),
        **settings,
    )


def _shown_default(value: Any) -> str | None:
    """Return a default as the help shows it; None where there is nothing to show."""
    if value is None or value is False or value in ("", ()):
        return None
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def complete_game(_: CompletionContext) -> Mapping[str, str]:
    """Return the games with their titles."""
    from tzaar_envs.registry import find_spec, list_games

    return {name: find_spec(name).title for name in list_games()}


def complete_agent(context: CompletionContext) -> Sequence[str]:
    """Return the agents of the game that was given."""
    from tzaar_envs.agents import agent_specs
    from tzaar_envs.registry import find_spec

    name = context["GAME"].raw
    if name is None:
        return []
    return [agent.rstrip(string.ascii_uppercase) for agent in agent_specs(find_spec(name))]


def agents_at_seats(help: str) -> Parameter:
    """Return an argument that takes the agents of a game."""
    return Parameter(
        name="AGENT...", help=f"{help}, see `tzaar-envs info GAME`.", completer=complete_agent
    )


def number(help: str, minimum: int, **settings: Any) -> Parameter:
    """Return an option that takes a number, `minimum` or more."""
    return Parameter(help=help, validator=Number(gte=minimum), **settings)


MatchSeed = Annotated[int, number("Seed of the games: the same seed gives the same games.", 0)]
Workers = Annotated[int, number("Number of worker processes; the games do not depend on it.", 1)]
OpeningPlies = Annotated[
    int, number("Random plies at the start of each game, before the agents move.", 0)
]
MatchGames = Annotated[
    int | None,
    number(
        "Number of games; a multiple of the number of seats.",
        1,
        show_default="100 for each seat",
    ),
]
AgentPerSeat = Annotated[list[str], agents_at_seats("One agent for each seat")]
RandomSeed = Annotated[
    int | None,
    number("Seed of all chance events and of the agents' choices.", 0, show_default="random"),
]
StartPosition = Annotated[
    str | None,
    Parameter(metavar="TEXT", help="Start position, in the notation of the game."),
]
GameName = Annotated[
    str,
    Parameter(
        name="GAME",
        help="Name of the game, see `tzaar-envs list`.",
        completer=complete_game,
    ),
]
PolicyPath = Annotated[
    Path,
    Parameter(
        name="POLICY",
        help="File of a saved policy, or `reference`: the one that comes with a game.",
    ),
]
PolicyGame = Annotated[
    str | None,
    Parameter(
        name="--game",
        metavar="GAME",
        help="The game whose `reference` is meant.",
        completer=complete_game,
    ),
]
LuckPolicy = Annotated[
    str | None,
    Parameter(
        metavar="POLICY",
        help="Take the luck of dice and tiles from the results, as the values of a policy tell it: "
        "its file, or `reference`.",
    ),
]
JsonPath = Annotated[
    Path | None,
    Parameter(name="--json", metavar="FILE", help="JSON file for the whole result."),
]
GameOptions = Annotated[
    tuple[str, ...],
    Parameter(
        name=("--option", "-o"),
        metavar="NAME=VALUE",
        help="Option of the game, see `tzaar-envs info GAME`; can be repeated.",
    ),
]


def game_of(spec: GameSpec, texts: Sequence[str]) -> Game:
    """Return the game with options given as `name=value`."""
    from tzaar_envs.core.game import Game

    return Game(spec, **spec.parse_options(texts))


def check_free(flag: str | None, path: Path | None) -> None:
    """Refuse to overwrite a file, and one that cannot be written, before the work is done.

    Raises:
        ValueError: the file exists, or cannot be written.
    """
    if path is None:
        return
    if path.exists():
        raise ValueError(f"{_given(flag, path)} exists already: choose another name")
    check_output(flag, path)


def check_output(flag: str | None, path: Path | None) -> None:
    """Refuse a file that cannot be written, before the work is done; one that exists is replaced.

    Raises:
        ValueError: the file cannot be written.
    """
    if path is None:
        return
    if path.is_dir():
        raise ValueError(f"{_given(flag, path)} is a folder: give the name of a file")
    try:
        check_writable(path)
    except OSError as error:
        raise ValueError(f"{_given(flag, path)} cannot be written: {error.strerror}") from error


def _given(flag: str | None, path: Path) -> str:
    return f"{flag} {str(path)!r}" if flag else repr(str(path))
