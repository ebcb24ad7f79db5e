"""`optimal-solo` of Twenty One: its table against enumeration and simulation."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.games.twenty_one.optimal_solo import ALL_FREE, BEFORE_ROLL, solve

GAME = tzaar_envs.load_game("twenty_one")
NUMBERS = [[6 - position - (position < row) for position in range(6)] for row in range(5)]
BONUS = [0, 1, 3, 6, 10, 15, 21]
DOCS = Path(__file__).parents[3] / "docs" / "baselines.md"


def expected_row_scores(game: Game) -> np.ndarray:
    """Return the expected score of each row, played alone and at best."""
    return solve(game)[:, ALL_FREE, 0, BEFORE_ROLL]


def naive_value(numbers: list[int], free: tuple[int, ...], hits: int) -> float:
    """Return the expected further points of a row before a roll, by enumeration."""
    if not free:
        return BONUS[hits]
    values = {}
    for dice in itertools.product(range(1, 7), repeat=len(free)):
        best = naive_value(numbers, free[1:], hits)  # a strike
        fitting = [k for k in range(len(free)) if dice[k] <= numbers[free[k]]]
        for size in range(1, len(fitting) + 1):
            for entered in itertools.combinations(fitting, size):
                left = tuple(free[k] for k in range(len(free)) if k not in entered)
                new_hits = hits + sum(dice[k] == numbers[free[k]] for k in entered)
                points = sum(dice[k] for k in entered)
                best = max(best, points + naive_value(numbers, left, new_hits))
        values[dice] = best
    total = 0.0
    for dice, kept in values.items():
        rerolled = [
            value
            for other, value in values.items()
            if all(new == 1 for old, new in zip(dice, other, strict=True) if old == 1)
        ]
        total += max(kept, sum(rerolled) / len(rerolled))
    return total / len(values)


@pytest.mark.parametrize("row", range(5))
@pytest.mark.parametrize("free", [(0,), (3,), (5,), (0, 1), (1, 4), (4, 5), (0, 5)])
@pytest.mark.parametrize("hits", [0, 3])
def test_table_is_what_enumeration_gives(row: int, free: tuple[int, ...], hits: int) -> None:
    bits = sum(1 << position for position in free)
    expected = naive_value(NUMBERS[row], free, hits)
    assert solve(GAME)[row, bits, hits, BEFORE_ROLL] == pytest.approx(expected, abs=1e-9)


def test_expected_row_scores_are_those_of_the_docs() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for row, score in enumerate(expected_row_scores(GAME), start=1):
        assert f"| {row} | {score:.2f} |" in text


def test_other_sheets_have_a_table_of_their_own() -> None:
    ones = ",".join(["Y1B1W1G1K1R1"] * 4)
    sheets = "/".join(
        f"{ones},{''.join(f'{colour}1' for colour in colours)}"
        for colours in ("YBWGKR", "BYWGKR", "BWYGKR", "BWGYKR", "BWGKYR", "BWGKRY")
    )
    game = tzaar_envs.load_game("twenty_one", sheets=sheets)
    # Each field of a row takes a 1 as a hit; nothing else can be entered.
    scores = expected_row_scores(game)
    assert scores == pytest.approx([scores[0]] * 5)
    assert (scores < expected_row_scores(GAME)).all()
