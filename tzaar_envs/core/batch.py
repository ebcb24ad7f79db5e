"""Batches: many games of one kind in one set of arrays, stepped by one compiled call.

The functions work on rows `first` to `last - 1`, so that threads can split the rows of a batch; no
row depends on another. They are compiled once for all games.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core import kernel as k
from tzaar_envs.core.errors import IllegalActionError, MissingActionError
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import fill_mask
from tzaar_envs.core.state import State
from tzaar_envs.core.toolkit import ILLEGAL_REWARD, leads
from tzaar_envs.core.validation import array_of, integers_of
from tzaar_envs.jit.arrays import ReusedArrays, RowThreads, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import below, new_generators

# The order of a row for the next step.
WAIT = 0
PLAY = 1  # the chosen action; nothing if the game is over
RESET = 2  # start a new game
RESUME = 3  # continue from a position that was written into the row


class Arrays(NamedTuple):
    """The arrays of a batch, one row per game, as compiled code takes them."""

    states: NDArray[np.int64]
    generators: NDArray[np.uint64]
    choosers: NDArray[np.uint64]
    orders: NDArray[np.int8]
    actions: NDArray[np.int64]
    players: NDArray[np.int64]
    masks: NDArray[np.int8]
    random_actions: NDArray[np.int64]
    observations: NDArray[np.int8]
    rewards: NDArray[np.float64]
    mover_rewards: NDArray[np.float64]
    scores: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    over: NDArray[np.bool_]


@compiled
def _order_actions(
    chosen: NDArray[np.int64],
    rows: NDArray[np.bool_],
    restart: bool,
    strict: bool,
    over: NDArray[np.bool_],
    masks: NDArray[np.int8],
    actions: NDArray[np.int64],
    orders: NDArray[np.int8],
) -> int:
    """Order the chosen actions in some rows, and new games in finished ones if `restart`.

    Return the first row whose action would be played and does not exist or, if `strict`, is not
    legal; -1 if there is none.
    """
    for row in range(chosen.size):
        orders[row] = WAIT
        if not rows[row]:
            continue
        if over[row]:
            orders[row] = RESET if restart else PLAY  # which only clears the end flags
        elif not 0 <= chosen[row] < masks.shape[1] or (strict and masks[row, chosen[row]] == 0):
            return row
        else:
            orders[row] = PLAY
            actions[row] = chosen[row]
    return -1


@compiled(nogil=True)
def _advance_rows(
    first: int,
    last: int,
    functions: FunctionTable,
    options: StateArray,
    score_unit: float,
    games: Arrays,
) -> None:
    """Execute the order of every row, and write what its next player sees."""
    functions, options, games = borrowed(functions), borrowed(options), borrowed(games)
    reset = k.reset_of(functions)
    apply = k.apply_of(functions)
    observe = k.observe_of(functions)
    legal_actions = np.empty(games.masks.shape[1], np.int64)
    for row in range(first, last):
        order = games.orders[row]
        if order == WAIT:
            continue
        if games.terminated[row] or games.truncated[row]:
            games.rewards[row] = 0.0
            games.mover_rewards[row] = 0.0
            games.terminated[row] = False
            games.truncated[row] = False
        state = games.states[row]
        if order == PLAY:
            if games.over[row]:
                continue
            if games.masks[row, games.actions[row]] == 0:
                _stop(games, row)
                observe(state, state[k.SEAT], games.observations[row])
                continue
            mover = state[k.SEAT]
            apply(state, games.actions[row], games.generators[row])
            if state[k.STATUS] != k.RUNNING:
                _end(functions, score_unit, games, row)
                games.mover_rewards[row] = games.rewards[row, mover]
        elif order == RESET:
            reset(state, options, games.generators[row])
        games.over[row] = state[k.STATUS] != k.RUNNING
        games.players[row] = k.NOBODY if games.over[row] else state[k.SEAT]
        observe(state, state[k.SEAT], games.observations[row])
        count = fill_mask(functions, state, legal_actions, games.masks[row])
        chosen = legal_actions[below(games.choosers[row], count)] if count > 0 else 0
        games.random_actions[row] = chosen


@compiled
def _end(functions: FunctionTable, score_unit: float, games: Arrays, row: int) -> None:
    """Write the result of a finished game."""
    state = games.states[row]
    k.scores_of(functions)(state, games.scores[row])
    if score_unit > 0.0:
        leads(games.scores[row], score_unit, games.rewards[row])
    else:
        k.returns_of(functions)(state, games.rewards[row])
    games.terminated[row] = state[k.STATUS] == k.TERMINATED
    games.truncated[row] = state[k.STATUS] == k.TRUNCATED


@compiled
def _stop(games: Arrays, row: int) -> None:
    """End a game that the player to move loses; its position stays unfinished, without scores."""
    games.scores[row] = 0.0
    games.rewards[row, games.states[row, k.SEAT]] = ILLEGAL_REWARD
    games.mover_rewards[row] = ILLEGAL_REWARD
    games.masks[row] = 0
    games.random_actions[row] = 0
    games.players[row] = k.NOBODY
    games.terminated[row] = True
    games.truncated[row] = True
    games.over[row] = True


@compiled(nogil=True)
def observe_rows(
    first: int,
    last: int,
    functions: FunctionTable,
    states: NDArray[np.int64],
    seats: NDArray[np.int64],
    out: NDArray[np.int8],
) -> None:
    """Write what a seat sees in each of these positions."""
    for row in range(first, last):
        k.observe_of(functions)(states[row], seats[row], out[row])


@compiled(nogil=True)
def evaluate_rows(
    first: int,
    last: int,
    functions: FunctionTable,
    states: NDArray[np.int64],
    seats: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """Write the evaluation of each of these positions for a seat."""
    for row in range(first, last):
        values[row] = k.evaluate_of(functions)(states[row], seats[row])


def _shown(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array that compiled code trusts."""
    view = array.view()
    view.flags.writeable = False
    return view


