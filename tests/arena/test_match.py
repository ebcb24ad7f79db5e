"""Matches, most of them on a small game for three."""

import errno
import json
import os
import re
import subprocess
import sys
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
from tzaar_envs.agents.agent import RandomAgent
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


def test_every_agent_sits_equally_often_at_every_seat() -> None:
    result = play_match(ADDING, ["random"] * 3, games=60, seed=1)
    assert len(result.games) == 60
    columns = columns_of(result)
    for agent in range(3):
        for seat in range(3):
            assert result.summary(agent, seat).games == 20
            assert (columns.agent_at_seat[:, seat] == agent).sum() == 20
    assert (np.sort(columns.agent_at_seat) == (0, 1, 2)).all()


def test_returns_belong_to_agents_not_seats() -> None:
    # The lowest actions from a start end with the same seat winning in every rotation.
    result = play_match(ADDING, [Lowest] * 3, games=30, seed=1)
    columns = columns_of(result)
    winners = columns.returns.argmax(axis=1)
    seats = (winners + columns.rotation) % 3
    assert (seats.reshape(-1, 3) == seats.reshape(-1, 3)[:, :1]).all()
    assert (winners[:3] != winners[0]).any()
    assert (np.sort(columns.returns) == (-0.5, -0.5, 1)).all()


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


def test_opening_plies_make_games_with_one_start_differ() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    without = play_match(game, [Lowest, Lowest], games=8, seed=1)
    openings = play_match(game, [Lowest, Lowest], games=8, seed=1, opening_plies=6)
    assert distinct_games(without.games) == 1
    assert distinct_games(openings.games) == 4
    assert (columns_of(openings).plies >= 6).all()


def test_openings_that_end_the_game_are_drawn_again() -> None:
    # After 8 random plies about half of the games are over.
    result = play_match(ADDING, ["random"] * 3, games=90, seed=1, opening_plies=8)
    assert (columns_of(result).plies > 8).all()
    with pytest.raises(ValueError, match=r"opening_plies=14 .*use fewer"):
        play_match(ADDING, ["random"] * 3, games=90, seed=1, opening_plies=14)


# Results


def test_random_against_itself_is_even() -> None:
    result = play_match(
        tzaar_envs.load_game("turm_und_waechter"), ["random", "random"], games=200, seed=1
    )
    summary = result.summary(0)
    assert result.agents == ("random", "random#2")
    assert summary.return_interval[0] < 0 < summary.return_interval[1]
    assert summary.wins + summary.draws + summary.losses == 200
    assert summary.wins == result.summary(1).losses
    assert distinct_games(result.games) == 200
    assert result.forfeits.total() == 0


def test_greedy_beats_random() -> None:
    result = play_match(
        tzaar_envs.load_game("tzaar", setup="fixed"), ["random", "greedy"], games=40, seed=1
    )
    assert result.summary(1).win_interval[0] > 0.8
    for seat in range(2):
        assert result.summary(1, seat).games == 20
        assert result.summary(1, seat).win_interval[0] > 0.7
    assert result.header.options == {"setup": "fixed"}


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


def test_agents_and_seats_that_do_not_exist_have_no_summary() -> None:
    result = play_match(ADDING, ["random"] * 3, games=3)
    with pytest.raises(ValueError, match="agent 3 does not exist: use 0 to 2"):
        result.summary(3)
    with pytest.raises(ValueError, match="seat -1 does not exist: use 0 to 2"):
        result.summary(0, -1)


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


def test_another_seed_gives_other_games() -> None:
    one = play_match(ADDING, ["random"] * 3, games=60, seed=1)
    other = play_match(ADDING, ["random"] * 3, games=60, seed=2**40)
    assert stable_part(one) == stable_part(play_match(ADDING, ["random"] * 3, games=60, seed=1))
    assert one.games != other.games


def test_a_longer_match_begins_with_the_same_chunks() -> None:
    games = 3 * STARTS_PER_CHUNK
    short = play_match(ADDING, ["random"] * 3, games, seed=1).games
    long = play_match(ADDING, ["random"] * 3, games + 30, seed=1).games
    assert len(long) == games + 30
    assert long[:games] == short


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


