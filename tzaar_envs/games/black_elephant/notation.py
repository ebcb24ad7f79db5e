"""Positions and actions of Black Elephant as text (docs/rules/black_elephant.md, section 7)."""

import re

import numpy as np

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED, TRUNCATED
from tzaar_envs.core.notation import (
    CellNames,
    parse_number,
    parse_symbol,
    split_list,
    split_position,
)
from tzaar_envs.core.toolkit import lowest_bit, popcount
from tzaar_envs.games.black_elephant import PATHS, PLACES, rules
from tzaar_envs.games.black_elephant import board as b
from tzaar_envs.jit.arrays import StateArray

FIELDS = ["board", "seat", "areas", "held", "burnt", "home", "captives", "watchers", "clock"]
FILES = "ABCDEFG"
NAMES = CellNames(FILES, b.SIZE)
FACINGS = "nesw"
AREAS = "WS"
OVER = "-"  # the seat field of a finished game

_ELEPHANT = re.compile(r"([01])([nesw])\*?")
_CELL = f"({NAMES.pattern})"
_MOVE = re.compile(f"{_CELL}>{_CELL}")
_EXIT = re.compile(f"{_CELL}>out")
_JUMP = re.compile(rf"{_CELL}\^([nesw])")
_ENTER = re.compile(f"([WS])>{_CELL}")
_WATCH = re.compile(r"watch ([A-G1-7])([A-G1-7])")
_BURN = re.compile(f"burn {_CELL}")


def field_name(state: StateArray, cell: int) -> str:
    """Return the contents of a cell in notation, for instance `l` or `0e*`."""
    log = rules.contains(state[b.LOG_CELLS], cell)
    for seat in range(2):
        if rules.contains(state[b.ELEPHANT_CELLS + seat], cell):
            return f"{seat}{FACINGS[rules.facing_at(state, cell)]}{'*' if log else ''}"
    if cell == b.BLACK_FIELD:
        return "#"
    if rules.contains(state[b.BURNT_CELLS], cell):
        return "x"
    return "l" if log else "."


def own_paths(state: StateArray, seat: int) -> list[str]:
    """Return the letters of the paths of a seat's first and second watcher."""
    first = b.OWN_PATH + 2 * seat
    return [PATHS[path] for path in state[first : first + 2]]


def format_watchers(state: StateArray, seat: int) -> str:
    """Return the places of a seat's two watchers, for instance `D4`."""
    return "".join(
        PLACES[path][state[b.PLACE + PATHS.index(path)]] for path in own_paths(state, seat)
    )


