"""Games of a learning network against a frozen agent, for its best response.

The learner looks one ply ahead: it plays the action after which the network values the position
most. So only these positions are recorded, *afterstates* (Sutton and Barto, 2018, section 6.8), and
the agent's replies belong to the environment: the values are those of games against this agent, not
against a perfect player. If nobody wins anything, that counts as half of a loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents import make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.state import State
from tzaar_envs.envs.opponents import OpponentPool, SeatedBatch
from tzaar_envs.jit.arrays import RngState
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.afterstates import Afterstates, choose_rows, new_afterstates
from tzaar_envs.search.leaf_network import CompiledEvaluator
from tzaar_envs.search.self_play import GameSettings, Records

_GAMES = 64  # at once
_DRAW = -0.5  # to learn from: else the first response that is found shuffles to and fro


class GamesAgainstAgent:
    """Plays games of a network against an agent, in one thread; seats are drawn for each game.

    Args:
        game: The game.
        opponent: The text that names the agent, which has all other seats.
        draws: Outcomes of chance, or of what is hidden, that a value is the mean of.
        settings: Settings of the games; random actions are the learner's.
        positions: Positions that a call of `play` returns, at least.

    Raises:
        ValueError: There is no such agent, or a number is not allowed.
    """

    def __init__(
        self, game: Game, opponent: str, draws: int, settings: GameSettings, positions: int
    ) -> None:
        self.game = game
        self._settings, self._positions, self._draws = settings.checked(), positions, draws
        self._is_stopped = False
        self._pool = OpponentPool(game, make_agent(opponent, game))
        self._games = SeatedBatch(self._pool, _GAMES)
        # Of each game the positions after the learner's actions, the values of these actions for
        # each seat, as it saw them, and whether it played another one at random.
        self._decided: list[list[tuple[NDArray[np.int64], NDArray[np.float64], bool]]]
        self._decided = [[] for _ in range(_GAMES)]

    def play(self, evaluator: CompiledEvaluator, seed: Sequence[int]) -> Records:
        """Play until enough positions of finished games are known, and return these.

        Their policies say nothing. Games that are not over go on in the next call.

        Args:
            evaluator: The network; threads may share it.
            seed: Seed for what is drawn from now on.
        """
        network = evaluator.copy()  # whose working memory no other thread uses
        search = new_afterstates(self.game, network.leaf_network(), self._draws)
        rng, generator = new_generator(seed), np.random.Generator(np.random.PCG64(seed))
        self._pool.seed(int(generator.integers(2**63)))
        for row in range(_GAMES):
            self._games.batch.seed(row, int(generator.integers(2**63)))
        found: list[tuple[NDArray[np.int64], int, NDArray[np.float64]]] = []
        ended = 0
        while len(found) < self._positions and not self._is_stopped:
            for row in self._games.batch.over.nonzero()[0].tolist():
                self._open(row, generator)
            self._decide(search, rng)
            for row in self._games.batch.over.nonzero()[0].tolist():
                found += self._positions_of(row)
                self._decided[row] = []
                ended += 1
        count = len(found)
        states = [state for state, _, _ in found]
        return Records(
            np.array(states, np.int64).reshape(count, self.game.rules.state_size),
            np.array([observer for _, observer, _ in found], np.int64),
            np.arange(count + 1),
            # A single action of probability 1 has no gradient.
            np.zeros(count, np.int32),
            np.ones(count, np.float32),
            np.array([value for _, _, value in found]).reshape(count, self.game.num_players),
            ended,
        )

    def stop(self) -> None:
        """Let a call of `play` in another thread, and all later ones, end after the next action."""
        self._is_stopped = True

    def _open(self, row: int, generator: np.random.Generator) -> None:
        """Start a game after some random plies."""
        state: State | None = None
        while state is None or state.is_terminal:
            state = self.game.new_state(int(generator.integers(2**63)))
            for _ in range(generator.integers(self._settings.opening + 1)):
                if not state.is_terminal:
                    state.apply(int(generator.choice(state.legal_actions())))
        self._games.open(np.arange(_GAMES) == row, state)

    def _decide(self, search: Afterstates, rng: RngState) -> None:
        """Play and note the learner's next action in all games, and let the agent reply."""
        games, batch = self._games, self._games.batch
        actions, values = np.empty(_GAMES, np.int64), np.empty((_GAMES, self.game.num_players))
        at_random, rows = np.empty(_GAMES, np.bool_), np.ones(_GAMES, np.bool_)
        epsilon = self._settings.epsilon
        choose_rows(search, batch.states.copy(), epsilon, rng, actions, values, at_random)
        games.act(actions, rows)
        states = batch.states.copy()
        games.reply(rows)
        for decided, *decision in zip(self._decided, states, values, at_random, strict=True):
            decided.append(tuple(decision))

    def _positions_of(
        self, row: int
    ) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float64]]]:
        """Yield the positions of a game that is over, from its last, with observer and targets.

        The targets are lambda-returns of all seats.
        """
        seat, target = int(self._games.seats[row]), self._games.batch.rewards[row].copy()
        if not target.any():
            target[:] = -_DRAW / (len(target) - 1)
            target[seat] = _DRAW
        for state, value, at_random in reversed(self._decided[row]):
            if state[STATUS] == RUNNING:
                # As the search looks at it: see `search.afterstates`.
                hides = self.game.spec.hidden_information
                yield state, seat if hides else int(state[SEAT]), target
            # What follows a random action is no sign of what the one before is worth.
            trace = 0.0 if at_random else self._settings.td_lambda
            target = value + trace * (target - value)
