"""The history of a game: played, taken back, branched off, and made from its record."""

from __future__ import annotations

import random

import pytest
from small_games.adding import ADDING
from variants import every_game

import tzaar_envs
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import GameId, MoveData
from tzaar_envs.core.game import Game


def played(game: Game, seed: int = 1, plies: int = 10**9) -> GameHistory:
    history, choices = GameHistory(game.new_state(seed), seed=seed), random.Random(seed)
    while not history.is_over and history.plies < plies:
        history.apply(int(choices.choice(history.state.legal_actions())), MoveData(nodes=1))
    return history


@every_game
def test_a_record_gives_the_same_history(game: Game) -> None:
    history = played(game)
    other = GameHistory.from_record(history.to_record())
    assert other.positions == history.positions
    assert other.actions == history.actions
    assert other.moves == history.moves
    assert other.data == history.data
    assert other.returns == history.state.returns().tolist()
    assert other.to_record() == history.to_record()


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
    assert other.returns == history.returns
    other.go_to(ply - 1)
    assert not other.is_over


def test_a_simultaneous_choice_is_unrevealed_until_all_have_chosen() -> None:
    history = played(tzaar_envs.load_game("twenty_one"), plies=6)
    # The dice, then the choices of both.
    assert [history.branch(ply).unrevealed for ply in range(7)] == [0, 0, 1, 0, 0, 1, 0]


def test_expected_returns_are_those_of_the_last_search() -> None:
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
    history.go_to(1)
    assert history.expected_returns(1) is None
