"""Games of a learning network against a frozen agent, for its best response.

The learner looks one ply ahead: it plays the action after which the network values the position
most. So only these positions are recorded, *afterstates* (Sutton and Barto, 2018, section 6.8), and
the agent's replies belong to the environment: the values are those of games against this agent, not
against a perfect player. If nobody wins anything, that counts as half of a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents import make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.core.state import State
from tzaar_envs.envs.opponents import OpponentPool, SeatedBatch
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.afterstates import Afterstates, choose_rows, new_afterstates
from tzaar_envs.search.leaf_network import CompiledEvaluator, require_game
from tzaar_envs.search.self_play import GameSettings, Records

_GAMES = 64  # at once
_DRAW = -0.5  # to learn from: else the first response that is found shuffles to and fro


@dataclass
class _Game:
    """What the learner has decided in a game.

    Attributes:
        states: The positions after its actions.
        values: Values of these actions for each seat, as it saw them, float64 `(num_players,)`.
        at_random: Whether it played another action.
    """

    states: list[NDArray[np.int64]] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)
    at_random: list[bool] = field(default_factory=list)


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
        self,
        game: Game,
        opponent: str,
        draws: int,
        settings: GameSettings,
        positions: int,
    ) -> None:
        self.game = game
        self._settings, self._positions, self._draws = settings.checked(), positions, draws
        self._hidden = game.spec.hidden_information
        self._stop = np.zeros(1, np.int64)
        self._pool = OpponentPool(game, make_agent(opponent, game))
        self._games = SeatedBatch(self._pool, _GAMES)
        self._decided = [_Game() for _ in range(_GAMES)]
        self._is_new = np.ones(_GAMES, np.bool_)
        self._states: list[NDArray[np.int64]] = []
        self._observers: list[int] = []
        self._values: list[NDArray[np.float64]] = []

    def play(self, evaluator: CompiledEvaluator, seed: Sequence[int]) -> Records:
        """Play until enough positions of finished games are known, and return these.

        Their policies say nothing. Games that are not over go on in the next call.

        Args:
            evaluator: The network; threads may share it.
            seed: Seed for what is drawn from now on.

        Raises:
            ValueError: A network of another game.
        """
        require_game(evaluator, self.game)
        network = evaluator.copy()  # whose working memory no other thread uses
        search = new_afterstates(self.game, network.leaf_network(), self._draws)
        self._rng = new_generator(seed)
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._pool.seed(int(self._generator.integers(2**63)))
        for row in range(_GAMES):
            self._games.batch.seed(row, int(self._generator.integers(2**63)))
        self._states, self._observers, self._values = [], [], []
        ended = 0
        while len(self._states) < self._positions and not self._stop[0]:
            ended += self._step(search)
        count = len(self._states)
        states = np.array(self._states, np.int64).reshape(count, self.game.rules.state_size)
        return Records(
            states,
            np.array(self._observers, np.int64),
            np.arange(count + 1),
            # A single action of probability 1 has no gradient.
            np.zeros(count, np.int32),
            np.ones(count, np.float32),
            np.array(self._values).reshape(count, self.game.num_players),
            ended,
        )

    def stop(self) -> None:
        """Let a call of `play` in another thread, and all later ones, end after the next action."""
        self._stop[0] = 1

    def _step(self, search: Afterstates) -> int:
        """Play the learner's next action in all games, return how many have ended."""
        games, batch = self._games, self._games.batch
        for row in self._is_new.nonzero()[0].tolist():
            self._open(row)
        actions, values = np.empty(_GAMES, np.int64), np.empty((_GAMES, self.game.num_players))
        at_random, rows = np.empty(_GAMES, np.bool_), np.ones(_GAMES, np.bool_)
        choose_rows(
            search,
            batch.states.copy(),
            self._settings.epsilon,
            self._rng,
            actions,
            values,
            at_random,
        )
        games.act(actions, rows)
        states = batch.states.copy()
        games.reply(rows)
        for row, decided in enumerate(self._decided):
            decided.states.append(states[row])
            decided.values.append(values[row])
            decided.at_random.append(at_random[row])
        self._is_new = batch.over.copy()
        for row in self._is_new.nonzero()[0].tolist():
            self._end(self._decided[row], int(games.seats[row]), batch.rewards[row].copy())
            self._decided[row] = _Game()
        return int(self._is_new.sum())

    def _open(self, row: int) -> None:
        """Start a game after some random plies."""
        rows = np.zeros(_GAMES, np.bool_)
        rows[row] = True
        state: State | None = None
        while state is None or state.is_terminal:
            state = self.game.new_state(int(self._generator.integers(2**63)))
            for _ in range(self._generator.integers(self._settings.opening + 1)):
                if not state.is_terminal:
                    state.apply(int(self._generator.choice(state.legal_actions())))
        self._games.open(rows, state)

    def _end(self, decided: _Game, seat: int, returns: NDArray[np.float64]) -> None:
        """Keep the positions of a game that is over, with the lambda-returns of all seats."""
        if not returns.any():
            returns[:] = -_DRAW / (len(returns) - 1)
            returns[seat] = _DRAW
        target = returns
        for place in range(len(decided.states) - 1, -1, -1):
            state = decided.states[place]
            if state[STATUS] == RUNNING:
                self._states.append(state)
                # As the search looks at it: see `search.afterstates`.
                self._observers.append(seat if self._hidden else int(state[SEAT]))
                self._values.append(target)
            # What follows a random action is no sign of what the one before is worth.
            trace = 0.0 if decided.at_random[place] else self._settings.td_lambda
            value = decided.values[place]
            target = value + trace * (target - value)
