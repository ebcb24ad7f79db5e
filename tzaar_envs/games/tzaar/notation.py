"""Positions and actions of Tzaar as text (docs/rules/tzaar.md, section 7)."""

import re

import numpy as np

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.notation import parse_number, parse_symbol, split_list, split_position
from tzaar_envs.games.tzaar.board import (
    CELL_OF_POINT,
    CELLS,
    FILES,
    HEIGHT,
    KIND,
    NEIGHBOUR,
    OPENING,
    PASS_ACTION,
    PHASE,
    PIECES,
    PLACE,
    PLACE_ACTION,
    POINT_NAMES,
    POINT_OF_CELL,
    RESERVE,
    SETUP,
    SETUP_TOURNAMENT,
    STATE_SIZE,
    WHITE,
)
from tzaar_envs.games.tzaar.rules import begin, first_stack
from tzaar_envs.jit.arrays import StateArray

FIELDS = ("board", "side", "phase", "reserve")
SIDES = "wb"
COLOURS = ("white", "black")
LETTERS = "ZRT"  # Tzaar, Tzarra, Tott
PHASES = ("place", "open", "1", "2")  # in the order of the phase numbers

_STACK = re.compile(f"([{LETTERS}{LETTERS.lower()}])([1-9][0-9]{{0,3}})?")
_MOVE = re.compile(r"([A-I][1-9])([x+])([A-I][1-9])")
_PLACEMENT = re.compile(r"([ZRT])@([A-I][1-9])")
_PIECES_OF_A_COLOUR = int(PIECES.sum())


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
        for kind, height in zip(state[KIND], state[HEIGHT], strict=True)
    ]
    files = [
        ",".join(stack for name, stack in zip(POINT_NAMES, stacks, strict=True) if name[0] == file)
        for file in FILES
    ]
    reserve = "-"
    if state[PHASE] == PLACE:
        counts = state[RESERVE].reshape(2, 3)
        reserve = "/".join(".".join(str(count) for count in colour) for colour in counts)
    return f"{'/'.join(files)} {SIDES[state[SEAT]]} {PHASES[state[PHASE]]} {reserve}"


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the four fields; ValueError that names field and reason."""
    board, side, phase, reserve = split_position(text, FIELDS)
    state = np.zeros(STATE_SIZE, np.int64)
    state[SETUP] = options[0]
    state[KIND], state[HEIGHT] = _parse_board(board)
    state[SEAT] = parse_symbol("side", side, SIDES)
    state[PHASE] = parse_symbol("phase", phase, PHASES)
    if state[PHASE] == PLACE:
        state[RESERVE] = _parse_reserve(reserve)
        _check_placement(state)
    else:
        if reserve != "-":
            raise ValueError(f"reserve {reserve!r}: expected '-' outside phase 'place'")
        if state[PHASE] == OPENING and state[SEAT] != WHITE:
            raise ValueError("side 'b': White acts in phase 'open'")
        _check_pieces(state)
    begin(state)
    return state


def _parse_board(text: str) -> tuple[StateArray, StateArray]:
    files = split_list("board", text, "/", len(FILES), "files")
    kinds: list[int] = []
    heights: list[int] = []
    for file, content in zip(FILES, files, strict=True):
        names = [name for name in POINT_NAMES if name[0] == file]
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
    kind = state[KIND]
    return np.array([[(kind == sign * k).sum() for k in (1, 2, 3)] for sign in (1, -1)])


def _check_pieces(state: StateArray) -> None:
    counts = _counts(state)
    for seat, colour in enumerate(COLOURS):
        for letter, count, pieces in zip(LETTERS, counts[seat], PIECES, strict=True):
            if count > pieces:
                raise ValueError(
                    f"board: {count} {colour} stacks of type {letter}, but there are only {pieces} "
                    "pieces"
                )
        total = int(state[HEIGHT][state[KIND] * (1 - 2 * seat) > 0].sum())
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
        numbers = split_list(where, colour, ".", len(PIECES), "numbers of pieces")
        counts += [
            parse_number(where, number, int(pieces))
            for number, pieces in zip(numbers, PIECES, strict=True)
        ]
    return np.array(counts, dtype=np.int64)


def _check_placement(state: StateArray) -> None:
    if state[SETUP] != SETUP_TOURNAMENT:
        raise ValueError("phase 'place': only a game with setup='tournament' has it")
    if (state[HEIGHT] > 1).any():
        raise ValueError("board: a height above 1, but in phase 'place' all heights are 1")
    reserve = state[RESERVE].reshape(2, 3)
    counts = _counts(state)
    for seat, colour in enumerate(COLOURS):
        if not np.array_equal(counts[seat] + reserve[seat], PIECES):
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
    if equal != (state[SEAT] == WHITE):
        raise ValueError(
            f"side {SIDES[state[SEAT]]!r}: in phase 'place' White acts iff both reserves have the "
            "same size"
        )


def format_action(state: StateArray, action: int) -> str:
    """Return a legal action as `AxB`, `A+B`, `pass` or `Z@E4`."""
    if action == PASS_ACTION:
        return "pass"
    if action >= PLACE_ACTION:
        piece, cell = divmod(action - PLACE_ACTION, CELLS)
        return f"{LETTERS[piece]}@{POINT_NAMES[POINT_OF_CELL[cell]]}"
    direction, cell = divmod(action, CELLS)
    point = int(POINT_OF_CELL[cell])
    target = first_stack(state, point, direction)
    sign = "x" if state[KIND][point] * state[KIND][target] < 0 else "+"
    return f"{POINT_NAMES[point]}{sign}{POINT_NAMES[target]}"


def parse_action(state: StateArray, text: str) -> int:
    """Read `AxB`, `A+B`, `pass` or `Z@E4`; the action need not be legal."""
    if text == "pass":
        return PASS_ACTION
    if found := _PLACEMENT.fullmatch(text):
        if state[PHASE] != PLACE:
            raise ValueError(f"action {text!r}: pieces are placed in phase 'place' only")
        cell = CELL_OF_POINT[_point(found[2], text)]
        return PLACE_ACTION + LETTERS.index(found[1]) * CELLS + int(cell)
    if not (found := _MOVE.fullmatch(text)):
        raise ValueError(
            f"action {text!r}: expected a capture A5xA4, a stacking A5+A4, pass, or a placement "
            "Z@E4"
        )
    return _parse_move(state, text, found[1], found[2] == "x", found[3])


def _parse_move(state: StateArray, text: str, start: str, is_capture: bool, end: str) -> int:
    point, target = _point(start, text), _point(end, text)
    kind = state[KIND]
    if kind[point] * (1 - 2 * state[SEAT]) <= 0:
        raise ValueError(f"action {text!r}: {start} holds no stack of {COLOURS[state[SEAT]]}")
    if kind[target] == 0:
        raise ValueError(f"action {text!r}: {end} is empty")
    if is_capture != (kind[point] * kind[target] < 0):
        sign, owner = ("+", "its own") if is_capture else ("x", "an enemy")
        raise ValueError(f"action {text!r}: {end} holds {owner} stack, so write {start}{sign}{end}")
    for direction in range(NEIGHBOUR.shape[1]):
        if first_stack(state, point, direction) == target:
            return direction * CELLS + int(CELL_OF_POINT[point])
    raise ValueError(f"action {text!r}: {end} is not the first stack of a line from {start}")


def _point(name: str, text: str) -> int:
    if name not in POINT_NAMES:
        raise ValueError(f"action {text!r}: {name} is not a point of the board")
    return POINT_NAMES.index(name)
