"""Lines of sight and patterns of a sparse network in compiled code: which rows change with a cell.

What they are is in `lines`, their arrays in `layout`.
"""

from typing import Any

from tzaar_envs.core.toolkit import lowest_bit, popcount
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.memory import floats, numbers
from tzaar_envs.networks.sparse import layout as at

_NOTED = 1 << 40  # added to the number of a pattern that is on the list of changes


@compiled
def change_piece(memory: StateArray, view: int, piece: int) -> None:
    """Put a piece or a mark on the board of a view, or take it away if it is there."""
    cell = view * numbers(memory, at.SIZES)[at.CELLS] + (piece >> at.CELL_SHIFT)
    numbers(memory, at.BOARD)[cell] ^= 1 << (piece & (1 << at.CELL_SHIFT) - 1)


@compiled
def list_changed_lines(memory: StateArray, view: int, count: int) -> int:
    """Add the rows of lines and patterns with changed cells; return the new length of the list."""
    pieces = numbers(memory, at.CHANGED_PIECES)
    changed = numbers(memory, at.CHANGED_CELLS)
    sizes = numbers(memory, at.SIZES)
    changed[0] = 0
    for index in range(1, pieces[0] + 1):
        cell = pieces[index] >> at.CELL_SHIFT
        difference = change_kind(memory, view, cell)
        if difference != 0:  # at the first of several changes of a cell
            changed[0] += 1
            changed[changed[0]] = cell
            if sizes[at.LENGTH] > 0:
                change_patterns(memory, view, cell, difference)
    if sizes[at.LENGTH] > 0:
        return list_changed_patterns(memory, view, count)
    for index in range(1, changed[0] + 1):
        for direction in range(sizes[at.DIRECTIONS]):
            count = list_lines_at(memory, view, changed[index], direction, count)
    return count


@compiled
def change_kind(memory: StateArray, view: int, cell: int) -> int:
    """Note which kind of piece a changed cell has now; return by how much its number is greater."""
    sizes = numbers(memory, at.SIZES)
    kinds = numbers(memory, at.KIND)
    index = view * sizes[at.CELLS] + cell
    bits = numbers(memory, at.BOARD)[index]
    pieces = bits & (1 << sizes[at.PIECES]) - 1
    kind = 0
    if pieces != 0:  # see `Lines`
        marks = min(sizes[at.MOST_MARKS], popcount(bits >> sizes[at.PIECES]))
        kind = 1 + lowest_bit(pieces) * (sizes[at.MOST_MARKS] + 1) + marks
    before = kinds[index]
    kinds[index] = kind
    return kind - before


@compiled
def list_lines_at(memory: StateArray, view: int, cell: int, direction: int, count: int) -> int:
    """Add the rows of the lines that begin at a cell, end there or pass it, if they have changed.

    Return the new length of the list.
    """
    sizes = numbers(memory, at.SIZES)
    kinds = numbers(memory, at.KIND)
    own = view * sizes[at.CELLS]
    kind = kinds[own + cell]
    step = numbers(memory, at.STEP)[direction]
    after, distance = own + cell + step, 1
    while kinds[after] == 0:
        after, distance = after + step, distance + 1
    line = number_of_line(sizes, kind, kinds[after], direction, distance)
    count = change_line(memory, view, cell, direction, line, count)
    before, back = own + cell - step, 1
    while kinds[before] == 0:
        before, back = before - step, back + 1
    if kinds[before] < 0:
        return count
    if kind == 0:  # the piece before the cell sees the one after it
        kind, back = kinds[after], back + distance
    line = number_of_line(sizes, kinds[before], kind, direction, back)
    return change_line(memory, view, before - own, direction, line, count)


