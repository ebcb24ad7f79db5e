"""The board of Turm & Wächter for a terminal."""

from tzaar_envs.core.kernel import NOBODY, RUNNING, SEAT, STATUS
from tzaar_envs.games.turm_und_waechter import board as b
from tzaar_envs.games.turm_und_waechter.notation import FILES, figure_name
from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.render.ansi import SeatNames, paint

SEATS = SeatNames(("Red", "Blue"), ("bold red", "bold blue"))

_LEGEND = (
    "r2 two red stones  RG red guard  b2 BG the blue",
    "[ ] castle: D7 is Red's, D1 Blue's  . empty",
)


def draw(state: StateArray, viewer: int, colour: bool) -> str:
    """Return the board with coordinates and brackets around the castles, and a legend."""
    board = b.board_of(state).reshape(b.SIZE, b.SIZE)
    files = "    " + "   ".join(FILES)
    lines = [files]
    for rank in reversed(range(b.SIZE)):
        cells = []
        for file in range(b.SIZE):
            figure = int(board[rank, file])
            shown = paint(" .", "dim", colour)
            if figure != b.EMPTY:
                shown = SEATS.paint(int(figure < 0), colour, f"{figure_name(figure):^2}")
            castle = rank * b.SIZE + file in (b.RED_CASTLE, b.BLUE_CASTLE)
            cells.append(f"[{shown}]" if castle else f" {shown} ")
        lines.append(f"{rank + 1}  {''.join(cells)}  {rank + 1}")
    lines += [files, "", *(paint(line, "dim", colour) for line in _LEGEND), _status(state, colour)]
    return "\n".join(lines)


def _status(state: StateArray, colour: bool) -> str:
    played = f"{state[b.PLIES]} plies played"
    if state[STATUS] == RUNNING:
        seat = int(state[SEAT])
        again = f", seen {state[b.OCCURRENCES]} times" if state[b.OCCURRENCES] > 1 else ""
        return f"{SEATS.paint(seat, colour)} to move, {played}{again}"
    if state[b.WINNER] == NOBODY:
        return f"Draw, {played}"
    winner = int(state[b.WINNER])
    return f"{SEATS.paint(winner, colour)} has won, {played}"
