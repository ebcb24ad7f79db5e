"""Positions and actions of Tzaar as text (docs/rules/tzaar.md, section 7)."""

import numpy as np

from tzaar_envs.core import notation
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.games.tzaar import board as b
from tzaar_envs.games.tzaar.rules import derive, first_stack
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("board", "side", "phase", "reserve")
SIDES = "wb"
LETTERS = "ZRT"  # Tzaar, Tzarra, Tott
PHASES = ("place", "open", "1", "2")  # in the order of the phase numbers
PIECES_OF_A_COLOUR = int(b.PIECES.sum())


def stack_name(kind: int, height: int) -> str:
    """Return a stack in notation, for instance `Z` or `t3`, a dot for an empty point."""
    if kind == 0:
        return "."
    letter = LETTERS[abs(kind) - 1]
    return (letter if kind > 0 else letter.lower()) + (str(height) if height > 1 else "")


# Kind and height by name.
STACKS = {
    stack_name(kind, height): (kind, height if kind else 0)
    for kind in range(-b.TOTT, b.TOTT + 1)
    for height in range(1, PIECES_OF_A_COLOUR + 1)
}
POINTS_OF_FILES = [[n for n, name in enumerate(b.POINT_NAMES) if name[0] == f] for f in b.FILES]
# The actions whose names are the same in all positions.
PLACEMENTS = {
    f"{letter}@{name}": b.PLACE_ACTION + piece * b.CELLS + int(b.CELL_OF_POINT[point])
    for piece, letter in enumerate(LETTERS)
    for point, name in enumerate(b.POINT_NAMES)
}


def format_position(state: StateArray) -> str:
    """Return the four fields: board, side to act, phase, reserve."""
    kinds, heights = state[b.KIND].tolist(), state[b.HEIGHT].tolist()
    files = [
        ",".join(stack_name(kinds[point], heights[point]) for point in points)
        for points in POINTS_OF_FILES
    ]
    reserve = "-"
    if state[b.PHASE] == b.PLACE:
        reserve = "{}.{}.{}/{}.{}.{}".format(*state[b.RESERVE])
    return f"{'/'.join(files)} {SIDES[state[SEAT]]} {PHASES[state[b.PHASE]]} {reserve}"


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the four fields; ValueError that names field and reason."""
    board, side, phase, _ = notation.split_position(text, FIELDS)
    state = np.zeros(b.STATE_SIZE, np.int64)
    state[b.SETUP] = options[0]
    state[b.KIND], state[b.HEIGHT] = np.transpose(_parse_board(board))
    state[SEAT] = notation.parse_symbol("side", side, SIDES)
    state[b.PHASE] = notation.parse_symbol("phase", phase, PHASES)
    counts = _count_stacks(state)
    if state[b.PHASE] == b.PLACE:
        _derive_placement(state, b.PIECES - counts)
    elif (counts == 0).any(axis=1).all():
        raise ValueError("board: both colours lack a type, which cannot happen")
    elif state[b.PHASE] == b.OPENING:
        state[SEAT] = b.WHITE
    notation.check_canonical(FIELDS, text, format_position(state))
    derive(state)
    return state


def _parse_board(text: str) -> list[tuple[int, int]]:
    files = notation.split_list("board", text, "/", len(b.FILES), "files")
    stacks = []
    for file, content, points in zip(b.FILES, files, POINTS_OF_FILES, strict=True):
        where = f"board, file {file} {content!r}"
        for stack in notation.split_list(where, content, ",", len(points), "points"):
            if stack not in STACKS:
                raise ValueError(
                    f"{where}: {stack!r}, expected '.' or one of the letters Z, R, T (White), z, "
                    "r, t (Black), followed by the height unless it is 1"
                )
            stacks.append(STACKS[stack])
    return stacks


def _count_stacks(state: StateArray) -> StateArray:
    """Return `(2, 3)`, the stacks of each colour and type; refuse more than there are pieces."""
    counts = np.empty((2, len(b.PIECES)), np.int64)
    for seat, colour in enumerate(("white", "black")):
        kind = state[b.KIND] * (1 - 2 * seat)
        counts[seat] = [np.count_nonzero(kind == number + 1) for number in range(len(b.PIECES))]
        total = state[b.HEIGHT][kind > 0].sum()
        if (counts[seat] > b.PIECES).any() or total > PIECES_OF_A_COLOUR:
            raise ValueError(
                f"board: the {colour} stacks of the three types are {counts[seat].tolist()}, their "
                f"heights together {total}, expected at most {b.PIECES.tolist()} and "
                f"{PIECES_OF_A_COLOUR}"
            )
    return counts


def _derive_placement(state: StateArray, left: StateArray) -> None:
    """Set what follows from the pieces left to place: heights, reserve and side."""
    if state[b.SETUP] != b.SETUP_TOURNAMENT:
        raise ValueError("phase 'place': only a game with setup='tournament' has it")
    ahead = left[b.BLACK].sum() - left[b.WHITE].sum()
    if not left.any() or ahead not in (0, 1):
        raise ValueError(
            f"board: it leaves {left.tolist()} pieces in reserve, expected as many of White, who "
            "places first, as of Black or one fewer, and not 0 of both"
        )
    state[b.HEIGHT] = state[b.KIND] != 0
    state[b.RESERVE] = left.ravel()
    state[SEAT] = b.BLACK if ahead else b.WHITE


def format_action(state: StateArray, action: int) -> str:
    """Return a legal action as `AxB`, `A+B`, `pass` or `Z@E4`."""
    if action == b.PASS_ACTION:
        return "pass"
    plane, cell = divmod(action if action < b.PASS_ACTION else action - b.PLACE_ACTION, b.CELLS)
    point = int(b.POINT_OF_CELL[cell])
    if action >= b.PLACE_ACTION:
        return f"{LETTERS[plane]}@{b.POINT_NAMES[point]}"
    target = first_stack(state, point, plane)
    sign = "x" if state[b.KIND][point] * state[b.KIND][target] < 0 else "+"
    return f"{b.POINT_NAMES[point]}{sign}{b.POINT_NAMES[target]}"


def parse_action(state: StateArray, text: str) -> int:
    """Read `AxB`, `A+B`, `pass` or `Z@E4`; the action need not be legal."""
    if text == "pass":
        return b.PASS_ACTION
    if state[b.PHASE] == b.PLACE and text in PLACEMENTS:
        return PLACEMENTS[text]
    if text[:2] in b.POINT_NAMES:
        point = b.POINT_NAMES.index(text[:2])
        for direction in range(2 * b.AXES):
            action = direction * b.CELLS + int(b.CELL_OF_POINT[point])
            seen = first_stack(state, point, direction) >= 0
            if seen and format_action(state, action) == text:
                return action
    raise ValueError(
        f"action {text!r}: expected a capture A5xA4 of the first stack on a line, a stacking A5+A4 "
        "onto it, pass, or in phase 'place' a placement Z@E4"
    )
