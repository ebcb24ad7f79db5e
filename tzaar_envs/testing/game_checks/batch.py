"""Batches: a row of many games is the game that is played alone."""

from __future__ import annotations

import numpy as np

from tzaar_envs.core.batch import Batch
from tzaar_envs.testing.game_checks.moment import Moment

_ROWS = 3


def rows_are_single_games(last: Moment) -> str | None:
    """Rows with different seeds, one of them with this game's actions, equal single games."""
    game = last.game
    batch = Batch(game, _ROWS)
    states = []
    try:
        for row in range(_ROWS):
            batch.seed(row, last.seed + row)
            states.append(game.new_state(last.seed + row))
        batch.reset(np.ones(_ROWS, np.bool_))
        for action in (*last.actions, None):
            for row, state in enumerate(states):
                if what := _difference(batch, row, state.words, state.legal_mask()):
                    return f"{what} of row {row} differs from the game played alone"
            if action is None:
                break
            actions = batch.random_actions.copy()
            actions[0] = action
            for row, state in enumerate(states):
                if not state.is_terminal:
                    state.apply(int(actions[row]))
            batch.step(actions)
        if not np.allclose(batch.rewards[0], states[0].returns(), equal_nan=True):
            return f"the rewards of row 0 are {batch.rewards[0].tolist()}, not the returns"
    finally:
        batch.close()
    return None


def _difference(batch: Batch, row: int, words: object, mask: object) -> str | None:
    if not np.array_equal(batch.states[row], np.asarray(words)):
        return "the position"
    if not np.array_equal(batch.masks[row], np.asarray(mask)):
        return "the mask"
    return None
