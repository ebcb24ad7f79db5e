"""A game in a package of its own: connect four, in `tests/thirdparty`, uses the defaults.

Its spec and its rules are all that it defines; notation, drawing and evaluation are the suite's.
"""

from __future__ import annotations

import pytest
from processes import third_party_game

from tzaar_envs.core.game import Game
from tzaar_envs.core.playouts import perft
from tzaar_envs.render.pixels import to_pixels
from tzaar_envs.render.scene import Group

EMPTY = "/".join(["......."] * 6)
# Three of First's stones in a row, with both ends open.
THREE = "/".join(["......."] * 4 + ["..oo...", "..xxx.o"])
FULL = "/".join(["oxoxoxo", "oxoxoxo", "xoxoxox", "xoxoxox", "oxoxoxo", "xoxoxox"])


@pytest.fixture(scope="module")
def game() -> Game:
    return third_party_game("connect_four")


@pytest.mark.parametrize(("depth", "nodes"), [(1, 7), (3, 343), (7, 823536), (8, 5673234)])
def test_perft(game: Game, depth: int, nodes: int) -> None:
    """The numbers that are published for connect four on 6 x 7 cells."""
    assert perft(game.new_state(), depth) == nodes


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ([3, 0, 3, 0, 3, 0, 3], 0),  # upright
        ([0, 0, 1, 1, 2, 2, 3], 0),  # level
        ([6, 0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3], 1),  # rising from column 0
        ([0, 6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3], 1),  # falling to column 6
    ],
)
def test_four_in_a_row_win(game: Game, columns: list[int], winner: int) -> None:
    state = game.new_state()
    for column in columns:
        assert not state.is_terminal
        state.apply(column)
    assert state.is_terminal
    assert state.current_player == -1
    assert state.returns()[winner] == 1
    assert state.returns().sum() == 0
    assert [state.evaluate(player) for player in range(2)] == state.returns().tolist()
    assert state.legal_actions().size == 0


def test_full_board_is_a_draw(game: Game) -> None:
    state = game.parse(f"{FULL} 0")
    assert state.is_terminal
    assert state.returns().tolist() == state.scores().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected 2 fields \(board, player\), with one space between them, got 1"),
        (f"{EMPTY} 2", "player '2': expected one of '0', '1'"),
        (f"{EMPTY} 1", "player 1: not to act with 0 and 0 stones"),
        (f"{EMPTY[:-1]}z 0", "board, row 6 'z': expected one of '.', 'x', 'o'"),
        (f"{EMPTY[:-1]} 0", r"board, row 6 '\.{6}': 6 entries, expected 7"),
        (f"{EMPTY[8:]} 0", "board: 5 rows separated by '/', expected 6"),
        (f"x{EMPTY[1:]} 1", "board: a stone is above an empty cell"),
    ],
)
def test_bad_position_is_refused(game: Game, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        game.parse(text)


def test_the_picture_shows_stones_and_a_button_for_each_column(game: Game) -> None:
    state = game.parse(f"{THREE} 0")
    scene = state.scene(last=(game.parse(f"{EMPTY} 0"), 3), legal=True)
    labels = [group.label for group in scene.pieces if isinstance(group, Group)]
    assert labels.count("C6: x") == 1
    assert sum(label.endswith(": o") for label in labels) == 3
    assert [label for label in labels if label.startswith("drop")] == [
        f"drop {n}" for n in range(7)
    ]
    assert to_pixels(scene, width=200).shape[1] == 200
