"""The sparse network in compiled code.

The first layer is updated from what changed since the last observation of the same player. An
update from nothing is the same: all inputs changed since the empty observation.

Children of a position differ from each other by two actions, from the position itself by one. So a
search that asks for many of them has their parent held: it is then what they are compared with, and
stays so until an observation is far from it.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import SEAT, observe_of
from tzaar_envs.core.toolkit import lowest_bit, popcount
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import add_rows as add_vectors
from tzaar_envs.jit.memory import borrowed, dot, floats, numbers, octets
from tzaar_envs.networks.sparse.memory import (
    ACTION_ROW,
    ACTIONS,
    BLOCK,
    BLOCKS,
    BOARD,
    CELL_SHIFT,
    CELLS,
    CHANGED_CELLS,
    CHANGED_LINES,
    CHANGED_PIECES,
    CHANGED_ROWS,
    DIRECTIONS,
    ENTRY,
    FACTORS,
    FIRST_LINE,
    HELD,
    HIDDEN,
    HIDDEN_BIAS,
    HIDDEN_UNITS,
    HIDDEN_WIDTH,
    KIND,
    LEVEL_BITS,
    LINE,
    LISTED,
    MARKER,
    MARKER_VALUE,
    MOST_MARKS,
    NOW,
    NOW_WORDS,
    OBSERVATION,
    OCCUPIED,
    PIECE,
    PIECES,
    PLAYERS,
    POLICY,
    POLICY_BIAS,
    SCAN,
    SCAN_MASK,
    SCANNED,
    SEEN_WORDS,
    SIDE,
    SIZES,
    SUMS,
    TABLE,
    TRACK,
    TRACK_CELL,
    TRACK_SHIFT,
    TRACKS,
    UNITS,
    VALUE,
    VALUE_BIAS,
    WIDTH,
)

_BYTE = 0xFF
_FAR = 64  # rows by which an observation differs from the one that is held


@compiled
def value(memory: StateArray, functions: FunctionTable, state: StateArray) -> float:
    """Return the expected return of the seat to act, see `search.leaf_network.VALUE`."""
    memory, functions, state = borrowed(memory), borrowed(functions), borrowed(state)
    observe_state(memory, functions, state, state[SEAT])
    hidden_layer(memory)
    return math.tanh(output(memory, 0))


@compiled
def judge(
    memory: StateArray,
    functions: FunctionTable,
    state: StateArray,
    seat: int,
    actions: StateArray,
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Write priors of actions and values of all seats, see `search.leaf_network.JUDGE`."""
    memory, functions, state = borrowed(memory), borrowed(functions), borrowed(state)
    actions, priors, values = borrowed(actions), borrowed(priors), borrowed(values)
    turned = observe_state(memory, functions, state, seat)
    write_priors(memory, turned, actions, priors)
    hidden_layer(memory)
    if values.size == 2:
        values[seat] = math.tanh(output(memory, 0))
        values[1 - seat] = -values[seat]
        return
    mean = 0.0
    for place in range(values.size):
        relative = math.tanh(output(memory, place))
        values[(seat + place) % values.size] = relative
        mean += relative / values.size
    for place in range(values.size):
        values[place] -= mean


@compiled
def hold(memory: StateArray, functions: FunctionTable, state: StateArray, seat: int) -> None:
    """Compare the next observations of a seat with this one, see `search.leaf_network.HOLD`."""
    memory, functions, state = borrowed(memory), borrowed(functions), borrowed(state)
    if numbers(memory, SIZES)[DIRECTIONS] == 0:
        return  # without lines, changes are found so fast that this takes longer
    turned = observe_now(memory, functions, state, seat)
    slot = turned * numbers(memory, SIZES)[PLAYERS] + seat
    held = numbers(memory, HELD)
    held[slot] = 0
    add_rows(memory, slot, list_changes(memory, slot, turned))
    held[slot] = 1


