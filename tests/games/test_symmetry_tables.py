"""The tables of a game's symmetries say what the texts of positions and actions say."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from games.test_symmetry import (
    TURM_SYMMETRIES,
    TZAAR_MAPS,
    ZATRE_MAPS,
    _tzaar_symmetry,
    _zatre_symmetry,
    positions_of_random_games,
)
from games.test_symmetry import Symmetry as TextSymmetry
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry, joined, plane_table
from tzaar_envs.core.state import State


def _turned(name: str) -> str:
    """Return what the table is called that the texts call `mirrored-60`, `60`, ..."""
    mirrored, _, degrees = name.rpartition("-")
    parts = ["mirror"] * bool(mirrored) + [f"turn_{degrees}"] * (degrees != "0")
    return "_".join(parts) or "identity"


TEXTS = {
    "turm_und_waechter": {
        "identity": TextSymmetry(str, str),
        "files": TURM_SYMMETRIES["files"],
        "ranks": TURM_SYMMETRIES["ranks-and-colours"],
        "half_turn": TURM_SYMMETRIES["half-turn-and-colours"],
    },
    "tzaar": {_turned(name): _tzaar_symmetry(at, swap=False) for name, at in TZAAR_MAPS.items()},
    "zatre": {_turned(name): _zatre_symmetry(at) for name, at in ZATRE_MAPS.items()},
}

CASES = [
    ("turm_und_waechter", {}),
    ("tzaar", {"setup": "random"}),
    ("tzaar", {"setup": "fixed"}),
    ("tzaar", {"setup": "tournament"}),
    ("zatre", {"players": 2}),
    ("zatre", {"players": 4}),
]


def assert_same_view(state: State, image: State, table: Symmetry) -> None:
    """Compare what all seats see of a position and of its image, and what is legal there."""
    seats = range(state.game.num_players)
    for seat, other in zip(seats, reversed(seats) if table.swaps_seats else seats, strict=True):
        expected = table.apply_to_observations(state.observation(seat))
        np.testing.assert_array_equal(image.observation(other), expected)
    np.testing.assert_array_equal(image.legal_mask(), table.apply_to_actions(state.legal_mask()))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_tables_commute_with_the_rules(name: str, options: dict[str, object]) -> None:
    """In the image the image of an action leads to the image of the next position."""
    game = tzaar_envs.load_game(name, **options)
    assert {table.name for table in game.symmetries} == set(TEXTS[name])
    for table in game.symmetries:
        text = TEXTS[name][table.name]
        assert table.swaps_seats == text.swaps_seats
        for position in positions_of_random_games(game, games=2, every=8):
            # A position that is read has no history, nor has its image.
            state = game.parse(str(position))
            image = game.parse(text.position(str(state)))
            assert_same_view(state, image, table)
            for action in state.legal_actions()[::7]:
                after, image_after = state.clone(), image.clone()
                after.apply(action)
                image_after.apply(int(table.images_of(action)), after.last_outcome)
                assert str(image_after) == text.position(str(after))
                assert_same_view(after, image_after, table)


@every_game
def test_tables_are_a_group_of_permutations(game: Game) -> None:
    tables = game.symmetries
    size = int(np.prod(game.observation_shape))
    assert tables[0].name == "identity"
    assert tables[0].observation.tolist() == list(range(size))
    assert tables[0].actions.tolist() == list(range(game.num_actions))
    found = {}
    for table in tables:
        assert sorted(table.observation) == list(range(size))
        assert sorted(table.actions) == list(range(game.num_actions))
        found[table.observation.tobytes() + table.actions.tobytes()] = table.swaps_seats
    assert len(found) == len(tables) == len({table.name for table in tables})
    for first, second in itertools.product(tables, repeat=2):
        observation = second.apply_to_observations(first.observation)
        actions = second.apply_to_actions(first.actions)
        swapped = found[observation.tobytes() + actions.tobytes()]
        assert swapped == (first.swaps_seats != second.swaps_seats)


def test_starting_second_is_no_symmetry_of_black_elephant() -> None:
    """Its mirrored board has the other starter, who loses a tie: a value no table can change."""
    game = tzaar_envs.load_game("black_elephant")
    names = [plane.name for plane in game.observation_planes]
    starter = names.index("starter")
    state = game.new_state(0)
    assert state.observation(0)[starter].all()
    assert not state.observation(1)[starter].any()


def test_batches_of_any_shape() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    table = game.symmetries[1]
    rng = np.random.default_rng(0)
    batch = rng.integers(0, 9, (2, 3, *game.observation_shape)).astype(np.int8)
    images = table.apply_to_observations(batch)
    assert images.dtype == np.int8
    np.testing.assert_array_equal(images, batch[..., ::-1])  # mirrored files
    flat = batch.reshape(2, 3, -1)
    np.testing.assert_array_equal(table.apply_to_observations(flat), images.reshape(2, 3, -1))
    policies = rng.random((2, 3, game.num_actions), np.float32)
    image_policies = table.apply_to_actions(policies)
    assert image_policies.dtype == np.float32
    best = policies.argmax(axis=-1)
    np.testing.assert_array_equal(image_policies.argmax(axis=-1), table.images_of(best))


def test_tables_of_planes_and_parts() -> None:
    swapped = plane_table(np.array([1, 0]), np.array([2, 0, 1]))
    assert swapped.tolist() == [5, 3, 4, 2, 0, 1]
    assert joined(np.array([1, 0]), np.array([0]), np.array([1, 0])).tolist() == [1, 0, 2, 4, 3]


def test_a_game_that_knows_its_symmetries_is_pickled() -> None:
    game = tzaar_envs.load_game("zatre", players=3)
    tables = game.symmetries
    copied = pickle.loads(pickle.dumps(game))
    for table, other in zip(tables, copied.symmetries, strict=True):
        np.testing.assert_array_equal(table.observation, other.observation)
