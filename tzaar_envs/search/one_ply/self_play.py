"""Self-play by one ply in compiled code: whole games of a network against itself.

The network learns the value of the position after the best action as that of the position before,
and the best action as its policy.
"""

from __future__ import annotations

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, returns_of
from tzaar_envs.core.validation import integer
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.leaf_network import CompiledEvaluator, LeafNetwork
from tzaar_envs.search.one_ply.outlook import Outlook, look_ahead, new_outlook
from tzaar_envs.search.self_play import (
    Play,
    Records,
    SelfPlay,
    add_afterstate,
    drawn_action,
    end_game,
    open_game,
)

_MOST = 1_000  # draws


@compiled(nogil=True)
def play_game(
    functions: FunctionTable,
    network: LeafNetwork,
    hidden: bool,
    draws: int,
    play: Play,
    options: StateArray,
    outlook: Outlook,
    state: StateArray,
    rng: RngState,
    records: Records,
    stop: StateArray,
) -> None:
    """Play a whole game, and add its positions to the records; unless `stop` changes from 0."""
    apply = apply_of(functions)
    first = place = records.counts[0]
    open_game(functions, options, play, state, outlook.actions, rng)
    while state[STATUS] == RUNNING:
        if stop[0]:
            return
        count = look_ahead(functions, network, state, hidden, 1, draws, outlook, rng)
        seat = state[SEAT]
        best = np.argmax(outlook.values[:count, seat])
        records.states[place] = state
        records.observers[place] = seat
        records.values[place] = outlook.values[best]
        start = records.first_action[place]
        records.policy[start : start + count] = 0.0
        records.policy[start] = 1.0
        for index in range(count):
            records.actions[start + index] = outlook.actions[index]
        records.actions[start] = outlook.actions[best]
        records.actions[start + best] = outlook.actions[0]
        records.first_action[place + 1] = start + count
        apply(state, drawn_action(records, place, play, rng), rng)
        place += 1
        if hidden:
            place = add_afterstate(records, place, state, seat)
    returns_of(functions)(state, outlook.returns)
    end_game(records, first, place, play.trace, outlook.returns)


class OnePlySelfPlay(SelfPlay):
    """Plays games of a network against itself, in one thread.

    Args:
        game: the game.
        evaluator: the network.
        draws: how many outcomes of chance, or of what is hidden, a value is the mean of.
        play: how to play.
        positions: how many a call of `play` returns, at least.

    Raises:
        ValueError: the network is for another game, or a number is not allowed.
    """

    def __init__(
        self,
        game: Game,
        evaluator: CompiledEvaluator,
        draws: int,
        play: Play,
        positions: int = 2000,
    ) -> None:
        draws = integer("draws", draws)
        if not 1 <= draws <= _MOST:
            raise ValueError(f"draws={draws} is not allowed: use 1 to {_MOST:,}")
        super().__init__(game, evaluator, play, positions)
        self._draws = draws
        self._outlook = new_outlook(game)

    def _play_game(self, network: LeafNetwork, state: StateArray, rng: RngState) -> None:
        play_game(
            self.game.rules.functions,
            network,
            self.game.spec.hidden_information,
            self._draws,
            self._play,
            self.game.encoded_options,
            self._outlook,
            state,
            rng,
            self._records,
            self._stop,
        )
