"""The rules of Black Elephant, position by position, on the reference and on the compiled game."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from positions import positions
from protocols import Position, Rules
from reference.black_elephant import Reference

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


class ReferenceRules:
    def initial(
        self, seed: int | None = None, outcome: Sequence[int] | None = None, **options: str
    ) -> Position:
        return Reference.initial(seed=seed, outcome=outcome, **options)

    def parse(self, text: str, **options: str) -> Position:
        return Reference.parse(text, **options)


class CompiledRules:
    def initial(
        self, seed: int | None = None, outcome: Sequence[int] | None = None, **options: str
    ) -> Position:
        return tzaar_envs.load_game("black_elephant", **options).new_state(seed, outcome=outcome)

    def parse(self, text: str, **options: str) -> Position:
        return tzaar_envs.load_game("black_elephant", **options).parse(text)


@pytest.fixture(params=["reference", "compiled"])
def rules(request: pytest.FixtureRequest) -> Rules:
    return ReferenceRules() if request.param == "reference" else CompiledRules()


# --- Positions and actions as text ---------------------------------------------------------------

FILES = "ABCDEFG"
RANKS = "1234567"
FIELDS = [file + rank for rank in RANKS for file in FILES]
GOALS = ({"G" + rank for rank in "123456"}, {file + "7" for file in "ABCDEF"})
PASS = 1617

START = (
    "l,l,l,l,l,l,#/l,l,l,l,l,l,l/l,l,l,l,l,l,l/l,l,l,l,l,l,l/l,l,l,l,l,l,l/l,l,l,l,l,l,l/"
    "l,l,l,l,l,l,l 0 10.0/0.10 0/0 3/3 0/0 0/0 D4/D4 0:0:0"
)
OWN_SIDES = "W4,E4/ND,SD"  # each player owns two watchers of one kind
ELSEWHERE = "W2,NC/E6,SF"
WATCHERS_AT_THE_START = {
    "W4,ND/E4,SD": "D4/D4",
    "ND,W4/SD,E4": "D4/D4",
    OWN_SIDES: "44/DD",
    "E5,W3/SB,NF": "35/FB",
    "SA,NG/E1,W7": "GA/71",
    ELSEWHERE: "C2/F6",
    "SA,E2/W3,NB": "A2/B3",
}


def position(excerpt: str, seat: int | str = 0, clock: str = "0:0:0") -> str:
    """Return the notation (section 12) of an excerpt as the worked positions have it."""
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


def listed(text: str) -> list[str]:
    """Return the actions that are listed with spaces between them, ``watch_E5`` for a WATCH."""
    return sorted(name.replace("_", " ") for name in text.split())


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


def content(state: Position, field: str) -> str:
    ranks = part(state, "board").split("/")
    return ranks[6 - RANKS.index(field[1])].split(",")[FILES.index(field[0])]


def elephants(state: Position) -> set[str]:
    """Return the elephants on the board as the worked positions have them."""
    return {
        f"{field}:{content(state, field)[:2]}"
        for field in FIELDS
        if content(state, field)[0] in "01"
    }


def scores(state: Position) -> list[float]:
    return [float(score) for score in state.scores()]


def assert_running(state: Position, player: int) -> None:
    assert not state.is_terminal
    assert not state.is_truncated
    assert state.current_player == player
    assert [float(value) for value in state.returns()] == [0.0, 0.0]
    assert actions(state)


def assert_over(state: Position, winner: int, points: list[float], truncated: bool = False) -> None:
    assert state.is_terminal
    assert state.is_truncated == truncated
    assert state.current_player == -1
    assert part(state, "seat") == "-"
    assert scores(state) == points
    assert [float(v) for v in state.returns()] == ([1.0, -1.0] if winner == 0 else [-1.0, 1.0])
    assert actions(state) == []
    before = str(state)
    for action in (0, 1421, PASS):
        with pytest.raises(ValueError, match=r"."):
            state.apply(action)
    assert str(state) == before


# --- Sections 3 and 4: board, watchers, set-up ---------------------------------------------------


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_start_position(rules: Rules, seed: int | None) -> None:
    state = rules.initial(seed=seed)
    assert str(state) == START
    assert_running(state, 0)
    assert scores(state) == [0.0, 0.0]


@pytest.mark.parametrize(("watchers", "written"), WATCHERS_AT_THE_START.items())
def test_start_position_of_other_watchers(rules: Rules, watchers: str, written: str) -> None:
    state = rules.initial(watchers=watchers)
    assert str(state) == START.replace("D4/D4", written)
    assert str(rules.parse(str(state), watchers=watchers)) == str(state)


@pytest.mark.parametrize(
    "watchers",
    [
        "",
        "W4,ND",
        "W4,ND/E4",
        "W4,ND/E4,SD/",
        "W4,ND,E4/SD",
        "W4,ND,E4,SD/",
        "W4,ND/W4,SD",
        "W4,W4/ND,SD",
        "W4,ND/E4,ND",
        "W0,ND/E4,SD",
        "W8,ND/E4,SD",
        "WD,ND/E4,SD",
        "W4,N4/E4,SD",
        "W4,NH/E4,SD",
        "W4,Nd/E4,SD",
        "w4,nd/e4,sd",
        "W44,ND/E4,SD",
        "W4,NDD/E4,SD",
        "W,ND/E4,SD",
        "W4,N/E4,SD",
        "W4, ND/E4,SD",
        "W4,ND/E4,SD ",
        "W4,ND/E4,SD\n",
        "W\u0664,ND/E4,SD",
        "D4/D4",
    ],
)
def test_impossible_watchers_are_refused(rules: Rules, watchers: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)watchers"):
        rules.initial(watchers=watchers)


# Places of the two watchers of each player, and the danger fields.
DANGERS = {
    ("D4", "D4"): "D4",
    ("D4", "D2"): "D4 D2",
    ("B4", "E4"): "B4 E4",
    ("B3", "E6"): "B3 B6 E3 E6",
    ("A1", "F6"): "A1 A6 F1 F6",
    ("G7", "A1"): "A7 A1 G1",  # nobody stands on G7, the fourth
    ("G7", "G7"): "",
}


@pytest.mark.parametrize("owner", [0, 1])
@pytest.mark.parametrize(("watchers", "danger"), DANGERS.items())
def test_danger_fields(rules: Rules, watchers: tuple[str, str], danger: str, owner: int) -> None:
    """Six elephants at a time stand on every field that they may stand on."""
    candidates = [f for f in FIELDS if f not in GOALS[owner] and f != "G7"]
    found = set()
    for first in range(0, len(candidates), 6):
        tried = candidates[first : first + 6]
        el = " ".join(f"{field}:{owner}s" for field in tried)
        text = position(
            f"log: F3; el: {el}; area: {owner}W=1 {1 - owner}W=1; burn 1/1; "
            f"watch: 0={watchers[0]} 1={watchers[1]}"
        )
        state = rules.parse(text)
        calm = next(
            name
            for name in names_of(state, "burn .*")
            if name[-2:] not in tried and name[-2:] != "F3"
        )
        after = play(state, calm)
        gone = {field for field in tried if content(after, field)[0] not in "01"}
        found |= gone
        expected = ["0", "0"]
        expected[1 - owner] = str(len(gone))
        assert part(after, "capt") == "/".join(expected)
    assert found == set(danger.split()) - GOALS[owner]


def mirrored(text: str) -> str:
    """Return the position reflected at the diagonal from A1 to G7 (section 3.1)."""
    board, seat, areas, held, burn, home, capt, watch, clock = text.split(" ")
    rows = [rank.split(",") for rank in reversed(board.split("/"))]
    turned = {"n": "e", "e": "n", "s": "w", "w": "s", "0": "1", "1": "0"}
    flipped = [
        ["".join(turned.get(letter, letter) for letter in rows[file][rank]) for file in range(7)]
        for rank in range(7)
    ]
    first, second = watch.split("/")
    west_0, south_0, west_1, south_1 = re.split("[./]", areas)
    return " ".join(
        [
            "/".join(",".join(row) for row in reversed(flipped)),
            {"0": "1", "1": "0", "-": "-"}[seat],
            f"{south_1}.{west_1}/{south_0}.{west_0}",
            *("/".join(reversed(pair.split("/"))) for pair in (held, burn, home, capt)),
            # N (file, of player 0) becomes E (rank, of player 1), W becomes S, and back.
            f"{mirrored_place(second)}/{mirrored_place(first)}",
            clock,
        ]
    )


def mirrored_place(place: str) -> str:
    return FILES[RANKS.index(place[1])] + RANKS[FILES.index(place[0])]


def mirrored_name(name: str) -> str:
    turned = {"n": "e", "e": "n", "s": "w", "w": "s"}
    if "^" in name:
        return f"{mirrored_place(name[:2])}^{turned[name[3]]}"
    if name[:2] in ("W>", "S>"):
        return f"{'SW'['WS'.index(name[0])]}>{mirrored_place(name[2:])}"
    return re.sub("[A-G][1-7]", lambda match: mirrored_place(match[0]), name)


@pytest.mark.parametrize("seed", range(4))
def test_reflection_changes_nothing_but_who_starts(rules: Rules, seed: int) -> None:
    choices = random.Random(seed)
    state = rules.initial(seed=seed)
    other = rules.parse(mirrored(START))
    while not state.is_terminal:
        assert str(other) == mirrored(str(state))
        assert names(other) == sorted(mirrored_name(name) for name in names(state))
        name = choices.choice(names(state))
        state, other = play(state, name), play(other, mirrored_name(name))
    assert str(other) == mirrored(str(state))


# --- Sections 5 and 11: what is legal ------------------------------------------------------------

# Position, seat to move, a pattern for the actions that are asked for, exactly these actions.
B6 = "log: D3 F6; el: C3:0e B3:0e A6:1n; burnt: C4"
B8 = "log: D3 F6; el: C3:0e D3:1n E7:0e F7:0n B1:0e C1:1n D1:1n"
B9 = "log: G2 A1; el: E2:0e F2:1n A2:0e"
B12 = "log: A1; el: E5:1n D5:0e B2:0e A6:1n; held 3/0"
B14 = "log: F6; el: B3:0w A1:0e C2:0s D3:0s E6:1n"
B15 = "log: F6 G1; el: E6:1n A2:0e; area: 0S=1"
B19 = "log: F6; el: E6:1n A2:0e; burnt: B2 C2 E5 F4; burn 1/1"
B20 = "log: B1 F6; el: A1:0e A2:1n B1:1n"
B23 = "log: F6; el: A6:1n C3:0e; area: 1W=1"
MOVE = "[A-G][1-7]>[A-G][1-7]"
EXIT = ".*>out"
JUMP = r".*\^."
ENTER = "[WS]>.*"
WATCH = "watch .*"
BURN = "burn .*"
ALL = ".*"

LEGAL = {
    "B4": (
        "log: F6; el: C3:0e A6:1n",
        0,
        ALL,
        "C3>C4 C3>D3 C3>C2 C3>B3 C3>C5 C3>D4 C3>E3 C3>D2 C3>C1 C3>B2 C3>A3 C3>B4 C3>C6 C3>D5 "
        "C3>E4 C3>F3 C3>E2 C3>D1 C3>B1 C3>A2 C3>A4 C3>B5",
    ),
    "B5": (
        "log: C3 C4 F6; el: C3:0e D3:1n",
        0,
        ALL,
        "C3>C4 C3>C2 C3>B3 C3^n C3^e C3^s C3^w",
    ),
    "B6": (
        B6,
        0,
        ALL,
        "C3>D3 C3>C2 C3>B2 C3>D2 C3>C1 C3>E2 C3>D1 C3>B1 C3>A2 B3>B4 B3>B2 B3>A3 B3>B5 B3>A4 B3>C2 "
        "B3>B1 B3>A2 B3>B6 B3>C5 B3>A5 B3>D2 B3>C1 B3>A1 B3^n B3^e B3^s B3^w",
    ),
    "B7": (
        "log: E3 F6; el: C3:0e D3:1n B3:1n C2:1n C4:1n",
        0,
        ALL,
        "C3^n C3^e C3^s C3^w",
    ),
    "B8": (B8, 0, JUMP, ""),
    "B9": (B9, 0, JUMP, "E2^n E2^e E2^s E2^w"),
    "B14": (B14, 0, EXIT, "B3>out C2>out D3>out"),
    "B15": (B15, 0, ENTER, "S>A1 S>B1 S>C1 S>D1 S>E1 S>F1 S>G1"),
    "B20": (B20, 0, ALL, "pass"),
    "B22": (
        "log: C1 A7; el: F2:0e A6:1n",
        0,
        ALL,
        "F2>F3 F2>G2 F2>F1 F2>E2 F2>F4 F2>G3 F2>E3 F2>G1 F2>E1 F2>D2 F2>F5 F2>G4 F2>E4 F2>D3 F2>D1 "
        "F2>C2",
    ),
    "B23": (B23, 1, ENTER, "W>A1 W>A2 W>A3 W>A4 W>A5 W>A7"),
    "B24": (
        "log: A1 A3 F6; el: A2:1n A5:0e; burnt: A6; area: 0W=2 1S=3",
        0,
        ENTER,
        "W>A1 W>A3 W>A4 W>A7",
    ),
    # 5.1
    "elephants enter from both areas": (
        "log: A1; el: A2:1n B1:0e; area: 0W=1 0S=1 1W=1",
        0,
        ENTER,
        "W>A1 W>A3 W>A4 W>A5 W>A6 W>A7 S>A1 S>C1 S>D1 S>E1 S>F1 S>G1",
    ),
    "nobody enters for the other player": (
        "log: F6; el: C3:0e; area: 1W=3 1S=4",
        0,
        ENTER,
        "",
    ),
    # 5.2
    "one step from a log, onto a log or not": (
        "log: B2 B3; el: B2:0e A2:1n; burnt: C2",
        0,
        MOVE,
        "B2>B3 B2>B1",
    ),
    "one step onto each log": (
        "log: B3 C2 A2 B1 A1; el: B2:1w F6:0e",
        1,
        MOVE,
        "B2>B3 B2>C2 B2>B1 B2>A2",
    ),
    "no way through logs, elephants and burnt logs": (
        "log: B3 D5 F6; el: B2:0n A2:1n A6:0s; burnt: C2 D1; watch: 0=G7 1=G7",
        0,
        "B2>.*",
        "B2>B3 B2>B1 B2>A1 B2>C1",
    ),
    "G7 is not entered from F7": (
        "log: A1; el: F7:0e A2:1n; burnt: F6 E6",
        0,
        MOVE,
        "F7>E7 F7>D7 F7>C7 F7>D6",
    ),
    "G7 is not entered from G6": (
        "log: A1; el: G6:1n A2:0n; burnt: F6 F5",
        1,
        MOVE,
        "G6>G5 G6>G4 G6>G3 G6>F4",
    ),
    "G7 is not entered from a log": ("log: F7 A1; el: F7:0e A2:1n", 0, MOVE, "F7>E7 F7>F6"),
    "own goal fields end the path": (
        "log: A1; el: B6:1e F2:0n; burnt: B5 C6 A6",
        1,
        MOVE,
        "B6>B7",
    ),
    "the opponent's goal fields do not": (
        "log: A1; el: B6:0e F2:1n; burnt: B5 C6 A6",
        0,
        MOVE,
        "B6>B7 B6>A7 B6>C7 B6>D7",
    ),
    # 5.3
    "from a log only on the edge": (
        "log: A3 B4 F6 C1 D2; el: A3:0w B4:0w C1:0s D2:0s A5:0w E1:0s E6:1n",
        0,
        EXIT,
        "A3>out C1>out A5>out E1>out",
    ),
    "three steps in all": (
        "log: F6; el: C5:1w D6:1w F3:1s E4:1s E6:0n; burnt: E2",
        1,
        EXIT,
        "C5>out F3>out",
    ),
    "nobody leaves with another facing": (
        "log: F6; el: A1:0n A2:0e A3:0s B2:0s A4:0n G6:1n",
        0,
        EXIT,
        "B2>out",
    ),
    "south facing in the corner": ("log: F6; el: A1:1s A2:1w E5:0e", 1, EXIT, "A1>out A2>out"),
    "free fields only on the way out": (
        "log: A3 A4 F6; el: B3:0w C1:0w E6:1n; burnt: B2 B4 B1 C2",
        0,
        EXIT,
        "",
    ),
    "round the corner on the way out": (
        "log: A3 F6; el: B3:0w E6:1n; burnt: B4",
        0,
        EXIT,
        "B3>out",
    ),
    "not through an own goal, west": (
        "log: F3; el: B6:1w E6:0n; burnt: A6 B5",
        1,
        EXIT,
        "",
    ),
    "nor through two of them": ("log: A6 F3; el: B6:1w E6:0n; burnt: B5", 1, EXIT, ""),
    "through the goal of the opponent, west": (
        "log: F3; el: B7:0w A6:0n E6:1n; burnt: B6",
        0,
        EXIT,
        "B7>out",
    ),
    "not through an own goal, south": (
        "log: F3; el: F2:0s E6:1n; burnt: F1 E2",
        0,
        EXIT,
        "",
    ),
    "through the goal of the opponent, south": (
        "log: F3; el: G2:1s A2:0n; burnt: F1 F2",
        1,
        EXIT,
        "G2>out",
    ),
    # 5.4
    "jumps in all four directions": (
        "log: F6; el: C3:0n C4:1s E3:0e F3:1s C6:0w B6:0n D2:0s D1:1n",
        0,
        JUMP,
        "C3^n C3^e C3^s C3^w E3^n E3^e E3^s E3^w C6^n C6^e C6^s C6^w",
    ),
    "only straight ahead": (
        "log: F6; el: C3:0n D3:1s B3:1s C2:1n",
        0,
        JUMP,
        "",
    ),
    "no jump onto a burnt log": (
        "log: F6; el: C3:0n C4:1s; burnt: C5",
        0,
        JUMP,
        "",
    ),
    "no jump over logs without elephant": (
        "log: C4 F6; el: C3:0n D1:0e A6:1n; burnt: E1",
        0,
        JUMP,
        "",
    ),
    "no jump into a start area": (
        "log: F6; el: B3:0w A3:1n C2:0s C1:1e",
        0,
        JUMP,
        "",
    ),
    "no jump over the goal line": (
        "log: F6; el: B6:1n B7:0e F3:1e G3:1n C6:1n C7:0n",
        1,
        JUMP,
        "",
    ),
    "no jump onto the black field": (
        "log: A1; el: G5:1n G6:1e A2:0n",
        1,
        JUMP,
        "",
    ),
    # 5.8
    "watch with one log": (
        "log: F6; el: C3:0e A6:1n; held 1/9",
        0,
        WATCH,
        "watch_C4 watch_E4 watch_D3 watch_D5",
    ),
    "watch from a corner": (
        "log: F6; el: C3:0e A6:1n; held 9/2; watch: 0=D4 1=G1",
        1,
        WATCH,
        "watch_F1 watch_E1 watch_G2 watch_G3 watch_F2",
    ),
    "no watch without logs": ("log: F6; el: C3:0e A6:1n; held 0/5", 0, WATCH, ""),
    # 5.9
    "no burnt log left": ("log: F6; el: C3:0e A6:1n; burn 0/3", 0, BURN, ""),
    # 5: passing
    "no pass if there is something to burn": (
        "log: B1 F6; el: A1:0e A2:1n B1:1n; burn 1/0",
        0,
        "pass",
        "",
    ),
    "no pass with a step only": ("log: A1 F6; el: A1:0e B1:1n C1:1n", 0, ALL, "A1>A2"),
    "no pass with an exit only": (
        "log: B1 A2 F6; el: A1:0w A2:1n B1:1n",
        0,
        ALL,
        "A1>out",
    ),
    "pass with an area, but no field in front": (
        "log: F6; el: A1:1n A2:1n A3:1n A4:1n A5:1n A6:1n; burnt: A7; area: 0W=2",
        0,
        ALL,
        "pass",
    ),
    "pass of player 1": (
        "log: A2 F6; el: A1:1n B1:0e A2:0n",
        1,
        ALL,
        "pass",
    ),
}


@pytest.mark.parametrize(
    ("excerpt", "seat", "pattern", "expected"), LEGAL.values(), ids=LEGAL.keys()
)
def test_exactly_these_are_legal(
    rules: Rules, excerpt: str, seat: int, pattern: str, expected: str
) -> None:
    state = rules.parse(position(excerpt, seat))
    assert names_of(state, pattern) == listed(expected)
    assert_running(state, seat)


def test_numbers_of_legal_actions_of_the_worked_positions(rules: Rules) -> None:
    """B4, B6 and B22 give their numbers besides; B12 and B19 give hardly more."""
    for excerpt, number in ((LEGAL["B4"][0], 22), (B6, 27), (LEGAL["B22"][0], 16)):
        assert len(actions(rules.parse(position(excerpt)))) == number
    b12 = rules.parse(position(B12))
    assert names_of(b12, WATCH) == sorted(
        f"watch {FILES[file]}{RANKS[rank]}"
        for file in range(7)
        for rank in range(7)
        if 1 <= abs(file - 3) + abs(rank - 3) <= 3
    )
    assert len(names_of(b12, WATCH)) == 24
    b19 = rules.parse(position(B19))
    taken = ["F6", "E6", "A2", "B2", "C2", "E5", "F4", "G7"]
    free = set(FIELDS) - set(taken)
    assert len(free) == 41
    assert names_of(b19, BURN) == sorted(f"burn {field}" for field in free - {"D2", "D6", "G3"})
    assert len(names_of(b19, BURN)) == 38


def test_b1(rules: Rules) -> None:
    state = rules.initial()
    assert names(state) == listed("W>A1 W>A2 W>A3 W>A4 W>A5 W>A6 W>A7")
    assert actions(state) == [1421, 1428, 1435, 1442, 1449, 1456, 1463]


def test_b2(rules: Rules) -> None:
    state = play(rules.initial(), "W>A4")
    assert str(state) == (
        "l,l,l,l,l,l,#/l,l,l,l,l,l,l/l,l,l,l,l,l,l/0e,l,l,l,l,l,l/l,l,l,l,l,l,l/l,l,l,l,l,l,l/"
        "l,l,l,l,l,l,l 1 9.0/0.10 1/0 3/3 0/0 0/0 D4/D4 0:0:1"
    )
    assert part(state, "board").count("l") == 47
    assert names(state) == listed("S>A1 S>B1 S>C1 S>D1 S>E1 S>F1 S>G1")


def test_b3(rules: Rules) -> None:
    state = play(rules.initial(), "W>A4", "S>D1")
    assert_running(state, 0)
    assert names(state) == listed(
        "W>A1 W>A2 W>A3 W>A5 W>A6 W>A7 A4>B4 A4>A5 A4>A3 watch_D3 watch_D5 watch_C4 watch_E4"
    )
    forward = play(state, "A4>B4")
    assert content(forward, "A4") == "."
    assert content(forward, "B4") == "0e"
    assert part(forward, "held") == "2/1"
    for name in ("A4>A5", "A4>A3"):
        sideways = play(state, name)
        assert content(sideways, name[3:]) == "0e*"
        assert part(sideways, "held") == "1/1"


# --- Sections 5 and 11: what actions do ----------------------------------------------------------

IDLE, PROGRESS = "1:0:1", "0:0:1"

# Position, seat to move, action, position and clock afterwards; the game goes on in all of them.
B4 = "log: F6; el: C3:0e A6:1n"
B10 = "log: G2 A1; el: F2:0e A2:0e A6:1n; watch: 0=G2 1=D4"
B11 = "log: D4 A1; el: C4:0e A2:0e A6:1n"
EFFECTS: dict[str, tuple[str, int, str, str, str]] = {
    "B4 captured": (
        "log: F6; el: C3:0e A2:0e A6:1n",  # A2 is added: the game goes on
        0,
        "C3>D4",
        "log: F6; el: A2:0e A6:1n; capt 0/1",
        PROGRESS,
    ),
    "B4 through the danger": (B4, 0, "C3>E4", "log: F6; el: E4:0e A6:1n", IDLE),
    "B5 sideways": (
        "log: C3 C4 F6; el: C3:0e D3:1n",
        0,
        "C3>C4",
        "log: C3 C4 F6; el: C4:0e D3:1n",
        IDLE,
    ),
    "B5 jump from a log": (
        "log: C3 C4 F6; el: C3:0e D3:1n",
        0,
        "C3^s",
        "log: C3 C4 F6; el: E3:0e D3:1s",
        IDLE,
    ),
    "B6 forward onto a log": (
        B6,
        0,
        "C3>D3",
        "log: F6; el: D3:0e B3:0e A6:1n; burnt: C4; held 1/0",
        PROGRESS,
    ),
    "B6 jump onto a log": (
        B6,
        0,
        "B3^n",
        "log: D3 F6; el: C3:0n D3:0e A6:1n; burnt: C4",
        IDLE,
    ),
    "B7": (
        "log: E3 F6; el: C3:0e D3:1n B3:1n C2:1n C4:1n",
        0,
        "C3^w",
        "log: E3 F6; el: E3:0e D3:1w B3:1n C2:1n C4:1n",
        IDLE,
    ),
    **{
        f"B9 {facing}": (
            B9,
            0,
            f"E2^{facing}",
            f"log: G2 A1; el: F2:1{facing} A2:0e; home 1/0",
            PROGRESS,
        )
        for facing in "nesw"
    },
    "B10": (
        B10,
        0,
        "F2>G2",
        "log: A1; el: A2:0e A6:1n; watch: 0=G2 1=D4; held 1/0; home 1/0",
        PROGRESS,
    ),
    "B11": (B11, 0, "C4>D4", "log: A1; el: A2:0e A6:1n; held 1/0; capt 0/1", PROGRESS),
    "B12": (
        B12,
        0,
        "watch E5",
        "log: A1; el: B2:0e A6:1n; held 1/0; capt 1/1; watch: 0=E5 1=D4",
        PROGRESS,
    ),
    **{
        f"B13 {start} {name}": (
            f"log: A1; el: {start} A2:0e A6:1n",
            0,
            name,
            f"log: A1; el: {end} A2:0e A6:1n",
            IDLE,
        )
        for start, name, end in (
            ("C5:0n", "C5>C7", "C7:0s"),
            ("C5:0n", "C5>D7", "D7:0s"),
            ("B7:0n", "B7>C7", "C7:0n"),
            ("B7:0e", "B7>C7", "C7:0e"),
            # Further ways onto that line and along it.
            ("C5:0e", "C5>C7", "C7:0e"),
            ("C5:0w", "C5>D7", "D7:0w"),
            ("C5:0s", "C5>C7", "C7:0s"),
            ("B7:0n", "B7>E7", "E7:0n"),
            ("B7:0n", "B7>A7", "A7:0n"),
            ("B7:0n", "B7>B6", "B6:0n"),
            ("C7:0s", "C7>C5", "C5:0s"),
        )
    },
    "B13 player 1": (
        "log: A1; el: F3:1e A2:0e A6:1n",
        1,
        "F3>G3",
        "log: A1; el: G3:1w A2:0e A6:1n",
        IDLE,
    ),
    **{
        f"B13 player 1 {start} {name}": (
            f"log: A1; el: {start} A2:0e A6:1n",
            1,
            name,
            f"log: A1; el: {end} A2:0e A6:1n",
            IDLE,
        )
        for start, name, end in (
            ("E4:1e", "E4>G3", "G3:1w"),
            ("G2:1e", "G2>G3", "G3:1e"),
            ("G2:1e", "G2>G5", "G5:1e"),
            ("F3:1n", "F3>G3", "G3:1n"),
            ("F3:1w", "F3>G3", "G3:1w"),
            ("F3:1s", "F3>G3", "G3:1s"),
        )
    },
    "B14 west": (
        B14,
        0,
        "B3>out",
        "log: F6; el: A1:0e C2:0s D3:0s E6:1n; area: 0W=1",
        IDLE,
    ),
    "B14 south": (
        B14,
        0,
        "D3>out",
        "log: F6; el: B3:0w A1:0e C2:0s E6:1n; area: 0S=1",
        IDLE,
    ),
    "B15 facing": (B15, 0, "S>C1", "log: F6 G1; el: E6:1n A2:0e C1:0n", IDLE),
    "B15 home": (B15, 0, "S>G1", "log: F6; el: E6:1n A2:0e; held 1/0; home 1/0", PROGRESS),
    "B16": (
        "log: A1; el: F3:0e B5:0e E6:1n; held 4/9; home 6/0; capt 0/2",
        0,
        "F3>G3",
        "log: A1; el: B5:0e E6:1n; held 4/9; home 8/0; capt 0/1",
        PROGRESS,
    ),
    "B19": (
        B19,
        0,
        "burn D4",
        "log: F6; el: E6:1n A2:0e; burnt: B2 C2 E5 F4 D4; burn 0/1",
        PROGRESS,
    ),
    "B20": (B20, 0, "pass", B20, "1:1:1"),
    "B23 home": (B23, 1, "W>A7", "log: F6; el: A6:1n C3:0e; home 0/1", PROGRESS),
    "B23 facing": (B23, 1, "W>A3", "log: F6; el: A6:1n C3:0e A3:1e", IDLE),
    # 5.1 and 5.7
    "entering collects": (
        "log: A3 F6; el: A6:1n; area: 0W=2 1S=1",
        0,
        "W>A3",
        "log: F6; el: A6:1n A3:0e; area: 0W=1 1S=1; held 1/0",
        PROGRESS,
    ),
    "entering collects from the foreign area too": (
        "log: C1 F6; el: A6:1n; area: 0W=2 0S=1",
        0,
        "S>C1",
        "log: F6; el: A6:1n C1:0n; area: 0W=2; held 1/0",
        PROGRESS,
    ),
    "entering A1 from the West": (
        "log: F6; el: A6:1n; area: 0W=1 0S=1",
        0,
        "W>A1",
        "log: F6; el: A6:1n A1:0e; area: 0S=1",
        IDLE,
    ),
    "entering A1 from the South": (
        "log: F6; el: A6:1n; area: 0W=1 0S=1",
        0,
        "S>A1",
        "log: F6; el: A6:1n A1:0n; area: 0W=1",
        IDLE,
    ),
    "entering the opponent's goal line does not turn": (
        "log: F6; el: A6:1n; area: 0W=1",
        0,
        "W>A7",
        "log: F6; el: A6:1n A7:0e",
        IDLE,
    ),
    "entering G1 as player 1 does not turn": (
        "log: F6; el: A6:0n; area: 1S=1",
        1,
        "S>G1",
        "log: F6; el: A6:0n G1:1n",
        IDLE,
    ),
    "entering a danger field": (
        "log: A4 F6; el: A6:1n; area: 0W=2; watch: 0=A4 1=D4",
        0,
        "W>A4",
        "log: F6; el: A6:1n; area: 0W=1; watch: 0=A4 1=D4; held 1/0; capt 0/1",
        PROGRESS,
    ),
    "forward is where the elephant faces": (
        "log: C4 F6; el: C3:0n A6:1n",
        0,
        "C3>C4",
        "log: F6; el: C4:0n A6:1n; held 1/0",
        PROGRESS,
    ),
    "forward from a log": (
        "log: C3 B3 F6; el: C3:0w A6:1n",
        0,
        "C3>B3",
        "log: C3 F6; el: B3:0w A6:1n; held 1/0",
        PROGRESS,
    ),
    "backward does not collect": (
        "log: B3 F6; el: C3:0e A6:1n",
        0,
        "C3>B3",
        "log: B3 F6; el: B3:0e A6:1n",
        IDLE,
    ),
    "forward and free does not collect": (
        "log: E3 F6; el: C3:0e A6:1n",
        0,
        "C3>D3",
        "log: E3 F6; el: D3:0e A6:1n",
        IDLE,
    ),
    # 5.3
    "leaving from a log leaves it": (
        "log: A3 F6; el: A3:0w A6:1n",
        0,
        "A3>out",
        "log: A3 F6; el: A6:1n; area: 0W=1",
        IDLE,
    ),
    "leaving to the West as player 1": (
        "log: F6; el: C3:1w A6:0n; area: 1S=2",
        1,
        "C3>out",
        "log: F6; el: A6:0n; area: 1W=1 1S=2",
        IDLE,
    ),
    "leaving over and from a danger field": (
        "log: F6; el: C3:0w A6:1n; watch: 0=B3 1=C6",
        0,
        "C3>out",
        "log: F6; el: A6:1n; area: 0W=1; watch: 0=B3 1=C6",
        IDLE,
    ),
    # 5.4
    "jump over an own elephant": (
        "log: F6; el: C3:0s C2:0e A6:1n",
        0,
        "C3^e",
        "log: F6; el: C1:0s C2:0e A6:1n",
        IDLE,
    ),
    "jump over a danger field turns and captures": (
        "log: F6; el: D3:0n D4:1s A6:1n A2:0e",
        0,
        "D3^w",
        "log: F6; el: D5:0n A6:1n A2:0e; capt 1/0",
        PROGRESS,
    ),
    "jump onto a danger field": (
        "log: D4 F6; el: B4:0e C4:1s A6:1n A2:0e",
        0,
        "B4^n",
        "log: D4 F6; el: C4:1n A6:1n A2:0e; capt 0/1",
        PROGRESS,
    ),
    "jump onto the opponent's goal line turns": (
        "log: F6; el: C5:0n C6:1s A6:1n",
        0,
        "C5^e",
        "log: F6; el: C7:0s C6:1e A6:1n",
        IDLE,
    ),
    "jump along the opponent's goal line does not": (
        "log: F6; el: B7:0e C7:0n A6:1n",
        0,
        "B7^n",
        "log: F6; el: D7:0e C7:0n A6:1n",
        IDLE,
    ),
    "jump onto the opponent's goal line, player 1": (
        "log: G3 A1; el: E3:1e F3:0s A6:0n",
        1,
        "E3^n",
        "log: G3 A1; el: G3:1w F3:0n A6:0n",
        IDLE,
    ),
    "a jumped elephant on its goal line is not turned back": (
        "log: F6; el: D7:0s E7:0w A6:1n",
        0,
        "E7^n",
        "log: F6; el: C7:0w D7:0n A6:1n",
        IDLE,
    ),
    "a jumped elephant may look at its goal": (
        "log: F6; el: B7:0e C7:0s A6:1n",
        0,
        "B7^n",
        "log: F6; el: D7:0e C7:0n A6:1n",
        IDLE,
    ),
    # 5.5
    "home sideways": (
        "log: G2 A1; el: F2:0n A2:0e A6:1n",
        0,
        "F2>G2",
        "log: G2 A1; el: A2:0e A6:1n; home 1/0",
        PROGRESS,
    ),
    "home backward": (
        "log: G2 A1; el: F2:0w A2:0e A6:1n; home 3/2",
        0,
        "F2>G2",
        "log: G2 A1; el: A2:0e A6:1n; home 4/2",
        PROGRESS,
    ),
    "home in three steps": (
        "log: A1; el: E3:0n A2:0e A6:1n",
        0,
        "E3>G4",
        "log: A1; el: A2:0e A6:1n; home 1/0",
        PROGRESS,
    ),
    "home along the edge": (
        "log: C7 A1; el: C6:1n A2:0e A6:1n",
        1,
        "C6>C7",
        "log: A1; el: A2:0e A6:1n; held 0/1; home 0/1",
        PROGRESS,
    ),
    "home from a log": (
        "log: C6 A1; el: C6:1e A2:0e A6:1n",
        1,
        "C6>C7",
        "log: C6 A1; el: A2:0e A6:1n; home 0/1",
        PROGRESS,
    ),
    "home from behind a foreign elephant": (
        "log: A1; el: C5:1n C6:0e A2:0e A6:1n; watch: 0=C4 1=C7",
        1,
        "C5^s",
        "log: A1; el: C6:0s A2:0e A6:1n; watch: 0=C4 1=C7; home 0/1",
        PROGRESS,
    ),
    "seventh elephant of player 1 by a jump": (
        "log: A1; el: C5:1n C6:0e A2:0e A6:1n; home 0/6; capt 1/0",
        1,
        "C5^s",
        "log: A1; el: C6:0s A2:0e A6:1n; home 0/8",
        PROGRESS,
    ),
    "seventh elephant by entering": (
        "log: A1; el: A2:0e A6:1n; area: 0S=1; home 6/0; capt 0/2",
        0,
        "S>G1",
        "log: A1; el: A2:0e A6:1n; home 8/0; capt 0/1",
        PROGRESS,
    ),
    "seventh elephant without captives": (
        "log: A1; el: F3:0e B5:0e E6:1n; home 6/0; capt 3/0",
        0,
        "F3>G3",
        "log: A1; el: B5:0e E6:1n; home 7/0; capt 3/0",
        PROGRESS,
    ),
    "sixth elephant": (
        "log: A1; el: F3:0e B5:0e E6:1n; home 5/0; capt 0/2",
        0,
        "F3>G3",
        "log: A1; el: B5:0e E6:1n; home 6/0; capt 0/2",
        PROGRESS,
    ),
    "eighth elephant": (
        "log: A1; el: F3:0e E6:1n B5:0e; home 7/0; capt 0/1",
        0,
        "F3>G3",
        "log: A1; el: E6:1n B5:0e; home 8/0; capt 0/1",
        PROGRESS,
    ),
    # 5.8
    "watch with both, each by one": (
        "log: F6; el: B2:0e A6:1n; held 2/2",
        1,
        "watch C3",
        "log: F6; el: B2:0e A6:1n; held 2/0; watch: 0=D4 1=C3",
        PROGRESS,
    ),
    "watch from edge to edge": (
        "log: F6; el: C3:0e A6:1n; held 13/0; watch: 0=A1 1=D4",
        0,
        "watch G7",
        "log: F6; el: C3:0e A6:1n; held 1/0; watch: 0=G7 1=D4",
        PROGRESS,
    ),
    "watch passes harmlessly": (
        "log: F6; el: C4:0e B4:1n A2:0e A6:1n; held 4/0; watch: 0=A4 1=D4",
        0,
        "watch E4",
        "log: F6; el: C4:0e B4:1n A2:0e A6:1n; held 0/0; watch: 0=E4 1=D4",
        PROGRESS,
    ),
    # 5.9
    "burn on a goal field": (
        "log: F6; el: C3:0e A6:1n; burn 2/3",
        1,
        "burn G4",
        "log: F6; el: C3:0e A6:1n; burnt: G4; burn 2/2",
        PROGRESS,
    ),
    "burn beside G7": (
        "log: A1; el: C3:0e A6:1n; burnt: E7; burn 2/3",
        0,
        "burn F7",
        "log: A1; el: C3:0e A6:1n; burnt: E7 F7; burn 1/3",
        PROGRESS,
    ),
    "burn an L": (
        "log: F6; el: E4:0e A6:1n; burnt: B2 C2; burn 1/3",
        0,
        "burn C3",
        "log: F6; el: E4:0e A6:1n; burnt: B2 C2 C3; burn 0/3",
        PROGRESS,
    ),
    # 5.10: everybody who stands there, whoever moved; also those who stood there before
    "all on four danger fields": (
        "log: F3; el: B3:0e B6:1n E3:0s E6:1w A2:0e G6:1n C1:0n; watch: 0=B3 1=E6",
        0,
        "C1>C2",
        "log: F3; el: A2:0e G6:1n C2:0n; watch: 0=B3 1=E6; capt 2/2",
        PROGRESS,
    ),
    "the watchers' own side is not spared": (
        "log: A1; el: B5:1n A2:0e A6:1n; held 0/3",
        1,
        "watch B5",
        "log: A1; el: A2:0e A6:1n; held 0/0; watch: 0=D4 1=B5; capt 1/0",
        PROGRESS,
    ),
    "standing on a log": (
        "log: D4 A1; el: D3:0e A2:0e A6:1n",
        0,
        "D3>D4",
        "log: D4 A1; el: A2:0e A6:1n; capt 0/1",
        PROGRESS,
    ),
    "burning a danger field is harmless": (
        "log: F6; el: C3:0e A6:1n; burn 2/3",
        0,
        "burn D4",
        "log: F6; el: C3:0e A6:1n; burnt: D4; burn 1/3",
        PROGRESS,
    ),
    "a capture after a pass is progress": (
        "log: B1 F6; el: A1:0e A2:1n B1:1n D4:1n",
        0,
        "pass",
        "log: B1 F6; el: A1:0e A2:1n B1:1n; capt 1/0",
        "0:1:1",
    ),
}


@pytest.mark.parametrize(
    ("before", "seat", "name", "after", "clock"), EFFECTS.values(), ids=EFFECTS.keys()
)
def test_effect(rules: Rules, before: str, seat: int, name: str, after: str, clock: str) -> None:
    state = play(rules.parse(position(before, seat)), name)
    assert str(state) == position(after, 1 - seat, clock)
    assert_running(state, 1 - seat)


# --- Sections 6 and 7: end and scoring -----------------------------------------------------------

B17 = "log: C3; el: B3:0e E6:1n; held {}; home 2/2; capt 1/0"
ENDS: dict[str, tuple[str, int, str, str, int, list[float], bool]] = {
    # Position, seat to move, clock, action, winner, points, whether truncated.
    "B17 last log": (B17.format("5/9"), 0, "0:0:9", "B3>C3", 1, [14, 15], False),
    "B18 last log": (B17.format("6/8"), 0, "0:0:9", "B3>C3", 0, [15, 14], False),
    "B18 tie": (B17.format("5/8"), 0, "0:0:9", "B3>C3", 1, [13, 14], False),
    "B21 last elephant captured": (
        "log: F6; el: C4:0e A6:1n; held 4/1; home 2/1; capt 0/1",
        0,
        "0:0:9",
        "C4>D4",
        0,
        [10, 8],
        False,
    ),
    "last elephant home": (
        "log: A1; el: F3:0e A6:1n; held 0/2",
        0,
        "0:0:9",
        "F3>G3",
        0,
        [3, 2],
        False,
    ),
    "last elephant home, all tied": (
        "log: A1; el: F3:0e A6:1n; held 0/3",
        0,
        "0:0:9",
        "F3>G3",
        1,
        [2, 3],
        False,
    ),
    "last elephant home with the seventh": (
        "log: A1; el: F3:0e A6:1n; home 6/0; capt 0/3; held 0/1",
        0,
        "0:0:9",
        "F3>G3",
        0,
        [24, 5],
        False,
    ),
    "last elephant of the other player captured": (
        "log: A1; el: B5:0e B4:0e D4:1n; held 0/1",
        0,
        "0:0:9",
        "B5>B6",
        0,
        [2, 1],
        False,
    ),
    "last elephants of both captured": (
        "log: A1; el: D5:0e E5:1n; held 2/0",
        0,
        "0:0:9",
        "watch E5",
        1,
        [1, 2],
        False,
    ),
    "two passes": (B20, 0, "3:1:50", "pass", 1, [-1, 0], False),
    "two passes at the cap": (f"{B20}; held 0/1", 0, "3:1:499", "pass", 1, [0, 1], False),
    "60 actions without progress": (
        "log: F6; el: C3:0e A6:1n; held 1/2",
        0,
        "59:0:99",
        "C3>C2",
        1,
        [1, 2],
        False,
    ),
    "500 actions": (
        "log: F6; el: C3:0e A6:1n; held 1/2; capt 1/0",
        0,
        "7:0:499",
        "C3>C2",
        0,
        [3, 2],
        True,
    ),
    "500 actions, the last of them progress": (
        "log: C2 F6; el: C3:0s A6:1n; held 1/2",
        0,
        "59:0:499",
        "C3>C2",
        1,
        [1, 2],
        True,
    ),
    "500 actions and 60 without progress": (
        "log: F6; el: C3:0e A6:1n; held 2/1",
        0,
        "59:0:499",
        "C3>C2",
        0,
        [2, 1],
        False,
    ),
    "500 actions and no log": (
        "log: C2; el: C3:0s A6:1n; held 0/2",
        0,
        "7:0:499",
        "C3>C2",
        1,
        [1, 2],
        False,
    ),
    "500 actions and no elephant": (
        "log: A1; el: F3:0e A6:1n; held 0/2",
        0,
        "7:0:499",
        "F3>G3",
        0,
        [3, 2],
        False,
    ),
}


@pytest.mark.parametrize(
    ("excerpt", "seat", "clock", "name", "winner", "points", "truncated"),
    ENDS.values(),
    ids=ENDS.keys(),
)
def test_end(
    rules: Rules,
    excerpt: str,
    seat: int,
    clock: str,
    name: str,
    winner: int,
    points: list[float],
    truncated: bool,
) -> None:
    state = rules.parse(position(excerpt, seat, clock))
    assert_running(state, seat)
    state = play(state, name)
    assert_over(state, winner, points, truncated)
    # What is read again is over in the same way.
    assert_over(rules.parse(str(state)), winner, points, truncated)


# Nobody can ever do anything: all stand on or behind logs, the edge and burnt logs.
STUCK = "log: B1 B2 F6; el: A1:0e A2:1n B1:1n B2:0n; burnt: A3 B3 C1 C2; home 1/0"

GOES_ON = {
    # Position, clock, actions, clock afterwards.
    "one pass": (STUCK, "3:0:8", "pass", "4:1:9"),
    "a pass and an action": (B20, "0:0:0", "pass A2>A3", "2:0:2"),
    "58 without progress": ("log: F6; el: C3:0e A6:1n", "58:0:99", "C3>C2", "59:0:100"),
    "60th action collects": ("log: F6 C2; el: C3:0s A6:1n", "59:0:99", "C3>C2", "0:0:100"),
    "60th action pays": ("log: F6; el: C3:0s A6:1n; held 1/0", "59:0:99", "watch_C4", "0:0:100"),
    "60th action burns": ("log: F6; el: C3:0s A6:1n; burn 1/0", "59:0:99", "burn_C4", "0:0:100"),
    "60th action comes home": ("log: F6; el: F3:0s A6:1n B4:0e", "59:0:99", "F3>G3", "0:0:100"),
    "60th action is caught": ("log: F6; el: D3:0s A6:1n B4:0e", "59:0:99", "D3>D4", "0:0:100"),
    "499 actions": ("log: F6; el: C3:0e A6:1n", "8:0:498", "C3>C2", "9:0:499"),
    "last in the area": ("log: F6; el: A1:0w A6:1n", "8:0:9", "A1>out", "9:0:10"),
    "last comes in": ("log: F6; el: A6:1n; area: 0W=1", "8:0:9", "W>A1", "9:0:10"),
}


@pytest.mark.parametrize(
    ("excerpt", "clock", "played", "after"), GOES_ON.values(), ids=GOES_ON.keys()
)
def test_game_goes_on(rules: Rules, excerpt: str, clock: str, played: str, after: str) -> None:
    state = play(
        rules.parse(position(excerpt, 0, clock)), *(n.replace("_", " ") for n in played.split())
    )
    assert part(state, "clock") == after
    assert_running(state, len(played.split()) % 2)


def test_two_passes_in_a_row_end_the_game(rules: Rules) -> None:
    state = rules.parse(position(STUCK))
    assert names(state) == ["pass"]
    state = play(state, "pass")
    assert_running(state, 1)
    assert names(state) == ["pass"]
    state = play(state, "pass")
    assert part(state, "clock") == "2:2:2"
    assert_over(state, 0, [3, 0])


def test_b16_points_before_and_after(rules: Rules) -> None:
    before, seat, name, _, _ = EFFECTS["B16"]
    state = rules.parse(position(before, seat))
    assert scores(state) == [22.0, 13.0]
    assert scores(play(state, name)) == [28.0, 11.0]


def test_b20_player_1_moves_normally(rules: Rules) -> None:
    state = play(rules.parse(position(B20)), "pass")
    assert_running(state, 1)
    assert {"A2>A3", "A2>B2", "A2>D2", "A2>A5", "A2>C3"} < set(names(state))
    assert names_of(state, "B1>.*") == listed("B1>B2 B1>C1")


OVER = {
    # Position, clock, winner, points, whether truncated.
    "nobody has anything": ("", "0:0:0", 1, [-1, 0], False),
    "a tie at the start": (
        "log: A1; el: C3:0e A6:1n",
        "0:0:0",
        1,
        [-1, 0],
        False,
    ),
    "points of all kinds": (
        "log: A1; el: C3:0e; held 7/5; home 2/3; capt 3/1; burn 3/3",
        "0:0:9",
        0,
        [19, 16],
        False,
    ),
    "a tie": ("log: A1; held 9/0; home 0/3; el: C3:0e A6:1n", "60:0:99", 1, [8, 9], False),
    "the cap": ("log: A1; held 9/8; el: C3:0e A6:1n", "3:1:500", 0, [9, 8], True),
    "the cap and a log left to nobody": ("held 9/8; el: C3:0e A6:1n", "3:1:500", 0, [9, 8], False),
    "the cap and 60": ("log: A1; held 9/8; el: C3:0e A6:1n", "60:1:500", 0, [9, 8], False),
    "the cap and two passes": ("log: A1; held 9/8; el: C3:0e A6:1n", "3:2:500", 0, [9, 8], False),
    "the cap and no elephant of 0": ("log: A1; held 9/8; el: A6:1n", "3:0:500", 0, [9, 8], False),
    "the cap and no elephant of 1": ("log: A1; held 9/8; el: A6:0n", "3:0:500", 0, [9, 8], False),
    "the cap and one in an area": (
        "log: A1; held 9/8; el: A6:0n; area: 1W=1",
        "3:0:500",
        0,
        [9, 8],
        True,
    ),
    "one before the cap": ("log: A1; held 9/8; el: C3:0e A6:1n", "3:1:499", 0, [9, 8], False),
}


@pytest.mark.parametrize(
    ("excerpt", "clock", "winner", "points", "truncated"), OVER.values(), ids=OVER.keys()
)
def test_position_that_is_over(
    rules: Rules, excerpt: str, clock: str, winner: int, points: list[float], truncated: bool
) -> None:
    text = position(excerpt, "-", clock)
    state = rules.parse(text)
    assert str(state) == text
    assert_over(state, winner, points, truncated)


# Positions in which a case of section 6 holds already, which is tested after actions only.
STILL_RUNNING = {
    "no log": "el: C3:0e A6:1n",
    "no elephant of the other": "log: A1; el: C3:0e",
    "no own elephant": "log: A1; el: A6:1n",
    "nothing at all": "",
}


@pytest.mark.parametrize("excerpt", STILL_RUNNING.values(), ids=STILL_RUNNING.keys())
def test_end_is_tested_after_actions_only(rules: Rules, excerpt: str) -> None:
    state = rules.parse(position(excerpt))
    assert_running(state, 0)
    state = play(state, names(state)[0])
    assert state.is_terminal
    assert not state.is_truncated


# --- Section 10: action encoding -----------------------------------------------------------------

OFFSETS = re.findall(
    r"\S+",
    "(0,1) (1,0) (0,-1) (-1,0) (0,2) (1,1) (2,0) (1,-1) (0,-2) (-1,-1) (-2,0) (-1,1) "
    "(0,3) (1,2) (2,1) (3,0) (2,-1) (1,-2) (0,-3) (-1,-2) (-2,-1) (-3,0) (-2,1) (-1,2)",
)


def number(name: str, watchers: str, seat: int) -> int:
    """Return the number of an action from its text and the watchers of the notation."""
    if name == "pass":
        return PASS
    if name.startswith("watch"):
        places = [
            (RANKS if place in RANKS else FILES).index(new)
            for place, new in zip(watchers.split("/")[seat], name[-2:], strict=True)
        ]
        return 31 * 49 + 7 * places[1] + places[0]
    if name.startswith("burn"):
        return 32 * 49 + FIELDS.index(name[-2:])
    if name[:2] in ("W>", "S>"):
        return (29 + "WS".index(name[0])) * 49 + FIELDS.index(name[2:])
    start = FIELDS.index(name[:2])
    if name[2] == "^":
        return (25 + "nesw".index(name[3])) * 49 + start
    if name[2:] == ">out":
        return 24 * 49 + start
    end = FIELDS.index(name[3:])
    offset = f"({end % 7 - start % 7},{end // 7 - start // 7})"
    return OFFSETS.index(offset) * 49 + start


NUMBERS = [
    ("log: F6; el: C3:0e D3:1n", "C3>C4", 16),
    ("log: F6; el: C3:0e", "C3>D3", 49 + 16),
    ("log: F6; el: C3:0e", "C3>A2", OFFSETS.index("(-2,-1)") * 49 + 16),
    ("log: F6; el: C3:0e", "C3>B5", 23 * 49 + 16),
    ("log: F6; el: B3:0w", "B3>out", 24 * 49 + 15),
    ("log: F6; el: C3:0e D3:1n", "C3^n", 25 * 49 + 16),
    ("log: F6; el: C3:0e D3:1n", "C3^e", 26 * 49 + 16),
    ("log: F6; el: C3:0e D3:1n", "C3^s", 27 * 49 + 16),
    ("log: F6; el: C3:0e D3:1n", "C3^w", 28 * 49 + 16),
    ("log: F6; area: 0W=1", "W>A1", 1421),
    ("log: F6; area: 0W=1", "W>A7", 1463),
    ("log: F6; area: 0S=1", "S>A1", 30 * 49),
    ("log: F6; area: 0S=1", "S>G1", 30 * 49 + 6),
    ("log: F6; el: C3:0e; held 9/0", "watch A1", 31 * 49),
    ("log: F6; el: C3:0e; held 9/0", "watch E5", 31 * 49 + 32),
    ("log: F6; el: C3:0e; held 9/0", "watch A7", 31 * 49 + 42),
    ("log: F6; el: C3:0e; held 9/0", "watch G7", 31 * 49 + 48),
    ("log: F6; el: C3:0e; burn 1/0", "burn A1", 32 * 49),
    ("log: F6; el: C3:0e; burn 1/0", "burn G6", 32 * 49 + 41),
    ("log: F6; el: C3:0e; burn 1/0", "burn F7", 1615),
    (B20, "pass", 1617),
]


@pytest.mark.parametrize(("excerpt", "name", "action"), NUMBERS)
def test_number_of_an_action(rules: Rules, excerpt: str, name: str, action: int) -> None:
    state = rules.parse(position(excerpt))
    assert action in actions(state)
    assert state.action_name(action) == name
    assert state.parse_action(name) == action


@pytest.mark.parametrize("seat", [0, 1])
def test_numbers_of_all_moves_from_the_middle(rules: Rules, seat: int) -> None:
    state = rules.parse(position(f"log: A1; el: D4:{seat}e", seat))
    expected = {}
    for plane, offset in enumerate(OFFSETS):
        files, ranks = (int(steps) for steps in offset.strip("()").split(","))
        expected[plane * 49 + 24] = f"D4>{FILES[3 + files]}{RANKS[3 + ranks]}"
    assert {action: state.action_name(action) for action in actions(state)} == expected


UNREADABLE = [
    "",
    " ",
    "foo",
    "A4",
    "A4>",
    "A4>A9",
    "A4>H4",
    "A4>A4",
    "a4>b4",
    "A4-B4",
    "A4>B4 ",
    " A4>B4",
    "A4>B4\n",
    "A4 > B4",
    "A4>OUT",
    "A4>out ",
    "A4^N",
    "A4^x",
    "A4^",
    "W>B4",
    "S>A4",
    "E>G4",
    "w>A4",
    "W>A\u0664",
    "W>A8",
    "W>A04",
    "watch",
    "watch D",
    "watch 4D",
    "watch d5",
    "watch D4",
    "watch  D5",
    "watch D5 ",
    "watch D\u0665",
    "watch D55",
    "Watch D5",
    "burn",
    "burn G7",
    "burn H1",
    "burn a1",
    "burnA1",
    "PASS",
    "pass ",
    "pass\n",
    "pass",
    "A4>B4>C4",
    "9" * 5000,
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_no_legal_action_cannot_be_played(rules: Rules, text: str) -> None:
    """Most of these are no action texts; a few are actions that are illegal everywhere or here."""
    state = rules.parse(position("log: F6 B4; el: A4:0e A6:1n; area: 0W=1 0S=1; held 3/3"))
    before = str(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(state.parse_action(text))
    assert str(state) == before


@pytest.mark.parametrize("action", [-1, 0, 1420, 1422, 1470, 1544, 1568, PASS, 1618, 10**6, 10**20])
def test_illegal_action_leaves_the_position_unchanged(rules: Rules, action: int) -> None:
    state = rules.initial()
    with pytest.raises(ValueError, match=r"."):
        state.apply(action)
    assert str(state) == START
    assert_running(state, 0)


def test_clone_is_independent(rules: Rules) -> None:
    state = rules.parse(position(B12))
    before, legal = str(state), actions(state)
    copy = state.clone()
    assert str(copy) == before
    copy.apply(copy.parse_action("watch E5"))
    assert str(state) == before
    assert actions(state) == legal
    assert str(copy) != before


def test_nothing_is_left_to_chance(rules: Rules) -> None:
    for outcome in (None, [], ()):
        state = rules.initial(outcome=outcome)
        state.apply(1421, outcome=outcome)
        assert part(state, "clock") == "0:0:1"
    with pytest.raises(ValueError, match=r"(?i)outcome|chance"):
        rules.initial(outcome=[0])
    for outcome in ([0], [1, 2], (7,)):
        state = rules.initial()
        with pytest.raises(ValueError, match=r"(?i)outcome|chance"):
            state.apply(1421, outcome=outcome)
        assert str(state) == START


# --- The option with the watchers ----------------------------------------------------------------

WATCHES = [
    # Option, position, seat, action, number in plane 31, watchers afterwards, price, survivors of
    # elephants on C3, D3, C5, D5 and E6.
    ("W4,ND/E4,SD", "D4/D4", 0, "watch C5", 4 * 7 + 2, "C5/D4", 2, "C3 D3 E6"),
    ("W4,ND/E4,SD", "D4/D4", 1, "watch E6", 5 * 7 + 4, "D4/E6", 3, "C3 D3 C5 D5"),
    (OWN_SIDES, "44/DD", 0, "watch 35", 4 * 7 + 2, "35/DD", 2, "C3 C5 E6"),
    (OWN_SIDES, "44/DD", 0, "watch 54", 3 * 7 + 4, "54/DD", 1, "C3 D3 C5 E6"),
    (OWN_SIDES, "44/DD", 0, "watch 63", 2 * 7 + 5, "63/DD", 3, "C3 C5 D5 E6"),
    (OWN_SIDES, "35/DD", 1, "watch CE", 4 * 7 + 2, "35/CE", 2, "D3 D5 E6"),
    (OWN_SIDES, "35/DD", 1, "watch DC", 2 * 7 + 3, "35/DC", 1, "E6"),
    (ELSEWHERE, "C2/F6", 0, "watch E3", 2 * 7 + 4, "E3/F6", 3, "C3 D3 C5 D5"),
    (ELSEWHERE, "C2/F6", 1, "watch D5", 4 * 7 + 3, "C2/D5", 3, "C3 D3 E6"),
    ("SA,NC/E3,W6", "CA/63", 0, "watch DC", 2 * 7 + 3, "DC/63", 3, "C5 D5 E6"),
    ("SA,NC/E3,W6", "CA/63", 1, "watch 54", 3 * 7 + 4, "CA/54", 2, "C3 D3 D5 E6"),
    ("SA,E2/W3,NB", "A2/B3", 0, "watch C5", 4 * 7 + 2, "C5/B3", 5, "D3 D5 E6"),
]


@pytest.mark.parametrize(
    ("option", "before", "seat", "name", "cell", "after", "price", "survivors"), WATCHES
)
def test_watch_with_other_watchers(
    rules: Rules,
    option: str,
    before: str,
    seat: int,
    name: str,
    cell: int,
    after: str,
    price: int,
    survivors: str,
) -> None:
    first, second = before.split("/")
    facing = "ew"[seat]
    tried = ("C3", "D3", "C5", "D5", "E6")
    el = " ".join(f"{field}:{seat}{facing}" for field in tried)
    held = f"{price}/9" if seat == 0 else f"9/{price}"
    text = position(
        f"log: F1; el: {el}; held {held}; area: 0W=1 1S=1; watch: 0={first} 1={second}", seat
    )
    state = rules.parse(text, watchers=option)
    assert str(state) == text
    assert state.parse_action(name) == 31 * 49 + cell
    assert state.action_name(31 * 49 + cell) == name
    state = play(state, name)
    assert part(state, "watch") == after
    assert part(state, "held") == ("0/9" if seat == 0 else "9/0")
    assert elephants(state) == {f"{field}:{seat}{facing}" for field in survivors.split()}
    poorer = rules.parse(
        text.replace(held, held.replace(str(price), str(price - 1))), watchers=option
    )
    assert name not in names(poorer)
    assert all(part(play(poorer, each), "clock") for each in names_of(poorer, WATCH))


@pytest.mark.parametrize(
    ("option", "watchers"),
    [
        ("W4,ND/E4,SD", "44/DD"),
        ("W4,ND/E4,SD", "4D/4D"),
        (OWN_SIDES, "D4/D4"),
        (OWN_SIDES, "DD/44"),
        (OWN_SIDES, "4D/4D"),
        ("SA,NC/E3,W6", "44/DD"),
        (ELSEWHERE, "2C/6F"),
    ],
)
def test_watchers_of_another_option_are_refused(rules: Rules, option: str, watchers: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)watchers"):
        rules.parse(START.replace("D4/D4", watchers), watchers=option)


# --- Invariants over random games ----------------------------------------------------------------


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.split("[./:]", text)]


def assert_sound(state: Position) -> None:
    """Check what holds in every position of a game from the start (sections 3, 5.9, 5.10, 9)."""
    board = {field: content(state, field) for field in FIELDS}
    areas, home, capt = (numbers(part(state, name)) for name in ("areas", "home", "capt"))
    for player in (0, 1):
        on_board = sum(text.startswith(str(player)) for text in board.values())
        in_areas = areas[2 * player] + areas[2 * player + 1]
        assert on_board + in_areas + home[player] + capt[1 - player] == 10
        assert not any(board[field].startswith(str(player)) for field in GOALS[player])
    burnt = {field for field in FIELDS if board[field] == "x"}
    left = numbers(part(state, "burn"))
    assert len(burnt) + sum(left) == 6
    assert max(left) <= 3
    rows = ["".join("x" if file + rank in burnt else "." for file in FILES) for rank in RANKS]
    joined = "-".join(rows)
    # Three in a rank, a file, and the two diagonals; a rank and its separator are 8 characters.
    for gap in (0, 7, 8, 6):
        assert not re.search(f"(?=x.{{{gap}}}x.{{{gap}}}x)", joined)
    assert board["G7"] == "#"
    places = part(state, "watch").replace("/", "")
    for file in set(FILES) & set(places):
        for rank in set(RANKS) & set(places):
            assert board[file + rank][0] not in "01"


def assert_followed(before: Position, name: str, after: Position) -> None:
    """Check what an action may change."""
    logs = [
        part(state, "board").count("l") + part(state, "board").count("*")
        for state in (before, after)
    ]
    held = [numbers(part(state, "held")) for state in (before, after)]
    home = [numbers(part(state, "home")) for state in (before, after)]
    capt = [numbers(part(state, "capt")) for state in (before, after)]
    burn = [numbers(part(state, "burn")) for state in (before, after)]
    mover = before.current_player
    gained = held[1][mover] - held[0][mover]
    assert held[0][1 - mover] == held[1][1 - mover]
    if name.startswith("watch"):
        old, new = (part(state, "watch").split("/")[mover] for state in (before, after))
        assert new == name[-2:]
        assert -gained == sum(abs(ord(a) - ord(b)) for a, b in zip(old, new, strict=True)) > 0
        assert logs[0] == logs[1]
    else:
        assert gained == logs[0] - logs[1]
        assert gained in (0, 1)
        assert part(before, "watch") == part(after, "watch")
    assert home[0][1 - mover] == home[1][1 - mover]
    assert sum(burn[0]) - sum(burn[1]) == name.startswith("burn")
    progress = (
        name.startswith(("watch", "burn"))
        or gained != 0
        or home[0] != home[1]
        or capt[0] != capt[1]
    )
    idle, passes, played = numbers(part(before, "clock"))
    assert numbers(part(after, "clock")) == [
        0 if progress else idle + 1,
        passes + 1 if name == "pass" else 0,
        played + 1,
    ]
    assert after.current_player in (1 - mover, -1)


@pytest.mark.parametrize("watchers", ["W4,ND/E4,SD", OWN_SIDES, ELSEWHERE])
@pytest.mark.parametrize("seed", range(6))
def test_random_games_are_sound(rules: Rules, seed: int, watchers: str) -> None:
    choices = random.Random(seed)
    state = rules.initial(seed=seed, watchers=watchers)
    assert_sound(state)
    while not state.is_terminal:
        legal = actions(state)
        assert legal == sorted(set(legal))
        assert legal == [PASS] or PASS not in legal
        seat, places = state.current_player, part(state, "watch")
        for action in legal[:: max(1, len(legal) // 4)]:
            assert number(state.action_name(action), places, seat) == action
        before = state.clone()
        action = choices.choice(legal)
        state.apply(action)
        assert str(rules.parse(str(state), watchers=watchers)) == str(state)
        assert_sound(state)
        assert_followed(before, before.action_name(action), state)
        if not state.is_terminal:
            assert_running(state, 1 - seat)
    idle, passes, played = numbers(part(state, "clock"))
    assert played <= 500
    areas = numbers(part(state, "areas"))
    gone = [
        str(player) not in part(state, "board") and sum(areas[2 * player : 2 * player + 2]) == 0
        for player in (0, 1)
    ]
    no_log = not re.search(r"[l*]", part(state, "board"))
    ended = no_log or any(gone) or passes == 2 or idle == 60
    assert ended or played == 500
    assert state.is_truncated == (not ended)
    first, second = scores(state)
    assert first != second
    assert_over(state, int(second > first), [first, second], state.is_truncated)


def assert_same_words(game: Game, state: State) -> None:
    """Check that the state array holds nothing but what the notation tells."""
    np.testing.assert_array_equal(game.parse(str(state)).words, state.words)


@pytest.mark.parametrize("watchers", WATCHERS_AT_THE_START)
def test_state_array_is_that_of_the_notation(watchers: str) -> None:
    game = tzaar_envs.load_game("black_elephant", watchers=watchers)
    choices = random.Random(watchers)
    for seed in range(4):
        state = game.new_state(seed)
        while not state.is_terminal:
            assert_same_words(game, state)
            state.apply(choices.choice(state.legal_actions()))
        assert_same_words(game, state)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_state_array_after_odd_positions_is_that_of_the_notation(data: st.DataObject) -> None:
    game = tzaar_envs.load_game("black_elephant")
    try:
        state = game.parse(data.draw(positions(game)))
    except ValueError:
        return
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        if not after.is_terminal:  # else it does not tell who would be to move
            assert_same_words(game, after)


# --- Section 12: what is read and what is refused ------------------------------------------------

SOUND = "log: F6 D1; el: C3:0e A6:1n; area: 0W=3 1S=2; held 1/2; burn 2/3; home 1/2; capt 1/0"

READ = {
    "start": START,
    "every kind of field": position(
        "log: A1 B1 C1; el: A1:0n B1:1s C2:0e D2:1w; burnt: F7 E7 G6; area: 0W=1 0S=2 1W=1 1S=2; "
        "held 20/10; burn 1/2; home 2/1; capt 3/1; watch: 0=A7 1=G1",
        1,
        "59:1:499",
    ),
    "all ten elephants of each player": position(
        "area: 0W=1 0S=2 1W=3 1S=4; home 3/1; capt 1/3; el: A1:0n B1:1s", 1
    ),
    "ten captives": position("log: A1; capt 10/10"),
    "ten home": position("log: A1; home 10/10"),
    "48 logs held": position("held 0/48"),
    "48 logs": position("log: A1 A2; held 20/26"),
    "six burnt logs": position("burnt: A1 A2 B3 C3 D5 E5"),
    "five and one": position("burnt: A1 A2 B3 C3 D5; burn 0/1"),
    "burnt logs with gaps": position("burnt: A1 A2 A4 C1 D2 F4"),
    "on the opponent's goal": position("log: A7 G1; el: A7:0n G1:1e"),
    "on a danger field": position("log: D4; el: D4:0n"),
    "counters at the limits, over": position("log: A1", "-", "60:2:500"),
    "counters at the limits": position("log: A1", 0, "59:1:499"),
    "more without progress than played": position("log: A1", 0, "30:1:0"),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ.keys())
def test_read_position_is_written_again(rules: Rules, text: str) -> None:
    assert str(rules.parse(text)) == text


def changed(**fields: str) -> str:
    """Return a position that can be read, with these fields of the notation replaced."""
    order = ["board", "seat", "areas", "held", "burnt", "home", "captives", "watchers", "clock"]
    texts = position(SOUND).split(" ")
    for name, text in fields.items():
        texts[order.index(name)] = text
    return " ".join(texts)


def board(rank: str, number: int = 4) -> str:
    """Return an empty board with this text for one of the ranks."""
    ranks = {7: ".,.,.,.,.,.,#"} | dict.fromkeys(range(1, 7), ".,.,.,.,.,.,.")
    ranks[number] = rank
    return "/".join(ranks[rank] for rank in range(7, 0, -1))


# What no field of the notation may hold. Longer texts are cut in the names of the tests.
# fmt: off
NO_PIECES = [
    "", "L", "X", "..", "ll", "0", "e", "2e", "0E", "0x", "e0", "00e", "0e**", "0e *", "*", "l*",
    "x*", ".*", "0e*l", "\u0660e", "1n\n", "0ee", "0-", "*0e", "-1n", "1",
]
NO_SEATS = ["", "2", "--", "00", "01", "w", "-1", "+0", "\u0661", "0\n"]
NO_WATCHERS = [
    "", "D4", "D4/", "/D4", "D4/D4/D4", "4D/D4", "D4/4D", "H4/D4", "D8/D4", "D4/D0", "d4/D4",
    "D/D4", "D44/D4", "DD/D4", "D4/44", "D\u0664/D4", "D4/D4\n", "D4,D4", "D4D4", "-/-", "D04/D4",
    "44/DD",
]
NO_PAIRS = [
    "", "0", "0/", "/0", "0/0/0", "00/0", "0/01", "+1/0", "-1/0", "0/-0", "1.0/0", "a/0",
    "\u0661/0", "0/\u0661", "0/\u00b2", "0/0\n", "0:0", "0.0", "1_0/0", "0x1/0", "-/-", "999/0",
    "0/49", f"{2**64}/0", f"0/{2**32}", "9" * 5000 + "/0", "0/" + "9" * 5000,
]
NO_AREAS = [
    "", "0/0", "0.0", "0.0/", "0.0/0", "0.0/0.0/0.0", "0.0.0/0.0", "00.0/0.0", "0.0/0.01",
    "-1.0/0.0", "0.+1/0.0", "\u0661.0/0.0", "0.0/0.0\n", "0/0.0/0", "a.0/0.0", "./.", "0,0/0,0",
    f"{2**64}.0/0.0", "0.0/0." + "9" * 5000,
]
NO_CLOCKS = [
    "", "0", "0:0", "0:0:0:0", "::", "0:0:", "00:0:0", "0:0:00", "-1:0:0", "0:+1:0", "\u0661:0:0",
    "0:0:\u0661", "0:0:0\n", "a:0:0", "0/0/0", "0.0.0", "60:0:100", "0:2:100", "0:0:500",
    "61:0:100", "0:3:100", "0:0:501", f"{2**64}:0:0", f"0:{2**32}:0", "0:0:" + "9" * 5000,
]
NO_CLOCKS_WHEN_OVER = ["61:0:100", "0:3:100", "0:0:501", "60:2:0500", "600:0:100", "0:0:5000"]
# fmt: on

EMPTY_RANK = ".,.,.,.,.,.,."
TOP_RANK = ".,.,.,.,.,.,#"
REFUSED: dict[str, tuple[str, str]] = {
    # Number of fields, ranks and files.
    "empty text": ("", "field"),
    "eight fields": (START.rpartition(" ")[0], "field"),
    "ten fields": (f"{START} 0", "field"),
    "two spaces": (START.replace(" 0 ", "  0 "), "field"),
    "leading space": (f" {START}", "field"),
    "trailing space": (f"{START} ", "field"),
    "tabs": (START.replace(" ", "\t"), "field"),
    "trailing newline": (f"{START}\n", "clock"),
    "six ranks": (changed(board="/".join([TOP_RANK, *[EMPTY_RANK] * 5])), "board"),
    "eight ranks": (changed(board="/".join([TOP_RANK, *[EMPTY_RANK] * 7])), "board"),
    "six files": (changed(board=board(".,.,.,.,.,.")), "board"),
    "eight files": (changed(board=board(".,.,.,.,.,.,.,.")), "board"),
    "a trailing comma": (changed(board=board(".,.,.,.,.,.,.,")), "board"),
    "no commas": (changed(board=board(".......")), "board"),
    "empty board": (changed(board=""), "board"),
    # The black field and unknown pieces.
    "# on A1": (changed(board=board("#,.,.,.,.,.,.", 1)), "board"),
    "# on F7": (changed(board=board(".,.,.,.,.,#,#", 7)), "board"),
    **{
        f"{piece} on G7": (changed(board=board(f".,.,.,.,.,.,{piece}", 7)), "board")
        for piece in (".", "l", "x", "0e", "1n", "##", "")
    },
    **{
        f"piece {piece!r}": (changed(board=board(f".,.,{piece},.,.,.,.")), "board")
        for piece in NO_PIECES
    },
    # Elephants on their own goal fields.
    **{
        f"0 on G{rank}": (changed(board=board(".,.,.,.,.,.,0e", int(rank))), "board|goal")
        for rank in "123456"
    },
    **{
        f"1 on {file}7": (
            changed(
                board=board(",".join([*("1s*" if f == file else "." for f in "ABCDEF"), "#"]), 7)
            ),
            "board|goal",
        )
        for file in "ABCDEF"
    },
    # Seats and watchers.
    **{f"seat {seat!r}": (changed(seat=seat), "seat") for seat in NO_SEATS},
    **{
        f"watchers {watchers!r}": (changed(watchers=watchers), "watchers")
        for watchers in NO_WATCHERS
    },
    # Numbers: canonical, in ASCII digits, and two or four of them.
    **{
        f"{name} {text[:12]!r}": (changed(**{name: text}), name if name != "burnt" else "burn")
        for name in ("held", "burnt", "home", "captives")
        for text in NO_PAIRS
    },
    **{f"areas {text[:12]!r}": (changed(areas=text), "area|elephant") for text in NO_AREAS},
    # More than there is; one elephant of each player is on the board, 0 has 1 home, 1 has 2 and
    # lost 1 more.
    "eleven of 0 in the areas": (changed(areas="5.4/0.0"), "elephant|area"),
    "eleven of 1 in the areas": (changed(areas="0.0/4.3"), "elephant|area"),
    "eleven of 0 with those home": (changed(home="7/2"), "elephant|home"),
    "eleven of 1 with those home": (changed(home="1/7"), "elephant|home"),
    "eleven of 0 with the captives": (changed(captives="1/6"), "elephant|captive"),
    "eleven of 1 with the captives": (changed(captives="6/0"), "elephant|captive"),
    "eleven captives": (position("log: A1; capt 11/0"), "elephant|captive"),
    "eleven home": (position("log: A1; home 0/11"), "elephant|home"),
    "eleven on the board": (
        position(
            "log: A1; el: " + " ".join(f"{field}:0e" for field in FIELDS[7:13] + FIELDS[14:19])
        ),
        "elephant|board",
    ),
    "49 logs held": (changed(board=board(EMPTY_RANK), held="20/29"), "held|log"),
    "49 logs": (changed(held="20/27"), "held|log"),
    "49 logs from the start": (START.replace("0/0 3/3", "1/0 3/3"), "held|log"),
    "49 logs with one under an elephant": (
        changed(board=board(".,.,0e*,.,.,.,."), held="24/24"),
        "held|log",
    ),
    "four burnt logs left to 0": (changed(burnt="4/0"), "burn"),
    "four burnt logs left to 1": (changed(burnt="0/4"), "burn"),
    "seven burnt logs": (position("log: F6; burnt: A1 C1; burn 2/3"), "burn"),
    "seven burnt logs on the board": (position("log: F6; burnt: A1 C1 E1 A3 C3 F3 A5"), "burn"),
    "three in a rank": (position("log: F6; burnt: B2 C2 D2"), "burn|line|board"),
    "three in a rank with another": (position("log: F6; burnt: E7 C7 D7 A1"), "burn|line|board"),
    "three in a file": (position("log: F6; burnt: G4 G5 G6"), "burn|line|board"),
    "three in a diagonal": (position("log: F6; burnt: E5 F4 D6"), "burn|line|board"),
    "three in the other diagonal": (position("log: A6; burnt: E5 F6 D4"), "burn|line|board"),
    # The clock.
    **{f"clock {clock[:12]!r}": (changed(clock=clock), "clock") for clock in NO_CLOCKS},
    **{
        f"over, clock {clock[:12]!r}": (changed(seat="-", clock=clock), "clock")
        for clock in NO_CLOCKS_WHEN_OVER
    },
}


def test_what_is_changed_could_be_read(rules: Rules) -> None:
    """The refused positions differ from these, which are read, in one respect each."""
    for text in (changed(), changed(board=board(EMPTY_RANK)), changed(board=board(TOP_RANK, 7))):
        assert str(rules.parse(text)) == text
    for fields in (
        {"areas": "5.3/0.0"},
        {"areas": "0.0/3.3"},
        {"home": "6/2"},
        {"home": "1/6"},
        {"captives": "1/5"},
        {"captives": "5/0"},
        {"held": "20/26"},
        {"burnt": "3/3"},
        {"seat": "1"},
        {"seat": "-", "clock": "60:2:500"},
    ):
        assert str(rules.parse(changed(**fields))) == changed(**fields)


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_position(rules: Rules, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"(?i){message}"):
        rules.parse(text)
