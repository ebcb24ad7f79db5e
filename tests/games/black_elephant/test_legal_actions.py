"""The legal actions of Black Elephant, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.black_elephant.texts import (
    B6,
    B9,
    B12,
    B14,
    B15,
    B19,
    B20,
    B23,
    FIELDS,
    FILES,
    RANKS,
    WATCH,
    actions,
    assert_running,
    content,
    listed,
    names,
    names_of,
    part,
    play,
    position,
)
from implementations import Rules

B8 = "log: D3 F6; el: C3:0e D3:1n E7:0e F7:0n B1:0e C1:1n D1:1n"

MOVE = "[A-G][1-7]>[A-G][1-7]"
EXIT = ".*>out"
JUMP = r".*\^."
ENTER = "[WS]>.*"

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
