"""`optimal-solo`: the best play for a single player who rolls every turn and fills row by row.

The rows are independent, so each is a game of its own. Before a roll its state is the set of free
positions and the number of hits so far, and only the dice of free fields matter. Sets of positions
are bits, as in the actions.

The table, float64 `(ROWS, SETS, HITS, 1 + SETS)`, is indexed by row, free positions and hits so
far. It holds the points still to be expected from the row with the best play, that is, the values
to be entered and the bonus at its completion: at `BEFORE_ROLL`, and at `AFTER_REROLL + ones` if
those free positions keep their dice, which show 1, and all other dice are about to be rolled again.
`expectimax` solves its larger table with the same functions.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.toolkit import popcount
from tzaar_envs.games.twenty_one import SCORE_UNIT, rules
from tzaar_envs.games.twenty_one import board as b
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled

SETS = 1 << b.POSITIONS
ALL_FREE = SETS - 1
HITS = b.POSITIONS + 1

BEFORE_ROLL = 0
AFTER_REROLL = 1

Table = NDArray[np.float64]


def action_values(game: Game, states: NDArray[np.int64], rng: RngState) -> NDArray[np.float64]:
    """Return float64 `(len(states), num_actions)`: the expected further points of the row.

    They are those of the player to move, divided by the `score_unit` of the game's spec; minus
    infinity where the action is not legal.

    Args:
        game: Twenty One with any options.
        states: Positions, int64 `(n, state_size)`.
        rng: Not used, since all values are exact.
    """
    table = solve(game)
    values = np.empty((len(states), game.num_actions), np.float64)
    actions = np.empty(game.num_actions, np.int64)
    for state, out in zip(states, values, strict=True):
        _write_values(state, table, actions, out)
    values /= SCORE_UNIT
    return values


def solve(game: Game) -> Table:
    """Return the table for the numbers of a game's sheets, computed once."""
    return _solve(printed_numbers(game))


def printed_numbers(game: Game) -> tuple[int, ...]:
    """Return the 30 numbers of a game's sheets, row by row."""
    rows = game.encoded_options[b.OPTION_SHEETS][: b.ROWS]
    return tuple(rules.number_at(int(row), at) for row in rows for at in range(b.POSITIONS))


@functools.cache
def _solve(numbers: tuple[int, ...]) -> Table:
    table = np.zeros((1, b.ROWS, SETS, HITS, AFTER_REROLL + SETS))
    for row, of_row in enumerate(np.array(numbers, np.int64).reshape(b.ROWS, b.POSITIONS)):
        solve_row(of_row, table[:, row], np.zeros(1), 0.0, 0.0)
    return table[0]


@compiled
def solve_row(
    numbers: StateArray, table: Table, below: Table, price: float, others_reroll: float
) -> None:
    """Fill the table of one row.

    A set of free positions needs the values of its subsets, whose numbers are smaller.

    Args:
        numbers: The printed numbers, int64 `(POSITIONS,)`.
        table: float64 `(seats, SETS, HITS, 1 + SETS)`; the first index is the turns until the seat
            is active, 0 if the roll is its own.
        below: float64 `(seats,)`, what the rows below are worth.
        price: Price of each turn, in points.
        others_reroll: The share of rolls that another active seat rerolls.
    """
    players = table.shape[0]
    dice = np.zeros(b.POSITIONS, np.int64)
    for wait in range(players):
        for hits in range(HITS):
            table[wait, 0, hits, BEFORE_ROLL] = rules.bonus(hits) + below[wait]
    for free in range(1, SETS):
        rolls = count_rolls(free, numbers)
        fills = np.empty(rolls)  # the value of each roll if it is kept
        for hits in range(b.POSITIONS - popcount(free) + 1):
            for wait in range(players):
                after = table[(wait - 1) % players]
                for roll in range(rolls):
                    read_roll(roll, free, numbers, dice)
                    fills[roll] = best_fill(free, hits, dice, numbers, after)
                values = table[wait, free, hits]
                add_rerolls(free, fills, numbers, dice, values)
                values[BEFORE_ROLL] = -price
                for roll in range(rolls):
                    chance = read_roll(roll, free, numbers, dice)
                    rerolled = values[AFTER_REROLL + ones_of(free, dice)]
                    if wait == 0:
                        value = max(fills[roll], rerolled)
                    else:
                        value = fills[roll] + others_reroll * (rerolled - fills[roll])
                    values[BEFORE_ROLL] += chance * value


@compiled
def faces(number: int) -> int:
    """Return the number of results of a die that differ for a field with this number."""
    return min(b.HIGHEST, number + 1)


@compiled
def count_rolls(free: int, numbers: StateArray) -> int:
    """Return the number of rolls that differ for the free positions."""
    rolls = 1
    for position in range(b.POSITIONS):
        if free >> position & 1:
            rolls *= faces(numbers[position])
    return rolls


@compiled
def read_roll(roll: int, free: int, numbers: StateArray, dice: StateArray) -> float:
    """Write the dice of the free positions in a roll, and return its probability.

    A die one above the number represents all values that do not fit.
    """
    chance = 1.0
    for position in range(b.POSITIONS):
        if free >> position & 1:
            number = numbers[position]
            die = 1 + roll % faces(number)
            roll //= faces(number)
            dice[position] = die
            chance *= (1 if die <= number else b.HIGHEST - number) / b.HIGHEST
    return chance


@compiled
def ones_of(free: int, dice: StateArray) -> int:
    """Return the free positions whose dice show 1."""
    ones = 0
    for position in range(b.POSITIONS):
        if free >> position & 1 and dice[position] == b.ONE:
            ones |= 1 << position
    return ones


@compiled
def add_rerolls(
    free: int, fills: Table, numbers: StateArray, dice: StateArray, values: Table
) -> None:
    """Write the value of a reroll for every set of ones: the mean over all rolls with them."""
    values[AFTER_REROLL:] = 0.0
    for roll in range(fills.size):
        chance = read_roll(roll, free, numbers, dice)
        shown = ones_of(free, dice)
        kept = shown
        while True:  # runs through all subsets of the ones
            values[AFTER_REROLL + kept] += fills[roll] * chance * b.HIGHEST ** popcount(kept)
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
    marks, printed = rules.current_row(state, seat)
    dice = np.empty(b.POSITIONS, np.int64)
    numbers = np.empty(b.POSITIONS, np.int64)
    for position in range(b.POSITIONS):
        dice[position] = state[b.DICE][rules.colour_at(printed, position)]
        numbers[position] = rules.number_at(printed, position)
    free = rules.free_positions(marks)
    hits = rules.count_hits(marks, printed)
    of_row = table[state[b.ROW][seat]]
    for action in actions[:count]:
        if action == b.KEEP:
            out[action] = best_fill(free, hits, dice, numbers, of_row)
        elif action == b.REROLL:
            out[action] = of_row[free, hits, AFTER_REROLL + ones_of(free, dice)]
        else:
            out[action] = fill_value(free, hits, action, dice, numbers, of_row)
