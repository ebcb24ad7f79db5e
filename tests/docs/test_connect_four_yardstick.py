"""The yardstick of connect four: its solver agrees with plain minimax, its figures with a count."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from processes import third_party_game

from tzaar_envs.agents import make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

TOOL = Path(__file__).parents[2] / "docs" / "examples" / "connect_four"


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    """Return the game, while the tool can be imported."""
    with mock.patch.object(sys, "path", [str(TOOL), *sys.path]):
        yield third_party_game("connect_four")


def minimax(state: State) -> dict[int, int]:
    """Return what each action is worth for the player to act, by the rules of the game alone."""
    values = {}
    for action in state.legal_actions().tolist():
        after = state.clone()
        after.apply(action)
        if after.is_terminal:
            values[action] = int(after.returns()[state.current_player])
        else:
            values[action] = -max(minimax(after).values())
    return values


def test_the_solver_agrees_with_minimax(game: Game) -> None:
    from solver import bitboards, moves_that_keep, new_table, value
    from yardstick import play

    rng, table = np.random.default_rng(0), new_table(12)
    compared = 0
    while compared < 40:
        state = play(game, None, 33, rng)
        if not state.is_terminal:
            expected = minimax(state)
            worth = value(*bitboards(state), table)
            assert worth == max(expected.values())
            keep = moves_that_keep(*bitboards(state), worth, table)
            assert keep.nonzero()[0].tolist() == [
                column for column, outcome in expected.items() if outcome == worth
            ]
            compared += 1


def test_a_third_stone_with_both_ends_open_wins(game: Game) -> None:
    from solver import bitboards, moves_that_keep, new_table, value

    state = game.new_state()
    for column in (3, 3, 2, 2):  # two in the lowest row, and nothing that stops a third one
        state.apply(column)
    position, table = bitboards(state), new_table(20)
    assert value(*position, table) == 1
    assert moves_that_keep(*position, 1, table)[[1, 4]].all()


def test_the_choice_matters_in_each_case(game: Game) -> None:
    from yardstick import CLASSES, find_cases, share_given_away

    stones = CLASSES[-1]
    cases = find_cases(game, None, stones, 20, seed=0)
    assert [str(case.state) for case in cases] == [
        str(case.state) for case in find_cases(game, None, stones, 20, seed=0)
    ]
    for state, keep in cases:
        assert stones[0] <= sum(map(str(state)[:-2].count, "xo")) <= stones[1]
        assert 0 < keep.sum() < len(state.legal_actions())
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action)
            assert not after.returns().any()
    agent = make_agent("mcts:simulations=20", game, 0)
    kept = sum(keep[agent.act(state)] for state, keep in cases)
    agent.seed(0)
    assert share_given_away(agent, cases) == 1 - kept / 20
