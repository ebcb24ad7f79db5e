"""The commands about games: `list`, `info`, `rules`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

import tzaar_envs
from tzaar_envs.cli.output import (
    assignments,
    new_console,
    print_section,
    shape_text,
    table_of,
)
from tzaar_envs.cli.parameters import game_of
from tzaar_envs.command_line import GameName, GameOptions
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.registry import find_spec
from tzaar_envs.render.markdown import for_terminal
from tzaar_envs.rulebook import RulesPage


def list_games() -> None:
    """List the games."""
    games = [game_of(name) for name in tzaar_envs.list_games()]
    rows = [
        (
            game.spec.env_id,
            str(game.num_players),
            str(game.num_actions),
            shape_text(game.observation_shape),
            str(game.max_plies),
            ", ".join(option.name for option in game.spec.options) or "none",
        )
        for game in games
    ]
    columns = ("environment", "seats", "actions", "observation", "plies", "options")
    console = new_console()
    console.print(table_of(columns, rows, right=("seats", "actions", "plies")))
    console.print()
    for spec in (game.spec for game in games):
        line = Text.assemble((spec.title, "bold"), f" ({spec.name}): {spec.summary}")
        console.print(line, soft_wrap=not console.is_terminal)
    console.print("\n`plies` is the length of the longest game. See also: tzaar-envs info GAME")


def info(name: GameName, /, *, option: GameOptions = ()) -> None:
    """Describe a game: options, actions, observation, agents."""
    from tzaar_envs.agents import agent_specs
    from tzaar_envs.envs.base import ENV_OPTIONS

    game = game_of(name, option)
    spec, layout = game.spec, game.layout
    console = new_console()
    console.print(Text.assemble((spec.title, "bold"), f"  {spec.env_id}"))
    console.print(spec.summary)
    console.print()
    points = "no"
    if spec.score_unit is not None:
        points = f"yes; with reward='score' a lead of {spec.score_unit:g} points is a reward of 1"
    facts = [
        ("seats", ", ".join(f"{seat} {title}" for seat, title in enumerate(layout.seat_names))),
        ("longest game", f"{game.max_plies} plies"),
        ("chance", "yes" if spec.has_chance else "no"),
        ("hidden information", "yes" if spec.hidden_information else "no"),
        ("simultaneous", "yes" if spec.simultaneous else "no"),
        ("points", points),
        ("options here", assignments(game.options) or "the game has none"),
    ]
    console.print(table_of(None, facts))
    option_columns = ("name", "default", "allowed", "description")
    if spec.options:
        print_section(console, "Options of the game", option_columns, _option_rows(spec.options))
    print_section(console, "Options of the environment", option_columns, _option_rows(ENV_OPTIONS))
    print_section(
        console,
        f"Actions: Discrete({game.num_actions})",
        ("block", "numbers", "description"),
        _action_rows(game),
    )
    print_section(
        console,
        f"Observation: int8 {shape_text(game.observation_shape)}",
        ("plane" if layout.board_shape else "number", "name", "values", "description"),
        [
            (numbers, plane.name, f"0-{plane.high}", plane.description)
            for numbers, plane in layout.numbered_planes()
        ],
    )
    print_section(console, "Agents", ("name", "description"), agent_specs(spec).items())
    if ratings := published_ratings(spec):
        print_section(
            console,
            "Ladder: what agents have reached, in Elo with 95 % intervals",
            ("agent", "Elo", "95 %", "over the next"),
            [
                (
                    agent,
                    f"{elo:+.0f}",
                    f"± {half:.0f}",
                    "{:+.0f} ± {:.0f}".format(*lead) if lead else "",
                )
                for agent, (elo, half, *lead) in ratings.items()
            ],
        )


def published_ratings(spec: GameSpec) -> dict[str, list[float]]:
    """Return the ratings of a game's ladder in Elo, the best agent first; {} if unknown.

    An agent has its rating, half the width of the 95 % interval, and, except for the last one, the
    same of its lead over the next agent below. 0 is the agent that the ladder is anchored to.
    """
    if spec.ratings is None or not spec.ratings.exists():
        return {}
    ratings: dict[str, list[float]] = json.loads(spec.ratings.read_text())["ratings"]
    return ratings


def _option_rows(options: Iterable[Option]) -> Iterator[tuple[str, ...]]:
    for option in options:
        yield option.name, repr(option.default), option.allowed, option.description


def _action_rows(game: Game) -> Iterator[tuple[str, ...]]:
    first = 0
    for block in game.layout.actions:
        last = first + game.layout.block_size(block) - 1
        yield block.name, f"{first}-{last}" if last > first else str(first), block.description
        first = last + 1


def rules(name: GameName, section: Annotated[str, Parameter(name="SECTION")] = "", /) -> None:
    """Show the rules of a game, or one section of them.

    Args:
        section: Number of a section, such as 3.2, or a word of its title.
    """
    spec = find_spec(name)
    if spec.rules_page is None:
        raise ValueError(f"{name} has no page with rules: see tzaar-envs info {name}")
    page = RulesPage.read(spec.rules_page)
    try:
        text = page.find(section).text if section else page.text
    except ValueError as error:  # errors of commands are one line
        first, *titles = str(error).splitlines()
        raise ValueError(f"{first} {'; '.join(titles)}") from error
    new_console().print(for_terminal(text))
