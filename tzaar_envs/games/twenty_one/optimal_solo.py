"""`optimal-solo`: the best play for a single player who rolls every turn and fills row by row.

The rows are independent, so each is a game of its own. Before a roll its state is the set of free
positions and the number of hits so far, and only the dice of free fields matter. Sets of positions
are bits, as in the actions.

The table, float64 `(ROWS, SETS, HITS, 1 + SETS)`, is indexed by row, free positions and hits so
far. It holds the points still to be expected from the row with the best play, that is, the values
to be entered and the bonus at its completion: at `BEFORE_ROLL`, and at `AFTER_REROLL + ones` if
those free positions keep their dice, which show 1, and all other dice are about to be rolled again.
"""

import contextlib
import functools
import hashlib
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.toolkit import popcount
from tzaar_envs.games.twenty_one import SCORE_UNIT, rules
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import cache_root, compiled, source_digest
from tzaar_envs.system.files import write_atomically

SETS = 1 << b.POSITIONS
ALL_FREE = SETS - 1
HITS = b.POSITIONS + 1

BEFORE_ROLL = 0
AFTER_REROLL = 1

_SHAPE = (b.ROWS, SETS, HITS, AFTER_REROLL + SETS)
_DIGEST_SIZE = hashlib.sha256().digest_size

Table = NDArray[np.float64]


def expected_row_scores(game: Game) -> NDArray[np.float64]:
    """Return float64 `(ROWS,)`: the expected score of each row, played alone and at best."""
    return solve(game)[:, ALL_FREE, 0, BEFORE_ROLL].copy()


def action_values(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the expected further points of the row.

    They are those of the player to move, divided by the `score_unit` of the game's spec; minus
    infinity where the action is not legal.

    Args:
        game: Twenty One with any options.
        states: positions, int64 `(n, state_size)`.
        rng: not used, since all values are exact.
    """
    table = solve(game)
    values = np.empty((len(states), game.num_actions), np.float64)
    actions = np.empty(game.num_actions, np.int64)
    for state, out in zip(states, values, strict=True):
        _write_values(state, table, actions, out)
    values /= SCORE_UNIT
    return values


def solve(game: Game) -> Table:
    """Return the table for the numbers of a game's sheets, computed once and stored in a file."""
    rows = game.encoded_options[b.OPTION_SHEETS][: b.ROWS]
    return _solve(
        tuple(
            rules.number_at(int(row), position) for row in rows for position in range(b.POSITIONS)
        )
    )


@functools.cache
def _solve(numbers: tuple[int, ...]) -> Table:
    """Return the table for 30 numbers, given row by row."""
    key = hashlib.sha256(f"{numbers} {source_digest(Path(__file__).parent)}".encode()).hexdigest()
    path = cache_root() / "tables" / f"twenty_one_{key[:20]}"
    table = _read(path)
    if table is None:
        table = np.zeros(_SHAPE)
        for row, of_row in enumerate(np.array(numbers, np.int64).reshape(b.ROWS, b.POSITIONS)):
            solve_row(of_row, table[row])
        with contextlib.suppress(OSError):  # a table that cannot be stored is computed again
            _write(path, table)
    return table


def _write(path: Path, table: Table) -> None:
    """Store a table in a file: the digest of an array in NumPy's format, then that array."""
    buffer = io.BytesIO()
    np.save(buffer, table)
    data = buffer.getvalue()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, hashlib.sha256(data).digest() + data)


