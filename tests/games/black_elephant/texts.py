"""Positions and actions of Black Elephant as text, for the tests of its rules."""

from __future__ import annotations

import re

from implementations import Position

FILES = "ABCDEFG"
RANKS = "1234567"
FIELDS = [file + rank for rank in RANKS for file in FILES]
GOALS = ({"G" + rank for rank in "123456"}, {file + "7" for file in "ABCDEF"})

START = (
    "l,l,l,l,l,l,#/l,l,l,l,l,l,l/l,l,l,l,l,l,l/l,l,l,l,l,l,l/l,l,l,l,l,l,l/l,l,l,l,l,l,l/"
    "l,l,l,l,l,l,l 0 10.0/0.10 0/0 3/3 0/0 0/0 D4/D4 0:0:0"
)
OWN_SIDES = "W4,E4/ND,SD"  # each player owns two watchers of one kind
ELSEWHERE = "W2,NC/E6,SF"


def position(excerpt: str, seat: int | str = 0, clock: str = "0:0:0") -> str:
    """Return the notation (section 7) of an excerpt as the worked positions have it."""
    board = {field: "#" if field == "G7" else "." for field in FIELDS}
    areas = {"0W": "0", "0S": "0", "1W": "0", "1S": "0"}
    pairs = {"held": "0/0", "burn": "0/0", "home": "0/0", "capt": "0/0"}
    watchers = {"0": "D4", "1": "D4"}
    logs: list[str] = []
    for part in filter(None, excerpt.split("; ")):
        kind, *items = part.split(" ")
        if kind in pairs:
            (pairs[kind],) = items
        elif kind == "area:":
            areas |= dict(item.split("=") for item in items)
        elif kind == "watch:":
            watchers |= dict(item.split("=") for item in items)
        elif kind == "el:":
            for item in items:
                field, elephant = item.split(":")
                assert board[field] == ".", excerpt
                board[field] = elephant
        elif kind == "burnt:":
            for field in items:
                assert board[field] == ".", excerpt
                board[field] = "x"
        else:
            assert kind == "log:", excerpt
            logs = items
    for field in logs:
        assert board[field] not in ("x", "#"), excerpt
        board[field] = "l" if board[field] == "." else f"{board[field]}*"
    board_text = "/".join(
        ",".join(board[file + rank] for file in FILES) for rank in reversed(RANKS)
    )
    return " ".join(
        [
            board_text,
            str(seat),
            "{0W}.{0S}/{1W}.{1S}".format(**areas),
            *pairs.values(),
            f"{watchers['0']}/{watchers['1']}",
            clock,
        ]
    )


def actions(state: Position) -> list[int]:
    return [int(action) for action in state.legal_actions()]


def names(state: Position) -> list[str]:
    return sorted(state.action_name(action) for action in actions(state))


def names_of(state: Position, pattern: str) -> list[str]:
    return [name for name in names(state) if re.fullmatch(pattern, name)]


def play(state: Position, *texts: str) -> Position:
    """Play actions on a copy."""
    state = state.clone()
    for text in texts:
        state.apply(state.parse_action(text))
    return state


def part(state: Position, name: str) -> str:
    """Return one of the nine fields of the notation."""
    order = ["board", "seat", "areas", "held", "burn", "home", "capt", "watch", "clock"]
    return str(state).split(" ")[order.index(name)]


def contents(state: Position) -> dict[str, str]:
    """Return what is on each field."""
    ranks = reversed(part(state, "board").split("/"))
    return dict(zip(FIELDS, ",".join(ranks).split(","), strict=True))


def content(state: Position, field: str) -> str:
    return contents(state)[field]


def elephants(state: Position) -> set[str]:
    """Return the elephants on the board as the worked positions have them."""
    return {f"{field}:{text[:2]}" for field, text in contents(state).items() if text[0] in "01"}


# --- Sections 3 and 6: what is legal -------------------------------------------------------------


WATCH = "watch .*"
