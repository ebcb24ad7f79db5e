"""The sheets and the state array of Twenty One (docs/rules/twenty_one.md, sections 1, 2 and 7.3).

A seat's row of marks is one integer with three bits for each field, the leftmost field lowest:
0 free, 1 to 6 entered, 7 struck. A printed row is one integer with six bits for each field: the
colour in the lower three, then the number.
"""

from tzaar_envs.core.kernel import HEADER
from tzaar_envs.core.notation import split_list

COLOURS = "YBWGKR"  # yellow, blue, white, green, black, red: the order of the dice
LETTERS = "ABCDEF"  # of the sheets
ROWS = 5
POSITIONS = 6

FIELD_BITS = 6
COLOUR_BITS = 3

STANDARD = "standard"
STANDARD_SHEETS = "/".join(
    (
        "Y6B5W4G3K2R1,B5G5R4Y3W2K1,W5R4B4K3Y2G1,G5Y4K3B3R2W1,K5W4Y3R2G2B1",
        "R6Y5B4W3G2K1,K5B5G4R3Y2W1,G5W4R4B3K2Y1,W5G4Y3K3B2R1,B5K4W3Y2R2G1",
        "K6R5Y4B3W2G1,W5K5B4G3R2Y1,Y5G4W4R3B2K1,R5W4G3Y3K2B1,G5B4K3W2Y2R1",
        "G6K5R4Y3B2W1,Y5W5K4B3G2R1,K5Y4G4W3R2B1,B5R4W3G3Y2K1,R5G4B3K2W2Y1",
        "W6G5K4R3Y2B1,R5Y5W4K3B2G1,B5K4Y4G3W2R1,K5B4R3W3G2Y1,Y5R4G3B2K2W1",
        "B6W5G4K3R2Y1,G5R5Y4W3K2B1,R5B4K4Y3G2W1,Y5K4B3R3W2G1,W5Y4R3G2B2K1",
    )
)

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


def encode_sheets(text: str) -> tuple[int, ...]:
    """Return the rows of the sheets A to F, five integers each.

    Raises:
        ValueError: Says what is wrong, and where.
    """
    given = STANDARD_SHEETS if text == STANDARD else text
    sheets = split_list("sheets", given, "/", len(LETTERS), "sheets")
    rows: list[str] = []
    for letter, sheet in zip(LETTERS, sheets, strict=True):
        rows += split_list(f"sheet {letter}", sheet, ",", ROWS, "rows")
    for index, row in enumerate(rows):
        colours, numbers = row[::2], row[1::2]
        descends = list(numbers) == sorted(numbers, reverse=True)
        where = f"sheet {LETTERS[index // ROWS]}, row {index % ROWS + 1} {row!r}"
        if sorted(colours) != sorted(COLOURS) or not set(numbers) <= set("123456") or not descends:
            raise ValueError(
                f"{where}: expected each colour of {COLOURS} once, with numbers from 1 to 6 that "
                "do not rise"
            )
        if numbers != rows[index % ROWS][1::2]:
            raise ValueError(f"{where}: expected the numbers of sheet A")
    if len(set(sheets)) < len(sheets):
        raise ValueError(f"sheets {given!r}: two of them are equal")
    return tuple(
        sum(
            (COLOURS.index(row[2 * position]) | int(row[2 * position + 1]) << COLOUR_BITS)
            << FIELD_BITS * position
            for position in range(POSITIONS)
        )
        for row in rows
    )