@compiled
def observe_state(
    memory: StateArray, functions: FunctionTable, state: StateArray, seat: int
) -> int:
    """Compute the first layer for what a seat sees; return 1 if it is turned, else 0."""
    turned = observe_now(memory, functions, state, seat)
    slot = turned * numbers(memory, SIZES)[PLAYERS] + seat
    count = list_changes(memory, slot, turned)
    add_rows(memory, slot, count)
    held = numbers(memory, HELD)
    if held[slot] != 0:
        put_back_lines(memory, slot)
        if count > _FAR:
            held[slot] = 0
    return turned


@compiled
def observe_now(memory: StateArray, functions: FunctionTable, state: StateArray, seat: int) -> int:
    """Write what a seat sees; return 1 if it is turned, else 0."""
    sizes = numbers(memory, SIZES)
    now = octets(memory, NOW, 0, sizes[OBSERVATION])
    observe_of(functions)(state, seat, now)
    marker = sizes[MARKER]
    return int(marker >= 0 and now[marker] == sizes[MARKER_VALUE])


@compiled
def list_changes(memory: StateArray, slot: int, turned: int) -> int:
    """List the rows that an observation adds to the one that is known; return how many.

    The observation takes its place, unless that one is held. If so, `put_back_lines` is due.
    """
    sizes = numbers(memory, SIZES)
    blocks = sizes[BLOCKS]
    scanned = sizes[SCANNED]
    scan = numbers(memory, SCAN)
    masks = numbers(memory, SCAN_MASK)
    now = numbers(memory, NOW_WORDS)
    seen = numbers(memory, SEEN_WORDS)
    is_held = numbers(memory, HELD)[slot] != 0
    numbers(memory, CHANGED_CELLS)[0] = 0
    numbers(memory, CHANGED_PIECES)[0] = 0
    numbers(memory, CHANGED_LINES)[0] = 0
    count = 0
    for place in range(scanned):
        new = scan[place] * BLOCK
        old = slot * blocks * BLOCK + new
        mask = (turned * scanned + place) * BLOCK
        changed = 0
        for word in range(BLOCK):
            changed |= (now[new + word] ^ seen[old + word]) & masks[mask + word]
        if changed == 0:
            continue
        for word in range(BLOCK):
            new_word = now[new + word]
            old_word = seen[old + word]
            changed = (new_word ^ old_word) & masks[mask + word]
            if changed != 0:
                first_byte = turned * sizes[OBSERVATION] + 8 * (new + word)
                count = list_changed_bytes(
                    memory, slot, first_byte, changed, new_word, old_word, count
                )
        if not is_held:
            for word in range(BLOCK):
                seen[old + word] = now[new + word]
    return list_changed_lines(memory, slot, count)


@compiled
def list_changed_bytes(
    memory: StateArray,
    slot: int,
    first_byte: int,
    changed: int,
    new_word: int,
    old_word: int,
    count: int,
) -> int:
    """Add the rows of a word's changed bytes to the list, return its new length."""
    entries = numbers(memory, ENTRY)
    has_lines = numbers(memory, SIZES)[DIRECTIONS] > 0
    rows = numbers(memory, CHANGED_ROWS)
    factors = floats(memory, FACTORS)
    while changed != 0:
        byte = lowest_bit(changed) >> 3
        changed = changed >> 8 * byte >> 8 << 8 * byte << 8  # it was the lowest one
        new = new_word >> 8 * byte & _BYTE
        old = old_word >> 8 * byte & _BYTE
        entry = entries[first_byte + byte]
        first_row = entry >> LEVEL_BITS
        levels = entry & (1 << LEVEL_BITS) - 1
        if has_lines and (new != 0) != (old != 0):
            change_piece(memory, slot, numbers(memory, PIECE)[first_byte + byte])
        if levels == 0:
            rows[count] = first_row
            factors[count] = new - old
            count += 1
            continue
        if new != 0:
            rows[count] = first_row + min(new, levels) - 1
            factors[count] = 1.0
            count += 1
        if old != 0:
            rows[count] = first_row + min(old, levels) - 1
            factors[count] = -1.0
            count += 1
    return count