class Batch:
    """Many games with the same options.

    Every call overwrites the arrays in place. They are read-only views of the arrays that compiled
    code trusts: what is written into them changes no game.

    Attributes:
        game: The game.
        states: int64 `(num_envs, state_size)`, the positions.
        generators: uint64 `(num_envs, 1)`, the random generator of each game.
        players: int64 `(num_envs,)`, the player to move, `NOBODY` where the game is over.
        masks: int8 `(num_envs, num_actions)`, its legal actions; zeros where the game is over.
        random_actions: int64 `(num_envs,)`, one of them, drawn uniformly from a separate generator
            as the masks are written; 0 where the game is over.
        observations: int8 `(num_envs, *observation_shape)` of the player to move; where the game is
            over, of the player whose turn it would be.
        rewards: float64 `(num_envs, num_players)`, of the last step; zeros while a game runs.
        mover_rewards: float64 `(num_envs,)`, the reward of the player who moved in that step.
        scores: float64 `(num_envs, num_players)`, the points of the last finished game of the row.
        terminated: bool `(num_envs,)`, whether the last step ended the game by the rules.
        truncated: bool `(num_envs,)`, whether it did by a move cap. Both: by an illegal action.
        over: bool `(num_envs,)`, whether the game is over, since the last step or longer.

    Args:
        game: The game.
        num_envs: The number of games, at least 1.
        num_threads: The number of threads that share the work if there are enough games, see
            `jit.arrays`.
        score_unit: The lead in points that is worth a reward of 1; 0: rewards by the outcome.
    """

    def __init__(
        self, game: Game, num_envs: int, num_threads: int = 1, score_unit: float = 0.0
    ) -> None:
        self.game = game
        self._num_threads = num_threads
        self._score_unit = float(score_unit)  # one type, so one compilation
        size, seats = game.rules.state_size, game.num_players
        self._arrays = Arrays(
            states=np.zeros((num_envs, size), np.int64),
            generators=new_generators(None, num_envs),  # until `seed`
            choosers=new_generators(None, num_envs),
            orders=np.zeros(num_envs, np.int8),
            actions=np.zeros(num_envs, np.int64),
            players=np.full(num_envs, k.NOBODY),
            masks=np.zeros((num_envs, game.num_actions), np.int8),
            random_actions=np.zeros(num_envs, np.int64),
            observations=np.zeros((num_envs, int(np.prod(game.observation_shape))), np.int8),
            rewards=np.zeros((num_envs, seats)),
            mover_rewards=np.zeros(num_envs),
            scores=np.zeros((num_envs, seats)),
            terminated=np.zeros(num_envs, np.bool_),
            truncated=np.zeros(num_envs, np.bool_),
            over=np.ones(num_envs, np.bool_),
        )
        self._share()

    def _share(self) -> None:
        """Publish the arrays as attributes, and start what is not pickled."""
        games = self._arrays
        self.states = _shown(games.states)
        self.generators = _shown(games.generators)
        self.players = _shown(games.players)
        self.masks = _shown(games.masks)
        self.random_actions = _shown(games.random_actions)
        self.rewards = _shown(games.rewards)
        self.mover_rewards = _shown(games.mover_rewards)
        self.scores = _shown(games.scores)
        self.terminated = _shown(games.terminated)
        self.truncated = _shown(games.truncated)
        self.over = _shown(games.over)
        self._every_row = np.ones(len(games.over), np.bool_)
        self._own = games.observations  # which no caller gets
        self._is_handed_over = False  # whether a caller has got the array of the observations
        self._new_observations = ReusedArrays(games.observations.shape, np.int8)
        self._new_masks = ReusedArrays(games.masks.shape, np.int8)
        self._options = self.game.encoded_options
        self._threads = RowThreads(len(games.over), self._num_threads)

    def __getstate__(self) -> tuple[Game, int, float, Arrays]:
        self._own_observations()
        return self.game, self._num_threads, self._score_unit, self._arrays

    def __setstate__(self, state: tuple[Game, int, float, Arrays]) -> None:
        self.game, self._num_threads, self._score_unit, arrays = state
        # Joblib and Ray hand over arrays that cannot be written.
        kept: list[Any] = [each if each.flags.writeable else each.copy() for each in arrays]
        self._arrays = Arrays(*kept)
        self._share()

    @property
    def observations(self) -> NDArray[np.int8]:
        """The players' observations, see the class."""
        self._own_observations()
        return _shown(self._arrays.observations).reshape(-1, *self.game.observation_shape)

    def _own_observations(self) -> None:
        """Observe anew into the batch's own array if a caller has got the last one."""
        if self._is_handed_over:
            self._is_handed_over = False
            games = self._arrays = self._arrays._replace(observations=self._own)
            functions, states = self.game.rules.functions, games.states
            seats, out = states[:, k.SEAT].copy(), games.observations
            self._threads.run(
                lambda first, last: observe_rows(first, last, functions, states, seats, out)
            )

    def _advance(self) -> None:
        """Execute the orders of all rows."""
        functions, options = self.game.rules.functions, self._options
        unit, games = self._score_unit, self._arrays
        self._threads.run(
            lambda first, last: _advance_rows(first, last, functions, options, unit, games)
        )

    def _advance_some(self) -> None:
        """Execute the orders of all rows, of which some may be to wait."""
        self._own_observations()
        self._advance()

    def _selected(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return array_of("rows", rows, np.bool_, self.over.shape)

    def seed(self, row: int, seed: int | Sequence[int] | None) -> None:
        """Seed all further chance events of a row, as `Game.new_state` does."""
        self._arrays.generators[row], self._arrays.choosers[row] = new_generators(seed, 2)

    def legal_answers(self, who: str, answers: Any, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return an agent's answers in some rows as int64 `(n,)`.

        Args:
            who: The agent's name, for errors.
            answers: Answers that it returned.
            rows: int64 `(n,)`, the rows in which it was asked.

        Raises:
            ValueError: Not an integer for each row, or an action that is not legal there.
        """
        actions = integers_of(f"actions of {who}", answers, len(rows))
        exist = (actions >= 0) & (actions < self.game.num_actions)
        legal = exist & self._arrays.masks[rows, np.where(exist, actions, 0)].view(np.bool_)
        if not legal.all():
            wrong = int(legal.argmin())
            raise ValueError(
                f"{who} played action {actions[wrong]}, which is not legal in "
                f"{self.state(int(rows[wrong])).label}"
            )
        return actions

    def reset(self, rows: NDArray[np.bool_]) -> None:
        """Start a new game in the selected rows, bool `(num_envs,)`; clear their end flags."""
        np.multiply(self._selected(rows), RESET, out=self._arrays.orders, dtype=np.int8)
        self._advance_some()

    def set_positions(self, rows: NDArray[np.bool_], words: StateArray) -> None:
        """Continue from other positions in the selected rows.

        Args:
            rows: bool `(num_envs,)`.
            words: int64 `(selected, state_size)`, or one position `(state_size,)` for all of them.

        Raises:
            ValueError: Arrays of another shape or type.
        """
        rows = self._selected(rows)
        positions = self.game.checked_positions(np.atleast_2d(words))
        if len(positions) not in (1, np.count_nonzero(rows)):
            raise ValueError(f"{len(positions)} positions were given for {rows.sum()} rows")
        self._arrays.states[rows] = positions
        np.multiply(rows, RESUME, out=self._arrays.orders, dtype=np.int8)
        self._advance_some()

    def set_generators(self, generators: NDArray[np.uint64]) -> None:
        """Draw all further chance events of each row from another generator.

        Args:
            generators: uint64 `(num_envs, 1)`, see `generators`.

        Raises:
            ValueError: Another shape or type.
        """
        shape = self.generators.shape
        self._arrays.generators[:] = array_of("generators", generators, np.uint64, shape)

    def show(self, rows: NDArray[np.bool_], seats: NDArray[np.int64]) -> None:
        """Write what the given seats see into `observations`, in the selected rows.

        Args:
            rows: bool `(num_envs,)`.
            seats: int64 `(selected,)`.
        """
        rows = self._selected(rows)
        seen = self.observe(rows.nonzero()[0], seats)
        self._own_observations()
        self._arrays.observations[rows] = seen.reshape(len(seen), -1)

    def step(
        self,
        actions: NDArray[np.int64],
        rows: NDArray[np.bool_] | None = None,
        *,
        strict: bool = False,
        restart: bool = False,
        new_arrays: bool = False,
    ) -> None:
        """Play an action in every row whose game runs.

        Args:
            actions: Integers `(num_envs,)`; where no action is played, any.
            rows: bool `(num_envs,)`, the rows to step; None: all. The others stay unchanged.
            strict: Whether to refuse illegal actions, which otherwise end their games.
            restart: Whether to start a new game where it is over.
            new_arrays: Whether to write into a new array what `copied_observations` returns then:
                that is faster than a copy.

        Raises:
            MissingActionError: An action that does not exist; nothing was played.
            IllegalActionError: With `strict`, an illegal action; nothing was played.
            ValueError: Arrays of another shape or type.
        """
        games = self._arrays
        selected = self._every_row if rows is None else self._selected(rows)
        chosen = integers_of("actions", actions, len(games.over))
        refused = _order_actions(
            chosen, selected, restart, strict, games.over, games.masks, games.actions, games.orders
        )
        if refused >= 0:
            raise self._refusal(int(chosen[refused]), refused)
        if not new_arrays:
            self._advance_some()
            return
        self._arrays = games._replace(observations=self._new_observations.new())
        self._is_handed_over = True  # so that what follows an interrupted call observes anew
        self._advance()
        self._is_handed_over = False

    def _refusal(self, action: int, row: int) -> IllegalActionError:
        """Return the error for an action that cannot be played in a row."""
        if 0 <= action < self.game.num_actions:
            return IllegalActionError(
                f"action {action} of row {row} is not legal in {self.state(row).label}"
            )
        return MissingActionError(
            f"action is not in action space: {action} of row {row} is not an integer from 0 to "
            f"{self.game.num_actions - 1}"
        )

    def copied_observations(self) -> NDArray[np.int8]:
        """Return a copy of `observations`, which belongs to the caller."""
        self._own_observations()
        copy = self._arrays.observations
        if copy is self._own:
            copy = self._new_observations.copy_of(copy)
        else:
            self._is_handed_over = True
        return copy.reshape(-1, *self.game.observation_shape)

    def copied_masks(self) -> NDArray[np.int8]:
        """Return a copy of `masks`, which belongs to the caller."""
        return self._new_masks.copy_of(self.masks)

    def forfeit(self, rows: NDArray[np.bool_]) -> None:
        """End the games of the selected rows, bool `(num_envs,)`: the players to move lose them.

        They get -1, every other player `1 / (num_players - 1)`, and nobody has scores; games that
        are over stay as they are.
        """
        games, players = self._arrays, self.game.num_players
        for row in (self._selected(rows) & ~self.over).nonzero()[0].tolist():
            games.rewards[row] = 1 / max(1, players - 1)
            _stop(games, row)
            games.truncated[row] = False

    def observe(self, rows: NDArray[np.intp], seats: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return int8 `(n, *observation_shape)`: what the given seats see in the given rows.

        Args:
            rows: Integers `(n,)`, the rows.
            seats: Integers `(n,)`, a seat for each of them.

        Raises:
            IndexError: A row that does not exist.
            ValueError: A seat that does not exist, or arrays of another shape or type.
        """
        rows = integers_of("rows", rows, len(rows))
        states = self._arrays.states[rows]
        seats = self._seats(seats, len(rows))
        out = np.empty((len(rows), self._arrays.observations.shape[1]), np.int8)
        observe_rows(0, len(rows), self.game.rules.functions, states, seats, out)
        return out.reshape(-1, *self.game.observation_shape)

    def _seats(self, seats: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Return so many seats; refuse one that does not exist."""
        seats = integers_of("seats", seats, count)
        last = self.game.num_players - 1
        if count and not 0 <= seats.min() <= seats.max() <= last:
            raise ValueError(f"seats {seats} are not allowed: use 0 to {last}")
        return seats

    def evaluate(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return float64 `(num_envs,)`, the evaluation of every row for its seat in `seats`.

        Raises:
            ValueError: A seat that does not exist, or an array of another shape or type.
        """
        seats = self._seats(seats, len(self.over))
        values = np.empty(len(seats))
        functions, states = self.game.rules.functions, self._arrays.states
        self._threads.run(
            lambda first, end: evaluate_rows(first, end, functions, states, seats, values)
        )
        return values

    def state(self, row: int) -> State:
        """Return a copy of the position of a row, its generator included."""
        return State(self.game, self._arrays.states[row], self.generators[row])

    @property
    def bytes_per_game(self) -> int:
        """The size of all arrays together, divided by the number of games."""
        return sum(array.nbytes for array in self._arrays) // len(self.over)

    def close(self) -> None:
        """End the threads."""
        self._threads.close()
