"""Games in which every action is drawn at random."""

from __future__ import annotations

import numpy as np

from tzaar_envs.core.state import State


def random_game(state: State, rng: np.random.Generator) -> list[State]:
    """Play on from a position to the end, and return that and all others before the end."""
    running = []
    while not state.is_terminal:
        running.append(state.clone())
        state.apply(int(rng.choice(state.legal_actions())))
    return running
