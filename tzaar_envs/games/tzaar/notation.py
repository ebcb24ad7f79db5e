"""Positions and actions of Tzaar as text (docs/rules/tzaar.md, section 7)."""

import re

import numpy as np

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.notation import parse_number, parse_symbol, split_list, split_position
from tzaar_envs.games.tzaar import board as b
from tzaar_envs.games.tzaar.rules import derive, first_stack
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("board", "side", "phase", "reserve")
SIDES = "wb"
COLOURS = ("white", "black")
LETTERS = "ZRT"  # Tzaar, Tzarra, Tott
PHASES = ("place", "open", "1", "2")  # in the order of the phase numbers

_STACK = re.compile(f"([{LETTERS}{LETTERS.lower()}])([1-9][0-9]{{0,3}})?")
_MOVE = re.compile(r"([A-I][1-9])([x+])([A-I][1-9])")
_PLACEMENT = re.compile(r"([ZRT])@([A-I][1-9])")
_PIECES_OF_A_COLOUR = int(b.PIECES.sum())


def stack_name(kind: int, height: int) -> str:
    """Return a stack in notation, for instance `Z` or `t3`, a dot for an empty point."""
    if kind == 0:
        return "."
    letter = LETTERS[abs(kind) - 1]
    return (letter if kind > 0 else letter.lower()) + (str(height) if height > 1 else "")


