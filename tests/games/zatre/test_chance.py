"""Chance and hidden information of Zatre, in the rules and in their reference."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt

import pytest
from games.zatre.texts import (
    BOARD_8,
    BOARD_12,
    CORNER,
    EMPTY_SHEET,
    LEGAL,
    TILES,
    actions,
    assert_over,
    assert_running,
    field,
    hands,
    lay,
    listed,
    names,
    on,
    position,
    rest_of,
    sheet,
)
from implementations import Rules

# --- Section 3.1: drawing ------------------------------------------------------------------------


# Seat 0 lays 1@(7,8), which makes the board of position 8; what seat 1 kept, drew and then has.
DRAWN = {
    "none kept": ("-", (3, 4), "34"),
    "none kept, drawn downwards": ("-", (6, 2), "26"),
    "one kept": ("6", (2,), "26"),
    "two kept, one fits": ("66", (), "66"),
    "three kept, one fits": ("266", (), "266"),
}


@pytest.mark.parametrize("case", DRAWN)
def test_drawing(rules: Rules, case: str) -> None:
    kept, drawn, hand = DRAWN[case]
    state = rules.parse(position("1@6,7 6@7,7", f"1/{kept}"))
    after = lay(state, "1@7,8", outcome=drawn)
    assert str(after) == position(BOARD_8, f"-/{hand}", 1)
    assert_running(after, 1)
    at_random = lay(state, "1@7,8")
    assert len(hands(at_random)[1]) == len(hand)
    before = str(state)
    for wrong in ((*drawn, 1), drawn[:-1] if drawn else (1, 2), (7, *drawn[1:]), (0,) * 9):
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action("1@I8"), outcome=wrong)
        assert str(state) == before
        assert_running(state, 0)
    assert str(lay(state, "1@7,8", outcome=drawn)) == str(after)


def test_13_keeps_two_and_draws_none(rules: Rules) -> None:
    state = lay(rules.parse(position("1@6,7 6@7,7", "1/66")), "1@7,8", outcome=())
    assert names(state) == listed(LEGAL["10"][-1])


def test_14_keeps_one_and_draws_one(rules: Rules) -> None:
    state = rules.parse(position("1@6,7 6@7,7", "1/6"))
    after = lay(state, "1@7,8", outcome=[2])
    assert names(after) == listed(LEGAL["9"][-1])
    for seed in range(5):
        state = rules.parse(position("1@6,7 6@7,7", "1/6"), seed=seed)
        assert len(hands(lay(state, "1@7,8"))[1]) == 2


# All four lines of this block are 11 after 6@(8,8): only tiles of value 1 fit, at the ends.
NEARLY_BLOCKED = "6@7,7 5@7,8 5@8,7"
ENDS_OF_THE_BLOCK = "6,7 9,7 6,8 9,8 7,6 8,6 7,9 8,9"


def test_blocked_hand_of_two_draws_one(rules: Rules) -> None:
    state = rules.parse(position(NEARLY_BLOCKED, "6/35"))
    state = lay(state, "6@8,8", outcome=(1,))
    assert str(state) == position(
        f"{NEARLY_BLOCKED} 6@8,8", "-/135", 1, sheets=f"1:-:4:-/{EMPTY_SHEET}"
    )
    assert names(state) == listed(on("1", ENDS_OF_THE_BLOCK))


def test_turns_without_a_decision_are_passed(rules: Rules) -> None:
    """Seat 1 draws 4, seat 0 draws 2 and 3, seat 1 draws 6, seat 0 draws 1 and can go on."""
    state = rules.parse(position(NEARLY_BLOCKED, "6/35"))
    before = str(state)
    outcome = (4, 2, 3, 6, 1)
    for wrong in (outcome[:-1], outcome[:1], (), (*outcome, 1), (4, 2, 3, 6, 6, 1, 1)):
        with pytest.raises(ValueError, match=r"."):
            state.apply(state.parse_action("6@I9"), outcome=wrong)
        assert str(state) == before
    state = lay(state, "6@8,8", outcome=outcome)
    assert_running(state, 0)
    assert hands(state) == ["123", "3456"]
    assert field(state, 3) == "-"
    assert names(state) == listed(on("1", ENDS_OF_THE_BLOCK))
    # Both keep what they have: seat 1 has four tiles, and draws none if one of them fits.
    state = lay(state, "1@6,7", outcome=())
    assert_running(state, 0)


def test_kept_tiles_stay_for_the_next_turn(rules: Rules) -> None:
    """Only one 6 can be laid; the other one is kept, and one tile is drawn to it."""
    board = f"{CORNER} {NEARLY_BLOCKED} 6@8,8"
    state = lay(rules.parse(position(board, "66/1")), "6@2,2", outcome=(1,))
    assert_running(state, 1)
    assert hands(state) == ["6", "11"]
    assert sheet(state) == "1:-:-:8"
    state = lay(lay(state, "1@6,7", outcome=()), "1@7,6", outcome=(3,))
    assert_running(state, 0)
    assert hands(state) == ["36", "-"]


# --- Position 12: a board on which nothing fits --------------------------------------------------


LAST_OF_12 = "6@7,7 6@7,8 6@8,7"


def dealt(order: Iterable[int], outcome: Sequence[int], kept: list[str]) -> list[str]:
    """Return the hands after the tiles of an outcome went to these seats in order."""
    after = [list(hand.replace("-", "")) for hand in kept]
    for seat, value in zip(order, outcome, strict=False):
        after[seat].append(str(value))
    return ["".join(sorted(hand)) or "-" for hand in after]


def test_12_nothing_fits(rules: Rules) -> None:
    text = position(BOARD_12, "123456")
    with pytest.raises(ValueError, match=r"(?i)placement|legal|seat|hand"):
        rules.parse(text)


def test_12ab_each_draws_until_the_bag_is_empty(rules: Rules) -> None:
    """Seat 3 has laid the last 6; A is seat 0 with {3,5}, B seat 1 with nothing, 30 in the bag."""
    bag = "123456" * 5
    rest = rest_of(LAST_OF_12, "356", bag)
    kept = ["35", "-", rest, "6"]
    state = rules.parse(position(LAST_OF_12, "/".join(kept), 3, players=4), players=4)
    outcome = [int(value) for value in "1" + bag[1:]]
    after = lay(state, "6@8,8", outcome=outcome)
    assert_over(after)
    order = [0, 1, 1, 2, 3, 3, *itertools.islice(itertools.cycle([0, 1, 2, 3]), 24)]
    assert hands(after) == dealt(order, outcome, ["35", "-", rest, "-"])
    for wrong in (outcome[:-1], [*outcome, 1], [*outcome[:-1], 3]):
        with pytest.raises(ValueError, match=r"."):
            lay(state, "6@8,8", outcome=wrong)


def test_12c_the_last_tile_of_the_bag(rules: Rules) -> None:
    rest = rest_of(LAST_OF_12, "356" + "12", "4")
    text = position(LAST_OF_12, f"35/12/{rest}/6", 3, players=4)
    for outcome in (None, [4]):
        after = lay(rules.parse(text, players=4), "6@8,8", outcome=outcome)
        assert_over(after)
        assert hands(after) == ["345", "12", rest, "-"]
        assert list(after.scores()) == [-12, -3, -sum(map(int, rest)), 16]
        assert list(after.returns()) == [-1 / 3, -1 / 3, -1 / 3, 1]
    for wrong in ((), (3,), (5,), (4, 4)):
        with pytest.raises(ValueError, match=r"."):
            lay(rules.parse(text, players=4), "6@8,8", outcome=wrong)


@pytest.mark.parametrize("seed", range(4))
def test_12d_nothing_ever_fits(rules: Rules, seed: int) -> None:
    state = rules.parse(position(LAST_OF_12, "6/35"), seed=seed)
    after = lay(state, "6@8,8")
    assert_over(after)
    assert [len(hand) for hand in hands(after)] == [58, 59]
    assert Counter(hands(after)[0] + hands(after)[1]) == Counter(rest_of(BOARD_12, ""))
    totals = [16 - sum(map(int, hands(after)[0])), -sum(map(int, hands(after)[1]))]
    assert list(after.scores()) == totals


def test_12d_with_a_given_outcome(rules: Rules) -> None:
    outcome = [int(value) for value in rest_of(BOARD_12, "35")]
    random.Random(12).shuffle(outcome)
    assert len(outcome) == 115
    state = rules.parse(position(LAST_OF_12, "6/35"))
    after = lay(state, "6@8,8", outcome=outcome)
    assert_over(after)
    order = [1, 0, 0, *itertools.islice(itertools.cycle([1, 0]), 112)]
    assert hands(after) == dealt(order, outcome, ["-", "35"])


# --- Section 8: chance ---------------------------------------------------------------------------


def test_start_position(rules: Rules) -> None:
    for players in (2, 3, 4):
        state = rules.initial(players=players, outcome=(5, 2, 5))
        assert str(state) == position("", "255", players=players)
        assert actions(state) == [337, 1012]
        assert_running(state, 0)


@pytest.mark.parametrize(
    "outcome", [(), (1,), (1, 2), (1, 2, 3, 4), (1, 2, 7), (0, 1, 2), (1, 2, -1)]
)
def test_impossible_start_is_refused(rules: Rules, outcome: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"."):
        rules.initial(outcome=outcome)


def test_outcome_of_a_placement_within_a_turn_is_empty(rules: Rules) -> None:
    state = rules.initial(outcome=(5, 2, 5))
    before = str(state)
    with pytest.raises(ValueError, match=r"."):
        state.apply(1012, outcome=(1,))
    assert str(state) == before
    state.apply(1012, outcome=())
    assert hands(state) == ["25", "-"]


def test_tile_that_the_bag_lacks_cannot_be_drawn(rules: Rules) -> None:
    text = position("5@7,7", "4/-/" + "6" * 20, players=3)
    state = rules.parse(text, players=3)
    for wrong in ((6, 1), (1, 6)):
        with pytest.raises(ValueError, match=r"."):
            lay(state, "4@7,8", outcome=wrong)
    assert hands(lay(state, "4@7,8", outcome=(5, 1)))[1] == "15"
    last_six = rules.parse(position("5@7,7", "4/-/" + "6" * 19, players=3), players=3)
    assert hands(lay(last_six, "4@7,8", outcome=(6, 1)))[1] == "16"
    with pytest.raises(ValueError, match=r"."):
        lay(last_six, "4@7,8", outcome=(6, 6))


def test_seed_determines_the_game(rules: Rules) -> None:
    def course(seed: int) -> list[str]:
        state = rules.initial(seed=seed)
        texts = [str(state)]
        for _ in range(20):
            state.apply(actions(state)[0])
            texts.append(str(state))
        return texts

    assert course(5) == course(5)
    assert len({tuple(course(seed)) for seed in range(8)}) == 8
    text = position("5@7,7", "4/-")
    after = [str(lay(rules.parse(text, seed=seed), "4@7,8")) for seed in (1, 1, 2, 3, 4, 5)]
    assert after[0] == after[1]
    assert len(set(after)) > 1


def test_clone_is_independent(rules: Rules) -> None:
    state = rules.initial(seed=4)
    copies = [state.clone(), state.clone()]
    before = str(state)
    for copy in copies:
        for _ in range(12):
            copy.apply(actions(copy)[0])
    assert str(state) == before
    assert str(copies[0]) == str(copies[1])  # chance goes with the copy


def test_each_tile_in_the_bag_is_equally_likely(rules: Rules) -> None:
    games = 400
    drawn = Counter("".join(hands(rules.initial(seed=seed))[0] for seed in range(games)))
    for value, number in TILES.items():
        share = number / 121
        deviation = sqrt(3 * games * share * (1 - share))
        assert abs(drawn[value] - 3 * games * share) < 6 * deviation


def test_few_tiles_of_a_value_are_seldom_drawn(rules: Rules) -> None:
    """The bag holds 1, 2 and nine times 3."""
    board = "5@7,7"
    bag = "12" + "3" * 9
    text = position(board, f"4/1/{rest_of(board, '41', bag)}", players=3)
    drawn: Counter[str] = Counter()
    for seed in range(330):
        after = lay(rules.parse(text, players=3, seed=seed), "4@7,8")
        drawn.update(Counter(hands(after)[1]) - Counter("1"))
    assert drawn.keys() == {"1", "2", "3"}
    assert abs(drawn["1"] - 30) < 30
    assert abs(drawn["2"] - 30) < 30