@compiled
def change_piece(memory: StateArray, slot: int, piece: int) -> None:
    """Put a piece or a mark on the board of a slot, or take it away if it is there."""
    if piece < 0:
        return
    pieces = numbers(memory, CHANGED_PIECES)
    pieces[0] += 1
    pieces[pieces[0]] = piece
    cell = piece >> CELL_SHIFT
    place = slot * numbers(memory, SIZES)[CELLS] + cell
    board = numbers(memory, BOARD)
    bits = board[place] ^ 1 << (piece & (1 << CELL_SHIFT) - 1)
    board[place] = bits | LISTED
    if bits & LISTED == 0:
        changed = numbers(memory, CHANGED_CELLS)
        changed[0] += 1
        changed[changed[0]] = cell


@compiled
def list_changed_lines(memory: StateArray, slot: int, count: int) -> int:
    """Add the rows of lines that begin, pass or end at changed cells; return the new length."""
    changed = numbers(memory, CHANGED_CELLS)
    directions = numbers(memory, SIZES)[DIRECTIONS]
    others = 0  # cells with another kind of piece than before
    for place in range(1, changed[0] + 1):
        cell = changed[place]
        if change_kind(memory, slot, cell):
            others += 1
            changed[others] = cell
    changed[0] = others
    for place in range(1, others + 1):
        for direction in range(directions):
            count = list_lines_at(memory, slot, changed[place], direction, count)
    return count


@compiled
def change_kind(memory: StateArray, slot: int, cell: int) -> bool:
    """Note which kind of piece a changed cell has now; return whether it is another one."""
    sizes = numbers(memory, SIZES)
    board = numbers(memory, BOARD)
    kinds = numbers(memory, KIND)
    place = slot * sizes[CELLS] + cell
    board[place] &= ~LISTED
    kind = kind_of_piece(board[place], sizes[PIECES], sizes[MOST_MARKS])
    before = kinds[place]
    kinds[place] = kind
    if (kind == 0) != (before == 0):
        track_of_cell = numbers(memory, TRACK)
        occupied = numbers(memory, OCCUPIED)
        last = sizes[SIDE] - 1
        for direction in range(sizes[DIRECTIONS]):
            track = track_of_cell[direction * sizes[CELLS] + cell]
            position = track & (1 << TRACK_SHIFT) - 1
            both = 2 * (slot * sizes[TRACKS] + (track >> TRACK_SHIFT))
            occupied[both] ^= 1 << position
            occupied[both + 1] ^= 1 << (last - position)
    return kind != before


@compiled
def kind_of_piece(bits: int, sorts: int, most_marks: int) -> int:
    """Return 1 + the kind of the piece that these bits of `BOARD` mean, see `Lines`; 0: none."""
    pieces = bits & (1 << sorts) - 1
    if pieces == 0:
        return 0
    return 1 + lowest_bit(pieces) * (most_marks + 1) + min(most_marks, popcount(bits >> sorts))


@compiled
def list_lines_at(memory: StateArray, slot: int, cell: int, direction: int, count: int) -> int:
    """Add the rows of the lines that begin at a cell, end there or pass it, if they have changed.

    Return the new length of the list.
    """
    sizes = numbers(memory, SIZES)
    track = numbers(memory, TRACK)[direction * sizes[CELLS] + cell]
    position = track & (1 << TRACK_SHIFT) - 1
    both = 2 * (slot * sizes[TRACKS] + (track >> TRACK_SHIFT))
    occupied = numbers(memory, OCCUPIED)
    ahead = occupied[both] >> position >> 1
    behind = occupied[both + 1] >> (sizes[SIDE] - 1 - position) >> 1
    cells = numbers(memory, TRACK_CELL)
    here = (track >> TRACK_SHIFT) * sizes[SIDE] + position
    kinds = numbers(memory, KIND)
    own = slot * sizes[CELLS]
    kind = kinds[own + cell]
    distance = next_kind = 0
    if ahead != 0:
        distance = 1 + lowest_bit(ahead)
        next_kind = kinds[own + cells[here + distance]]
    line = number_of_line(sizes, kind, next_kind, direction, distance)
    count = change_line(memory, slot, cell, direction, line, count)
    if behind == 0:
        return count
    back = 1 + lowest_bit(behind)
    other = cells[here - back]
    if kind != 0:
        line = number_of_line(sizes, kinds[own + other], kind, direction, back)
    else:  # the piece before the cell sees the one after it
        line = number_of_line(sizes, kinds[own + other], next_kind, direction, back + distance)
    return change_line(memory, slot, other, direction, line, count)


