"""Matches, most of them on a small game for three."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_games.adding import ADDING
from small_games.agents import Cheat, Lowest

import tzaar_envs
from tzaar_envs.arena import MatchResult, play_match
from tzaar_envs.arena.match import distinct_games, forfeit_messages
from tzaar_envs.arena.plan import STARTS_PER_CHUNK
from tzaar_envs.arena.records import GameId, GameRecord
from tzaar_envs.arena.reports import length_note

RANDOM = ["random"] * 3


def stable_part(result: MatchResult) -> Any:
    content = json.loads(result.to_json())
    return {name: content[name] for name in content if name not in ("workers", "seconds")}


def seat_of(agent: int, game: GameRecord) -> int:
    assert game.match is not None
    return (agent + game.match.rotation) % len(game.agents)


# Seats, starts, results


def test_every_agent_plays_every_start_at_every_seat_and_has_its_own_results() -> None:
    result = play_match(ADDING, ["random", "random", Lowest], games=60, seed=2)
    ids = [GameId(0, start, rotation) for start in range(20) for rotation in range(3)]
    assert [game.match for game in result.games] == ids
    for number, summary in enumerate(result.summaries()):
        agent, seat = number // 4, (None, 0, 1, 2)[number % 4]
        own = [game for game in result.games if seat in (None, seat_of(agent, game))]
        at = [seat_of(agent, game) for game in own]
        for game, place in zip(own, at, strict=True):
            assert game.agents[place] == result.header.agents[agent]
        returns = [(game.returns or [])[place] for game, place in zip(own, at, strict=True)]
        wins = sum(value > 0 for value in returns)
        assert (summary.agent, summary.seat) == (result.agents[agent], seat)
        assert summary.games == len(own) == (60 if seat is None else 20)
        assert (summary.wins, summary.draws, summary.losses) == (wins, 0, len(own) - wins)
        rates = summary.win_rate, summary.loss_rate, summary.mean_return, summary.mean_score
        mean = np.mean(returns)
        assert rates == pytest.approx((wins / len(own), 1 - wins / len(own), mean, mean))
    assert number == 11
    plies = [game.plies for game in result.games]
    note = f"mean {np.mean(plies):.1f}, median {np.median(plies):g}, {min(plies)} to {max(plies)};"
    assert note in length_note(result.games)


def test_rotations_play_the_same_starts_after_random_openings() -> None:
    # From the same start the same agents play the same game, whoever sits where.
    game = tzaar_envs.load_game("turm_und_waechter")
    same = play_match(game, [Lowest, Lowest], games=8, seed=1)
    assert distinct_games(same.games) == 1
    result = play_match(game, [Lowest, Lowest], games=8, seed=1, opening_plies=6)
    assert distinct_games(result.games) == 4
    actions = [game.actions for game in result.games]
    assert actions[::2] == actions[1::2]
    assert all(game.opening == 6 <= game.plies for game in result.games)


def test_openings_that_end_the_game_are_drawn_again() -> None:
    # After 8 random plies about half of the games are over.
    result = play_match(ADDING, RANDOM, games=90, seed=1, opening_plies=8)
    assert all(game.plies > 8 for game in result.games)


def test_random_against_itself_is_even() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    result = play_match(game, ["random", "random"], games=200, seed=1)
    summary = result.summary(0)
    assert summary.return_interval[0] < 0 < summary.return_interval[1]
    assert summary.wins == result.summary(1).losses
    assert distinct_games(result.games) == 200


def test_greedy_beats_random() -> None:
    game = tzaar_envs.load_game("tzaar", setup="fixed")
    result = play_match(game, ["random", "greedy"], games=40, seed=1)
    assert result.summary(1).win_interval[0] > 0.8
    for seat in range(2):
        assert result.summary(1, seat).win_interval[0] > 0.7
    assert result.header.options == {"setup": "fixed"}


def test_points_belong_to_agents_and_stand_in_the_file(tmp_path: Path) -> None:
    game = tzaar_envs.load_game("twenty_one", players=3)
    result = play_match(game, ["greedy", "random", "random"], games=12, seed=1)
    for agent in range(3):
        for seat in (None, 2):
            own = [each for each in result.games if seat in (None, seat_of(agent, each))]
            points = [(each.scores or [])[seat_of(agent, each)] for each in own]
            summary = result.summary(agent, seat)
            assert summary.mean_score == pytest.approx(np.mean(points))
            low, high = summary.score_interval or (0, 0)
            assert low < np.mean(points) < high
    means = [result.summary(agent).mean_score or 0 for agent in range(3)]
    assert max(means[1:]) < means[0]
    path = result.save(tmp_path / "match.json")
    content = json.loads(path.read_text())
    assert content["header"]["options"]["players"] == 3
    assert [each["scores"] for each in content["games"]] == [each.scores for each in result.games]
    assert [row["mean_score"] for row in content["summaries"][::4]] == means
    assert MatchResult.load(path) == result


def test_names_and_texts_tell_agents_apart() -> None:
    result = play_match(ADDING, ["random", Lowest, Lowest], games=3)
    assert result.agents == ("random", "lowest", "lowest#2")
    assert result.header.agents == ["random", *["small_games.agents:Lowest"] * 2]


# Reproducibility


def test_the_number_of_workers_does_not_matter() -> None:
    game, agents = tzaar_envs.load_game("twenty_one"), ["greedy", "optimal-solo"]
    games = 2 * (STARTS_PER_CHUNK + 3)
    counts: list[tuple[int, int]] = []

    def match(workers: int) -> MatchResult:
        counts.clear()
        return play_match(game, agents, games, 5, workers, 2, lambda *at: counts.append(at))

    one, two = match(1), match(2)
    assert (one.workers, two.workers) == (1, 2)
    assert stable_part(one) == stable_part(two)
    assert counts == [(done, games) for done in range(1, games + 1)]


def test_games_follow_from_the_seed_and_a_longer_match_begins_with_the_same_chunks() -> None:
    games = 3 * STARTS_PER_CHUNK
    short, long = (play_match(ADDING, RANDOM, number, seed=1) for number in (games, games + 30))
    assert len(long.games) == games + 30
    assert long.games[:games] == short.games
    assert short.games != play_match(ADDING, RANDOM, games, seed=2**40).games


# Interruption


def interrupt_at(count: int) -> Callable[[int, int], None]:
    def progress(done: int, games: int) -> None:
        if done == count:
            raise KeyboardInterrupt

    return progress


def test_ctrl_c_keeps_the_starts_that_are_finished(tmp_path: Path) -> None:
    chunk = 3 * STARTS_PER_CHUNK
    ending = interrupt_at(2 * chunk - 5)
    result = play_match(ADDING, RANDOM, 3 * chunk, seed=1, progress=ending)
    assert result.interrupted
    assert len(result.games) == 2 * chunk - 3 * 5
    assert result.header.games == 3 * chunk
    whole = {game.match: game for game in play_match(ADDING, RANDOM, 3 * chunk, seed=1).games}
    assert all(game == whole[game.match] for game in result.games)
    assert MatchResult.load(result.save(tmp_path / "match.json")) == result


def test_ctrl_c_before_the_first_start_is_finished_leaves_an_empty_result(tmp_path: Path) -> None:
    result = play_match(ADDING, RANDOM, games=30, seed=1, progress=interrupt_at(1))
    assert result.interrupted
    assert len(result.games) == distinct_games(result.games) == 0
    assert length_note(result.games) == ""
    summary = result.summary(0)
    assert (summary.win_rate, summary.mean_return, summary.mean_score) == (None, None, None)
    assert (summary.win_interval, summary.score_interval) == ((0.0, 1.0), None)
    assert MatchResult.load(result.save(tmp_path / "match.json")).games == []


def test_a_script_that_starts_itself_again_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import tzaar_envs\n"
        "from tzaar_envs.arena import play_match\n"
        "game = tzaar_envs.load_game('tzaar')\n"
        "play_match(game, ['random', 'random'], 100, workers=2)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1
    assert "the script that started it does not guard its main part" in done.stderr


# Files


@pytest.fixture(scope="module")
def played() -> MatchResult:
    return play_match(ADDING, ["random", Cheat, "random"], games=30, seed=1, opening_plies=1)


def test_a_saved_result_loads_as_it_was(played: MatchResult, tmp_path: Path) -> None:
    path = played.save(tmp_path / "new" / "folder" / "match.json")
    loaded = MatchResult.load(path)
    assert loaded == played
    assert loaded.to_json() == played.to_json()
    assert loaded.summaries() == played.summaries()
    assert forfeit_messages(loaded.games) == forfeit_messages(played.games)
    assert [file.name for file in path.parent.iterdir()] == ["match.json"]


def test_a_failed_save_leaves_the_old_file(
    played: MatchResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.json"
    path.write_text("old")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        played.save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
