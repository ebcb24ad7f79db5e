"""The commands about games: `list`, `info`, `rules`, `check`, `new-game`."""

from __future__ import annotations

import functools
import importlib
import keyword
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt
from rich.text import Text

import tzaar_envs
from tzaar_envs.cli import common
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.registry import NAMESPACE, find_spec
from tzaar_envs.render.markdown import for_terminal
from tzaar_envs.rulebook import RulesPage


def list_games() -> None:
    """List the games."""
    games = [common.game_of(name) for name in tzaar_envs.list_games()]
    rows = [
        (
            game.spec.env_id,
            allowed.get("players", str(game.num_players)),
            str(game.num_actions),
            " x ".join(map(str, game.observation_shape)),
            str(game.max_plies),
            ", ".join(allowed) or "none",
        )
        for game in games
        for allowed in [{option.name: option.allowed for option in game.spec.options}]
    ]
    columns = ("environment", "players", "actions", "observation", "plies", "options")
    console = common.new_console()
    console.print(common.table_of(columns, rows, right=("players", "actions", "plies")))
    console.print()
    for spec in (game.spec for game in games):
        line = Text.assemble((spec.title, "bold"), f" ({spec.name}): {spec.summary}")
        console.print(line, soft_wrap=not console.is_terminal)
    console.print("\n`plies` is the length of the longest game. See also: tzaar-envs info GAME")


def info(name: common.GameName, /, *, option: common.GameOptions = ()) -> None:
    """Describe a game: options, actions, observation, agents."""
    from tzaar_envs.agents import agent_specs
    from tzaar_envs.envs.base import ENV_OPTIONS

    game = common.game_of(name, option)
    spec, layout = game.spec, game.layout
    console = common.new_console()
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
        ("options here", common.assignments(game.options) or "the game has none"),
    ]
    console.print(common.table_of(None, facts))
    option_columns = ("name", "default", "allowed", "description")
    if spec.options:
        common.print_section(
            console, "Options of the game", option_columns, _option_rows(spec.options)
        )
    common.print_section(
        console, "Options of the environment", option_columns, _option_rows(ENV_OPTIONS)
    )
    common.print_section(
        console,
        f"Actions: Discrete({game.num_actions})",
        ("block", "numbers", "description"),
        _action_rows(game),
    )
    common.print_section(
        console,
        f"Observation: int8 {' x '.join(map(str, game.observation_shape))}",
        ("plane" if layout.board_shape else "number", "name", "values", "description"),
        [
            (numbers, plane.name, f"0-{plane.high}", plane.description)
            for numbers, plane in layout.numbered_planes()
        ],
    )
    common.print_section(console, "Agents", ("name", "description"), agent_specs(spec).items())
    if ratings := spec.published_ratings():
        common.print_section(
            console,
            "Ladder: what agents have reached, in Elo (greedy has 1000) with 95 % intervals",
            ("agent", "Elo", "95 %", "over the next"),
            [
                (
                    agent,
                    f"{elo:.0f}",
                    f"± {half:.0f}",
                    "{:+.0f} ± {:.0f}".format(*lead) if lead else "",
                )
                for agent, (elo, half, *lead) in ratings.items()
            ],
        )


def _option_rows(options: Iterable[Option]) -> Iterator[tuple[str, ...]]:
    for option in options:
        yield option.name, repr(option.default), option.allowed, option.description


def _action_rows(game: Game) -> Iterator[tuple[str, ...]]:
    for numbers, block in game.layout.numbered_blocks():
        first, last = numbers[0], numbers[-1]
        yield block.name, f"{first}-{last}" if last > first else str(first), block.description


def rules(
    name: common.GameName, section: Annotated[str, Parameter(name="SECTION")] = "", /
) -> None:
    """Show the rules of a game, or one section of them.

    Args:
        section: Number of a section, such as 3.2, or a word of its title.
    """
    spec = find_spec(name)
    if spec.rules_page is None:
        raise ValueError(f"{name} has no page with rules: see tzaar-envs info {name}")
    page = RulesPage.read(spec.rules_page)
    text = page.find(section).text if section else page.text
    common.new_console().print(for_terminal(text))