@compiled
def number_of_line(sizes: Any, kind: int, other: int, direction: int, distance: int) -> int:
    """Return 1 + the row of a line among those of lines; 0 if there is no piece at one end."""
    if kind == 0 or other == 0:
        return 0
    pair = (kind - 1) * sizes[PIECES] * (sizes[MOST_MARKS] + 1) + other - 1
    # Distances begin with 1.
    return (pair * sizes[DIRECTIONS] + direction) * (sizes[SIDE] - 1) + distance


@compiled
def change_line(
    memory: StateArray, slot: int, cell: int, direction: int, line: int, count: int
) -> int:
    """Note which line begins at a cell, list the rows if it is another one; return the length."""
    sizes = numbers(memory, SIZES)
    lines = numbers(memory, LINE)
    place = (slot * sizes[DIRECTIONS] + direction) * sizes[CELLS] + cell
    before = lines[place]
    if line == before:
        return count
    lines[place] = line
    changed = numbers(memory, CHANGED_LINES)
    changed[2 * changed[0] + 1] = place
    changed[2 * changed[0] + 2] = before
    changed[0] += 1
    rows = numbers(memory, CHANGED_ROWS)
    factors = floats(memory, FACTORS)
    if line != 0:
        rows[count] = sizes[FIRST_LINE] + line - 1
        factors[count] = 1.0
        count += 1
    if before != 0:
        rows[count] = sizes[FIRST_LINE] + before - 1
        factors[count] = -1.0
        count += 1
    return count


@compiled
def put_back_lines(memory: StateArray, slot: int) -> None:
    """Undo what the last listing of changes did to the board of a slot, and to its lines."""
    cells = numbers(memory, SIZES)[CELLS]
    pieces = numbers(memory, CHANGED_PIECES)
    for place in range(1, pieces[0] + 1):
        cell = slot * cells + (pieces[place] >> CELL_SHIFT)
        numbers(memory, BOARD)[cell] ^= 1 << (pieces[place] & (1 << CELL_SHIFT) - 1)
    changed = numbers(memory, CHANGED_CELLS)
    for place in range(1, changed[0] + 1):
        change_kind(memory, slot, changed[place])
    lines = numbers(memory, CHANGED_LINES)
    for place in range(1, 2 * lines[0], 2):
        numbers(memory, LINE)[lines[place]] = lines[place + 1]


@compiled
def list_inputs(
    memory: StateArray, functions: FunctionTable, state: StateArray, seat: int
) -> tuple[int, int]:
    """List the rows of all inputs that a seat sees; return how many, and 1 if it is turned.

    What the memory knew about the last observation of that slot is then wrong.
    """
    turned = observe_now(memory, functions, state, seat)
    sizes = numbers(memory, SIZES)
    slot = turned * sizes[PLAYERS] + seat
    words = sizes[BLOCKS] * BLOCK
    numbers(memory, HELD)[slot] = 0
    seen = numbers(memory, SEEN_WORDS)
    for word in range(words):
        seen[slot * words + word] = 0
    forget_lines(memory, slot)
    return list_changes(memory, slot, turned), turned


@compiled
def forget_lines(memory: StateArray, slot: int) -> None:
    """Clear the board of a slot, and its lines."""
    sizes = numbers(memory, SIZES)
    cells, tracks, directions = sizes[CELLS], sizes[TRACKS], sizes[DIRECTIONS]
    for cell in range(slot * cells, (slot + 1) * cells):
        numbers(memory, BOARD)[cell] = numbers(memory, KIND)[cell] = 0
    for track in range(2 * slot * tracks, 2 * (slot + 1) * tracks):
        numbers(memory, OCCUPIED)[track] = 0
    for place in range(slot * directions * cells, (slot + 1) * directions * cells):
        numbers(memory, LINE)[place] = 0


