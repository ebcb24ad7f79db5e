"""The tables of a game's symmetries say what the texts of positions and actions say."""

from __future__ import annotations

import itertools
import pickle
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from random_games import random_game
from reference.tzaar_board import GRID, POINTS_OF_FILE
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry, joined, plane_table
from tzaar_envs.core.state import State


class TextSymmetry(NamedTuple):
    """How a symmetry changes the text of a position and of an action; chance stays the same."""

    position: Callable[[str], str]
    action: Callable[[str], str]
    swaps_seats: bool = False


def _mirror_files(text: str) -> str:
    board, rest = text.split(" ", 1)
    ranks = ["".join(re.findall("RG|BG|[rb][1-7]|[1-7]", rank)[::-1]) for rank in board.split("/")]
    return f"{'/'.join(ranks)} {rest}"


def _mirror_files_of_move(name: str) -> str:
    return name.translate(str.maketrans("ABCDEFG", "GFEDCBA"))


def _turn_colours(text: str) -> str:
    board, side, rest = text.split(" ", 2)
    swapped = str.maketrans("rbRB", "brBR")
    ranks = "/".join(board.split("/")[::-1])
    return f"{ranks.translate(swapped)} {side.translate(swapped)} {rest}"


def _flip_ranks_of_move(name: str) -> str:
    start, target, stones = name.split("-")
    return f"{start[0]}{8 - int(start[1])}-{target[0]}{8 - int(target[1])}-{stones}"


def _point_map(quarter: int, mirrored: bool) -> dict[str, str]:
    """Return where a turn by `quarter` * 60 degrees, after a reflection, takes each point."""
    at = {cell: name for name, cell in GRID.items()}
    image = {}
    for name, (i, j) in GRID.items():
        a, b = i - 4, j - 4
        if mirrored:
            a, b = b, a
        for _ in range(quarter):
            a, b = b, b - a
        image[name] = at[a + 4, b + 4]
    return image


def _tzaar_symmetry(points: dict[str, str]) -> TextSymmetry:
    def position(text: str) -> str:
        board, side, phase, reserve = text.split()
        stacks = dict(zip(points, re.split("[/,]", board), strict=True))
        moved = {points[name]: stack for name, stack in stacks.items()}
        files = [",".join(moved[name] for name in names) for names in POINTS_OF_FILE.values()]
        board = "/".join(files)
        return f"{board} {side} {phase} {reserve}"

    def action(name: str) -> str:
        return re.sub("[A-I][1-9]", lambda found: points[found[0]], name)

    return TextSymmetry(position, action)


ZATRE_FILES = "ABCDEFGHIJKLMNO"


def _cell_map(quarter: int, mirrored: bool) -> dict[str, str]:
    """Return where a turn by `quarter` * 90 degrees, after a reflection, takes each cell."""
    image = {}
    for row, column in itertools.product(range(15), repeat=2):
        across, down = column - 7, row - 7
        if mirrored:
            across = -across
        for _ in range(quarter):
            across, down = -down, across
        image[f"{ZATRE_FILES[column]}{row + 1}"] = f"{ZATRE_FILES[across + 7]}{down + 8}"
    return image


def _zatre_symmetry(cells: dict[str, str]) -> TextSymmetry:
    def names(text: str) -> str:
        return re.sub("[A-O][0-9]+", lambda found: cells[found[0]], text)

    def position(text: str) -> str:
        board, seat, hands, placed, pending, sheets = text.split()
        moved = dict(zip(cells.values(), board.replace("/", ""), strict=True))
        # A map of the cells has them row by row.
        ordered = [moved[cell] for cell in cells]
        rows = "/".join("".join(ordered[15 * row : 15 * row + 15]) for row in range(15))
        return f"{rows} {seat} {hands} {names(placed)} {names(pending)} {sheets}"

    return TextSymmetry(position, names)


def _name(mirrored: bool, degrees: int) -> str:
    parts = ["mirror"] * mirrored + [f"turn_{degrees}"] * (degrees > 0)
    return "_".join(parts) or "identity"


TEXTS = {
    "turm_und_waechter": {
        "identity": TextSymmetry(str, str),
        "files": TextSymmetry(_mirror_files, _mirror_files_of_move),
        "ranks": TextSymmetry(_turn_colours, _flip_ranks_of_move, swaps_seats=True),
        "half_turn": TextSymmetry(
            lambda text: _turn_colours(_mirror_files(text)),
            lambda name: _flip_ranks_of_move(_mirror_files_of_move(name)),
            swaps_seats=True,
        ),
    },
    "tzaar": {
        _name(mirrored, 60 * turns): _tzaar_symmetry(_point_map(turns, mirrored))
        for mirrored in (False, True)
        for turns in range(6)
    },
    "zatre": {
        _name(mirrored, 90 * turns): _zatre_symmetry(_cell_map(turns, mirrored))
        for mirrored in (False, True)
        for turns in range(4)
    },
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
        for position in random_game(game.new_state(1), np.random.default_rng(1))[::8]:
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
