"""The board of Tzaar for a terminal."""

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS
from tzaar_envs.games.tzaar import board as b
from tzaar_envs.games.tzaar.notation import LETTERS, stack_name
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render.ansi import SeatNames, paint

SEATS = SeatNames(("White", "Black"), ("bold yellow", "bold cyan"))
PHASE_TEXT = (
    "to place a piece",
    "to capture in the opening turn",
    "to capture (action 1)",
    "to capture, stack or pass (action 2)",
)

_LEGEND = (
    "Z Tzaar  R Tzarra  T Tott  Z2 a stack, 2 high",
    "White Z R T  Black z r t  .. empty  ( ) the hole",
)
_ROWS = 17  # half steps from E9 down to E1
_COLUMN = 5  # characters for each file
_HOLE_ROW = 8
_LONGEST_FILE = 9


def _row(file: int, rank: int) -> int:
    """Return the screen row of a point: neighbours of a file are two rows apart."""
    points_of_file = _LONGEST_FILE - abs(file - 4)
    return 2 * (points_of_file - rank) + abs(file - 4)


def draw(state: StateArray, viewer: int, colour: bool) -> str:
    """Return the board with the names of the points, and a legend."""
    rows: list[list[tuple[int, str]]] = [[] for _ in range(_ROWS)]
    rows[_HOLE_ROW].append((4, paint(" (  ) ", "dim", colour)))
    for point, name in enumerate(b.POINT_NAMES):
        file, rank = b.FILES.index(name[0]), int(name[1])
        kind, height = int(state[b.KIND][point]), int(state[b.HEIGHT][point])
        stack = paint(".. ", "dim", colour)
        if kind:
            stack = SEATS.paint(int(kind < 0), colour, f"{stack_name(kind, height):<3}")
        cell = paint(f"{name} ", "dim", colour) + stack
        rows[_row(file, rank)].append((file, cell))
    lines = []
    for row in rows:
        line, at = "", 0
        for file, cell in sorted(row):
            line += " " * (_COLUMN * file - at) + cell
            at = _COLUMN * file + 6  # a cell is six characters wide
        lines.append(line.rstrip())
    legend = [paint(line, "dim", colour) for line in _LEGEND]
    return "\n".join([*lines, "", *legend, _status(state, colour)])


def _status(state: StateArray, colour: bool) -> str:
    if state[STATUS] != RUNNING:
        winner = int(state[b.WINNER])
        return f"{SEATS.paint(winner, colour)} has won"
    seat = int(state[SEAT])
    text = f"{SEATS.paint(seat, colour)} {PHASE_TEXT[state[b.PHASE]]}"
    if state[b.PHASE] == b.PLACE:
        left = state[b.RESERVE].reshape(2, 3)[seat]
        text += "; left: " + ", ".join(
            f"{count} {letter}" for letter, count in zip(LETTERS, left, strict=True)
        )
    return text
