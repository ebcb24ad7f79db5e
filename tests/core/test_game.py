"""Game: sizes, options, equality, copies, and where states come from."""

from __future__ import annotations

from typing import Any

import pytest
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game

SIZES = [
    # game, options, seats, actions, shape of an observation, longest game
    ("turm_und_waechter", {}, 2, 1176, (22, 7, 7), 500),
    ("tzaar", {"setup": "random"}, 2, 487, (21, 9, 9), 109),
    ("tzaar", {"setup": "fixed"}, 2, 487, (21, 9, 9), 109),
    ("tzaar", {"setup": "tournament"}, 2, 730, (27, 9, 9), 169),
    ("black_elephant", {}, 2, 1618, (43, 7, 7), 500),
    ("twenty_one", {"players": 2}, 2, 66, (337,), 90),
    ("twenty_one", {"players": 3}, 3, 66, (470,), 120),
    ("twenty_one", {"players": 6}, 6, 66, (869,), 210),
    ("zatre", {"players": 2}, 2, 1350, (44, 15, 15), 121),
    ("zatre", {"players": 3}, 3, 1350, (52, 15, 15), 121),
    ("zatre", {"players": 4}, 4, 1350, (60, 15, 15), 121),
]


@pytest.mark.parametrize(("name", "options", "seats", "actions", "shape", "plies"), SIZES)
def test_sizes_of_the_rules_documents(
    name: str, options: dict[str, Any], seats: int, actions: int, shape: tuple[int, ...], plies: int
) -> None:
    game = tzaar_envs.load_game(name, **options)
    assert game.num_players == seats
    assert game.num_actions == actions
    assert game.observation_shape == shape
    assert game.max_plies == plies


def test_options_have_their_defaults_and_cannot_be_changed() -> None:
    game = tzaar_envs.load_game("tzaar")
    assert dict(game.options) == {"setup": "random"}
    assert game == tzaar_envs.load_game("tzaar", setup="random")
    with pytest.raises(TypeError):
        game.options["setup"] = "fixed"  # type: ignore[index]


@pytest.mark.parametrize("name", ["tzaar", "twenty_one", "zatre"])
def test_without_a_seed_every_start_is_another_one(name: str) -> None:
    game = tzaar_envs.load_game(name)
    assert len({str(game.new_state()) for _ in range(20)}) > 5


@every_game
def test_parsed_position_has_the_stream_of_its_seed(game: Game) -> None:
    text = str(game.new_state(1))
    first, second = game.parse(text, seed=4), game.parse(text, seed=4)
    first.restart()
    second.restart()
    assert first == second
