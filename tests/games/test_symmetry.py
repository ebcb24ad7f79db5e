"""Symmetries that no table of a game has: those of seats and colours, and one that ties break.

The compliance kit plays games and their images under the symmetries that the tables have.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from positions import positions

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


def positions_of_random_games(game: Game, games: int, every: int) -> Iterator[State]:
    for seed in range(games):
        choices = random.Random(seed)
        state = game.new_state(seed)
        while not state.is_terminal:
            if choices.randrange(every) == 0:
                yield state
            state.apply(choices.choice(state.legal_actions()))
        yield state


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
