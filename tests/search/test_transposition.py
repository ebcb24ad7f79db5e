"""The parts of alpha-beta: a table that is used only where it may be, and the order of actions."""

from __future__ import annotations

import numpy as np
import pytest

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.alphabeta_iteration import (
    ACTIONS,
    ALPHA,
    ALPHA_ORIGINAL,
    BEST,
    BETA,
    COUNT,
    COUNTERS,
    INFINITY,
    KEY,
    KILLERS,
    STATE,
    UNIT,
    WIN,
    AlphaBetaSearch,
    Stack,
    cuts_off,
    new_stack,
    pick_next,
    score_actions,
    store_node,
)
from tzaar_envs.search.leaf_network import no_network
from tzaar_envs.search.transposition import (
    EXACT,
    LOWER,
    NO_ACTION,
    NOT_FOUND,
    UPPER,
    find,
    hash_factors,
    new_table,
    store,
)

UNTOUCHED = 77


def window(alpha: int, beta: int) -> Stack:
    stack = new_stack(8, 4)
    stack[1, ALPHA], stack[1, BETA], stack[1, BEST] = alpha, beta, UNTOUCHED
    return stack


@pytest.mark.parametrize(
    ("value", "bound", "cuts"),
    [
        (-30, EXACT, True),
        (15, EXACT, True),
        (40, EXACT, True),
        (19, LOWER, False),
        (20, LOWER, True),
        (-30, LOWER, False),
        (11, UPPER, False),
        (10, UPPER, True),
        (40, UPPER, False),
    ],
)
def test_a_bound_cuts_off_only_outside_the_window(value: int, bound: int, cuts: bool) -> None:
    stack, table = window(10, 20), new_table(2)
    store(table, 5, 1, 3, value, bound, NO_ACTION)
    entry = table[find(table, 5, 1)]
    assert cuts_off(stack, 1, entry.value, entry.bound) == cuts
    assert stack[1, BEST] == (value if cuts else UNTOUCHED)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("stored", "found"), [(WIN - 7, WIN - 5), (UNIT, UNIT)])
def test_a_forced_end_is_counted_from_where_it_is_found(stored: int, found: int, sign: int) -> None:
    """A win in 3 plies from a node at ply 4 is one in 5 plies from the root if found at ply 2."""
    stack, table, counters = new_stack(8, 4), new_table(2), np.zeros(COUNTERS, np.int64)
    for ply in (2, 4):
        stack[ply, KEY], stack[ply, ALPHA], stack[ply, BETA] = 5, -INFINITY, INFINITY
        stack[ply, ALPHA_ORIGINAL] = -INFINITY
    stack[4, BEST] = sign * stored
    history = np.zeros((2, 4), np.int64)
    network, factors = no_network(), hash_factors(8)
    search = AlphaBetaSearch(
        network.functions, network, stack, table, history, factors, counters, new_generator(0)
    )
    store_node(search, 4)
    entry = table[find(table, 5, 0)]
    assert cuts_off(stack, 2, entry.value, entry.bound)
    assert stack[2, BEST] == sign * found


@pytest.mark.parametrize("value", [0, -1, WIN, -WIN])
def test_what_is_stored_is_found(value: int) -> None:
    table = new_table(4)
    store(table, 6, 200, 63, value, UPPER, 1234)
    entry = table[find(table, 6, 200)]
    read = (entry.value, entry.bound, entry.search, entry.depth, entry.action)
    assert read == (value, UPPER, 200, 63, 1234)
    assert find(table, 6, 199) == NOT_FOUND
    assert find(table, 2, 200) == NOT_FOUND


def test_a_deeper_result_of_the_same_search_is_kept_beside_a_new_one() -> None:
    table = new_table(2)
    store(table, 2, 1, 9, 10, EXACT, 1)
    store(table, 4, 1, 3, 20, EXACT, 2)
    assert {find(table, 2, 1), find(table, 4, 1)} == {0, 1}
    store(table, 6, 2, 1, 30, EXACT, 3)  # results of earlier searches give way
    assert find(table, 6, 2) == 0


def test_actions_are_tried_by_table_killers_and_the_history_of_the_seat() -> None:
    stack, history = new_stack(8, 5), np.array([[9, 9, 9, 9, 0], [0, 0, 0, 5, 7]])
    stack[1, STATE + SEAT], stack[1, COUNT] = 1, 5
    stack[1, KILLERS : KILLERS + 2] = 1, 2
    stack[1, stack[1, ACTIONS] :][:5] = 3, 4, 2, 1, 0
    score_actions(stack, history, 1, 0)
    assert [pick_next(stack, 1) for _ in range(5)] == [0, 1, 2, 4, 3]
