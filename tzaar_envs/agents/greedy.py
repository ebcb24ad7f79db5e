"""`greedy`: one ply over the game's evaluation function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import types
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import APPLY, EVALUATE, LEGAL, SEAT
from tzaar_envs.core.rng import below, new_generator
from tzaar_envs.core.state import State

_CHOOSE = types.void(
    types.FunctionType(LEGAL),
    types.FunctionType(APPLY),
    types.FunctionType(EVALUATE),
    types.int64[:, ::1],
    types.int64[::1],
    types.int8[::1],
    types.uint64[::1],
    types.int64[::1],
)


@compiled(signature=_CHOOSE)
def _choose_best(legal, apply, evaluate, states, scratch, mask, rng, chosen):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for game in range(states.shape[0]):
        state = states[game]
        legal(state, mask)
        best = -np.inf
        ties = 0
        for action in range(mask.size):
            if mask[action] == 0:
                continue
            scratch[:] = state
            apply(scratch, action, rng)
            value = evaluate(scratch, state[SEAT])
            if value > best:
                best = value
                ties = 0
            if value == best:
                # The k-th of equally good actions replaces the choice with probability 1 / k.
                ties += 1
                if below(rng, ties) == 0:
                    chosen[game] = action


class GreedyAgent(Agent):
    """Plays the action after which the evaluation function sees it best; ties at random.

    Args:
        game: the game that it plays.
        seed: fixes the choice between equally good actions.
    """

    name = "greedy"

    def __init__(self, game: Game, seed: int | Sequence[int] | None = None) -> None:
        self.game = game
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from here on."""
        self._rng = new_generator(seed)

    def act(self, position: State | AgentObservation) -> int:
        """Return the best action; needs a state."""
        if not isinstance(position, State):
            raise TypeError("greedy looks one ply ahead: give it a State, not an observation")
        return int(self.act_batch([position])[0])

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the best action of each state."""
        if any(state.is_terminal for state in states):
            raise ValueError("there is no legal action: the game is over")
        code = self.game.implementation
        chosen = np.empty(len(states), np.int64)
        _choose_best(
            code.legal,
            code.apply,
            code.evaluate,
            np.stack([state.words for state in states]),
            np.empty(code.state_size, np.int64),
            np.empty(self.game.num_actions, np.int8),
            self._rng,
            chosen,
        )
        return chosen
