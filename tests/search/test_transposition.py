"""The parts of alpha-beta: a table that is used only where it may be, and the order of actions."""

from __future__ import annotations

import numpy as np
import pytest

from tzaar_envs import load_game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.search import alphabeta_iteration as ab
from tzaar_envs.search import transposition as tt
from tzaar_envs.search.alphabeta import AlphaBeta

UNTOUCHED = 77


def window(alpha: int, beta: int) -> ab.Stack:
    stack = ab.new_stack(8, 4)
    stack[1, ab.ALPHA], stack[1, ab.BETA], stack[1, ab.BEST] = alpha, beta, UNTOUCHED
    return stack


@pytest.mark.parametrize(
    ("value", "bound", "cuts"),
    [
        (-30, tt.EXACT, True),
        (15, tt.EXACT, True),
        (40, tt.EXACT, True),
        (19, tt.LOWER, False),
        (20, tt.LOWER, True),
        (-30, tt.LOWER, False),
        (11, tt.UPPER, False),
        (10, tt.UPPER, True),
        (40, tt.UPPER, False),
    ],
)
def test_a_bound_cuts_off_only_outside_the_window(value: int, bound: int, cuts: bool) -> None:
    stack, table = window(10, 20), tt.new_table(2)
    tt.store(table, 5, 1, 3, value, bound, tt.NO_ACTION)
    entry = table[tt.find(table, 5, 1)]
    assert ab.cuts_off(stack, 1, entry.value, entry.bound) == cuts
    assert stack[1, ab.BEST] == (value if cuts else UNTOUCHED)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("stored", "found"), [(ab.WIN - 7, ab.WIN - 5), (ab.UNIT, ab.UNIT)])
def test_a_forced_end_is_counted_from_where_it_is_found(stored: int, found: int, sign: int) -> None:
    """A win in 3 plies from a node at ply 4 is one in 5 plies from the root if found at ply 2."""
    stack, table = ab.new_stack(8, 4), tt.new_table(2)
    for ply in (2, 4):
        stack[ply, ab.KEY], stack[ply, ab.ALPHA], stack[ply, ab.BETA] = 5, -ab.INFINITY, ab.INFINITY
        stack[ply, ab.ALPHA_ORIGINAL] = -ab.INFINITY
    stack[4, ab.BEST] = sign * stored
    search = AlphaBeta(load_game("tzaar"))._memory._replace(stack=stack, table=table)
    ab.store_node(search, 4)
    entry = table[tt.find(table, 5, 0)]
    assert ab.cuts_off(stack, 2, entry.value, entry.bound)
    assert stack[2, ab.BEST] == sign * found


@pytest.mark.parametrize("value", [0, -1, ab.WIN, -ab.WIN])
def test_what_is_stored_is_found(value: int) -> None:
    table = tt.new_table(4)
    tt.store(table, 6, 200, 63, value, tt.UPPER, 1234)
    entry = table[tt.find(table, 6, 200)]
    read = (entry.value, entry.bound, entry.search, entry.depth, entry.action)
    assert read == (value, tt.UPPER, 200, 63, 1234)
    assert tt.find(table, 6, 199) == tt.NOT_FOUND
    assert tt.find(table, 2, 200) == tt.NOT_FOUND


def test_a_deeper_result_of_the_same_search_is_kept_beside_a_new_one() -> None:
    table = tt.new_table(2)
    tt.store(table, 2, 1, 9, 10, tt.EXACT, 1)
    tt.store(table, 4, 1, 3, 20, tt.EXACT, 2)
    assert {tt.find(table, 2, 1), tt.find(table, 4, 1)} == {0, 1}
    tt.store(table, 6, 2, 1, 30, tt.EXACT, 3)  # results of earlier searches give way
    assert tt.find(table, 6, 2) == 0


def test_actions_are_tried_by_table_killers_and_the_history_of_the_seat() -> None:
    stack, history = ab.new_stack(8, 5), np.array([[9, 9, 9, 9, 0], [0, 0, 0, 5, 7]])
    stack[1, ab.STATE + SEAT], stack[1, ab.COUNT] = 1, 5
    stack[1, ab.KILLERS : ab.KILLERS + 2] = 1, 2
    stack[1, stack[1, ab.ACTIONS] :][:5] = 3, 4, 2, 1, 0
    ab.score_actions(stack, history, 1, 0)
    assert [ab.pick_next(stack, 1) for _ in range(5)] == [0, 1, 2, 4, 3]


@pytest.mark.parametrize(
    ("selective", "tried", "remaining", "plies"),
    [(1, 2, 9, 0), (1, 3, 3, 1), (1, 9, 2, 0), (1, 5, 5, 2), (1, 9, 4, 1), (0, 9, 9, 0)],
)
def test_late_actions_are_reduced(selective: int, tried: int, remaining: int, plies: int) -> None:
    stack, counters = ab.new_stack(8, 4), np.zeros(ab.COUNTERS, np.int64)
    stack[1, ab.TRIED], stack[1, ab.REMAINING], counters[ab.SELECTIVE] = tried, remaining, selective
    assert ab.reduction(stack, counters, 1) == plies


@pytest.mark.parametrize(
    ("selective", "remaining", "beta", "value", "best"),
    [
        (1, 1, 1, 150_000, 1),
        (1, 2, 1, -300_000, 0),
        (1, 1, 1, 140_000, None),
        (1, 2, 1, -290_000, None),
        (1, 3, 1, 800_000, None),
        (1, 1, 2, 800_000, None),  # not a null window
        (0, 1, 1, 800_000, None),
    ],
)
def test_a_value_far_from_a_null_window_ends_the_search_of_a_node_near_the_horizon(
    selective: int, remaining: int, beta: int, value: int, best: int | None
) -> None:
    search = AlphaBeta(game := load_game("tzaar"))._memory
    words, stack = game.new_state(0).words, search.stack
    stack[1, ab.STATE : stack[1, ab.ACTIONS]] = words
    stack[0, ab.REMAINING] = remaining + 1
    search.counters[ab.SELECTIVE] = selective
    search = search._replace(cache=np.array([tt.key_of(words, search.factors), value]))
    assert ab.open_child(search, 0, beta, 0) == (best is not None)
    assert stack[1, ab.BEST] == (-ab.INFINITY if best is None else best)
    assert search.counters[ab.LEAVES] == (best is not None)


@pytest.mark.parametrize(
    ("beta", "child", "remaining", "value", "again"),
    [
        (20, (-11, -10), 4, 10, False),  # no better than the others
        (20, (-11, -10), 4, 11, True),  # the window was too narrow
        (20, (-11, -10), 4, 20, False),  # refutes the node
        (20, (-11, -10), 3, 20, True),  # the same, but not deep enough
        (11, (-11, -10), 4, 11, False),
        (11, (-11, -10), 2, 11, True),
        (11, (-11, -10), 2, 10, False),
        (20, (-20, -10), 4, 15, False),  # searched as it should be
    ],
)
def test_a_better_child_is_searched_again_if_that_was_not_sure(
    beta: int, child: tuple[int, int], remaining: int, value: int, again: bool
) -> None:
    stack = ab.new_stack(8, 4)
    stack[2, ab.STATE + SEAT] = 1
    ab.set_window(stack, 1, 5, 10, beta)
    ab.set_window(stack, 2, remaining, *child)
    stack[2, ab.BEST] = -value
    assert ab.must_search_again(stack, 1) == again
