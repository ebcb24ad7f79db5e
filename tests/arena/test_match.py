"""Matches, most of them on a small game for three."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_games.adding import ADDING
from small_games.agents import (
    Broken,
    Cheat,
    Leaver,
    Lowest,
    Mumbling,
    Panicking,
)

import tzaar_envs
from tzaar_envs.agents import Agent, AgentObservation
from tzaar_envs.arena import MatchResult, play_match
from tzaar_envs.arena.match import distinct_games, forfeit_messages
from tzaar_envs.arena.plan import STARTS_PER_CHUNK
from tzaar_envs.arena.reports import length_note
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


class Meddler(Lowest):
    """Plays on the states that it is given before it answers."""

    name = "meddler"

    def act(self, position: State | AgentObservation) -> int:
        assert isinstance(position, State)
        position.apply(2)
        return 0


def stable_part(result: MatchResult) -> Any:
    content = json.loads(result.to_json())
    return {name: content[name] for name in content if name not in ("workers", "seconds")}


def reloaded(result: MatchResult, folder: Path) -> MatchResult:
    return MatchResult.load(result.save(folder / "reloaded.json"))


@dataclass
class Columns:
    """The games of a match as arrays, `(games,)` or `(games, agents or seats)`."""

    rotation: NDArray[np.int64]
    agent_at_seat: NDArray[np.int64]
    returns: NDArray[np.float64]  # of each agent (not seat)
    scores: NDArray[np.float64]  # likewise; NaN where the game was forfeited
    plies: NDArray[np.int64]
    forfeit: NDArray[np.bool_]
    culprit: NDArray[np.int64]  # the agent, -1 without a forfeit
    moves: list[str]


def columns_of(result: MatchResult) -> Columns:
    seats = np.arange(len(result.agents))
    games = result.games
    rotation = np.array([game.match.rotation for game in games if game.match], np.int64)
    agent_at_seat = (seats - rotation[:, None]) % seats.size
    seat_of_agent = (seats + rotation[:, None]) % seats.size
    nothing = [np.nan] * seats.size
    culprit = np.array([-1 if game.culprit is None else game.culprit for game in games])
    return Columns(
        rotation,
        agent_at_seat,
        np.take_along_axis(np.array([game.returns for game in games]), seat_of_agent, 1),
        np.take_along_axis(np.array([game.scores or nothing for game in games]), seat_of_agent, 1),
        np.array([game.plies for game in games]),
        np.array([game.forfeit is not None for game in games]),
        np.where(culprit < 0, -1, (culprit - rotation) % seats.size),
        [str((game.position, game.actions, game.outcomes)) for game in games],
    )


# Seats and starts


@pytest.mark.parametrize("opening_plies", [0, 4])
def test_rotations_play_the_same_starts(opening_plies: int) -> None:
    tzaar = tzaar_envs.load_game("tzaar")
    made: list[Lowest] = []

    def factory(game: Game) -> Agent:
        made.append(Lowest(game))
        return made[-1]

    result = play_match(tzaar, [factory, factory], games=20, seed=3, opening_plies=opening_plies)
    # From the same starts the same agents play the same games, whoever sits where.
    moves = columns_of(result).moves
    assert moves[::2] == moves[1::2]
    assert distinct_games(result.games) == 10
    firsts = [agent.asked[:10] for agent in made]
    if opening_plies == 0:  # White has the first turn, so each agent first sees all starts
        assert set(firsts[0]) <= set(made[1].asked)
        assert len(set(firsts[0])) == 10


def test_openings_that_end_the_game_are_drawn_again() -> None:
    # After 8 random plies about half of the games are over.
    result = play_match(ADDING, ["random"] * 3, games=90, seed=1, opening_plies=8)
    assert (columns_of(result).plies > 8).all()
    with pytest.raises(ValueError, match=r"opening_plies=14 .*use fewer"):
        play_match(ADDING, ["random"] * 3, games=90, seed=1, opening_plies=14)


# Results


def test_summary_counts_what_the_records_say() -> None:
    result = play_match(ADDING, ["random", "random", Lowest], games=30, seed=2)
    columns = columns_of(result)
    own = columns.returns[columns.agent_at_seat[:, 1] == 2, 2]
    summary = result.summary(2, seat=1)
    assert (summary.wins, summary.draws, summary.losses) == ((own > 0).sum(), 0, (own < 0).sum())
    assert summary.win_rate == pytest.approx(summary.wins / 10)
    assert summary.mean_return == pytest.approx(own.mean())
    assert summary.mean_score == pytest.approx(own.mean())
    assert f"mean {columns.plies.mean():.1f}" in length_note(result.games)
    assert f"median {np.median(columns.plies):g}" in length_note(result.games)
    assert f", {columns.plies.min()} to {columns.plies.max()};" in length_note(result.games)
    assert len(result.summaries()) == 3 * 4


@pytest.mark.parametrize(
    ("name", "options"),
    [("zatre", {"players": 3}), ("twenty_one", {"players": 3}), ("twenty_one", {"players": 6})],
)
def test_points_and_shared_returns_belong_to_agents(name: str, options: dict[str, Any]) -> None:
    game = tzaar_envs.load_game(name, **options)
    seats = game.num_players
    result = play_match(game, ["greedy", *["random"] * (seats - 1)], games=4 * seats, seed=1)
    records = columns_of(result)
    assert (np.sort(records.agent_at_seat) == np.arange(seats)).all()
    assert result.forfeits.total() == 0
    for scores, returns in zip(records.scores, records.returns, strict=True):
        winners = scores == scores.max()
        assert winners.sum() < seats
        expected = np.where(winners, 1 / winners.sum(), -1 / (seats - winners.sum()))
        assert returns == pytest.approx(expected)
    # The seats change with the rotation, greedy's points do not leave it.
    means = records.scores.mean(axis=0).tolist()
    assert [result.summary(agent).mean_score for agent in range(seats)] == pytest.approx(means)
    assert max(means[1:]) < means[0]
    last = result.summary(0, seat=seats - 1)
    at_last_seat = records.scores[records.agent_at_seat[:, -1] == 0, 0]
    assert last.games == 4
    assert last.mean_score == pytest.approx(at_last_seat.mean())
    interval = result.summary(0).score_interval
    assert interval is not None
    assert interval[0] < means[0] < interval[1]


def test_points_stand_in_the_file(tmp_path: Path) -> None:
    game = tzaar_envs.load_game("twenty_one", players=3)
    result = play_match(game, ["optimal-solo", "random", "random"], games=6, seed=1)
    path = result.save(tmp_path / "match.json")
    content = json.loads(path.read_text())
    assert content["header"]["options"]["players"] == 3
    assert [game["scores"] for game in content["games"]] == [game.scores for game in result.games]
    for row, summary in zip(content["summaries"], result.summaries(), strict=True):
        assert row["mean_score"] == summary.mean_score
        assert row["score_interval"] == list(summary.score_interval or ())
    assert result == MatchResult.load(path)


# Reproducibility


@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("tzaar", ["greedy", "random"]),
        ("turm_und_waechter", ["random", "random"]),
        ("twenty_one", ["greedy", "optimal-solo"]),
    ],
)
def test_the_number_of_workers_does_not_matter(name: str, agents: list[str]) -> None:
    game = tzaar_envs.load_game(name)
    games = 2 * (STARTS_PER_CHUNK + 3)
    counts: list[tuple[int, int]] = []
    one = play_match(game, agents, games, seed=5, workers=1, opening_plies=2)
    two = play_match(
        game,
        agents,
        games,
        seed=5,
        workers=2,
        opening_plies=2,
        progress=lambda done, total: counts.append((done, total)),
    )
    assert (one.workers, two.workers) == (1, 2)
    assert stable_part(one) == stable_part(two)
    assert counts == sorted(counts)
    assert counts[-1] == (games, games)


# Forfeits


@pytest.mark.parametrize("culprit", [Cheat, Broken, Leaver, Panicking, Mumbling])
def test_a_forfeit_loses_the_game_and_the_match_goes_on(
    culprit: type[Lowest], tmp_path: Path
) -> None:
    result = play_match(ADDING, [Lowest, culprit, "random"], games=60, seed=1)
    assert len(result.games) == 60
    records = columns_of(result)
    forfeited = records.forfeit
    assert forfeited.any()
    assert (records.culprit[forfeited] == 1).all()
    assert (records.culprit[~forfeited] == -1).all()
    assert (records.returns[forfeited] == (0.5, -1, 0.5)).all()
    assert np.isnan(records.scores[forfeited]).all()
    assert not np.isnan(records.scores[~forfeited]).any()
    assert result.forfeits == {
        "illegal action" if culprit is Cheat else "exception": forfeited.sum()
    }
    expected = {
        Cheat: "action 7 is not legal",
        Broken: "KeyError: 'six'",
        Leaver: "SystemExit: enough",
        Panicking: "Panic: all is lost",
        Mumbling: r"ValueError: \ud83d",
    }[culprit]
    assert 1 <= len(forfeit_messages(result.games)) <= 10
    name = f"{culprit.__module__}:{culprit.__name__}"
    assert all(
        error.startswith(name) and expected in error for error in forfeit_messages(result.games)
    )
    assert reloaded(result, tmp_path) == result


@pytest.mark.parametrize(
    "answer", [np.zeros(1, np.int64), np.zeros(10), [0.0] * 10, None, [[0]] * 10]
)
def test_an_answer_of_the_wrong_form_is_a_forfeit(answer: Any) -> None:
    class Odd(Lowest):
        name = "odd"

        def act_batch(self, states: Sequence[State]) -> Any:
            return answer

    result = play_match(ADDING, [Odd, "random", "random"], games=30, seed=1)
    assert result.summary(0).losses == 30
    assert result.forfeits["exception"] >= 1
    assert "act_batch returned" in forfeit_messages(result.games)[0]


def test_agents_cannot_change_the_game() -> None:
    meddlers = play_match(ADDING, [Meddler] * 3, games=30, seed=1)
    honest = play_match(ADDING, [Lowest] * 3, games=30, seed=1)
    assert columns_of(meddlers).moves == columns_of(honest).moves


# Interruption


def interrupt_at(count: int) -> Callable[[int, int], None]:
    def progress(done: int, games: int) -> None:
        if done == count:
            raise KeyboardInterrupt

    return progress


def test_ctrl_c_keeps_the_starts_that_are_finished(tmp_path: Path) -> None:
    chunk = 3 * STARTS_PER_CHUNK
    agents = ["random"] * 3
    ending = interrupt_at(2 * chunk - 5)
    result = play_match(ADDING, agents, 3 * chunk, seed=1, progress=ending)
    assert result.interrupted
    assert len(result.games) == 2 * chunk - 3 * 5
    assert result.header.games == 3 * chunk
    whole = {game.match: game for game in play_match(ADDING, agents, 3 * chunk, seed=1).games}
    assert all(game == whole[game.match] for game in result.games)
    assert result == reloaded(result, tmp_path)


# Arguments


def test_names_and_texts_tell_agents_apart() -> None:
    result = play_match(ADDING, ["random", Lowest, Lowest], games=3)
    assert result.agents == ("random", "lowest", "lowest#2")
    assert result.header.agents[0] == "random"
    assert result.header.agents[1].endswith(":Lowest")


# Files


@pytest.fixture(scope="module")
def played() -> MatchResult:
    return play_match(ADDING, ["random", Cheat, "random"], games=30, seed=1, opening_plies=1)


def test_a_saved_result_loads_as_it_was(played: MatchResult, tmp_path: Path) -> None:
    path = played.save(tmp_path / "new" / "folder" / "match.json")
    loaded = MatchResult.load(path)
    assert loaded == played
    assert json.loads(loaded.to_json()) == json.loads(played.to_json())
    assert loaded.summaries() == played.summaries()
    assert forfeit_messages(loaded.games) == forfeit_messages(played.games)
    assert [file.name for file in path.parent.iterdir()] == ["match.json"]


def change(text: str, *keys: Any, to: Any) -> str:
    """Return the JSON text with one value replaced."""
    document = json.loads(text)
    place = document
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = to
    return json.dumps(document)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["format"], "other", "Invalid enum value 'other' - at `$.format`"),
        (["format_version"], 3, "Invalid enum value 3"),
        (["header"], [], "Expected `object`, got `array` - at `$.header`"),
        (["header", "seed"], "1", "Expected `int`, got `str` - at `$.header.seed`"),
        (["header", "seed"], True, "Expected `int`, got `bool` - at `$.header.seed`"),
        (["header", "seed"], -1, "Expected `int` >= 0 - at `$.header.seed`"),
        (["header", "seats"], [], "'agents' or 'seats' is empty"),
        (["header", "seats"], ["one", "two"], "there are not 2 agents with different names"),
        (["header", "agents"], ["a", "b"], "there are not 3 agents with different names"),
        (["header", "agents"], ["random"] * 3, "'agents' are not 3 of the tournament"),
        (["header", "game"], "other_v0", "it is a game of 'adding_v0'"),
        (["header", "versions"], {"numpy": 2}, "Expected `str`, got `int`"),
        (["agents"], ["a", "b"], "there are not 3 agents"),
        (["agents"], ["a", "b", 3], "Expected `str`, got `int` - at `$.agents[2]`"),
        (["agents"], ["a", "b", "b"], "there are not 3 agents with different names"),
        (["seconds"], "1", "Expected `float`, got `str` - at `$.seconds`"),
        (["seconds"], -1, "Expected `float` >= 0.0 - at `$.seconds`"),
        (["workers"], 0, "Expected `int` >= 1 - at `$.workers`"),
        (["games", 3, "match", "start"], 0, "not each start in every rotation"),
        (["games", 3, "match", "rotation"], 1, "not each start in every rotation"),
        (["games", 3, "match", "line_up"], 1, "not each start in every rotation"),
        (["games", 3, "opening"], 2.5, "Expected `int`, got `float` - at `$.games[3].opening`"),
        (["games", 3, "actions"], [], "is more than the 0 actions"),
        (["games", 3, "returns"], [1, 2, 3], "Expected `float` <= 1.0"),
        (["games", 3, "returns"], [1, 0.5], "'returns' are not 3 numbers"),
        (["games", 3, "scores"], "high", "Expected `array | null`, got `str`"),
        (["games", 3, "agents"], ["random"] * 2, "'agents' are not 3 of the tournament"),
        (["games", 3, "truncated"], 1, "Expected `bool`, got `int`"),
        (["games", 3, "fault"], "bad luck", "Invalid enum value 'bad luck'"),
        (
            ["games", 3, "culprit"],
            3,
            "the culprit is not a seat of 0 to 2|expected both or neither",
        ),
    ],
)
def test_a_damaged_file_is_refused(
    played: MatchResult, tmp_path: Path, keys: list[Any], value: Any, message: str
) -> None:
    path = tmp_path / "match.json"
    path.write_text(change(played.to_json(), *keys, to=value))
    pattern = (
        "|".join(map(re.escape, message.split("|"))) if "neither" in message else re.escape(message)
    )
    with pytest.raises(ValueError, match=pattern) as caught:
        MatchResult.load(path)
    assert str(caught.value).startswith(f"{path} is not a match result: ")