@compiled
def add_rows(memory: StateArray, slot: int, count: int) -> None:
    """Add the listed rows to the sums of a slot, and write the first layer.

    If the slot is held, its sums stay as they are.
    """
    width = numbers(memory, SIZES)[WIDTH]
    sums = floats(memory, SUMS)
    units = floats(memory, UNITS)
    own = slot * width
    if numbers(memory, HELD)[slot] == 0:
        add_rows_to(memory, sums, own, count)
        for unit in range(width):
            units[unit] = max(sums[own + unit], np.float32(0.0))
        return
    for unit in range(width):
        units[unit] = sums[own + unit]
    add_rows_to(memory, units, 0, count)
    for unit in range(width):
        units[unit] = max(units[unit], np.float32(0.0))


@compiled
def add_rows_to(memory: StateArray, sums: Any, start: int, count: int) -> None:
    """Add the listed rows to sums."""
    width = numbers(memory, SIZES)[WIDTH]
    rows = numbers(memory, CHANGED_ROWS)
    factors = floats(memory, FACTORS)
    table = floats(memory, TABLE)
    place = 0
    # Four rows at once: the sums are read and written a quarter as often.
    while place + 4 <= count:
        four = (
            rows[place] * width,
            rows[place + 1] * width,
            rows[place + 2] * width,
            rows[place + 3] * width,
        )
        by = factors[place], factors[place + 1], factors[place + 2], factors[place + 3]
        add_vectors(sums, start, table, four, by, width)
        place += 4
    while place < count:
        add_vectors(sums, start, table, (rows[place] * width,), (factors[place],), width)
        place += 1


@compiled
def hidden_layer(memory: StateArray) -> None:
    """Compute the second layer from the first."""
    sizes = numbers(memory, SIZES)
    width = sizes[WIDTH]
    hidden = sizes[HIDDEN_WIDTH]
    weights = floats(memory, HIDDEN)
    bias = floats(memory, HIDDEN_BIAS)
    units = floats(memory, UNITS)
    out = floats(memory, HIDDEN_UNITS)
    for unit in range(hidden):
        out[unit] = bias[unit]
    for place in range(0, width, 4):
        row = place * hidden
        rows = row, row + hidden, row + 2 * hidden, row + 3 * hidden
        by = units[place], units[place + 1], units[place + 2], units[place + 3]
        add_vectors(out, 0, weights, rows, by, hidden)
    for unit in range(hidden):
        out[unit] = max(out[unit], np.float32(0.0))


@compiled
def output(memory: StateArray, place: int) -> float:
    """Return a value before its activation: place 0 is that of the observer."""
    hidden = numbers(memory, SIZES)[HIDDEN_WIDTH]
    weights = floats(memory, VALUE)
    units = floats(memory, HIDDEN_UNITS)
    total = dot(weights, place * hidden, units, 0, hidden)
    return float(total + floats(memory, VALUE_BIAS)[place])


@compiled
def write_priors(
    memory: StateArray, turned: int, actions: StateArray, priors: NDArray[np.float64]
) -> None:
    """Write e ** (logit - greatest logit) for each action."""
    sizes = numbers(memory, SIZES)
    width = sizes[WIDTH]
    weights = floats(memory, POLICY)
    bias = floats(memory, POLICY_BIAS)
    units = floats(memory, UNITS)
    row_of_action = numbers(memory, ACTION_ROW)
    first_action = turned * sizes[ACTIONS]
    most = -np.inf
    for index in range(actions.size):
        row = row_of_action[first_action + actions[index]]
        priors[index] = dot(weights, row * width, units, 0, width) + bias[row]
        most = max(most, priors[index])
    for index in range(actions.size):
        priors[index] = math.exp(priors[index] - most)
