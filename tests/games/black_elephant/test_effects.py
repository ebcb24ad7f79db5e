"""The effects of the actions of Black Elephant, in the rules and in their reference."""

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
    assert_running,
    play,
    position,
    scores,
)
from implementations import Rules

# --- Sections 3 and 6: what actions do -----------------------------------------------------------


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


def test_b16_points_before_and_after(rules: Rules) -> None:
    before, seat, name, _, _ = EFFECTS["B16"]
    state = rules.parse(position(before, seat))
    assert scores(state) == [22.0, 13.0]
    assert scores(play(state, name)) == [28.0, 11.0]
