"""Mirrored positions have mirrored actions and mirrored results."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from positions import positions
from reference import tzaar as tzaar_reference

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


class Symmetry(NamedTuple):
    """How a symmetry changes the text of a position and of an action; chance stays the same."""

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
        image_after.apply(image_after.parse_action(symmetry.action(name)), after.last_outcome)
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


@pytest.mark.parametrize("setup", ["random", "tournament"])
@pytest.mark.parametrize("points", TZAAR_MAPS.values(), ids=TZAAR_MAPS)
def test_tzaar(points: dict[str, str], setup: str) -> None:
    game = tzaar_envs.load_game("tzaar", setup=setup)
    for state in positions_of_random_games(game, games=2, every=6):
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


# --- Black Elephant ------------------------------------------------------------------------------

ELEPHANT_OPTIONS = ["W4,ND/E4,SD", "W4,E4/ND,SD"]
_FILES_AND_RANKS = str.maketrans("ABCDEFG1234567", "1234567ABCDEFG")
_SEATS_AND_FACINGS = str.maketrans("01nesw", "10enws")
_AREAS = str.maketrans("WS", "SW")


def _mirror_field(name: str) -> str:
    return name.translate(_FILES_AND_RANKS)[::-1]


def _mirror_diagonally(text: str) -> str:
    """Exchange files and ranks, and the players with all that is theirs."""
    board, seat, areas, *pairs, watchers, clock = text.split()
    ranks = [rank.split(",") for rank in board.split("/")][::-1]
    columns = [[rank[file] for rank in ranks] for file in range(7)][::-1]
    mirrored = "/".join(
        ",".join(field.translate(_SEATS_AND_FACINGS) for field in column) for column in columns
    )
    swapped = ["/".join(pair.split("/")[::-1]) for pair in pairs]
    seats = "/".join(_mirror_field(places) for places in watchers.split("/")[::-1])
    waiting = "/".join(".".join(own.split(".")[::-1]) for own in areas.split("/")[::-1])
    turn = seat.translate(_SEATS_AND_FACINGS)
    return " ".join([mirrored, turn, waiting, *swapped, seats, clock])


def _mirror_elephant_action(name: str) -> str:
    if name == "pass":
        return name
    if name.startswith(("watch ", "burn ")):
        verb, fields = name.split()
        return f"{verb} {_mirror_field(fields)}"
    start, sign, target = re.fullmatch("(.+)([>^])(.+)", name).groups()  # type: ignore[union-attr]
    start = start.translate(_AREAS) if start in ("W", "S") else _mirror_field(start)
    if sign == "^":
        return f"{start}^{target.translate(_SEATS_AND_FACINGS)}"
    return f"{start}>{target if target == 'out' else _mirror_field(target)}"


_MIRRORED_PLANES = {
    "north": "east", "east": "north", "south": "west", "west": "south",
    "1": "2", "2": "1",
}  # fmt: skip


def _mirror_plane(name: str) -> str:
    head, _, last = name.rpartition("_")
    return f"{head}_{_MIRRORED_PLANES[last]}" if last in _MIRRORED_PLANES else name


def assert_mirrored_views(state: State, image: State) -> None:
    """Compare what each seat sees with what the other one sees in the image."""
    names = [plane.name for plane in state.game.observation_planes]
    for seat in range(2):
        planes = dict(zip(names, state.observation(seat), strict=True))
        mirrored = dict(zip(names, image.observation(1 - seat), strict=True))
        for name, plane in planes.items():
            expected = 1 - plane if name == "starter" else plane.T
            np.testing.assert_array_equal(mirrored[_mirror_plane(name)], expected, err_msg=name)


def _points_without_tie(text: str) -> list[int]:
    fields = [list(map(int, field.split("/"))) for field in text.split()[3:7]]
    held, _, home, captives = fields
    return [held[seat] + 3 * home[seat] + 2 * captives[seat] for seat in range(2)]


def assert_mirrored(state: State) -> None:
    """Compare a position of Black Elephant with its image; a tie is lost by the one who began."""
    image = state.game.parse(_mirror_diagonally(str(state)))
    assert _mirror_diagonally(str(image)) == str(state)
    assert image.is_terminal == state.is_terminal
    assert image.is_truncated == state.is_truncated
    tied = state.is_terminal and len(set(_points_without_tie(str(state)))) == 1
    order = slice(None, None, 1 if tied else -1)
    assert image.scores().tolist() == state.scores()[order].tolist()
    assert image.returns().tolist() == state.returns()[order].tolist()
    assert_mirrored_views(state, image)
    names = {state.action_name(action) for action in state.legal_actions()}
    image_names = {image.action_name(action) for action in image.legal_actions()}
    assert {_mirror_elephant_action(name) for name in names} == image_names
    for name in sorted(names)[::7]:
        after, image_after = state.clone(), image.clone()
        after.apply(after.parse_action(name))
        image_after.apply(image_after.parse_action(_mirror_elephant_action(name)))
        assert str(image_after) == _mirror_diagonally(str(after))


@pytest.mark.parametrize("watchers", ELEPHANT_OPTIONS)
def test_black_elephant(watchers: str) -> None:
    game = tzaar_envs.load_game("black_elephant", watchers=watchers)
    for state in positions_of_random_games(game, games=6, every=10):
        assert_mirrored(state)


@pytest.mark.parametrize("watchers", ELEPHANT_OPTIONS)
@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_black_elephant_in_odd_positions(watchers: str, data: st.DataObject) -> None:
    game = tzaar_envs.load_game("black_elephant", watchers=watchers)
    text = data.draw(positions(game))
    try:
        state = game.parse(text)
    except ValueError:
        return
    assert_mirrored(state)


# --- Zatre ---------------------------------------------------------------------------------------

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


def _zatre_symmetry(cells: dict[str, str]) -> Symmetry:
    def names(text: str) -> str:
        return re.sub("[A-O][0-9]+", lambda found: cells[found[0]], text)

    def position(text: str) -> str:
        board, seat, hands, placed, pending, sheets = text.split()
        moved = dict(zip(cells.values(), board.replace("/", ""), strict=True))
        # A map of the cells has them row by row.
        ordered = [moved[cell] for cell in cells]
        rows = "/".join("".join(ordered[15 * row : 15 * row + 15]) for row in range(15))
        return f"{rows} {seat} {hands} {names(placed)} {names(pending)} {sheets}"

    return Symmetry(position, names)


ZATRE_MAPS = {
    f"{'mirrored-' if mirrored else ''}{90 * turns}": _cell_map(turns, mirrored)
    for mirrored in (False, True)
    for turns in range(4)
}


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("cells", ZATRE_MAPS.values(), ids=ZATRE_MAPS)
def test_zatre(cells: dict[str, str], players: int) -> None:
    game = tzaar_envs.load_game("zatre", players=players)
    for state in positions_of_random_games(game, games=2, every=6):
        assert_symmetric(state, _zatre_symmetry(cells))


@pytest.mark.parametrize("cells", ZATRE_MAPS.values(), ids=ZATRE_MAPS)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_zatre_in_odd_positions(cells: dict[str, str], data: st.DataObject) -> None:
    game = tzaar_envs.load_game("zatre", players=3)
    text = data.draw(positions(game))
    try:
        state = game.parse(text)
    except ValueError:
        return
    assert_symmetric(state, _zatre_symmetry(cells))


# --- Twenty One ----------------------------------------------------------------------------------

COLOURS = "YBWGKR"
COLOUR_ORDERS = ["BYWGKR", "RKGWBY", "GRYKWB"]  # what becomes of yellow, blue, ...


def _turn_seats(text: str, by: int) -> str:
    """Let every seat take the place of the one `by` places after it, with its sheet."""
    phase, active, deciding, dice, sheets, choices = text.split()
    players = len(sheets.split("/"))

    def seat(name: str) -> str:
        return name if name == "-" else str((int(name) + by) % players)

    def turned(parts: str) -> str:
        listed = parts.split("/")
        return "/".join(listed[-by:] + listed[:-by])

    return " ".join([phase, seat(active), seat(deciding), dice, turned(sheets), turned(choices)])


@pytest.mark.parametrize(
    ("players", "by"), [(players, by) for players in (2, 3, 6) for by in range(1, players)]
)
def test_twenty_one_with_turned_seats(players: int, by: int) -> None:
    game = tzaar_envs.load_game("twenty_one", players=players, deal="random")
    for state in positions_of_random_games(game, games=2, every=6):
        image = game.parse(_turn_seats(str(state), by))
        assert np.roll(state.scores(), by).tolist() == image.scores().tolist()
        assert np.roll(state.returns(), by).tolist() == image.returns().tolist()
        for seat in range(players):
            seen = image.observation((seat + by) % players)
            np.testing.assert_array_equal(seen, state.observation(seat))
        assert image.legal_actions().tolist() == state.legal_actions().tolist()
        for action in state.legal_actions()[::3]:
            after, image_after = state.clone(), image.clone()
            after.apply(action)
            image_after.apply(action, after.last_outcome)
            assert str(image_after) == _turn_seats(str(after), by)


def _recolour_dice(text: str, order: str) -> str:
    phase, active, deciding, dice, *rest = text.split()
    shown = dict(zip(order, dice, strict=True))
    return " ".join([phase, active, deciding, "".join(shown[c] for c in COLOURS), *rest])


@pytest.mark.parametrize("order", COLOUR_ORDERS)
def test_twenty_one_with_exchanged_colours(order: str) -> None:
    from tzaar_envs.games.twenty_one.board import STANDARD_SHEETS

    recolour = str.maketrans(COLOURS, order)
    game = tzaar_envs.load_game("twenty_one", players=3)
    other = tzaar_envs.load_game(
        "twenty_one", players=3, sheets=STANDARD_SHEETS.translate(recolour)
    )
    for state in positions_of_random_games(game, games=6, every=3):
        image = other.parse(_recolour_dice(str(state), order))
        assert image.legal_actions().tolist() == state.legal_actions().tolist()
        assert image.scores().tolist() == state.scores().tolist()
        assert image.returns().tolist() == state.returns().tolist()
        for seat in range(3):
            assert image.evaluate(seat) == state.evaluate(seat)
        for action in state.legal_actions():
            name = state.action_name(action)
            verb, space, letters = name.partition(" ")
            assert image.action_name(action) == f"{verb}{space}{letters.translate(recolour)}"
            after = state.clone()
            after.apply(action)
            expected = _recolour_dice(str(after), order)
            # Dice that are not rolled again show 1, so the outcome is that of the others.
            dice_before, dice = str(image).split()[3], expected.split()[3]
            rerolled = name == "reroll"
            rolled = [
                int(die)
                for before, die in zip(dice_before, dice, strict=True)
                if not (rerolled and before == "1")
            ]
            image_after = image.clone()
            image_after.apply(action, rolled if after.last_outcome else ())
            assert str(image_after) == expected
