"""The history of a game: played, taken back, branched off, and made from its record."""

from __future__ import annotations

import dataclasses
import random

import pytest
from small_games.adding import ADDING
from variants import every_game

import tzaar_envs
from tzaar_envs.arena.history import GameHistory, move_data
from tzaar_envs.arena.records import GameId, MoveData
from tzaar_envs.core.game import Game
from tzaar_envs.search.result import SearchResult


def played(game: Game, seed: int = 1, plies: int = 10**9) -> GameHistory:
    history, choices = GameHistory(game.new_state(seed), seed=seed), random.Random(seed)
    while not history.is_over and history.plies < plies:
        history.apply(int(choices.choice(history.state.legal_actions())), MoveData(nodes=1))
    return history


@pytest.mark.parametrize("name", ["tzaar", "twenty_one"])
def test_a_record_gives_the_same_history(name: str) -> None:
    history = played(tzaar_envs.load_game(name))
    other = GameHistory.from_record(history.to_record())
    for attribute in ("positions", "actions", "moves", "data", "returns"):
        assert getattr(other, attribute) == getattr(history, attribute)
    assert other.to_record() == history.to_record()


def test_a_game_that_was_read_can_be_played_on() -> None:
    game = tzaar_envs.load_game("twenty_one")
    history, whole = GameHistory.from_record(played(game, plies=4).to_record()), played(game)
    for action, outcome in zip(whole.actions[4:], whole.to_record().outcomes[4:], strict=True):
        history.apply(action, MoveData(nodes=1), outcome)
    assert history.positions == whole.positions
    assert history.to_record() == whole.to_record()


@every_game
def test_what_is_taken_back_leaves_no_trace(game: Game) -> None:
    history, short = played(game, plies=9), played(game, plies=4)
    branch = history.branch(4)
    before = history.to_record()
    branch.apply(branch.state.legal_actions()[0])
    assert history.to_record() == before
    branch.go_to(4)
    history.go_to(4)
    assert history.to_record() == branch.to_record() == short.to_record()
    # Chance is as it was too.
    history.apply(played(game, plies=5).actions[4], MoveData(nodes=1))
    assert history.to_record() == played(game, plies=5).to_record()


@pytest.mark.parametrize("ply", [1, 2])
def test_who_forfeits_a_game_loses_it(ply: int) -> None:
    history = GameHistory(ADDING.new_state(1), agents="abc", match=GameId(0, 5, 1))
    for _ in range(ply):
        history.apply(history.state.legal_actions()[0])
    history.end_by_forfeit("time", "too slow")
    assert history.is_over
    assert history.returns == [-1.0 if seat == ply else 0.5 for seat in range(3)]
    record = history.to_record()
    assert (record.forfeit, record.culprit, record.error) == ("time", ply, "too slow")
    assert record.scores is None
    other = GameHistory.from_record(record, ADDING)
    assert (other.returns, other.match) == (history.returns, GameId(0, 5, 1))
    other.go_to(ply - 1)
    assert not other.is_over
    history.apply(history.state.legal_actions()[0])  # played on
    assert (history.forfeit, history.to_record().culprit) == (None, None)


def test_a_simultaneous_choice_is_unrevealed_until_all_have_chosen() -> None:
    history = played(tzaar_envs.load_game("twenty_one"), plies=6)
    # The dice, then the choices of both.
    assert [history.branch(ply).unrevealed for ply in range(7)] == [0, 0, 1, 0, 0, 1, 0]


def test_expected_returns_are_those_of_the_last_search_and_then_of_the_game() -> None:
    history = GameHistory(tzaar_envs.load_game("tzaar").new_state(1))
    for value in (None, 0.5, None, -0.25):
        data = None if value is None else MoveData(value=value)
        history.apply(history.state.legal_actions()[0], data)
    first, second = history.player(1), history.player(3)
    for ply, seat, value in ((0, 0, 0), (1, first, 0.5), (2, first, 0.5), (4, second, -0.25)):
        expected = [value if number == seat else -value for number in (0, 1)]
        assert history.expected_returns(ply) == expected
    assert first != second
    assert history.expected_returns(4, second) == history.expected_returns(4)
    assert history.expected_returns(4, first) == history.expected_returns(1)
    history.end_by_forfeit("crash", "")
    assert history.expected_returns(4) == history.returns
    assert history.expected_returns(3) == history.branch(4).expected_returns(3)
    history.go_to(1)
    assert history.expected_returns(1) is None


def test_a_search_becomes_data_of_its_move() -> None:
    state = tzaar_envs.load_game("turm_und_waechter").new_state(1)
    after = state.clone()
    after.apply(first := state.parse_action("A7-B7-1"))
    search = SearchResult(
        action=first,
        value=1.0000001,
        values=(1.0, -1.0),
        proven=False,
        depth=4,
        nodes=50,
        principal_variation=(first, after.parse_action("D1-D2-1"), first),  # the last is not legal
        visits={first: 7},
        seconds=0.5,
    )
    line = ["A7-B7-1", "D1-D2-1"]
    expected = MoveData(value=1.0, depth=4, nodes=50, visits={"A7-B7-1": 7}, line=line, seconds=0.5)
    assert move_data(state, search) == expected
    assert getattr(move_data(state, dataclasses.replace(search, simulations=9)), "nodes", 0) == 9
    with pytest.raises(ValueError, match="depth"):
        move_data(state, dataclasses.replace(search, depth=-1))
