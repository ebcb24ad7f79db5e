"""The sheets and the state array of Twenty One (docs/rules/twenty_one.md, sections 1, 2 and 7.3).

A seat's row of marks is one integer with three bits for each field, the leftmost field lowest:
0 free, 1 to 6 entered, 7 struck. `sheets` encodes the printed rows.
"""

from tzaar_envs.core.kernel import HEADER
from tzaar_envs.games.twenty_one.sheets import COLOURS, LETTERS, ROWS

DICE_COUNT = len(COLOURS)
LOWEST, HIGHEST = 1, 6  # of a die
ONE = 1  # the value that is not rolled again

SHEETS_COUNT = len(LETTERS)
MOST_SEATS = SHEETS_COUNT

MARK_BITS = 3
MARK = 0b111  # the bits of one field's mark
FREE = 0
STRUCK = 7

# The state array. The index of a row of marks is 5 * seat + row, that of a printed row
# 5 * sheet + row.
PHASE = HEADER
ACTIVE = HEADER + 1
PLAYERS = HEADER + 2
DICE = slice(HEADER + 3, HEADER + 3 + DICE_COUNT)  # the value of each colour
SHEET = slice(DICE.stop, DICE.stop + MOST_SEATS)  # of each seat
CHOICE = slice(SHEET.stop, SHEET.stop + MOST_SEATS)  # the filling action of this turn, or NONE
ROW = slice(CHOICE.stop, CHOICE.stop + MOST_SEATS)  # the current row, ROWS if all are complete
SCORE = slice(ROW.stop, ROW.stop + MOST_SEATS)  # of the complete rows; at the end the total
MARKS = slice(SCORE.stop, SCORE.stop + MOST_SEATS * ROWS)
PRINTED = slice(MARKS.stop, MARKS.stop + SHEETS_COUNT * ROWS)
STATE_SIZE = PRINTED.stop

ROLL, FILL = range(2)
NONE = -1  # no choice yet

# The options as compiled code sees them.
OPTION_PLAYERS = 0
OPTION_DEAL = 1
OPTION_SHEETS = slice(2, 2 + SHEETS_COUNT * ROWS)
DEAL_FIXED, DEAL_RANDOM = range(2)

# Actions: strike, then the sets of positions 1 to 63 as bits, then the two of the roll phase.
STRIKE = 0
KEEP = 64
REROLL = 65
