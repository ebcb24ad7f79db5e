"""Action numbers of Turm & Wächter, in the rules and in their reference."""

from __future__ import annotations

import pytest
from games.turm_und_waechter.texts import (
    START,
    legal,
)
from implementations import Rules

# Action numbers.


@pytest.mark.parametrize(
    ("position", "name", "action"),
    [
        (START, "A7-B7-1", 336),
        (START, "D7-D6-1", 633),
        ("3RG3/7/7/3r33/7/7/BG6 r", "D4-A4-3", 1004),
        # The first and the last number that stay on the board.
        ("6RG/7/7/7/7/7/r15BG r", "A1-A2-1", 0),
        ("6r6/RG6/7/7/7/7/6BG r", "G7-A7-6", 1175),
    ],
)
def test_action_numbers(rules: Rules, position: str, name: str, action: int) -> None:
    state = rules.parse(position)
    assert action in legal(state)
    assert state.action_name(action) == name
    assert state.parse_action(name) == action


def test_half_of_all_numbers_stay_on_the_board(rules: Rules) -> None:
    expected: dict[int, str] = {}
    for rank in range(7):
        for file in range(7):
            for direction, (east, north) in enumerate([(0, 1), (1, 0), (0, -1), (-1, 0)]):
                for count in range(1, 7):
                    to_file, to_rank = file + count * east, rank + count * north
                    if 0 <= to_file < 7 and 0 <= to_rank < 7:
                        number = (direction * 6 + count - 1) * 49 + rank * 7 + file
                        start, target = "ABCDEFG"[file] + str(rank + 1), "ABCDEFG"[to_file]
                        expected[number] = f"{start}-{target}{to_rank + 1}-{count}"
    assert len(expected) == 588

    # A red tower of height 7 on every field; what a guard blocks in one place is free in another.
    seen: dict[int, str] = {}
    guard_fields = [((6, 0), (6, 1)), ((0, 0), (0, 1)), ((6, 5), (6, 6))]
    for red_guard, blue_guard in guard_fields:
        for tower in [(rank, file) for rank in range(7) for file in range(7)]:
            if tower in (red_guard, blue_guard):
                continue
            cells = {red_guard: "RG", blue_guard: "BG", tower: "r7"}
            board = "/".join(
                "".join(cells.get((rank, file), "1") for file in range(7))
                for rank in reversed(range(7))
            )
            state = rules.parse(f"{board} r")
            seen |= {action: state.action_name(action) for action in legal(state)}
    assert seen == expected
