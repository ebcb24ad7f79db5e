"""What a search found, as data of a move."""

import dataclasses

import pytest

import tzaar_envs
from tzaar_envs.arena.history import move_data
from tzaar_envs.arena.records import MoveData
from tzaar_envs.search.result import SearchResult


def test_a_search_becomes_data_of_its_move() -> None:
    state = tzaar_envs.load_game("turm_und_waechter").new_state(1)
    first = state.parse_action("A7-B7-1")
    after = state.clone()
    after.apply(first)
    second = after.parse_action("D1-D2-1")
    search = SearchResult(
        action=first,
        value=1.0000001,
        values=(1.0, -1.0),
        proven=False,
        depth=4,
        nodes=50,
        principal_variation=(first, second, first),
        visits={first: 7},
        seconds=0.5,
    )
    line = ["A7-B7-1", "D1-D2-1"]  # the third action is not legal
    assert move_data(state, search) == MoveData(
        value=1.0, depth=4, nodes=50, visits={"A7-B7-1": 7}, line=line, seconds=0.5
    )
    by_tree = move_data(state, dataclasses.replace(search, simulations=9))
    assert by_tree is not None
    assert by_tree.nodes == 9
    assert move_data(state, None) is None
    with pytest.raises(ValueError, match="depth"):
        move_data(state, dataclasses.replace(search, depth=-1))