def test_ctrl_c_before_the_first_start_is_finished_leaves_an_empty_result(tmp_path: Path) -> None:
    result = play_match(ADDING, ["random"] * 3, games=30, seed=1, progress=interrupt_at(1))
    assert result.interrupted
    assert len(result.games) == distinct_games(result.games) == 0
    assert length_note(result.games) == ""
    assert result.summary(0).win_rate is None
    assert result.summary(0).win_interval == (0.0, 1.0)
    assert reloaded(result, tmp_path).games == []


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


# Arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": "greedy"}, "use a list with one agent per seat"),
        ({"agents": ["random"] * 2}, "2 agents are not allowed: adding has 3 seats"),
        ({"agents": ["random", "random", "gredy"]}, "did you mean 'greedy'"),
        ({"agents": ["random", "random", 5]}, r"agents\[2\]=5 is not allowed"),
        ({"agents": ["random", "random", str]}, r"the factory agents\[2\] returned"),
        ({"games": 31}, "a multiple of 3, such as 30 or 33"),
        ({"games": 0}, "games=0 is not allowed: use a whole number from 3"),
        ({"games": 30.0}, "games=30.0 is not allowed"),
        ({"seed": -1}, "seed=-1 is not allowed: use a whole number from 0"),
        ({"seed": None}, "seed=None is not allowed"),
        ({"workers": 0}, "workers=0 is not allowed: use a whole number from 1"),
        ({"workers": True}, "workers=True is not allowed"),
        ({"opening_plies": -1}, "opening_plies=-1 is not allowed: use a whole number from 0"),
        ({"opening_plies": 15}, "longer than 15 plies, so use 0 to 14"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_match(ADDING, **{"agents": ["random"] * 3, "games": 30, **arguments})


def test_a_factory_that_workers_cannot_have_is_named() -> None:
    with pytest.raises(ValueError, match=r"agents cannot be sent to worker processes"):
        play_match(ADDING, ["random", lambda game: RandomAgent(game), "random"], 300, workers=2)


def test_names_and_texts_tell_agents_apart() -> None:
    result = play_match(ADDING, ["random", Lowest, Lowest], games=3)
    assert result.agents == ("random", "lowest", "lowest#2")
    assert result.header.agents[0] == "random"
    assert result.header.agents[1].endswith(":Lowest")


@pytest.mark.parametrize(
    ("name", "agents"), [("tzaar", ["greedy", "random"]), ("zatre", ["random"] * 3)]
)
def test_every_game_of_a_match_can_be_replayed(name: str, agents: list[str]) -> None:
    game = tzaar_envs.load_game(name, **({"players": 3} if name == "zatre" else {}))
    result = play_match(game, agents, 2 * len(agents), seed=4, opening_plies=3)
    for record in result.games:
        assert record.opening == 3
        assert len(record.check(game)) == record.plies + 1


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Input data was truncated"),
        (b"[" * 100_000, "Expected `object`, got `array`"),
        (b'{"header": ' + b"[" * 100_000, "it is nested too deeply|Expected `object`"),
        (b"\xff\xfe", "JSON is malformed"),
        (b"[1, 2]", "Expected `object`, got `array`"),
        (b'{"seconds": NaN}', "JSON is malformed"),
    ],
)
def test_what_is_not_a_result_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "match.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"is not a match result: ({message})"):
        MatchResult.load(path)


def test_every_missing_part_is_named(played: MatchResult, tmp_path: Path) -> None:
    document = json.loads(played.to_json())
    optional = {"summaries", "opening_plies", "book", "move_seconds", "sprt"}
    for part in (document, document["header"]):
        of_part = {"format", "format_version"} if part is not document else set()
        for name in set(part) - optional - of_part:
            value = part.pop(name)
            (tmp_path / "match.json").write_text(json.dumps(document))
            with pytest.raises(ValueError, match=name):
                MatchResult.load(tmp_path / "match.json")
            part[name] = value
