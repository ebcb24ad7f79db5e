"""Agents that err: another agent's actions, but a random one now and then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.agent import AgentObservation
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import random_generator

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch


class ErringAgent(Agent):
    """Plays like another agent, except that a share of its actions is random.

    A learner wins some games against it long before it wins any against the agent itself, and meets
    more positions.

    Args:
        agent: the agent; its seed is set together with this one.
        share: of random actions, 0 to 1.
        seed: fixes all choices.
    """

    def __init__(self, agent: Agent, share: float, seed: int | Sequence[int] | None = None) -> None:
        self.game = agent.game
        self.name = f"{agent.name} ({share:.0%} random)"
        self.share = share
        self._agent = agent
        self._random = make_agent("random", agent.game)
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._rng = random_generator(seed)
        self._agent.seed(int(self._rng.integers(2**63)))
        self._random.seed(int(self._rng.integers(2**63)))

    def act(self, position: State | AgentObservation) -> int:
        """Return the agent's action, or a random one."""
        errs = self._rng.random() < self.share
        return (self._random if errs else self._agent).act(position)

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the agent's action, or a random one, in each row."""
        errs = self._rng.random(len(rows)) < self.share
        actions = np.zeros(len(rows), np.int64)
        for agent, chosen in ((self._random, errs), (self._agent, ~errs)):
            if chosen.any():
                actions[chosen] = agent.act_rows(batch, rows[chosen])
        return actions
