"""Matches, most of them on a small game for three."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_games.adding import ADDING, ADDING_FOR_TWO
from small_games.agents import Broken, Cheat, KilledOnce, Killer, Leaver, Lowest

import tzaar_envs
from tzaar_envs.agents import Agent, AgentObservation
from tzaar_envs.agents.random import RandomAgent
from tzaar_envs.arena import MatchResult, play_match
from tzaar_envs.arena.plan import STARTS_PER_CHUNK
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
    return json.loads(result.to_json())["result"]


def records_equal(one: MatchResult, other: MatchResult) -> bool:
    return all(
        np.array_equal(column, getattr(other.records, name), equal_nan=column.dtype.kind == "f")
        for name, column in vars(one.records).items()
    )


# Seats and starts


def test_every_agent_sits_equally_often_at_every_seat() -> None:
    result = play_match(ADDING, ["random"] * 3, games=60, seed=1)
    assert result.games == 60
    for agent in range(3):
        for seat in range(3):
            assert result.summary(agent, seat).games == 20
            assert (result.records.agent_at_seat[:, seat] == agent).sum() == 20
    assert (np.sort(result.records.agent_at_seat) == (0, 1, 2)).all()


def test_returns_belong_to_agents_not_seats() -> None:
    # The lowest actions from a start end with the same seat winning in every rotation.
    result = play_match(ADDING, [Lowest] * 3, games=30, seed=1)
    winners = result.records.returns.argmax(axis=1)
    seats = (winners + result.records.rotation) % 3
    assert (seats.reshape(-1, 3) == seats.reshape(-1, 3)[:, :1]).all()
    assert (winners[:3] != winners[0]).any()
    assert (np.sort(result.records.returns) == (-0.5, -0.5, 1)).all()


@pytest.mark.parametrize("opening_plies", [0, 4])
def test_rotations_play_the_same_starts(opening_plies: int) -> None:
    tzaar = tzaar_envs.load_game("tzaar")
    made: list[Lowest] = []

    def factory(game: Game) -> Agent:
        made.append(Lowest(game))
        return made[-1]

    result = play_match(tzaar, [factory, factory], games=20, seed=3, opening_plies=opening_plies)
    # From the same starts the same agents play the same games, whoever sits where.
    digests = result.records.digest.reshape(-1, 2)
    assert (digests[:, 0] == digests[:, 1]).all()
    assert result.distinct_games == 10
    firsts = [agent.asked[:10] for agent in made]
    if opening_plies == 0:  # White has the first turn, so each agent first sees all starts
        assert set(firsts[0]) <= set(made[1].asked)
        assert len(set(firsts[0])) == 10


def test_opening_plies_make_games_with_one_start_differ() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    without = play_match(game, [Lowest, Lowest], games=8, seed=1)
    openings = play_match(game, [Lowest, Lowest], games=8, seed=1, opening_plies=6)
    assert without.distinct_games == 1
    assert openings.distinct_games == 4
    assert (openings.records.plies >= 6).all()


def test_openings_that_end_the_game_are_drawn_again() -> None:
    # After 8 random plies about half of the games are over.
    result = play_match(ADDING, ["random"] * 3, games=90, seed=1, opening_plies=8)
    assert (result.records.plies > 8).all()
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
    assert result.distinct_games == 200
    assert result.illegal_moves == result.exceptions == 0


def test_greedy_beats_random() -> None:
    result = play_match(
        tzaar_envs.load_game("tzaar", setup="fixed"), ["random", "greedy"], games=40, seed=1
    )
    assert result.summary(1).win_interval[0] > 0.8
    for seat in range(2):
        assert result.summary(1, seat).games == 20
        assert result.summary(1, seat).win_interval[0] > 0.7
    assert result.options == {"setup": "fixed"}
    assert result.moves_per_second > 0


def test_summary_counts_what_the_records_say() -> None:
    result = play_match(ADDING, ["random", "random", Lowest], games=30, seed=2)
    own = result.records.returns[result.records.agent_at_seat[:, 1] == 2, 2]
    summary = result.summary(2, seat=1)
    assert (summary.wins, summary.draws, summary.losses) == ((own > 0).sum(), 0, (own < 0).sum())
    assert summary.win_rate == pytest.approx(summary.wins / 10)
    assert summary.mean_return == pytest.approx(own.mean())
    assert summary.mean_score == pytest.approx(own.mean())
    assert result.lengths is not None
    assert result.lengths.minimum == result.records.plies.min()
    assert result.lengths.median == np.median(result.records.plies)
    assert len(result.summaries()) == 3 * 4


@pytest.mark.parametrize(
    ("name", "options"),
    [("zatre", {"players": 3}), ("twenty_one", {"players": 3}), ("twenty_one", {"players": 6})],
)
def test_points_and_shared_returns_belong_to_agents(name: str, options: dict[str, Any]) -> None:
    game = tzaar_envs.load_game(name, **options)
    seats = game.num_players
    result = play_match(game, ["greedy", *["random"] * (seats - 1)], games=4 * seats, seed=1)
    records = result.records
    assert (np.sort(records.agent_at_seat) == np.arange(seats)).all()
    assert result.illegal_moves == result.exceptions == 0
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
    content = json.loads(path.read_text())["result"]
    assert content["options"]["players"] == 3
    assert content["records"]["scores"] == result.records.scores.tolist()
    for row, summary in zip(content["summaries"], result.summaries(), strict=True):
        assert row["mean_score"] == summary.mean_score
        assert row["score_interval"] == list(summary.score_interval or ())
    assert records_equal(result, MatchResult.load(path))


def test_agents_and_seats_that_do_not_exist_have_no_summary() -> None:
    result = play_match(ADDING, ["random"] * 3, games=3)
    with pytest.raises(ValueError, match="agent 3 does not exist: this match has agents 0 to 2"):
        result.summary(3)
    with pytest.raises(ValueError, match="seat -1 does not exist: adding has seats 0 to 2"):
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
    assert not records_equal(one, other)


def test_a_longer_match_begins_with_the_same_chunks() -> None:
    games = 3 * STARTS_PER_CHUNK
    short = play_match(ADDING, ["random"] * 3, games, seed=1).records
    long = play_match(ADDING, ["random"] * 3, games + 30, seed=1).records
    assert np.array_equal(long.digest[:games], short.digest)
    assert np.array_equal(long.returns[:games], short.returns)


# Faults of agents


@pytest.mark.parametrize("culprit", [Cheat, Broken, Leaver])
def test_a_fault_loses_the_game_and_the_match_goes_on(culprit: type[Lowest]) -> None:
    result = play_match(ADDING, [Lowest, culprit, "random"], games=60, seed=1)
    assert result.games == 60
    records = result.records
    faulty = records.fault != 0
    assert faulty.any()
    assert (records.culprit[faulty] == 1).all()
    assert (records.culprit[~faulty] == -1).all()
    assert (records.returns[faulty] == (0.5, -1, 0.5)).all()
    assert np.isnan(records.scores[faulty]).all()
    assert not np.isnan(records.scores[~faulty]).any()
    assert result.illegal_moves == (faulty.sum() if culprit is Cheat else 0)
    assert result.exceptions == (0 if culprit is Cheat else faulty.sum())
    expected = {
        Cheat: "action 7 is not legal",
        Broken: "KeyError: 'six'",
        Leaver: "SystemExit: enough",
    }[culprit]
    assert 1 <= len(result.errors) <= 10
    assert all(error.startswith(culprit.name) and expected in error for error in result.errors)


@pytest.mark.parametrize(
    "answer", [np.zeros(1, np.int64), np.zeros(10), [0.0] * 10, None, [[0]] * 10]
)
def test_an_answer_of_the_wrong_form_is_a_fault(answer: Any) -> None:
    class Odd(Lowest):
        name = "odd"

        def act_batch(self, states: Sequence[State]) -> Any:
            return answer

    result = play_match(ADDING, [Odd, "random", "random"], games=30, seed=1)
    assert result.summary(0).losses == 30
    assert result.exceptions >= 1
    assert "act_batch returned" in result.errors[0]


def test_agents_cannot_change_the_game() -> None:
    meddlers = play_match(ADDING, [Meddler] * 3, games=30, seed=1)
    honest = play_match(ADDING, [Lowest] * 3, games=30, seed=1)
    assert np.array_equal(meddlers.records.digest, honest.records.digest)


def test_the_death_of_a_worker_changes_nothing(tmp_path: Path) -> None:
    agents = ["random", "random", KilledOnce(tmp_path / "killed")]
    games = 3 * (STARTS_PER_CHUNK + 1)
    result = play_match(ADDING, agents, games, seed=1, workers=2)
    assert (tmp_path / "killed").exists()
    assert records_equal(result, play_match(ADDING, agents, games, seed=1))


def test_an_agent_that_makes_workers_die_loses_the_game() -> None:
    result = play_match(ADDING_FOR_TWO, [Lowest, Killer], 2, seed=3, workers=2)
    assert result.games == result.crashes == 2
    assert (result.records.culprit == 1).all()
    assert (result.records.returns == (1, -1)).all()
    assert "3 worker processes died (exit code -9) in position" in result.errors[0]
    broken = play_match(ADDING_FOR_TWO, [Lowest, Broken], 2, seed=3)
    assert np.array_equal(result.records.plies, broken.records.plies)
    assert np.array_equal(result.records.digest, broken.records.digest)


# Interruption


def interrupt_at(count: int) -> Callable[[int, int], None]:
    def progress(done: int, games: int) -> None:
        if done == count:
            raise KeyboardInterrupt

    return progress


def test_ctrl_c_keeps_the_chunks_that_are_finished() -> None:
    chunk = 3 * STARTS_PER_CHUNK
    agents = ["random"] * 3
    result = play_match(ADDING, agents, 5 * chunk, seed=1, progress=interrupt_at(2 * chunk + 20))
    assert result.interrupted
    assert result.games == 2 * chunk
    assert result.games_requested == 5 * chunk
    assert records_equal(result, play_match(ADDING, agents, 2 * chunk, seed=1))
    assert records_equal(result, MatchResult.from_json(result.to_json()))


def test_ctrl_c_before_the_first_chunk_leaves_an_empty_result() -> None:
    result = play_match(ADDING, ["random"] * 3, games=30, seed=1, progress=interrupt_at(1))
    assert result.interrupted
    assert result.games == result.distinct_games == 0
    assert result.lengths is None
    assert result.summary(0).win_rate is None
    assert result.summary(0).win_interval == (0.0, 1.0)
    assert MatchResult.from_json(result.to_json()).games == 0


INTERRUPTED = """
import tzaar_envs
from tzaar_envs.arena import play_match

