"""What several commands share: their look, options, files to write, tables, progress."""

from __future__ import annotations

import os
import string
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.completion import CompletionContext
from cyclopts.types import NonNegativeInt, PositiveInt
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from tzaar_envs.core.game import Game
from tzaar_envs.registry import find_spec, list_games

PROGRAM = "tzaar-envs"
_PIPE_WIDTH = 100

# --- Options --------------------------------------------------------------------------------------


def complete_game(_: CompletionContext) -> Mapping[str, str]:
    """Return the games with their titles."""
    return {name: find_spec(name).title for name in list_games()}


def complete_agent(context: CompletionContext) -> Sequence[str]:
    """Return the agents of the game that was given."""
    from tzaar_envs.agents import agent_specs

    name = context["GAME"].raw
    if name is None:
        return []
    return [agent.rstrip(string.ascii_uppercase) for agent in agent_specs(find_spec(name))]


FilePath = Annotated[Path | None, Parameter(metavar="FILE")]
GameName = Annotated[
    str,
    Parameter(
        name="GAME", help="Name of the game, see `tzaar-envs list`.", completer=complete_game
    ),
]
GameOptions = Annotated[
    tuple[str, ...],
    Parameter(
        name=("--option", "-o"),
        metavar="NAME=VALUE",
        help="Option of the game, see `tzaar-envs info GAME`; can be repeated.",
    ),
]
Agents = Parameter(name="AGENT...", completer=complete_agent)
Agent = Parameter(metavar="AGENT", completer=complete_agent)
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
        help="Subtract the luck of dice and tiles from the ratings, by the values of this policy: "
        "its file, or `reference`.",
    ),
]
JsonPath = Annotated[
    Path | None,
    Parameter(
        name="--json",
        metavar="FILE",
        help="JSON file for all games and the summaries; without luck.",
    ),
]


@Parameter(name="*", help="How games are played.")
@dataclass(frozen=True, kw_only=True)
class MatchSettings:
    """Options of the games of matches.

    Attributes:
        seed: Seed of the games: the same seed gives the same games.
        workers: Number of worker processes; the games do not depend on it.
        opening_plies: Random plies at the start of each game, before the agents move.
    """

    seed: NonNegativeInt = 0
    workers: PositiveInt = 1
    opening_plies: NonNegativeInt = 0


MATCH = MatchSettings()
"""The default settings of matches."""


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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise ValueError(f"{given} cannot be written: {error.strerror}") from error


# --- Output ---------------------------------------------------------------------------------------


def new_console() -> Console:
    """Return the console for tables, which are wider in a file or a pipe."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console


def has_colours() -> bool:
    """Whether the output shows colours."""
    console = Console()
    return console.color_system is not None and not console.no_color


def working(text: str = "Loading the rules; they are compiled at the first use") -> Status:
    """Return a context that shows on a terminal that something takes a while."""
    return Console(stderr=True).status(Text(text))


def table_of(
    columns: Sequence[str] | None, rows: Iterable[Sequence[str]], right: Sequence[str] = ()
) -> Table:
    """Return a table of plain text; nothing in it is read as markup."""
    rows = list(rows)
    table = Table(box=None, pad_edge=False, show_header=columns is not None, header_style="bold")
    for column in [""] * len(rows[0]) if columns is None else columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def print_section(
    console: Console, title: str, columns: Sequence[str] | None, rows: Iterable[Sequence[str]]
) -> None:
    """Print a table under a heading."""
    console.print()
    console.print(Text(title, "bold underline"))
    console.print(table_of(columns, rows))


def assignments(values: Mapping[str, Any]) -> str:
    """Return `name=value, …`."""
    return ", ".join(f"{name}={value}" for name, value in values.items())
