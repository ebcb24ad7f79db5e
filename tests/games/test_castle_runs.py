"""The evaluation function of Turm & Wächter: guards on their way to the castle."""

from __future__ import annotations

import numpy as np

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.games.turm_und_waechter.baselines import WIN_AT_ONCE, WIN_BY_RUN
from tzaar_envs.search.alphabeta import AlphaBeta

GAME = tzaar_envs.load_game("turm_und_waechter")
SIZE = 7


def boards(count: int) -> list[State]:
    """Return positions with few towers at random, and the guards anywhere."""
    rng = np.random.default_rng(3)
    found: list[State] = []
    while len(found) < count:
        cells = [""] * SIZE**2
        figures = ["RG", "BG", *(f"{rng.choice(['r', 'b'])}{rng.integers(1, 5)}" for _ in range(7))]
        for cell, figure in zip(rng.permutation(SIZE**2), figures, strict=False):
            cells[cell] = figure
        ranks = [cells[first : first + SIZE] for first in range(0, SIZE**2, SIZE)]
        rows = ["".join(figure or "1" for figure in rank) for rank in ranks]
        try:
            state = GAME.parse(f"{'/'.join(rows)} {rng.choice(['r', 'b'])}")
        except ValueError:
            continue
        if not state.is_terminal:
            found.append(state)
    return found


def test_a_run_that_cannot_be_stopped_wins() -> None:
    """Whatever the evaluation says of such a run, a search to the end of it confirms."""
    search = AlphaBeta(GAME)
    seen = {-WIN_BY_RUN: 0, WIN_BY_RUN: 0, WIN_AT_ONCE: 0}
    for state in boards(300):
        value = state.evaluate(state.current_player)
        if value in seen:
            seen[value] += 1
            depth = {-WIN_BY_RUN: 2, WIN_BY_RUN: 3, WIN_AT_ONCE: 1}[value]
            assert search.search(state, depth=depth).value == np.sign(value), str(state)
    assert min(seen.values()) >= 5
