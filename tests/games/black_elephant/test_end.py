"""End, scores and returns of Black Elephant, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.black_elephant.texts import (
    B20,
    assert_over,
    assert_running,
    listed,
    names,
    names_of,
    part,
    play,
    position,
)
from implementations import Rules

# --- Sections 4 and 5: end and scoring -----------------------------------------------------------


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


# Positions in which a case of section 4 holds already, which is tested after actions only.
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
