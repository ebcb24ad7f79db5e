"""Many games of a kind in one set of arrays, which one compiled call steps.

The functions work on rows `first` to `last - 1`, so that threads can share the rows of a batch; no
row depends on another. They are compiled once for all games.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.arrays import Words
from tzaar_envs.core.base_env import ILLEGAL_REWARD
from tzaar_envs.core.compile import compiled
from tzaar_envs.core.functions import FunctionTable
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import (
    RUNNING,
    SEAT,
    STATUS,
    TERMINATED,
    TRUNCATED,
    apply_of,
    evaluate_of,
    observe_of,
    reset_of,
    returns_of,
    scores_of,
)
from tzaar_envs.core.masks import fill_mask
from tzaar_envs.core.outcome import leads
from tzaar_envs.core.rng import new_generator
from tzaar_envs.core.state import State
from tzaar_envs.core.threads import RowThreads

NOBODY = -1  # to move in a game that is over

_WORTH_SHARING = 256  # resets: to hand rows over to threads costs as much as some dozens of them


@compiled(nogil=True)
def _show_rows(
    first: int,
    last: int,
    code: FunctionTable,
    selected: NDArray[np.bool_],
    states: NDArray[np.int64],
    players: NDArray[np.int64],
    masks: NDArray[np.int8],
    observations: NDArray[np.int8],
    over: NDArray[np.bool_],
) -> None:
    """Write who is to move in the selected rows, what that player may do and what it sees."""
    observe = observe_of(code)
    actions = np.empty(masks.shape[1], np.int64)
    for row in range(first, last):
        if selected[row]:
            state = states[row]
            over[row] = state[STATUS] != RUNNING
            players[row] = NOBODY if over[row] else state[SEAT]
            fill_mask(code, state, actions, masks[row])
            observe(state, state[SEAT], observations[row])


@compiled(nogil=True)
def _reset_rows(
    first: int,
    last: int,
    code: FunctionTable,
    options: Words,
    selected: NDArray[np.bool_],
    states: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    players: NDArray[np.int64],
    masks: NDArray[np.int8],
    observations: NDArray[np.int8],
    over: NDArray[np.bool_],
) -> None:
    """Write start positions into the selected rows, and show them."""
    reset = reset_of(code)
    for row in range(first, last):
        if selected[row]:
            reset(states[row], options, rngs[row])
    _show_rows(first, last, code, selected, states, players, masks, observations, over)


@compiled(nogil=True)
def _step_rows(
    first: int,
    last: int,
    code: FunctionTable,
    score_unit: float,
    selected: NDArray[np.bool_],
    chosen: NDArray[np.int64],
    states: NDArray[np.int64],
    rngs: NDArray[np.uint64],
    players: NDArray[np.int64],
    masks: NDArray[np.int8],
    observations: NDArray[np.int8],
    rewards: NDArray[np.float64],
    mover_rewards: NDArray[np.float64],
    scores: NDArray[np.float64],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    over: NDArray[np.bool_],
) -> None:
    """Play an action in the selected rows whose game runs, and show what comes then."""
    apply = apply_of(code)
    observe = observe_of(code)
    actions = np.empty(masks.shape[1], np.int64)
    for row in range(first, last):
        if not selected[row]:
            continue
        rewards[row] = 0.0
        mover_rewards[row] = 0.0
        terminated[row] = False
        truncated[row] = False
        if over[row]:
            continue
        state = states[row]
        mover = state[SEAT]
        mask = masks[row]
        if mask[chosen[row]] == 0:
            mask[:] = 0  # the game stops in a position that the rules would go on from
            players[row] = NOBODY
            rewards[row, mover] = ILLEGAL_REWARD
            scores_of(code)(state, scores[row])
            terminated[row] = True
            truncated[row] = True
            over[row] = True
        else:
            apply(state, chosen[row], rngs[row])
            if state[STATUS] != RUNNING:
                scores_of(code)(state, scores[row])
                if score_unit > 0.0:
                    leads(scores[row], score_unit, rewards[row])
                else:
                    returns_of(code)(state, rewards[row])
                terminated[row] = state[STATUS] == TERMINATED
                truncated[row] = state[STATUS] == TRUNCATED
                over[row] = True
            players[row] = NOBODY if over[row] else state[SEAT]
            fill_mask(code, state, actions, mask)
        mover_rewards[row] = rewards[row, mover]
        observe(state, state[SEAT], observations[row])


@compiled
def _observe_rows(
    code: FunctionTable,
    rows: NDArray[np.intp],
    states: NDArray[np.int64],
    seats: NDArray[np.int64],
    out: NDArray[np.int8],
) -> None:
    for index in range(rows.size):
        row = rows[index]
        observe_of(code)(states[row], seats[row], out[index])


@compiled(nogil=True)
def _evaluate_rows(
    first: int,
    last: int,
    code: FunctionTable,
    states: NDArray[np.int64],
    seats: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    for row in range(first, last):
        out[row] = evaluate_of(code)(states[row], seats[row])


class Batch:
    """Many games with the same options.

    The arrays are written anew by every call, in place.

    Attributes:
        game: the game.
        states: int64 `(num_envs, state_size)`, the positions.
        generators: uint64 `(num_envs, 1)`, the random generator of each game.
        players: int64 `(num_envs,)`, the seat to move, `NOBODY` where the game is over.
        masks: int8 `(num_envs, num_actions)`, the player's legal actions; zeros where it is over.
        observations: int8 `(num_envs, *observation_shape)` of the player to move; where the game is
            over, of the seat that would be to move. A view of the one array behind it.
        rewards: float64 `(num_envs, num_players)`, of the last step, zeros while a game runs.
        mover_rewards: float64 `(num_envs,)`, of these, that of the player who moved in that step.
        scores: float64 `(num_envs, num_players)`, the points of the last game that ended there.
        terminated: bool `(num_envs,)`, the game ended by the rules in the last step.
        truncated: bool `(num_envs,)`, it ended by a move cap. Both: by an illegal action.
        over: bool `(num_envs,)`, the game is over, since the last step or longer.

    Args:
        game: the game.
        num_envs: how many games, at least 1.
        num_threads: how many threads share the work, at least 1.
        score_unit: 0 for rewards by the outcome, else the lead in points that is a reward of 1.
    """

    def __init__(
        self, game: Game, num_envs: int, num_threads: int = 1, score_unit: float = 0.0
    ) -> None:
        self.game = game
        self._score_unit = score_unit
        self._threads = RowThreads(num_envs, num_threads)
        self.states = np.zeros((num_envs, game.implementation.state_size), np.int64)
        self.generators = np.zeros((num_envs, 1), np.uint64)
        self.players = np.full(num_envs, NOBODY)
        self.masks = np.zeros((num_envs, game.num_actions), np.int8)
        self._flat = np.zeros((num_envs, int(np.prod(game.observation_shape))), np.int8)
        self.rewards = np.zeros((num_envs, game.num_players))
        self.mover_rewards = np.zeros(num_envs)
        self.scores = np.zeros((num_envs, game.num_players))
        self.terminated = np.zeros(num_envs, np.bool_)
        self.truncated = np.zeros(num_envs, np.bool_)
        self.over = np.ones(num_envs, np.bool_)
        self._every_row = np.ones(num_envs, np.bool_)

    @property
    def observations(self) -> NDArray[np.int8]:
        """What the player to move sees in each row."""
        return self._flat.reshape(-1, *self.game.observation_shape)

    @property
    def _code(self) -> FunctionTable:
        # Not kept: the table holds addresses, which mean nothing to a process that it is sent to.
        return self.game.implementation.code

    def seed(self, row: int, seed: int | Sequence[int] | None) -> None:
        """Fix all chance events of a row from here on, as `Game.new_state` would."""
        self.generators[row] = new_generator(seed)

    def reset(self, rows: NDArray[np.bool_]) -> None:
        """Start a new game in the selected rows, bool `(num_envs,)`; nothing has ended there."""
        options = self.game.encoded_options
        self._forget(rows)

        def work(first: int, last: int) -> None:
            _reset_rows(
                first, last, self._code, options, rows, self.states, self.generators,
                self.players, self.masks, self._flat, self.over,
            )  # fmt: skip

        if np.count_nonzero(rows) < _WORTH_SHARING:
            work(0, len(rows))
        else:
            self._threads.run(work)

    def _forget(self, rows: NDArray[np.bool_]) -> None:
        self.rewards[rows] = 0.0
        self.mover_rewards[rows] = 0.0
        self.terminated[rows] = False
        self.truncated[rows] = False

    def set_positions(self, rows: NDArray[np.bool_], words: Words) -> None:
        """Go on from other positions in the selected rows: int64 `(rows selected, state_size)`."""
        self.states[rows] = words
        self._forget(rows)
        self._threads.run(
            lambda first, last: _show_rows(
                first, last, self._code, rows, self.states,
                self.players, self.masks, self._flat, self.over,
            )
        )  # fmt: skip

    def step(self, actions: NDArray[np.int64], rows: NDArray[np.bool_] | None = None) -> None:
        """Play an action in every row whose game runs; an illegal one ends its game.

        Args:
            actions: int64 `(num_envs,)`, all within the action space where a game runs.
            rows: bool `(num_envs,)`, all other rows stay as they are; None: all rows.
        """
        selected = self._every_row if rows is None else rows
        self._threads.run(
            lambda first, last: _step_rows(
                first, last, self._code, self._score_unit, selected, actions, self.states,
                self.generators, self.players, self.masks, self._flat, self.rewards,
                self.mover_rewards, self.scores, self.terminated, self.truncated, self.over,
            )
        )  # fmt: skip

    def observe(self, rows: NDArray[np.intp], seats: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return int8 `(len(rows), *observation_shape)`: what given seats see in some rows.

        Args:
            rows: int `(n,)`, which.
            seats: int64 `(num_envs,)`, of every row.
        """
        out = np.empty((len(rows), self._flat.shape[1]), np.int8)
        _observe_rows(self._code, rows, self.states, seats, out)
        return out.reshape(-1, *self.game.observation_shape)

    def evaluate(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return float64 `(num_envs,)`, the evaluation function for these seats."""
        out = np.empty(len(seats))
        self._threads.run(
            lambda first, last: _evaluate_rows(first, last, self._code, self.states, seats, out)
        )
        return out

    def state(self, row: int) -> State:
        """Return a copy of a position, its generator included."""
        return State(self.game, self.states[row].copy(), self.generators[row])

    @property
    def bytes_per_game(self) -> int:
        """The size of all arrays together, for each game."""
        arrays = (
            self.states, self.generators, self.players, self.masks, self._flat, self.rewards,
            self.mover_rewards, self.scores, self.terminated, self.truncated, self.over,
        )  # fmt: skip
        return sum(array.nbytes for array in arrays) // len(self.players)

    def close(self) -> None:
        """End the threads."""
        self._threads.close()
