"""What holds of all positions that self-play hands out, whatever searches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.search.self_play import Records


def policies_of(game: Game, positions: Records) -> Iterator[NDArray[np.float32]]:
    """Yield the policy of each position, in the order of its actions; they are the legal ones."""
    for place, words in enumerate(positions.states):
        first, last = positions.first_action[place : place + 2]
        actions = np.zeros(game.num_actions, np.int64)
        legal = game.rules.legal(words.copy(), actions)
        if positions.observers[place] != words[SEAT]:
            assert positions.actions[first:last].tolist() == [0]
        else:
            assert sorted(positions.actions[first:last]) == sorted(actions[:legal])
        yield positions.policy[first:last]
