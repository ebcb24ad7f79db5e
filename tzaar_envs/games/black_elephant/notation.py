"""Positions and actions of Black Elephant as text (docs/rules/black_elephant.md, section 7)."""

import functools

import numpy as np

from tzaar_envs.core import notation
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TERMINATED, TRUNCATED
from tzaar_envs.core.toolkit import Cell, lowest_bit, popcount
from tzaar_envs.games.black_elephant import PATHS, PLACES, rules
from tzaar_envs.games.black_elephant import board as b
from tzaar_envs.jit.arrays import StateArray

FIELDS = ["board", "seat", "areas", "held", "burnt", "home", "captives", "watchers", "clock"]
NAMES = notation.CellNames("ABCDEFG", b.SIZE)
FACINGS = "nesw"
AREAS = "WS"
OVER = "-"  # the seat field of a finished game

# Seat and facing of an elephant by what a field of the board holds; with a star on a log.
ELEPHANTS = {
    f"{seat}{facing}{log}": (seat, number)
    for seat in range(2)
    for number, facing in enumerate(FACINGS)
    for log in ("", "*")
}


def field_name(state: StateArray, cell: Cell) -> str:
    """Return the contents of a cell in notation, for instance `l` or `0e*`."""
    if cell == b.BLACK_FIELD:
        return "#"
    log = rules.contains(state[b.LOG_CELLS], cell)
    for seat in range(2):
        if rules.contains(state[b.ELEPHANT_CELLS + seat], cell):
            return f"{seat}{FACINGS[rules.facing_at(state, cell)]}{'*' if log else ''}"
    if rules.contains(state[b.BURNT_CELLS], cell):
        return "x"
    return "l" if log else "."


def own_paths(state: StateArray, seat: int) -> tuple[str, str]:
    """Return the letters of the paths of a seat's first and second watcher."""
    first = b.OWN_PATH + 2 * seat
    return PATHS[state[first]], PATHS[state[first + 1]]


def format_watchers(state: StateArray, seat: int) -> str:
    """Return the places of a seat's two watchers, for instance `D4`."""
    return "".join(
        PLACES[path][state[b.PLACE + PATHS.index(path)]] for path in own_paths(state, seat)
    )


def format_position(state: StateArray) -> str:
    """Return the nine fields: board, seat, areas, held, burnt, home, captives, watchers, clock."""
    names = [field_name(state, cell) for cell in range(b.CELLS)]
    pairs = (b.HELD, b.BURNT_LEFT, b.HOME, b.CAPTIVES)
    ranks = [names[first : first + b.SIZE] for first in range(0, b.CELLS, b.SIZE)]
    fields = [
        "/".join(",".join(rank) for rank in reversed(ranks)),
        str(state[SEAT]) if state[STATUS] == RUNNING else OVER,
        "{}.{}/{}.{}".format(*state[b.WAITING : b.WAITING + 4]),
        *(f"{state[word]}/{state[word + 1]}" for word in pairs),
        f"{format_watchers(state, 0)}/{format_watchers(state, 1)}",
        f"{state[b.IDLE]}:{state[b.PASSES]}:{state[b.PLIES]}",
    ]
    return " ".join(fields)


def parse_position(text: str, options: StateArray) -> StateArray:
    """Read the nine fields; ValueError that names field and reason."""
    fields = notation.split_position(text, FIELDS)
    board, seat, areas, held, burnt, home, captives, watchers, clock = fields
    state = np.zeros(b.STATE_SIZE, np.int64)
    _parse_board(state, board)
    state[SEAT] = notation.parse_symbol(
        "seat", seat, ("0", "1", OVER), "; '-' when the game is over"
    )
    over = seat == OVER
    limits = [most - (not over) for most in (b.MAX_IDLE, b.MAX_PASSES, b.MAX_PLIES)]
    for first, name, content, separators, maxima in (
        (b.WAITING, "areas", areas, "/.", [b.ELEPHANTS] * 4),
        (b.HELD, "held", held, "/", [b.LOGS] * 2),
        (b.BURNT_LEFT, "burnt", burnt, "/", [b.BURNT_LOGS] * 2),
        (b.HOME, "home", home, "/", [b.ELEPHANTS] * 2),
        (b.CAPTIVES, "captives", captives, "/", [b.ELEPHANTS] * 2),
        (b.IDLE, "clock" if over else "clock while the game runs", clock, ":", limits),
    ):
        numbers = notation.parse_numbers(name, content, separators, maxima)
        state[first : first + len(numbers)] = numbers
    rules.set_watchers(state, options)
    _parse_watchers(state, watchers)
    _check_material(state)
    if over:
        state[SEAT] = state[b.PLIES] % 2
        capped = state[b.PLIES] == b.MAX_PLIES and not rules.ending(state)
        state[STATUS] = TRUNCATED if capped else TERMINATED
    notation.check_canonical(FIELDS, text, format_position(state))
    return state


