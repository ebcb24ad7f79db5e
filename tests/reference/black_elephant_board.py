"""Black Elephant's pieces and board, and what its reference stores of a position."""

from collections.abc import Iterator
from typing import NamedTuple

# --- Section 1.1: components and names -----------------------------------------------------------

PLAYERS = (0, 1)
ELEPHANTS = 10
BEIGE_LOGS = 48
BURNT_LOGS = 3
FACINGS = "nesw"


class Elephant(NamedTuple):
    """An elephant on the board."""

    owner: int
    facing: str


# --- Section 1: board ----------------------------------------------------------------------------

FILES = "ABCDEFG"
RANKS = "1234567"
FIELDS = tuple(file + rank for rank in RANKS for file in FILES)
BLACK_FIELD = "G7"
STEPS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}


def shifted_field(field: str, files: int, ranks: int) -> str | None:
    """Return the field so many files to the east and ranks to the north, None off the board."""
    file, rank = FILES.index(field[0]) + files, RANKS.index(field[1]) + ranks
    if file in range(7) and rank in range(7):
        return FILES[file] + RANKS[rank]
    return None


def _neighbours(field: str) -> dict[str, str]:
    """Return the fields next to a field by direction, without the black field."""
    shifted = {facing: shifted_field(field, *step) for facing, step in STEPS.items()}
    return {
        facing: other
        for facing, other in shifted.items()
        if other is not None and other != BLACK_FIELD
    }


NEIGHBOURS = {field: _neighbours(field) for field in FIELDS}


def _lines_of_three() -> Iterator[set[str]]:
    """Yield three consecutive fields of each rank, file and diagonal (section 3.9)."""
    for field in FIELDS:
        for files, ranks in ((0, 1), (1, 0), (1, 1), (1, -1)):
            second, third = (shifted_field(field, n * files, n * ranks) for n in (1, 2))
            if second is not None and third is not None:
                yield {field, second, third}


LINES_OF_THREE = list(_lines_of_three())
# For each field the two others of each such line that it is in.
COMPANIONS = {
    field: [line - {field} for line in LINES_OF_THREE if field in line] for field in FIELDS
}
GOALS = (tuple("G" + rank for rank in "123456"), tuple(file + "7" for file in "ABCDEF"))

# The start areas, the front fields they touch, and the facing with which one comes out of them.
WEST, SOUTH = 0, 1
AREAS = "WS"
HOME_AREA = (WEST, SOUTH)
FRONT = (tuple("A" + rank for rank in RANKS), tuple(file + "1" for file in FILES))
ENTRY_FACING = ("e", "n")
EXIT_FACING = ("w", "s")

# The facing of an elephant that looks at the goal line of its opponent (section 3.6).
FACING_ENEMY_GOAL = ("n", "e")
BACK = {"n": "s", "e": "w", "s": "n", "w": "e"}

# Each watcher is named after its path; those on N and S watch files, those on W and E ranks.
PLACES = {"N": FILES, "S": FILES, "W": RANKS, "E": RANKS}
WRITTEN_ORDER = "NSWE"
WATCHERS = "W4,ND/E4,SD"

# --- Section 4: end of the game ------------------------------------------------------------------

PASSES_TO_END = 2
IDLE_TO_END = 60
MOST_ACTIONS = 500

# --- Section 7: positions ------------------------------------------------------------------------

OVER = -1


class Position:
    """What a position stores.

    Attributes:
        owned: Per player the paths of the own two watchers in the order of the notation.
        elephants: The elephants on the board by field.
        logs: The fields with a beige log, whether or not an elephant stands there too.
        burnt: The fields with a burnt log.
        seat: The player to move, -1 when the game is over.
        areas: Per player the elephants in the West and the South area.
        held: Per player the beige logs collected and not paid.
        burnt_left: Per player the burnt logs not yet placed.
        home: Per player the own elephants that are home.
        captives: Per player the captured elephants of the opponent.
        watchers: The place of each watcher by path: a file or a rank.
        idle: The actions since the last progress.
        passes: The PASS actions in a row.
        played: The actions played.
    """

    def __init__(self, owned: tuple[str, str]) -> None:
        """Begin with an empty board."""
        self.owned = owned
        self.elephants: dict[str, Elephant] = {}
        self.logs: set[str] = set()
        self.burnt: set[str] = set()
        self.seat = 0
        self.areas = [[0, 0], [0, 0]]
        self.held = [0, 0]
        self.burnt_left = [0, 0]
        self.home = [0, 0]
        self.captives = [0, 0]
        self.watchers: dict[str, str] = {}
        self.idle = 0
        self.passes = 0
        self.played = 0

    def in_play(self, player: int) -> int:
        """Return the number of elephants of a player on the board and in the areas."""
        on_board = sum(elephant.owner == player for elephant in self.elephants.values())
        return on_board + sum(self.areas[player])

    def is_third_in_line(self, field: str) -> bool:
        """Whether a burnt log on a field lies, or would lie, in a line of three (3.9)."""
        return any(others <= self.burnt for others in COMPANIONS[field])
