"""Positions in which an action wins at once."""

from __future__ import annotations

import numpy as np
from random_games import random_game

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


def wins_at_once(state: State) -> list[int]:
    """Return the actions that end the game with the greatest return for the seat to act."""
    found = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply(int(action))
        if after.is_terminal and after.returns()[state.current_player] == 1.0:
            found.append(int(action))
    return found


def positions_before_a_win(game: Game, count: int) -> list[State]:
    """Return positions of random games in which some, but not all actions win at once."""
    found: list[State] = []
    rng = np.random.default_rng(5)
    while len(found) < count:
        last = random_game(game.new_state(int(rng.integers(2**31))), rng)[-1]
        if 0 < len(wins_at_once(last)) < last.legal_actions().size:
            found.append(last)
    return found
