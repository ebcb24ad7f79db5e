"""Every registered game with variants of its options, read from the games' records."""

from __future__ import annotations

from typing import Any

import pytest

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.base import ENV_OPTIONS
from tzaar_envs.registry import find_spec
from tzaar_envs.testing.check_game import variants


def _label(name: str, options: dict[str, Any]) -> str:
    return "-".join([name, *(f"{key}={str(value)[:20]}" for key, value in options.items())])


GAMES = [
    tzaar_envs.load_game(name, **options)
    for name in tzaar_envs.list_games()
    for options in variants(find_spec(name).options)
]
GAME_IDS = [_label(game.name, dict(game.options)) for game in GAMES]


def find_game(name: str, **options: Any) -> Game:
    """Return one of `GAMES`, the first of a name that has these options."""
    return next(
        game
        for game in GAMES
        if game.name == name and options.items() <= dict(game.options).items()
    )


every_game = pytest.mark.parametrize("game", GAMES, ids=GAME_IDS)
"""Runs a test with each `game`: every registered game with the variants of its options."""

DEFAULTS = {option.name: option.default for option in ENV_OPTIONS}
ENV_VARIANTS = [
    {name: value for name, value in variant.items() if value != DEFAULTS[name]}
    for variant in variants(ENV_OPTIONS)
    if variant["render_mode"] != "human"
]
"""No option of the environment, and each other value of each of them alone.

Without the window, which takes its time for every picture: tests/envs/test_pictures.py has it.
"""

# With the options of the environment, two games of each kind that they concern are enough: with
# points and without, with two players and with more.
_PAIRINGS = [(game, ENV_VARIANTS[0]) for game in GAMES] + [
    (game, variant)
    for variant in ENV_VARIANTS[1:]
    for game in (find_game("tzaar"), find_game("zatre", players=4))
]

every_game_and_env_variant = pytest.mark.parametrize(
    ("game", "variant"),
    _PAIRINGS,
    ids=[_label(_label(game.name, dict(game.options)), variant) for game, variant in _PAIRINGS],
)
"""Runs a test with each `game`, and with each `variant` of the environment's keyword arguments.

They are not multiplied with each other: every game comes with no variant, each variant with two of
the games.
"""


def make_env(game: Game, **env_options: Any) -> GameEnv:
    """Return the environment of a game with its options."""
    return tzaar_envs.make(game.name, **game.options, **env_options)