def _read(path: Path) -> Table | None:
    """Return a stored table; None if there is none, or if it is damaged."""
    try:
        content = path.read_bytes()
        digest, data = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if hashlib.sha256(data).digest() != digest:
            return None
        table: Table = np.load(io.BytesIO(data), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return table if table.shape == _SHAPE and table.dtype == np.float64 else None


@compiled
def solve_row(numbers: StateArray, table: Table) -> None:
    """Fill the table of one row, `(SETS, HITS, 1 + SETS)`.

    A set of free positions needs the values of its subsets, whose numbers are smaller.
    """
    dice = np.zeros(b.POSITIONS, np.int64)
    for hits in range(HITS):
        table[0, hits, BEFORE_ROLL] = rules.bonus(hits)
    for free in range(1, SETS):
        free_positions = popcount(free)
        rolls = b.HIGHEST**free_positions
        fills = np.empty(rolls)  # the value of each roll if it is kept
        for hits in range(b.POSITIONS - free_positions + 1):
            for roll in range(rolls):
                read_roll(roll, free, dice)
                fills[roll] = best_fill(free, hits, dice, numbers, table)
            add_rerolls(free, fills, dice, table[free, hits])
            value = 0.0
            for roll in range(rolls):
                read_roll(roll, free, dice)
                value += max(fills[roll], table[free, hits, AFTER_REROLL + ones_of(free, dice)])
            table[free, hits, BEFORE_ROLL] = value / rolls


@compiled
def read_roll(roll: int, free: int, dice: StateArray) -> None:
    """Write the dice of the free positions in one of the equally likely rolls."""
    for position in range(b.POSITIONS):
        if free >> position & 1:
            dice[position] = b.LOWEST + roll % b.HIGHEST
            roll //= b.HIGHEST


@compiled
def ones_of(free: int, dice: StateArray) -> int:
    """Return the free positions whose dice show 1."""
    ones = 0
    for position in range(b.POSITIONS):
        if free >> position & 1 and dice[position] == b.ONE:
            ones |= 1 << position
    return ones


@compiled
def add_rerolls(free: int, fills: Table, dice: StateArray, values: Table) -> None:
    """Write the value of a reroll for every set of ones: the mean over all rolls with them."""
    values[AFTER_REROLL:] = 0.0
    for roll in range(fills.size):
        read_roll(roll, free, dice)
        shown = ones_of(free, dice)
        kept = shown
        while True:  # runs through all subsets of the ones
            rerolled = popcount(free ^ kept)
            values[AFTER_REROLL + kept] += fills[roll] / b.HIGHEST**rerolled
            if kept == 0:
                break
            kept = kept - 1 & shown


@compiled
def best_fill(free: int, hits: int, dice: StateArray, numbers: StateArray, table: Table) -> float:
    """Return the value of the best filling; `dice` is the die of each position's colour."""
    fitting = 0
    for position in range(b.POSITIONS):
        if free >> position & 1 and dice[position] <= numbers[position]:
            fitting |= 1 << position
    best = fill_value(free, hits, b.STRIKE, dice, numbers, table)
    entered = fitting
    while entered > 0:
        best = max(best, fill_value(free, hits, entered, dice, numbers, table))
        entered = entered - 1 & fitting
    return best


@compiled
def fill_value(
    free: int, hits: int, choice: int, dice: StateArray, numbers: StateArray, table: Table
) -> float:
    """Return the values that a filling enters and the points to be expected after it."""
    if choice == b.STRIKE:
        return table[free & free - 1, hits, BEFORE_ROLL]  # without the lowest bit
    points = 0
    for position in range(b.POSITIONS):
        if choice >> position & 1:
            points += dice[position]
            hits += dice[position] == numbers[position]
    return points + table[free ^ choice, hits, BEFORE_ROLL]


@compiled
def _write_values(state: StateArray, table: Table, actions: StateArray, out: Table) -> None:
    """Write the values of one position's actions."""
    out[:] = -np.inf
    count = rules.legal(state, actions)
    if count == 0:
        return
    seat = state[SEAT]
    row = state[b.ROW][seat]
    marks = state[b.MARKS][b.ROWS * seat + row]
    printed = rules.printed_row(state, seat, row)
    dice = np.empty(b.POSITIONS, np.int64)
    numbers = np.empty(b.POSITIONS, np.int64)
    free = 0
    for position in range(b.POSITIONS):
        dice[position] = state[b.DICE][rules.colour_at(printed, position)]
        numbers[position] = rules.number_at(printed, position)
        if rules.mark_at(marks, position) == b.FREE:
            free |= 1 << position
    hits = rules.count_hits(marks, printed)
    of_row = table[row]
    for action in actions[:count]:
        if action == b.KEEP:
            out[action] = best_fill(free, hits, dice, numbers, of_row)
        elif action == b.REROLL:
            out[action] = of_row[free, hits, AFTER_REROLL + ones_of(free, dice)]
        else:
            out[action] = fill_value(free, hits, action, dice, numbers, of_row)