def format_position(state: StateArray) -> str:
    """Return the four fields: board, side to act, phase, reserve."""
    stacks = [
        stack_name(int(kind), int(height))
        for kind, height in zip(state[b.KIND], state[b.HEIGHT], strict=True)
    ]
    files = [
        ",".join(
            stack for name, stack in zip(b.POINT_NAMES, stacks, strict=True) if name[0] == file
        )
        for file in b.FILES
    ]
    reserve = "-"
    if state[b.PHASE] == b.PLACE:
        counts = state[b.RESERVE].reshape(2, 3)
        reserve = "/".join(".".join(str(count) for count in colour) for colour in counts)
    return f"{'/'.join(files)} {SIDES[state[SEAT]]} {PHASES[state[b.PHASE]]} {reserve}"


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the four fields; ValueError that names field and reason."""
    board, side, phase, reserve = split_position(text, FIELDS)
    state = np.zeros(b.STATE_SIZE, np.int64)
    state[b.SETUP] = options[0]
    state[b.KIND], state[b.HEIGHT] = _parse_board(board)
    state[SEAT] = parse_symbol("side", side, SIDES)
    state[b.PHASE] = parse_symbol("phase", phase, PHASES)
    if state[b.PHASE] == b.PLACE:
        state[b.RESERVE] = _parse_reserve(reserve)
        _check_placement(state)
    else:
        if reserve != "-":
            raise ValueError(f"reserve {reserve!r}: expected '-' outside phase 'place'")
        if state[b.PHASE] == b.OPENING and state[SEAT] != b.WHITE:
            raise ValueError("side 'b': White acts in phase 'open'")
        _check_pieces(state)
    derive(state)
    return state


def _parse_board(text: str) -> tuple[StateArray, StateArray]:
    files = split_list("board", text, "/", len(b.FILES), "files")
    kinds: list[int] = []
    heights: list[int] = []
    for file, content in zip(b.FILES, files, strict=True):
        names = [name for name in b.POINT_NAMES if name[0] == file]
        stacks = split_list(f"file {file} {content!r}", content, ",", len(names), "points")
        for name, stack in zip(names, stacks, strict=True):
            kind, height = _parse_stack(name, stack)
            kinds.append(kind)
            heights.append(height)
    return np.array(kinds, np.int64), np.array(heights, np.int64)


def _parse_stack(name: str, text: str) -> tuple[int, int]:
    if text == ".":
        return 0, 0
    found = _STACK.fullmatch(text)
    if not found or found[2] == "1":
        raise ValueError(
            f"point {name} {text!r}: expected '.' or one of the letters Z, R, T (White), z, r, t "
            "(Black), followed by the height unless it is 1"
        )
    height = int(found[2] or 1)
    if height > _PIECES_OF_A_COLOUR:
        raise ValueError(
            f"point {name} {text!r}: height {height}, but a colour has {_PIECES_OF_A_COLOUR} pieces"
        )
    kind = LETTERS.index(found[1].upper()) + 1
    return kind if found[1].isupper() else -kind, height


def _counts(state: StateArray) -> StateArray:
    """Return `(2, 3)`: the stacks of each colour and type."""
    kind = state[b.KIND]
    return np.array([[(kind == sign * k).sum() for k in (1, 2, 3)] for sign in (1, -1)])


def _check_pieces(state: StateArray) -> None:
    counts = _counts(state)
    for seat, colour in enumerate(COLOURS):
        for letter, count, pieces in zip(LETTERS, counts[seat], b.PIECES, strict=True):
            if count > pieces:
                raise ValueError(
                    f"board: {count} {colour} stacks of type {letter}, but there are only {pieces} "
                    "pieces"
                )
        total = int(state[b.HEIGHT][state[b.KIND] * (1 - 2 * seat) > 0].sum())
        if total > _PIECES_OF_A_COLOUR:
            raise ValueError(
                f"board: the sum of the {colour} heights is {total}, but there are only "
                f"{_PIECES_OF_A_COLOUR} pieces"
            )
    if (counts == 0).any(axis=1).all():
        raise ValueError("board: both colours lack a type, which cannot happen")


def _parse_reserve(text: str) -> StateArray:
    where = f"reserve {text!r}"
    counts = []
    for colour in split_list(where, text, "/", len(COLOURS), "colours"):
        numbers = split_list(where, colour, ".", len(b.PIECES), "numbers of pieces")
        counts += [
            parse_number(where, number, int(pieces))
            for number, pieces in zip(numbers, b.PIECES, strict=True)
        ]
    return np.array(counts, dtype=np.int64)


def _check_placement(state: StateArray) -> None:
    if state[b.SETUP] != b.SETUP_TOURNAMENT:
        raise ValueError("phase 'place': only a game with setup='tournament' has it")
    if (state[b.HEIGHT] > 1).any():
        raise ValueError("board: a height above 1, but in phase 'place' all heights are 1")
    reserve = state[b.RESERVE].reshape(2, 3)
    counts = _counts(state)
    for seat, colour in enumerate(COLOURS):
        if not np.array_equal(counts[seat] + reserve[seat], b.PIECES):
            have = ".".join(str(count) for count in counts[seat] + reserve[seat])
            raise ValueError(
                f"reserve: board and reserve together have {have} {colour} pieces, expected 6.9.15"
            )
    if reserve.sum() == 0:
        raise ValueError("reserve: nothing is left to place, so the phase is not 'place'")
    equal = reserve[0].sum() == reserve[1].sum()
    if not equal and reserve[1].sum() - reserve[0].sum() != 1:
        raise ValueError(
            "reserve: White places first, so it has as many pieces left as Black, or one fewer"
        )
    if equal != (state[SEAT] == b.WHITE):
        raise ValueError(
            f"side {SIDES[state[SEAT]]!r}: in phase 'place' White acts iff both reserves have the "
            "same size"
        )


def format_action(state: StateArray, action: int) -> str:
    """Return a legal action as `AxB`, `A+B`, `pass` or `Z@E4`."""
    if action == b.PASS_ACTION:
        return "pass"
    if action >= b.PLACE_ACTION:
        piece, cell = divmod(action - b.PLACE_ACTION, b.CELLS)
        return f"{LETTERS[piece]}@{b.POINT_NAMES[b.POINT_OF_CELL[cell]]}"
    direction, cell = divmod(action, b.CELLS)
    point = int(b.POINT_OF_CELL[cell])
    target = first_stack(state, point, direction)
    sign = "x" if state[b.KIND][point] * state[b.KIND][target] < 0 else "+"
    return f"{b.POINT_NAMES[point]}{sign}{b.POINT_NAMES[target]}"


def parse_action(state: StateArray, text: str) -> int:
    """Read `AxB`, `A+B`, `pass` or `Z@E4`; the action need not be legal."""
    if text == "pass":
        return b.PASS_ACTION
    if found := _PLACEMENT.fullmatch(text):
        if state[b.PHASE] != b.PLACE:
            raise ValueError(f"action {text!r}: pieces are placed in phase 'place' only")
        cell = b.CELL_OF_POINT[_point(found[2], text)]
        return b.PLACE_ACTION + LETTERS.index(found[1]) * b.CELLS + int(cell)
    if not (found := _MOVE.fullmatch(text)):
        raise ValueError(
            f"action {text!r}: expected a capture A5xA4, a stacking A5+A4, pass, or a placement "
            "Z@E4"
        )
    return _parse_move(state, text, found[1], found[2] == "x", found[3])


def _parse_move(state: StateArray, text: str, start: str, is_capture: bool, end: str) -> int:
    point, target = _point(start, text), _point(end, text)
    kind = state[b.KIND]
    if kind[point] * (1 - 2 * state[SEAT]) <= 0:
        raise ValueError(f"action {text!r}: {start} holds no stack of {COLOURS[state[SEAT]]}")
    if kind[target] == 0:
        raise ValueError(f"action {text!r}: {end} is empty")
    if is_capture != (kind[point] * kind[target] < 0):
        sign, owner = ("+", "its own") if is_capture else ("x", "an enemy")
        raise ValueError(f"action {text!r}: {end} holds {owner} stack, so write {start}{sign}{end}")
    for direction in range(b.NEIGHBOUR.shape[1]):
        if first_stack(state, point, direction) == target:
            return direction * b.CELLS + int(b.CELL_OF_POINT[point])
    raise ValueError(f"action {text!r}: {end} is not the first stack of a line from {start}")


def _point(name: str, text: str) -> int:
    if name not in b.POINT_NAMES:
        raise ValueError(f"action {text!r}: {name} is not a point of the board")
    return b.POINT_NAMES.index(name)