@compiled
def change_patterns(memory: StateArray, view: int, cell: int, difference: int) -> None:
    """Change the numbers of the patterns that hold a cell, and note which ones."""
    sizes = numbers(memory, at.SIZES)
    lines = numbers(memory, at.LINE)
    changed = numbers(memory, at.CHANGED_LINES)
    holders = numbers(memory, at.HOLDERS)
    own = view * sizes[at.DIRECTIONS] * sizes[at.CELLS]
    first = cell * (1 + 2 * sizes[at.DIRECTIONS] * sizes[at.LENGTH])
    for entry in range(first + 1, first + 1 + 2 * holders[first], 2):
        index = own + holders[entry]
        if lines[index] < _NOTED:
            changed[2 * changed[0] + 1] = index
            changed[2 * changed[0] + 2] = lines[index]
            changed[0] += 1
            lines[index] += _NOTED
        lines[index] += difference * holders[entry + 1]


@compiled
def list_changed_patterns(memory: StateArray, view: int, count: int) -> int:
    """Add the rows of the patterns that have changed; return the new length of the list."""
    sizes = numbers(memory, at.SIZES)
    lines = numbers(memory, at.LINE)
    changed = numbers(memory, at.CHANGED_LINES)
    own = view * sizes[at.DIRECTIONS] * sizes[at.CELLS]
    for entry in range(1, 2 * changed[0], 2):
        index, before = changed[entry], changed[entry + 1]
        now = lines[index] - _NOTED
        lines[index] = now
        if now != before:
            first_line = 1 + numbers(memory, at.PATTERN)[index - own]
            # Empty cells, whose number is 0, are no input.
            count = list_rows(
                memory,
                first_line + now if now != 0 else 0,
                first_line + before if before != 0 else 0,
                count,
            )
    return count


@compiled
def number_of_line(sizes: Any, kind: int, other: int, direction: int, distance: int) -> int:
    """Return 1 + the row of a line among those of lines; 0 if there is no piece at one end."""
    if kind <= 0 or other <= 0:
        return 0
    pair = (kind - 1) * sizes[at.PIECES] * (sizes[at.MOST_MARKS] + 1) + other - 1
    # Distances begin with 1.
    return (pair * sizes[at.DIRECTIONS] + direction) * sizes[at.REACH] + distance


@compiled
def change_line(
    memory: StateArray, view: int, cell: int, direction: int, line: int, count: int
) -> int:
    """Note which line begins at a cell, list the rows if it is another one; return the length."""
    sizes = numbers(memory, at.SIZES)
    lines = numbers(memory, at.LINE)
    index = (view * sizes[at.DIRECTIONS] + direction) * sizes[at.CELLS] + cell
    before = lines[index]
    if line == before:
        return count
    lines[index] = line
    changed = numbers(memory, at.CHANGED_LINES)
    changed[2 * changed[0] + 1] = index
    changed[2 * changed[0] + 2] = before
    changed[0] += 1
    return list_rows(memory, line, before, count)


@compiled
def list_rows(memory: StateArray, line: int, before: int, count: int) -> int:
    """Add the row of a line, and that of the one whose place it takes; return the new length.

    Both are 1 + a row among those of lines; 0: there is none.
    """
    first_row = numbers(memory, at.SIZES)[at.FIRST_LINE] - 1
    rows = numbers(memory, at.CHANGED_ROWS)
    factors = floats(memory, at.CHANGED_FACTORS)
    if line != 0:
        rows[count] = first_row + line
        factors[count] = 1.0
        count += 1
    if before != 0:
        rows[count] = first_row + before
        factors[count] = -1.0
        count += 1
    return count


@compiled
def put_back_lines(memory: StateArray, view: int) -> None:
    """Undo what the last listing of changes did to the board of a view, and to its lines."""
    pieces = numbers(memory, at.CHANGED_PIECES)
    for index in range(1, pieces[0] + 1):
        change_piece(memory, view, pieces[index])
    changed = numbers(memory, at.CHANGED_CELLS)
    for index in range(1, changed[0] + 1):
        change_kind(memory, view, changed[index])
    lines = numbers(memory, at.CHANGED_LINES)
    for index in range(1, 2 * lines[0], 2):
        numbers(memory, at.LINE)[lines[index]] = lines[index + 1]
