"""Mirrored positions have mirrored actions and mirrored results."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from reference import tzaar as tzaar_reference

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


class Symmetry(NamedTuple):
    """How a symmetry changes the text of a position and of an action."""

    position: Callable[[str], str]
    action: Callable[[str], str]
    swaps_seats: bool = False


def positions_of_random_games(game: Game, games: int, every: int) -> Iterator[State]:
    for seed in range(games):
        choices = random.Random(seed)
        state = game.new_state(seed)
        while not state.is_terminal:
            if choices.randrange(every) == 0:
                yield state
            state.apply(choices.choice(state.legal_actions()))
        yield state


def assert_symmetric(state: State, symmetry: Symmetry) -> None:
    """Compare the actions, all successors and the results of a position and its image."""
    image = state.game.parse(symmetry.position(str(state)))
    names = {state.action_name(action) for action in state.legal_actions()}
    image_names = {image.action_name(action) for action in image.legal_actions()}
    assert {symmetry.action(name) for name in names} == image_names
    order = slice(None, None, -1 if symmetry.swaps_seats else 1)
    assert image.returns().tolist() == state.returns()[order].tolist()
    assert image.is_terminal == state.is_terminal
    # A position that is read has no history, so its successors are compared with those of the text.
    alone = state.game.parse(str(state))
    for name in sorted(names)[::5]:
        after, image_after = alone.clone(), image.clone()
        after.apply(after.parse_action(name))
        image_after.apply(image_after.parse_action(symmetry.action(name)))
        assert str(image_after) == symmetry.position(str(after))
        assert image_after.returns().tolist() == after.returns()[order].tolist()


# --- Turm & Wächter ------------------------------------------------------------------------------


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


TURM_SYMMETRIES = {
    "files": Symmetry(_mirror_files, _mirror_files_of_move),
    "ranks-and-colours": Symmetry(_turn_colours, _flip_ranks_of_move, swaps_seats=True),
    "half-turn-and-colours": Symmetry(
        lambda text: _turn_colours(_mirror_files(text)),
        lambda name: _flip_ranks_of_move(_mirror_files_of_move(name)),
        swaps_seats=True,
    ),
}


@pytest.mark.parametrize("symmetry", TURM_SYMMETRIES.values(), ids=TURM_SYMMETRIES)
def test_turm_und_waechter(symmetry: Symmetry) -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    for state in positions_of_random_games(game, games=8, every=10):
        assert_symmetric(state, symmetry)


# --- Tzaar ---------------------------------------------------------------------------------------


def _point_map(quarter: int, mirrored: bool) -> dict[str, str]:
    """Return where a turn by `quarter` * 60 degrees, after a reflection, takes each point."""
    at = {cell: name for name, cell in tzaar_reference.GRID.items()}
    image = {}
    for name, (i, j) in tzaar_reference.GRID.items():
        a, b = i - 4, j - 4
        if mirrored:
            a, b = b, a
        for _ in range(quarter):
            a, b = b, b - a
        image[name] = at[a + 4, b + 4]
    return image


def _tzaar_symmetry(points: dict[str, str], swap: bool) -> Symmetry:
    def position(text: str) -> str:
        board, side, phase, reserve = text.split()
        stacks = dict(zip(points, re.split("[/,]", board), strict=True))
        moved = {points[name]: stack for name, stack in stacks.items()}
        files = [
            ",".join(moved[name] for name in names)
            for names in tzaar_reference.POINTS_OF_FILE.values()
        ]
        board = "/".join(files)
        if swap:
            board, side = board.swapcase(), {"w": "b", "b": "w"}[side]
        return f"{board} {side} {phase} {reserve}"

    def action(name: str) -> str:
        return re.sub("[A-I][1-9]", lambda found: points[found[0]], name)

    return Symmetry(position, action, swaps_seats=swap)


TZAAR_MAPS = {
    f"{'mirrored-' if mirrored else ''}{60 * turns}": _point_map(turns, mirrored)
    for mirrored in (False, True)
    for turns in range(6)
}


def test_the_twelve_maps_of_the_board_differ() -> None:
    assert len({tuple(points.values()) for points in TZAAR_MAPS.values()}) == 12


@pytest.mark.parametrize("setup", ["random", "tournament"])
@pytest.mark.parametrize("points", TZAAR_MAPS.values(), ids=TZAAR_MAPS)
def test_tzaar(points: dict[str, str], setup: str) -> None:
    game = tzaar_envs.load_game("tzaar", setup=setup)
    for state in positions_of_random_games(game, games=3, every=6):
        assert_symmetric(state, _tzaar_symmetry(points, swap=False))


def test_tzaar_with_swapped_colours() -> None:
    """Only the opening and the placing phase know who is White."""
    game = tzaar_envs.load_game("tzaar")
    same_points = _tzaar_symmetry(TZAAR_MAPS["0"], swap=True)
    seen = 0
    for state in positions_of_random_games(game, games=6, every=4):
        if str(state).split()[2] in ("1", "2"):
            assert_symmetric(state, same_points)
            seen += 1
    assert seen > 20
