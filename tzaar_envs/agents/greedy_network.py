"""The action values of `greedy:policy=PATH`: what a network expects one ply later.

A network that learnt values plays like this without a search: it compares the positions after each
action (Tesauro, 1995), which is easier to learn than a probability for each action.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.greedy import DRAWS
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import (
    RUNNING,
    SEAT,
    STATUS,
    apply_of,
    determinize_of,
    legal_of,
    returns_of,
)
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.in_use import InUse, exclusive
from tzaar_envs.search.leaf_network import CompiledEvaluator, LeafNetwork, judge_of, require_game


class NetworkValues:
    """Values of actions by a network; an `ActionValues`.

    Where something is hidden or left to chance, they are means of `DRAWS` draws.

    Args:
        game: the game of the positions.
        evaluator: the network.

    Attributes:
        in_use: held by a call, so that a second thread gets a RuntimeError.

    Raises:
        ValueError: the network is of another game.
    """

    def __init__(self, game: Game, evaluator: CompiledEvaluator) -> None:
        require_game(evaluator, game)
        self.in_use = InUse("this network of greedy")
        self._game = game
        self._evaluator = evaluator.copy()  # whose memory no other thread uses

    @exclusive
    def __call__(self, game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
        """Return float64 `(len(states), num_actions)`, minus infinity for illegal actions.

        Args:
            game: the game, the same as above.
            states: positions, int64 `(n, state_size)`.
            rng: for hidden information, and for chance events of the actions.

        Raises:
            ValueError: another game.
        """
        require_game(self._evaluator, game)
        rules = game.rules
        values = np.empty((len(states), game.num_actions), np.float64)
        _values_after(
            rules.functions,
            self._evaluator.leaf_network(),
            states.copy(),
            1 if game.spec.is_deterministic else DRAWS,
            np.empty(rules.state_size, np.int64),
            np.empty(game.num_actions, np.int64),
            np.empty(game.num_players, np.float64),
            rng,
            values,
        )
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return NetworkValues, (self._game, self._evaluator)


@compiled
def _values_after(
    functions: FunctionTable,
    network: LeafNetwork,
    states: NDArray[np.int64],
    draws: int,
    scratch: StateArray,
    actions: StateArray,
    returns: NDArray[np.float64],
    rng: RngState,
    values: NDArray[np.float64],
) -> None:
    none, no_priors = actions[:0], returns[:0]
    values[:] = -np.inf
    for game in range(states.shape[0]):
        state = states[game]
        seat = state[SEAT]
        for draw in range(draws):
            determinize_of(functions)(state, seat, rng)
            for index in range(legal_of(functions)(state, actions)):
                action = actions[index]
                scratch[:] = state
                apply_of(functions)(scratch, action, rng)
                if scratch[STATUS] == RUNNING:
                    judge_of(network.functions)(
                        network.memory, functions, scratch, none, no_priors, returns
                    )
                else:
                    returns_of(functions)(scratch, returns)
                if draw == 0:
                    values[game, action] = 0.0
                values[game, action] += returns[seat] / draws
