"""Every registered game with every combination of its options, read from the games' records."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

import tzaar_envs
from tzaar_envs.core.env import ENV_OPTIONS, GameEnv
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import Option
from tzaar_envs.registry import find_spec


def values_of(option: Option) -> list[Any]:
    """Return all values of an option, or of a number the least, the default and the greatest."""
    if option.choices:
        return list(option.choices)
    if option.type is bool:
        return [False, True]
    numbers = {option.minimum, option.default, option.maximum} - {None}
    return sorted(numbers)


def combinations(options: Iterable[Option]) -> Iterator[dict[str, Any]]:
    """Yield every combination of values."""
    options = list(options)
    for values in itertools.product(*map(values_of, options)):
        yield dict(zip([option.name for option in options], values, strict=True))


def _label(name: str, options: dict[str, Any]) -> str:
    return "-".join([name, *(f"{key}={value}" for key, value in options.items())])


GAMES = [
    tzaar_envs.load_game(name, **options)
    for name in tzaar_envs.list_games()
    for options in combinations(find_spec(name).options)
]
GAME_IDS = [_label(game.name, dict(game.options)) for game in GAMES]

every_game = pytest.mark.parametrize("game", GAMES, ids=GAME_IDS)
"""Runs a test with each `game`: every registered game, every combination of its options."""

ENV_VARIANTS = [{}] + [
    {option.name: value}
    for option in ENV_OPTIONS
    for value in values_of(option)
    if value != option.default
]
"""No option of the environment, and each other value of each of them alone."""

every_env_variant = pytest.mark.parametrize(
    "variant", ENV_VARIANTS, ids=[_label("env", variant) for variant in ENV_VARIANTS]
)
"""Runs a test with each `variant`: the keyword arguments of one of `ENV_VARIANTS`."""


def make_env(game: Game, **env_options: Any) -> GameEnv:
    """Return the environment of a game with its options."""
    return tzaar_envs.make(game.name, **game.options, **env_options)
