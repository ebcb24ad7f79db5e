"""What the searching seat believes about that which it cannot see.

Hidden hands are drawn by their probability. Choices that others have made at the same time have
none: players choose well, not at random. So of several random draws that one is believed which
those who have chosen like best, by the game's evaluation function. A search with playouts, which
knows no evaluation, believes any draw.
"""

from tzaar_envs.core.kernel import SEAT, determinize_of, evaluate_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable

DRAWS = 16  # in games in which players choose at the same time


@compiled
def imagine(
    functions: FunctionTable,
    draws: int,
    seats: int,
    words: StateArray,
    state: StateArray,
    trial: StateArray,
    rng: RngState,
) -> None:
    """Write a position that the seat to act cannot tell from another one.

    Args:
        functions: of the game.
        draws: how many such positions are drawn, to write the one that the other seats like best.
        seats: how many the game has.
        words: the position; what is hidden in it has no influence.
        state: to be written.
        trial: scratch, int64 `(state_size,)`.
        rng: for the draws.
    """
    searcher = words[SEAT]
    before = rng[0]
    state[:] = words
    determinize_of(functions)(state, searcher, rng)
    if draws == 1 or rng[0] == before:  # nothing is hidden
        return
    greatest = liking_of_others(functions, seats, searcher, state)
    for _ in range(draws - 1):
        trial[:] = words
        determinize_of(functions)(trial, searcher, rng)
        liking = liking_of_others(functions, seats, searcher, trial)
        if liking > greatest:
            greatest = liking
            state[:] = trial


@compiled
def liking_of_others(
    functions: FunctionTable, seats: int, searcher: int, state: StateArray
) -> float:
    """Return the sum of what all other seats expect of a position."""
    total = 0.0
    for seat in range(seats):
        if seat != searcher:
            total += evaluate_of(functions)(state, seat)
    return total
