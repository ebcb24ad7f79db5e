"""Nothing that an agent raises, answers or reports stops others; it costs the agent its game."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_games import agents as small
from small_games.adding import ADDING, ADDING_FOR_TWO, TOTAL

from tzaar_envs.agents import AgentObservation
from tzaar_envs.arena import MatchResult, play_match, play_tournament, read_results
from tzaar_envs.arena.match import forfeit_messages
from tzaar_envs.arena.reports import tournament_report
from tzaar_envs.core.state import State

BAD = {
    small.Cheat: ("illegal action", "action 7 is not legal in position"),
    small.Broken: ("exception", "KeyError: 'six'"),
    small.Leaver: ("exception", "SystemExit: enough"),
    small.Panicking: ("exception", "Panic: all is lost"),
    small.Mumbling: ("exception", r"ValueError: \ud83d"),
    small.Seedless: ("exception", "ValueError: no seeds"),
    small.Boastful: ("exception", "Error: "),  # what it reports cannot be recorded
}


@pytest.mark.parametrize("workers", [1, 2])
def test_who_forfeits_a_game_loses_it_and_the_tournament_goes_on(
    workers: int, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    result = play_tournament(ADDING_FOR_TWO, [small.Lowest, *BAD], path, 4, seed=1, workers=workers)
    assert len(result.games) == 28 * 4
    assert read_results(path)[1] == result.games
    culprits = set()
    for game in result.games:
        if game.culprit is not None:
            name = game.agents[game.culprit].rpartition(":")[2]
            [(kind, error)] = [said for bad, said in BAD.items() if bad.__name__ == name]
            assert game.forfeit == kind
            assert error in (game.error or "")
            assert game.returns == [-1.0 if seat == game.culprit else 1.0 for seat in (0, 1)]
            assert game.scores is None
            game.check(ADDING_FOR_TWO)
            culprits.add(name)
    assert culprits == {bad.__name__ for bad in BAD}


class Stumbling(small.Lowest):
    """Answers only when it is asked again."""

    stumbles = True

    def in_trouble(self, position: State) -> int:
        self.stumbles = not self.stumbles
        return super().in_trouble(position) if self.stumbles else 7


def test_an_agent_is_not_asked_again() -> None:
    result = play_match(ADDING_FOR_TWO, [Stumbling, small.Lowest], games=2, seed=1)
    assert {game.forfeit for game in result.games} == {"illegal action"}


class Moody(small.Lowest):
    """Does not play on from odd totals."""

    def in_trouble(self, position: State) -> int:
        return super().in_trouble(position) if position.words[TOTAL] % 2 == 0 else sys.exit(1)


def test_a_forfeit_costs_no_other_game_of_a_match(tmp_path: Path) -> None:
    result = play_match(ADDING, [small.Lowest, Moody, "random"], games=60, seed=1)
    lost = [game for game in result.games if game.forfeit is not None]
    assert 0 < len(lost) < len(result.games) == 60
    assert result.forfeits == {"exception": len(lost)}
    for game in lost:
        assert game.match is not None
        assert game.culprit == (1 + game.match.rotation) % 3
        assert sorted(game.returns or []) == [-1, 0.5, 0.5]
    messages = forfeit_messages(result.games)
    assert 1 <= len(messages) <= 10
    assert all(":Moody, line-up 0, start " in message for message in messages)
    assert MatchResult.load(result.save(tmp_path / "match.json")) == result
    own = result.summary(0)
    assert f"| {own.wins}-{own.draws}-{own.losses} |" in tournament_report(result.standings())


@pytest.mark.parametrize("answer", [np.zeros(1, np.int64), [0.0] * 10, None])
def test_an_answer_of_the_wrong_form_is_a_forfeit(answer: Any) -> None:
    class Odd(small.Lowest):
        def act_batch(self, states: Sequence[State]) -> Any:
            return answer

    result = play_match(ADDING, [Odd, "random", "random"], games=30, seed=1)
    assert result.summary(0).losses == 30
    assert "act_batch returned" in forfeit_messages(result.games)[0]


class Meddler(small.Lowest):
    """Plays on the states that it is given before it answers."""

    def act(self, position: State | AgentObservation) -> int:
        assert isinstance(position, State)
        position.apply(2)
        return 0


def test_agents_cannot_change_the_game() -> None:
    meddled, honest = (play_match(ADDING, [one] * 3, 30, seed=1) for one in (Meddler, small.Lowest))
    assert [game.actions for game in meddled.games] == [game.actions for game in honest.games]


def test_ctrl_c_while_an_agent_thinks_ends_the_tournament(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    result = play_tournament(ADDING_FOR_TWO, [small.Lowest, small.Presser], path, 2)
    assert result.interrupted
    assert result.games == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
