"""Invariants over whole games of Zatre, in the rules and in their reference."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from games.zatre.texts import (
    COLOURS,
    LEGAL,
    LIGHT,
    TILES,
    Cell,
    actions,
    assert_over,
    assert_running,
    cell_name,
    field,
    hands,
    neighbours,
    position,
    tiles_of,
    value_of_sheet,
)
from implementations import Rules

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.games.zatre import board as layout
from tzaar_envs.games.zatre.rules import end_of, sum_of

# --- Sections 3 and 4: whole games ---------------------------------------------------------------


def lines_of(tiles: dict[Cell, int]) -> list[list[Cell]]:
    """Return all lines of a board, of two tiles or more."""
    lines = []
    for down, right in ((0, 1), (1, 0)):
        for row, col in tiles:
            if (row - down, col - right) in tiles:
                continue
            line = [(row, col)]
            while (line[-1][0] + down, line[-1][1] + right) in tiles:
                line.append((line[-1][0] + down, line[-1][1] + right))
            if len(line) > 1:
                lines.append(line)
    return lines


def turn_brings(tiles: dict[Cell, int], placed: set[Cell]) -> tuple[Counter[int], int]:
    """Return how many lines of each scoring sum the cells of a turn made, and the crosses."""
    scoring = [
        (line, total)
        for line in lines_of(tiles)
        if (total := sum(tiles[cell] for cell in line)) >= 10 and placed & set(line)
    ]
    crosses = {cell for line, _ in scoring for cell in line if cell in placed & LIGHT}
    return Counter(total for _, total in scoring), len(crosses)


def added(text: str, made: Counter[int], crosses: int) -> str:
    """Return a sheet after one more turn."""
    before, *columns = text.split(":")
    after = []
    for column, (total, points) in zip(columns, ((10, 1), (11, 2), (12, 4)), strict=True):
        entries = [] if column == "-" else column.split(",")
        if made[total]:
            entries.append(str(made[total] * points))
        after.append(",".join(entries) or "-")
    return ":".join([str(int(before) + crosses), *after])


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(2))
def test_random_game(rules: Rules, players: int, seed: int) -> None:
    choices = random.Random(seed)
    state = rules.initial(players=players, seed=seed)
    plies = turns = 0
    while not state.is_terminal:
        seat = state.current_player
        tiles, hand = tiles_of(state), hands(state)[seat]
        assert_running(state, seat)
        assert field(state, 1) == str(seat)
        assert str(rules.parse(str(state), players=players)) == str(state)
        counts = Counter(map(str, tiles.values())) + Counter("".join(hands(state)))
        assert all(counts[value] <= number for value, number in TILES.items())
        legal = actions(state)
        assert legal == sorted(set(legal))
        pending = field(state, 4)
        for action in legal:
            value, place = divmod(action, 225)
            cell = divmod(place, 15)
            assert str(value + 1) in hand
            assert cell in COLOURS
            assert cell not in tiles
            assert any(near in tiles for near in neighbours(*cell)) or cell == (7, 7)
            text = f"{value + 1}@{cell_name(*cell)}"
            assert state.action_name(action) == text
            assert state.parse_action(text) == action
        if pending != "-":
            assert field(state, 3).split(",")[-1] == pending
        placed = [] if field(state, 3) == "-" else field(state, 3).split(",")
        before, sheets = tiles, field(state, 5).split("/")
        action = choices.choice(legal)
        state.apply(action)
        plies += 1
        cell = divmod(action % 225, 15)
        tiles = tiles_of(state)
        assert tiles == {**before, cell: action // 225 + 1}
        assert all(sum(tiles[cell] for cell in line) <= 12 for line in lines_of(tiles))
        laid = [*placed, cell_name(*cell)]
        if field(state, 3) == ",".join(laid):
            assert state.current_player == seat
            assert field(state, 5).split("/") == sheets
            continue
        turns += 1
        filled = {cell for cell in COLOURS if cell_name(*cell) in laid}
        sheets[seat] = added(sheets[seat], *turn_brings(tiles, filled))
        assert field(state, 5).split("/") == sheets
        totals = [value_of_sheet(text) for text in sheets]
        if state.is_terminal:
            totals = [
                total - sum(map(int, hand.replace("-", "")))
                for total, hand in zip(totals, hands(state), strict=True)
            ]
        assert list(state.scores()) == totals
    assert_over(state)
    assert plies <= 121
    assert turns <= 242
    everything = Counter(map(str, tiles_of(state).values())) + Counter("".join(hands(state)))
    everything.pop("-", None)
    assert everything == TILES
    scores, returns = list(state.scores()), list(state.returns())
    assert sum(returns) == pytest.approx(0)
    if len(set(scores)) > 1:
        assert {s == max(scores) for s, r in zip(scores, returns, strict=True) if r > 0} == {True}
        assert {s == max(scores) for s, r in zip(scores, returns, strict=True) if r < 0} == {False}


# --- The words of a position that follow from the others ----------------------------------------


# As the rows and columns go on: up, right, down, left.
STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]


def ahead(tiles: dict[Cell, int], cell: Cell, step: Cell) -> tuple[Cell | None, int]:
    """Return the next empty cell in a direction, if there is one, and the sum before it."""
    total = 0
    while (cell := (cell[0] + step[0], cell[1] + step[1])) in tiles:
        total += tiles[cell]
    return cell if cell in COLOURS else None, total


def cells_of_set(words: Sequence[int]) -> set[Cell]:
    """Return the cells of a set: 60 to a word."""
    return {divmod(60 * i + bit, 15) for i in range(4) for bit in range(60) if words[i] >> bit & 1}


def assert_words_follow(state: State) -> None:
    """Compare the words with what is read from the notation, and with what they stand for."""
    words, tiles = state.words, tiles_of(state)
    np.testing.assert_array_equal(words, state.game.parse(str(state)).words, str(state))
    loads = {} if tiles else {(7, 7): 1}
    for cell in COLOURS.keys() - tiles.keys():
        links = int(words[layout.BOARD][15 * cell[0] + cell[1]])
        runs = [ahead(tiles, cell, step) for step in STEPS]
        for direction, (end, total) in enumerate(runs):
            assert sum_of(links, direction) == total
            place = layout.OUTSIDE if end is None else 15 * end[0] + end[1]
            assert end_of(links, direction) == place
        load = max(runs[0][1] + runs[2][1], runs[1][1] + runs[3][1])
        if load:
            loads[cell] = min(12, load)
    assert cells_of_set(words[layout.FILLED].tolist()) == tiles.keys()
    sets = words[layout.LOADED].reshape(4, 12)
    for most in range(1, 13):
        expected = {cell for cell, load in loads.items() if load <= most}
        assert cells_of_set(sets[:, most - 1].tolist()) == expected


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(2))
def test_words_are_kept_up_to_date(players: int, seed: int) -> None:
    choices = random.Random(seed)
    state = tzaar_envs.load_game("zatre", players=players).new_state(seed)
    assert_words_follow(state)
    while not state.is_terminal:
        state.apply(choices.choice(actions(state)))
        assert_words_follow(state)


@pytest.mark.parametrize("case", LEGAL)
def test_words_are_kept_up_to_date_from_any_position(case: str) -> None:
    board, hand, placed, pending, _ = LEGAL[case]
    text = position(board, hand, placed=placed, pending=pending)
    state = tzaar_envs.load_game("zatre").parse(text, seed=1)
    assert_words_follow(state)
    for action in actions(state):
        after = state.clone()
        after.apply(action)
        assert_words_follow(after)
