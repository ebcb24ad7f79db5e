"""The lines on Zatre's board, compiled: where a tile fits, and what its row and column come to.

An empty cell has links: the next empty cell in each direction, and the sum of the tiles before it.
"""

from tzaar_envs.core.toolkit import Bitboard, Cell, popcount
from tzaar_envs.games.zatre import board as b
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled

# Sets of cells.


@compiled
def loaded(state: StateArray, word: int, most: int) -> Bitboard:
    """Return a word of the set of the cells with a load from 1 to a greatest one, 1 to 12."""
    return state[b.LOADED.start + b.HIGHEST_SUM * word + most - 1]


@compiled
def set_load(state: StateArray, cell: Cell, load: int) -> None:
    """Add a cell to all sets that it belongs to with a load of at least 1, or remove it."""
    bit = 1 << cell % b.SET_BITS
    first = b.LOADED.start + b.HIGHEST_SUM * (cell // b.SET_BITS)
    # All twelve words are written, since that needs no branch.
    for most in range(1, b.HIGHEST_SUM + 1):
        others = state[first + most - 1] & ~bit
        state[first + most - 1] = others | (bit if load <= most else 0)


@compiled
def places(state: StateArray, value: int) -> int:
    """Return the number of cells on which a value fits."""
    cells = 0
    for word in range(b.SET_WORDS):
        cells += popcount(loaded(state, word, b.HIGHEST_SUM - value))
    return cells


# Lines on the board.


@compiled
def value_on(state: StateArray, cell: Cell) -> int:
    """Return the value of the tile on a cell, 0 if it is empty or outside."""
    return state[b.BOARD.start + cell] & b.VALUE_MASK


@compiled
def end_of(links: int, direction: int) -> int:
    """Return the next empty cell in a direction, `OUTSIDE` if there is none."""
    return links >> b.END_SHIFT + b.END_BITS * direction & ((1 << b.END_BITS) - 1)


@compiled
def sum_of(links: int, direction: int) -> int:
    """Return the sum of the tiles before the next empty cell in a direction."""
    return links >> b.SUM_SHIFT + b.SUM_BITS * direction & ((1 << b.SUM_BITS) - 1)


@compiled
def linked(links: int, direction: int, end: int, total: int) -> int:
    """Return links with another end and another sum in a direction."""
    end_shift = b.END_SHIFT + b.END_BITS * direction
    sum_shift = b.SUM_SHIFT + b.SUM_BITS * direction
    links &= ~(((1 << b.END_BITS) - 1 << end_shift) | ((1 << b.SUM_BITS) - 1 << sum_shift))
    return links | end << end_shift | total << sum_shift


@compiled
def sum_beside(links: int, direction: int) -> int:
    """Return the sum of the tiles that follow in a direction and in the opposite one."""
    return sum_of(links, direction) + sum_of(links, direction ^ 2)


@compiled
def load_of(links: int) -> int:
    """Return the load of an empty cell, 0 if no tile lies beside it."""
    return max(sum_beside(links, b.NORTH), sum_beside(links, b.WEST))


@compiled
def extension(state: StateArray, cell: Cell, value: int, direction: int) -> tuple[int, int, int]:
    """Return the end in a direction of the line through an empty cell once it holds a value.

    Returns:
        The next empty cell in that direction, its links, and the sum of all tiles beside it in the
        line's row or column once a tile of the value is on the first cell.
    """
    links = state[b.BOARD.start + cell]
    end = end_of(links, direction)
    beyond = state[b.BOARD.start + end]
    return end, beyond, value + sum_beside(links, direction) + sum_of(beyond, direction)


@compiled
def run(state: StateArray, cell: Cell, direction: int) -> tuple[int, int]:
    """Return the next empty cell in a direction from any cell, and the sum of the tiles before it.

    That cell is `OUTSIDE` if the tiles reach the edge. This is for filled cells, which have no
    links.
    """
    total = 0
    end = b.NEIGHBOUR[cell, direction]
    while value_on(state, end) > 0:
        total += value_on(state, end)
        end = b.NEIGHBOUR[end, direction]
    return end, total


@compiled
def completing(links: int, direction: int, along: int) -> tuple[int, int]:
    """Return the least and the greatest value that make a line score when laid at its end.

    The end has these links; `along` is the sum beside it in the line's row or column.
    """
    across = sum_beside(links, direction ^ 1)
    return max(1, b.LOWEST_SCORE - along), min(b.VALUES, b.HIGHEST_SUM - max(along, across))


@compiled
def completing_filled(state: StateArray, cell: Cell, direction: int) -> tuple[int, int, int]:
    """Return the end of a filled cell's line, the least and the greatest value that complete it."""
    end = run(state, cell, direction)[0]
    if end == b.OUTSIDE:
        return end, 1, 0
    links = state[b.BOARD.start + end]
    least, most = completing(links, direction, sum_beside(links, direction))
    return end, least, most


@compiled
def is_completed(state: StateArray, hand: int, cell: Cell, value: int) -> bool:
    """Return whether a tile of the hand could complete a line of a value on an empty cell."""
    for direction in range(4):
        end, beyond, along = extension(state, cell, value, direction)
        least, most = completing(beyond, direction, along)
        if end != b.OUTSIDE and holds(hand, least, most):
            return True
    return False


@compiled
def holds(hand: int, least: int, most: int) -> bool:
    """Return whether a hand has a tile with a value in a range, which may be empty."""
    if least > most:
        return False
    return hand >> b.HAND_BITS * least & ((1 << b.HAND_BITS * (most - least + 1)) - 1) != 0
