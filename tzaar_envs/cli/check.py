"""The command `check`: what a game or an environment promises."""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt
from rich.text import Text

from tzaar_envs.cli.output import new_console, working
from tzaar_envs.command_line import FilePath, GameOptions, complete_game
from tzaar_envs.core.spec import GameSpec

EXIT_FOUND = 1


def check(
    name: Annotated[str, Parameter(name="NAME", completer=complete_game)],
    /,
    *,
    option: GameOptions = (),
    games: PositiveInt = 5,
    seed: NonNegativeInt = 0,
    playthrough: FilePath = None,
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
    from tzaar_envs.core.game import Game

    found = _find(name)
    if not isinstance(found, GameSpec):
        if option or playthrough:
            raise ValueError(
                f"{name} is no game of tzaar-envs: --option and --playthrough need one"
            )
        with working(f"checking {name}"):
            findings = testing.check_env(found, episodes=games, seed=seed)
    else:
        options = found.parse_options(option)
        file = playthrough if playthrough is not None and playthrough.exists() else None
        with working(f"checking {name}"):
            findings = testing.check_game(
                found, options if option else None, games=games, seed=seed, playthrough_file=file
            )
        if playthrough is not None and file is None and not findings:
            text = testing.playthrough(Game(found, **options), seed)
            playthrough.write_text(text, encoding="utf-8")
    console = new_console()
    for finding in findings:
        line = Text.assemble((finding.check, "bold"), str(finding).removeprefix(finding.check))
        console.print(line, soft_wrap=True)
    if findings:
        console.print(f"{name}: {len(findings)} finding{'s' if len(findings) > 1 else ''}")
        sys.exit(EXIT_FOUND)
    console.print(f"{name}: nothing found")


def _find(name: str) -> GameSpec | Callable[[], Any]:
    """Return the game, or the function that makes the environment."""
    from tzaar_envs.registry import NAMESPACE, find_spec

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
