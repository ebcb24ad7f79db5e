"""The arrays of a sparse network as compiled code sees them.

They are the entries of one memory, see `jit.memory`. Weights never change while code runs; working
memory belongs to one thread.

For each player that may observe, the working memory keeps the last observation and the sums of the
first layer for it. All rows of the first layer are multiples of 2**-15, so their sums, up to 256,
are exact: they do not depend on the order in which rows are added and taken away again.

`width` and `hidden` are rounded up to whole vectors, see `jit.memory`; the weights there are 0.
"""

STEPS_PER_UNIT = 2**15

# Places in a memory.
SIZES = 0  # int64, see below
ENTRY = 1  # int64 (2, N): first row << LEVEL_BITS | levels, of player 0 and turned
SCAN = 2  # int64, the blocks of an observation of which anything is read
SCAN_MASK = 3  # int64 (2, blocks, BLOCK), their bytes that are read, by player 0 and turned
TABLE = 4  # float32 (I, width)
BIAS = 5  # float32 (width,)
HIDDEN = 6  # float32 (width, hidden)
HIDDEN_BIAS = 7
VALUE = 8  # float32 (outputs, hidden)
VALUE_BIAS = 9
POLICY = 10  # float32 (actions, width)
POLICY_BIAS = 11
ACTION_ROW = 12  # int64 (2, actions): row of an action in `POLICY`, of player 0 and turned
# Working memory.
NOW = 13  # int8, the observation, with room for whole blocks
NOW_WORDS = 14  # int64, the same bytes
SEEN_WORDS = 15  # int64 (slots, blocks, BLOCK), the last observation of each slot
SUMS = 16  # float32 (slots, width), the first layer for it, before the activation
CHANGED_ROWS = 17  # int64, rows to add
FACTORS = 18  # float32, and how often
UNITS = 19  # float32 (width,), the first layer
HIDDEN_UNITS = 20  # float32 (hidden,)
# Lines of sight, see `lines`.
PIECE = 21  # int64 (2, N): cell << CELL_SHIFT | bit in `BOARD`, of player 0 and turned; -1: none
TRACK = 22  # int64 (directions, cells): number of the track << TRACK_SHIFT | position on it
TRACK_CELL = 23  # int64 (tracks, side): the cell in each position of a track
BOARD = 24  # int64 (slots, cells): the pieces on each cell as bits, then their marks, and LISTED
KIND = 25  # int64 (slots, cells): 1 + the kind of the piece there; 0: none
OCCUPIED = 26  # int64 (slots, tracks, 2): the positions with a piece as bits; from the other end
LINE = 27  # int64 (slots, directions, cells): 1 + the row of the line that begins there; 0: none
CHANGED_CELLS = 28  # int64: how many cells have changed, and which
CHANGED_PIECES = 29  # int64: how many pieces and marks have, and which, as in `PIECE`
CHANGED_LINES = 30  # int64: how many lines have; of each the place in `LINE`, and what was there
# What the next observations are compared with.
HELD = 31  # int64 (slots,): 1 if it stays as it is, 0 if it is always the last one
PLACES = 32

# The numbers in `SIZES`.
WIDTH = 0
HIDDEN_WIDTH = 1
OUTPUTS = 2
ACTIONS = 3
OBSERVATION = 4
BLOCKS = 5  # of an observation
MARKER = 6  # see `SparseShape`; -1: none
MARKER_VALUE = 7
PLAYERS = 8
SCANNED = 9  # length of `SCAN`
DIRECTIONS = 10  # of lines; 0: there are none
CELLS = 11
PIECES = 12  # sorts of pieces, the lowest bits in `BOARD`
MOST_MARKS = 13  # so many marks of a piece count, at most
SIDE = 14  # of the board, the longer one: cells of the longest track
TRACKS = 15
FIRST_LINE = 16  # row of the first line in `TABLE`

LEVEL_BITS = 5
CELL_SHIFT = 6
TRACK_SHIFT = 6
LISTED = 1 << 62  # the cell is among the changed ones
BLOCK = 8  # words that are compared at once: a line of the processor's cache