def check(
    name: Annotated[str, Parameter(name="NAME", completer=common.complete_game)],
    /,
    *,
    option: common.GameOptions = (),
    games: PositiveInt = 5,
    seed: NonNegativeInt = 0,
    playthrough: common.FilePath = None,
) -> None:
    """Check a game, or any PettingZoo environment, with random games.

    The exit status is 1 if something is found.

    Args:
        name: Name of a game; or MODULE:NAME of a GameSpec, or of a function that makes a PettingZoo
            environment; or an id of PettingZoo's registry, such as classic/go-v5.
        games: Random games to play.
        seed: Seed of the first game.
        playthrough: Compare a game with this file; write it if it does not exist.
    """
    from tzaar_envs import testing

    found = _find(name)
    if not isinstance(found, GameSpec):
        if option or playthrough:
            raise ValueError(f"--option and --playthrough need a game of tzaar-envs, not {name}")
        with common.working(f"checking {name}"):
            findings = testing.check_env(found, episodes=games, seed=seed)
    else:
        options = found.parse_options(option)
        file = playthrough if playthrough is not None and playthrough.exists() else None
        with common.working(f"checking {name}"):
            findings = testing.check_game(
                found, options if option else None, games=games, seed=seed, playthrough_file=file
            )
        if playthrough is not None and file is None and not findings:
            text = testing.playthrough(Game(found, **options), seed)
            playthrough.write_text(text, encoding="utf-8")
    console = common.new_console()
    for finding in findings:
        line = Text.assemble((finding.check, "bold"), str(finding).removeprefix(finding.check))
        console.print(line, soft_wrap=True)
    if findings:
        console.print(f"{name}: {len(findings)} finding{'s' if len(findings) > 1 else ''}")
        sys.exit(1)
    console.print(f"{name}: no findings")


def _find(name: str) -> GameSpec | Callable[[], Any]:
    """Return the game, or the function that makes the environment."""
    if ":" in name:
        module, _, attribute = name.partition(":")
        sys.path.insert(0, os.getcwd())
        found = getattr(importlib.import_module(module), attribute, None)
        if not isinstance(found, GameSpec) and not callable(found):
            raise ValueError(f"{name}: {found!r} is neither a GameSpec nor a function")
        return found
    if "/" not in name or name.startswith(f"{NAMESPACE}/"):
        return find_spec(name)

    import pettingzoo

    registries = {"aec": pettingzoo.aec_registry, "parallel": pettingzoo.parallel_registry}
    for api, registry in registries.items():
        if name in registry:
            return functools.partial(pettingzoo.make, api, name)
    allowed = ", ".join(registries["aec"])
    raise ValueError(f"PettingZoo's registry has no environment {name!r}: use {allowed}")


def new_game(
    name: Annotated[str, Parameter(name="NAME")],
    folder: Annotated[Path | None, Parameter(name="FOLDER")] = None,
    /,
) -> None:
    """Write the package of a new game: rules to replace, tests, playthrough, entry point.

    Args:
        name: Name of the game: lower-case letters, digits and underscores.
        folder: Folder of the package; the name of the game by default.
    """
    if name in tzaar_envs.list_games():
        raise ValueError(f"there is a game {name!r} already: choose another name")
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(
            f"game name {name!r} is not allowed: use lower-case letters, digits and underscores, "
            "starting with a letter"
        )
    folder = folder or Path(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{str(folder)!r} is not an empty folder: choose another one")
    title = name.replace("_", " ").title()

    def filled(text: str) -> str:
        return text.replace("NAME", name).replace("TITLE", title)

    # A small complete game. Each file ends in `.in`, since it is no code yet.
    template = Path(__file__).with_name("template")
    for source in sorted(template.rglob("*.in")):
        target = folder / filled(str(source.relative_to(template).with_suffix("")))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(filled(source.read_text(encoding="utf-8")), encoding="utf-8")
        print(target)
    print(f'\nNext: cd {shlex.quote(str(folder))}; pip install -e ".[test]"; python -m pytest')
