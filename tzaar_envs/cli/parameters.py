"""What several commands take: their parameters, games with options, files to write."""

from __future__ import annotations

import string
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.completion import CompletionContext
from cyclopts.types import NonNegativeInt, PositiveInt

from tzaar_envs.core.game import Game
from tzaar_envs.registry import find_spec
from tzaar_envs.system.files import check_writable


def complete_agent(context: CompletionContext) -> Sequence[str]:
    """Return the agents of the game that was given."""
    from tzaar_envs.agents import agent_specs

    name = context["GAME"].raw
    if name is None:
        return []
    return [agent.rstrip(string.ascii_uppercase) for agent in agent_specs(find_spec(name))]


AgentPerSeat = Annotated[
    list[str],
    Parameter(
        name="AGENT...",
        help="One agent for each seat, see `tzaar-envs info GAME`.",
        completer=complete_agent,
    ),
]
Agents = Parameter(name="AGENT...", completer=complete_agent)
Agent = Parameter(metavar="AGENT", completer=complete_agent)
MatchSeed = Annotated[
    NonNegativeInt, Parameter(help="Seed of the games: the same seed gives the same games.")
]
Workers = Annotated[
    PositiveInt,
    Parameter(help="Number of worker processes; the games do not depend on it."),
]
OpeningPlies = Annotated[
    NonNegativeInt,
    Parameter(help="Random plies at the start of each game, before the agents move."),
]
MatchGames = Annotated[
    PositiveInt | None,
    Parameter(
        help="Number of games; a multiple of the number of seats. [default: 100 for each seat]"
    ),
]
RandomSeed = Annotated[
    NonNegativeInt | None,
    Parameter(help="Seed of all chance events and of the agents' choices. [default: random]"),
]
StartPosition = Annotated[
    str | None,
    Parameter(metavar="TEXT", help="Start position, in the notation of the game."),
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


def game_of(name: str, options: Sequence[str] = ()) -> Game:
    """Return the game with a name, with options given as `name=value`.

    Raises:
        ValueError: There is no such game, or an option is not allowed.
    """
    spec = find_spec(name)
    return Game(spec, **spec.parse_options(options))


def check_output(flag: str | None, path: Path | None, *, replace: bool = False) -> None:
    """Refuse a file that cannot be written, before the work is done.

    Args:
        flag: Option that names the file; None for an argument.
        path: The file, if there is one to write.
        replace: Whether a file that exists is replaced.

    Raises:
        ValueError: The file exists, or cannot be written.
    """
    if path is None:
        return
    given = f"{flag} {str(path)!r}" if flag else repr(str(path))
    if path.exists() and not replace:
        raise ValueError(f"{given} exists already: choose another name")
    if path.is_dir():
        raise ValueError(f"{given} is a folder: give the name of a file")
    try:
        check_writable(path)
    except OSError as error:
        raise ValueError(f"{given} cannot be written: {error.strerror}") from error
