"""`greedy`: one ply over the game's evaluation function."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import types
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.arrays import Mask, Randomness, Words
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import APPLY, EVALUATE, LEGAL, SEAT, CompiledFunction
from tzaar_envs.core.rng import new_generator
from tzaar_envs.core.state import State

_ACTION_VALUES = types.void(
    types.FunctionType(LEGAL),
    types.FunctionType(APPLY),
    types.FunctionType(EVALUATE),
    types.int64[:, ::1],
    types.int64[::1],
    types.int8[::1],
    types.uint64[::1],
    types.float64[:, ::1],
)


@compiled(signature=_ACTION_VALUES)
def _action_values(
    legal: CompiledFunction,
    apply: CompiledFunction,
    evaluate: CompiledFunction,
    states: NDArray[np.int64],
    scratch: Words,
    mask: Mask,
    rng: Randomness,
    values: NDArray[np.float64],
) -> None:
    values[:] = -np.inf
    for game in range(states.shape[0]):
        state = states[game]
        legal(state, mask)
        for action in range(mask.size):
            if mask[action]:
                scratch[:] = state
                apply(scratch, action, rng)
                values[game, action] = evaluate(scratch, state[SEAT])


def action_values(states: Sequence[State], rng: Randomness) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the evaluation after each action.

    It is that of the player to move, -1 .. 1; minus infinity where the action is not legal.

    Args:
        states: at least one, all of the same game.
        rng: for chance events of the actions that are looked at.
    """
    game = states[0].game
    code = game.implementation
    values = np.empty((len(states), game.num_actions), np.float64)
    _action_values(
        code.legal,
        code.apply,
        code.evaluate,
        np.stack([state.words for state in states]),
        np.empty(code.state_size, np.int64),
        np.empty(game.num_actions, np.int8),
        rng,
        values,
    )
    return values


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
        self._rng = np.random.Generator(np.random.PCG64(seed))
        self._chance = new_generator(seed)

    def act(self, position: State | AgentObservation) -> int:
        """Return the best action; needs a state."""
        if not isinstance(position, State):
            raise TypeError("greedy looks one ply ahead: give it a State, not an observation")
        return int(self.act_batch([position])[0])

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the best action of each state."""
        if any(state.is_terminal for state in states):
            raise ValueError("there is no legal action: the game is over")
        values = action_values(states, self._chance)
        best = values == values.max(axis=1, keepdims=True)
        chosen: NDArray[np.int64] = (best * self._rng.random(best.shape)).argmax(axis=1)
        return chosen