if __name__ == "__main__":
    game = tzaar_envs.load_game("turm_und_waechter")
    result = play_match(
        game, ["random", "random"], 10**6, seed=1, workers=2,
        progress=lambda done, games: print(done, flush=True),
    )
    print("interrupted:", result.interrupted, "games:", result.games)
"""


def test_ctrl_c_at_the_terminal_stops_all_workers_without_a_traceback(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        # With four chunks finished by two workers, one of them is whole.
        while int(line := process.stdout.readline()) < 6 * STARTS_PER_CHUNK:
            pass
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    lines = (line + output).splitlines()
    assert process.returncode == 0
    assert all(line.isdigit() for line in lines[:-1]), output
    words = lines[-1].split()
    assert words[:2] == ["interrupted:", "True"]
    games = int(words[3])
    assert games >= 2 * STARTS_PER_CHUNK
    assert games % (2 * STARTS_PER_CHUNK) == 0


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
    assert "the script that started them does not guard its main part" in done.stderr


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
    with pytest.raises(ValueError, match=r"agents\[1\] cannot be sent to worker processes"):
        play_match(ADDING, ["random", lambda game: RandomAgent(game), "random"], 300, workers=2)


def test_names_and_forms_tell_agents_apart() -> None:
    result = play_match(ADDING, ["random", Lowest, Lowest], games=3)
    assert result.agents == ("random", "lowest", "lowest#2")
    assert result.forms[0] == "random"
    assert result.forms[1].endswith(":Lowest")


# Files


@pytest.fixture(scope="module")
def played() -> MatchResult:
    return play_match(ADDING, ["random", Cheat, "random"], games=30, seed=1, opening_plies=1)


def test_a_saved_result_loads_as_it_was(played: MatchResult, tmp_path: Path) -> None:
    path = played.save(tmp_path / "new" / "folder" / "match.json")
    loaded = MatchResult.load(path)
    assert records_equal(played, loaded)
    assert json.loads(loaded.to_json()) == json.loads(played.to_json())
    assert loaded.summaries() == played.summaries()
    assert loaded.errors == played.errors
    assert [file.name for file in path.parent.iterdir()] == ["match.json"]


def test_a_failed_save_leaves_the_old_file(
    played: MatchResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.json"
    path.write_text("old")

    def fail(*_: Any) -> None:
        raise OSError("disk full")

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


RECORDS = ("result", "records")


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["format"], "other", "it does not say 'format'"),
        (["format_version"], 2, "its format_version is 2, this release reads 1"),
        (["result"], [], "'result' is not an object"),
        (["result", "seed"], "1", "'seed' is not an integer"),
        (["result", "seed"], True, "'seed' is not an integer"),
        (["result", "seed"], -1, "'seed' or 'opening_plies' is below 0"),
        (["result", "interrupted"], 0, "'interrupted' is not true or false"),
        (["result", "seat_names"], [], "'seat_names' is empty"),
        (["result", "seat_names"], ["one", "two"], "the shape"),
        (["result", "agents"], ["a", "b"], "there are 2 agents for 3 seats"),
        (["result", "agents"], ["a", "b", 3], "'agents' has something other than texts"),
        (["result", "agents"], ["a", "b", "b"], "two agents have the same name"),
        (["result", "games_requested"], 60, "it has 30 games of 60 requested"),
        (["timing", "seconds"], "1", "'seconds' is '1'"),
        (["timing", "seconds"], -1, "'seconds' is -1"),
        (["versions"], {"numpy": 2}, "'versions' has something other than texts"),
        ([*RECORDS, "start", 3], 0, "not each start in every rotation"),
        ([*RECORDS, "rotation", 3], 1, "not each start in every rotation"),
        ([*RECORDS, "plies"], [5] * 29, "'plies' has the shape"),
        ([*RECORDS, "plies", 3], 0, "a game is shorter than its opening"),
        ([*RECORDS, "plies", 3], 2.5, "'plies' has values of a wrong type"),
        ([*RECORDS, "plies", 3], 2**70, "'plies' has values of a wrong type"),
        ([*RECORDS, "plies", 3], [1, 2], "'plies' has values of a wrong type"),
        ([*RECORDS, "returns", 3], [1, 2, 3], "a return is not in -1 .. 1"),
        ([*RECORDS, "returns", 3], [1, 2], "'returns' has values of a wrong type"),
        ([*RECORDS, "scores", 3], "high", "'scores' has values of a wrong type"),
        ([*RECORDS, "agent_at_seat", 3], [1, 0, 2], "do not follow from the rotations"),
        ([*RECORDS, "truncated", 3], 1, "'truncated' has"),
        ([*RECORDS, "fault", 3], 5, "a fault is none of 0 to 4"),
        ([*RECORDS, "culprit", 3], 3, "the culprits do not fit the faults"),
        ([*RECORDS, "digest", 3], "xyz", "'digest' has something other than 64-bit numbers"),
        ([*RECORDS, "digest", 3], "f" * 17, "'digest' has something other than 64-bit numbers"),
    ],
)
def test_a_damaged_file_is_refused(
    played: MatchResult, tmp_path: Path, keys: list[Any], value: Any, message: str
) -> None:
    path = tmp_path / "match.json"
    path.write_text(change(played.to_json(), *keys, to=value))
    with pytest.raises(ValueError, match=message) as caught:
        MatchResult.load(path)
    assert str(caught.value).startswith(f"{path} is no match result: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"[1, 2]", "it does not say 'format'"),
        (b'{"seconds": NaN}', "it holds NaN"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "match.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"is no match result: {message}"):
        MatchResult.load(path)


def test_every_missing_part_is_named(played: MatchResult) -> None:
    document = json.loads(played.to_json())
    computed = {"games", "distinct_games", "illegal_moves", "exceptions", "lengths", "summaries"}
    for keys in (["result"], ["result", "records"], ["timing"]):
        part = document
        for key in keys:
            part = part[key]
        for name in set(part) - computed - {"moves_per_second"}:
            value = part.pop(name)
            with pytest.raises(ValueError, match=name):
                MatchResult.from_json(json.dumps(document))
            part[name] = value