def format_position(state: StateArray) -> str:
    """Return the nine fields: board, seat, areas, held, burnt, home, captives, watchers, clock."""

    def pair(word: int) -> str:
        return f"{state[word]}/{state[word + 1]}"

    names = [field_name(state, cell) for cell in range(b.CELLS)]
    ranks = [names[first : first + b.SIZE] for first in range(0, b.CELLS, b.SIZE)]
    waiting = state[b.WAITING : b.WAITING + 4].tolist()
    fields = [
        "/".join(",".join(rank) for rank in reversed(ranks)),
        str(state[SEAT]) if state[STATUS] == RUNNING else OVER,
        "{}.{}/{}.{}".format(*waiting),
        pair(b.HELD),
        pair(b.BURNT_LEFT),
        pair(b.HOME),
        pair(b.CAPTIVES),
        f"{format_watchers(state, 0)}/{format_watchers(state, 1)}",
        f"{state[b.IDLE]}:{state[b.PASSES]}:{state[b.PLIES]}",
    ]
    return " ".join(fields)


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the nine fields; ValueError that names field and reason."""
    fields = split_position(text, FIELDS)
    board, seat, areas, held, burnt, home, captives, watchers, clock = fields
    state = np.zeros(b.STATE_SIZE, np.int64)
    _parse_board(state, board)
    state[SEAT] = parse_symbol("seat", seat, ("0", "1", OVER), "; '-' when the game is over")
    state[b.WAITING : b.WAITING + 4] = _parse_areas(areas)
    state[b.HELD : b.HELD + 2] = _parse_pair("held", held, b.LOGS)
    state[b.BURNT_LEFT : b.BURNT_LEFT + 2] = _parse_pair("burnt", burnt, b.BURNT_LOGS)
    state[b.HOME : b.HOME + 2] = _parse_pair("home", home, b.ELEPHANTS)
    state[b.CAPTIVES : b.CAPTIVES + 2] = _parse_pair("captives", captives, b.ELEPHANTS)
    rules.set_watchers(state, options)
    _parse_watchers(state, watchers)
    state[b.IDLE], state[b.PASSES], state[b.PLIES] = _parse_clock(clock, is_over=seat == OVER)
    _check_material(state)
    if seat == OVER:
        state[SEAT] = state[b.PLIES] % 2
        capped = state[b.PLIES] == b.MAX_PLIES and not rules.has_ended(state)
        state[STATUS] = TRUNCATED if capped else TERMINATED
    return state


def _parse_board(state: StateArray, text: str) -> None:
    ranks = split_list(f"board {text!r}", text, "/", b.SIZE, "ranks")
    for rank, row in zip(range(b.SIZE, 0, -1), ranks, strict=True):
        names = split_list(f"board, rank {rank} {row!r}", row, ",", b.SIZE, "files")
        for file, name in zip(FILES, names, strict=True):
            _parse_field(state, NAMES.cell(f"{file}{rank}"), name)
    if in_lines := state[b.BURNT_CELLS] & rules.third_cells(state[b.BURNT_CELLS]):
        cell = NAMES.name(lowest_bit(in_lines))
        raise ValueError(f"board: the burnt log on {cell} is one of three in a line")


def _parse_field(state: StateArray, cell: int, name: str) -> None:
    where = f"board, field {NAMES.name(cell)} {name!r}"
    elephant = _ELEPHANT.fullmatch(name)
    if name not in (".", "l", "x", "#") and not elephant:
        raise ValueError(
            f"{where}: expected '.', 'l', 'x', '#' or an elephant such as '0e' or '1n*'"
        )
    if (name == "#") != (cell == b.BLACK_FIELD):
        raise ValueError(f"{where}: G7, and no other field, holds '#'")
    if elephant:
        seat, facing = int(elephant[1]), FACINGS.index(elephant[2])
        if rules.contains(b.GOALS[seat], cell):
            raise ValueError(f"{where}: an elephant on its own goal field is home")
        rules.put_elephant(state, seat, cell, facing)
    if name == "l" or name.endswith("*"):
        state[b.LOG_CELLS] |= 1 << cell
    if name == "x":
        state[b.BURNT_CELLS] |= 1 << cell


def _parse_pair(name: str, text: str, most: int) -> list[int]:
    where = f"{name} {text!r}"
    numbers = split_list(where, text, "/", 2, "numbers, of player 0 and of player 1,")
    return [parse_number(where, number, most) for number in numbers]


def _parse_areas(text: str) -> list[int]:
    where = f"areas {text!r}"
    return [
        parse_number(where, number, b.ELEPHANTS)
        for areas in split_list(where, text, "/", 2, "players")
        for number in split_list(where, areas, ".", 2, "numbers, of the West and the South area,")
    ]


def _parse_watchers(state: StateArray, text: str) -> None:
    seats = text.split("/")
    if [len(places) for places in seats] != [2, 2]:
        raise ValueError(
            f"watchers {text!r}: expected the places of two watchers of each player, for instance "
            f"'{format_watchers(state, 0)}/{format_watchers(state, 1)}'"
        )
    for seat, places in enumerate(seats):
        for path, place in zip(own_paths(state, seat), places, strict=True):
            if place not in PLACES[path]:
                raise ValueError(
                    f"watchers {text!r}: {place!r} is not a place of watcher {path} of player "
                    f"{seat}, expected one of {PLACES[path]}"
                )
            state[b.PLACE + PATHS.index(path)] = PLACES[path].index(place)


def _parse_clock(text: str, is_over: bool) -> list[int]:
    numbers = split_list(f"clock {text!r}", text, ":", 3, "numbers (idle, passes, plies)")
    while_running = "" if is_over else " while the game runs"
    limits = (("idle", b.MAX_IDLE), ("passes", b.MAX_PASSES), ("plies", b.MAX_PLIES))
    return [
        parse_number(f"clock {text!r}, {name}{while_running}", number, most - (not is_over))
        for number, (name, most) in zip(numbers, limits, strict=True)
    ]


def _check_material(state: StateArray) -> None:
    for seat in range(2):
        first_area = b.WAITING + 2 * seat
        count = (
            popcount(state[b.ELEPHANT_CELLS + seat])
            + state[first_area : first_area + 2].sum()
            + state[b.HOME + seat]
            + state[b.CAPTIVES + 1 - seat]
        )
        if count > b.ELEPHANTS:
            raise ValueError(
                f"elephants: player {seat} has {count} on the board, in areas, home and captured, "
                f"expected at most {b.ELEPHANTS}"
            )
    logs = popcount(state[b.LOG_CELLS]) + state[b.HELD] + state[b.HELD + 1]
    if logs > b.LOGS:
        raise ValueError(f"held: {logs} logs on the board and held, expected at most {b.LOGS}")
    burnt = popcount(state[b.BURNT_CELLS]) + state[b.BURNT_LEFT] + state[b.BURNT_LEFT + 1]
    if burnt > 2 * b.BURNT_LOGS:
        raise ValueError(
            f"burnt: {burnt} burnt logs on the board and left, expected at most {2 * b.BURNT_LOGS}"
        )


def format_action(state: StateArray, action: int) -> str:
    """Return an action, for instance `W>A4`, `C3>D3`, `B3>out`, `C3^w` or `watch E5`."""
    if action == b.PASS_ACTION:
        return "pass"
    plane, cell = divmod(action, b.CELLS)
    name = NAMES.name(cell)
    if plane < b.EXIT_PLANE:
        files, ranks = b.OFFSETS[plane]
        return f"{name}>{NAMES.name(cell + ranks * b.SIZE + files)}"
    if plane < b.JUMP_PLANE:
        return f"{name}>out"
    if plane < b.ENTER_PLANE:
        return f"{name}^{FACINGS[plane - b.JUMP_PLANE]}"
    if plane < b.WATCH_PLANE:
        return f"{AREAS[plane - b.ENTER_PLANE]}>{name}"
    if plane < b.BURN_PLANE:
        first, second = own_paths(state, int(state[SEAT]))
        return f"watch {PLACES[first][cell % b.SIZE]}{PLACES[second][cell // b.SIZE]}"
    return f"burn {name}"


def parse_action(state: StateArray, text: str) -> int:
    """Read an action; it need not be legal."""
    if text == "pass":
        return b.PASS_ACTION
    if found := _MOVE.fullmatch(text):
        return _parse_move(text, NAMES.cell(found[1]), NAMES.cell(found[2]))
    if found := _EXIT.fullmatch(text):
        return b.EXIT_PLANE * b.CELLS + NAMES.cell(found[1])
    if found := _JUMP.fullmatch(text):
        return (b.JUMP_PLANE + FACINGS.index(found[2])) * b.CELLS + NAMES.cell(found[1])
    if found := _ENTER.fullmatch(text):
        area, cell = AREAS.index(found[1]), NAMES.cell(found[2])
        if not rules.contains(b.ENTRY_CELLS[area], cell):
            front = ("file A", "rank 1")[area]
            raise ValueError(f"action {text!r}: area {found[1]} leads onto {front}, not {found[2]}")
        return (b.ENTER_PLANE + area) * b.CELLS + cell
    if found := _WATCH.fullmatch(text):
        return _parse_watch(state, text, found[1], found[2])
    if found := _BURN.fullmatch(text):
        return b.BURN_PLANE * b.CELLS + NAMES.cell(found[1])
    raise ValueError(
        f"action {text!r}: expected one like W>A4, C3>D3, B3>out, C3^w, "
        f"watch {format_watchers(state, int(state[SEAT]))}, burn D2 or pass"
    )


def _parse_move(text: str, start: int, target: int) -> int:
    offset = (target % b.SIZE - start % b.SIZE, target // b.SIZE - start // b.SIZE)
    if offset not in b.OFFSETS:
        raise ValueError(f"action {text!r}: a move leads 1 to 3 steps away")
    return b.OFFSETS.index(offset) * b.CELLS + start


def _parse_watch(state: StateArray, text: str, *places: str) -> int:
    indices = []
    for path, place in zip(own_paths(state, int(state[SEAT])), places, strict=True):
        if place not in PLACES[path]:
            raise ValueError(
                f"action {text!r}: {place!r} is not a place of watcher {path}, expected one of "
                f"{PLACES[path]}"
            )
        indices.append(PLACES[path].index(place))
    first, second = indices
    return b.WATCH_PLANE * b.CELLS + second * b.SIZE + first