def _parse_board(state: StateArray, text: str) -> None:
    ranks = notation.split_list(f"board {text!r}", text, "/", b.SIZE, "ranks")
    for rank, row in zip(range(b.SIZE, 0, -1), ranks, strict=True):
        names = notation.split_list(f"board, rank {rank} {row!r}", row, ",", b.SIZE, "files")
        for cell, name in enumerate(names, start=b.SIZE * (rank - 1)):
            where = f"board, field {NAMES.name(cell)} {name!r}"
            if name in ELEPHANTS:
                seat, facing = ELEPHANTS[name]
                if rules.contains(b.GOALS[seat], cell):
                    raise ValueError(f"{where}: an elephant on its own goal field is home")
                rules.put_elephant(state, seat, cell, facing)
            elif name not in (".", "l", "x", "#"):
                raise ValueError(
                    f"{where}: expected '.', 'l', 'x', '#' or an elephant such as '0e' or '1n*'"
                )
            if name == "l" or name.endswith("*"):
                state[b.LOG_CELLS] |= 1 << cell
            if name == "x":
                state[b.BURNT_CELLS] |= 1 << cell
    if in_lines := state[b.BURNT_CELLS] & rules.third_cells(state[b.BURNT_CELLS]):
        name = NAMES.name(lowest_bit(in_lines))
        raise ValueError(f"board: the burnt log on {name} is one of three in a line")


def _parse_watchers(state: StateArray, text: str) -> None:
    paths = own_paths(state, 0) + own_paths(state, 1)
    places = text.replace("/", "")
    known = [place in PLACES[path] for path, place in zip(paths, places, strict=False)]
    if len(places) != len(paths) or not all(known):
        first, second, third, fourth = (PLACES[path] for path in paths)
        raise ValueError(
            f"watchers {text!r}: expected the places of two watchers of each player, for instance "
            f"'{format_watchers(state, 0)}/{format_watchers(state, 1)}', out of {first}, {second}, "
            f"{third} and {fourth}"
        )
    for path, place in zip(paths, places, strict=True):
        state[b.PLACE + PATHS.index(path)] = PLACES[path].index(place)


def _check_material(state: StateArray) -> None:
    for seat in range(2):
        first_area = b.WAITING + 2 * seat
        elephants = popcount(state[b.ELEPHANT_CELLS + seat]) + sum(state[first_area:][:2])
        elephants += state[b.HOME + seat] + state[b.CAPTIVES + 1 - seat]
        where = f"elephants of player {seat} on the board, in areas, home and captured"
        _check_total(where, elephants, b.ELEPHANTS)
    logs = popcount(state[b.LOG_CELLS]) + sum(state[b.HELD :][:2])
    _check_total("logs on the board and held", logs, b.LOGS)
    burnt = popcount(state[b.BURNT_CELLS]) + sum(state[b.BURNT_LEFT :][:2])
    _check_total("burnt logs on the board and left", burnt, 2 * b.BURNT_LOGS)


def _check_total(what: str, count: int, most: int) -> None:
    if count > most:
        raise ValueError(f"{what}: {count}, expected at most {most}")


@functools.cache
def _action_names(first: str, second: str) -> tuple[str, ...]:
    """Return the names of all actions of a seat with watchers on two paths; empty for no action."""
    moves = [
        f"{name}>{NAMES.name(int(target))}" if target >= 0 else ""
        for targets in b.TARGET.T
        for name, target in zip(NAMES, targets, strict=True)
    ]
    return (
        *moves,
        *(f"{name}>out" for name in NAMES),
        *(f"{name}^{facing}" for facing in FACINGS for name in NAMES),
        *(f"{area}>{name}" for area in AREAS for name in NAMES),
        *(f"watch {place}{other}" for other in PLACES[second] for place in PLACES[first]),
        *(f"burn {name}" for name in NAMES),
        "pass",
    )


@functools.cache
def _action_numbers(first: str, second: str) -> dict[str, int]:
    names = _action_names(first, second)
    return {name: action for action, name in enumerate(names) if name}


def format_action(state: StateArray, action: int) -> str:
    """Return an action, for instance `W>A4`, `C3>D3`, `B3>out`, `C3^w` or `watch E5`."""
    return _action_names(*own_paths(state, int(state[SEAT])))[action]


def parse_action(state: StateArray, text: str) -> int:
    """Read an action; it need not be legal."""
    first, second = own_paths(state, int(state[SEAT]))
    watch = f"watch {PLACES[first][0]}{PLACES[second][0]}"
    allowed = f"one like W>A4, C3>D3, B3>out, C3^w, {watch}, burn D2 or pass"
    return notation.parse_name("action", text, _action_numbers(first, second), allowed)
