"""Agents refuse positions of a game that they do not play."""

from __future__ import annotations

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch

TURM = tzaar_envs.load_game("turm_und_waechter")
TZAAR = tzaar_envs.load_game("tzaar")


@pytest.mark.parametrize("name", ["greedy", "mcts:simulations=4", "alphabeta:depth=1"])
def test_positions_of_another_game_are_refused(name: str) -> None:
    agent = make_agent(name, TURM, 1)
    state = TZAAR.new_state(0)
    batch = Batch(TZAAR, 2)
    batch.reset(np.ones(2, np.bool_))
    for ask in (
        lambda: agent.act(state),
        lambda: agent.act_batch([TURM.new_state(0), state]),
        lambda: agent.act_rows(batch, np.arange(2)),
    ):
        with pytest.raises(ValueError, match=r"load_game\('tzaar'"):
            ask()
