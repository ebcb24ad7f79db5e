"""The rules of Turm & Wächter that are no data: loops over the board, statistics, options.

The positions are data: see `tests/games/test_positions.py`.
"""

from __future__ import annotations

import pytest
from games.turm_und_waechter.texts import START, legal
from implementations import Rules


@pytest.mark.parametrize("board_and_side", [START[:-4], "RG6/7/7/3r33/7/7/6BG b"])
def test_short_form_is_first_occurrence_at_ply_zero(rules: Rules, board_and_side: str) -> None:
    state = rules.parse(board_and_side)
    assert str(state) == f"{board_and_side} 1 0"
    assert state == rules.parse(f"{board_and_side} 1 0")


def test_runs_may_be_split_when_read(rules: Rules) -> None:
    state = rules.parse("RG15/34/7/1111111/7/7/6BG r 1 0")
    assert str(state) == "RG6/7/7/7/7/7/6BG r 1 0"


def test_equality_is_that_of_the_notation(rules: Rules) -> None:
    text = "RG6/7/7/7/7/7/6BG r 1 0"
    state = rules.parse(text)
    assert state == rules.parse(text)
    assert hash(state) == hash(rules.parse(text))
    for other in [
        "RG6/7/7/7/7/7/6BG b 1 0",
        "RG6/7/7/7/7/7/6BG r 2 0",
        "RG6/7/7/7/7/7/6BG r 1 2",
        "1RG5/7/7/7/7/7/6BG r 1 0",
    ]:
        assert state != rules.parse(other)


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
