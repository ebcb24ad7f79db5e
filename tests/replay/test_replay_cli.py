"""The commands `replay` and `watch`, and the games of tournament reports."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import Mock

import pytest
from command_line import run_cli
from recorded import short_record, whole_record

import tzaar_envs
from tzaar_envs.arena import play_match
from tzaar_envs.arena.records import read_games, write_records
from tzaar_envs.cli.terminal_game import WatchedGame
from tzaar_envs.replay import film
from tzaar_envs.wrappers.record_games import RecordedGamesHeader


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_records("saved.jsonl", RecordedGamesHeader(), [whole_record()])
    records = [short_record(), short_record("tzaar"), whole_record()]
    write_records("games.jsonl", RecordedGamesHeader(), records)


def run(words: str) -> tuple[int, str, str]:
    return run_cli(*words.split())


def test_a_saved_game_becomes_a_page() -> None:
    assert run("replay saved.jsonl") == (0, "The game is in saved.html\n", "")
    assert Path("saved.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code, _, error = run("replay saved.jsonl")
    assert (code, error) == (2, "error: 'saved.html' exists already: choose another name\n")


def test_several_games_are_listed() -> None:
    code, out, error = run("replay games.jsonl")
    assert (code, error) == (0, "")
    assert [line.split()[:2] for line in out.splitlines()[1:4]] == [
        ["1", "twenty_one_v0"],
        ["2", "tzaar_v0"],
        ["3", "twenty_one_v0"],
    ]
    assert "not finished" in out
    assert "last_row" in out
    assert "Choose one with --game N, 1 to 3" in out
    assert run("replay games.jsonl --game 2") == (0, "The game is in games-2.html\n", "")


def test_a_match_is_read() -> None:
    game = tzaar_envs.load_game("twenty_one")
    play_match(game, ["greedy", "random"], games=2).save("match.json")
    code, out, error = run("replay match.json --game 2 --text")
    assert (code, error) == (0, "")
    assert out.startswith("Twenty One: Player 0 (random) - Player 1 (greedy)\n")


def test_games_that_an_agent_lost_are_found() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    result = play_match(game, ["greedy", "random"], games=6, opening_plies=2, seed=1)
    result.save("match.json")
    lost = result.summary(1).losses
    assert lost > 1
    _, out, _ = run("replay match.json --lost-by random")
    assert out.count("turm_und_waechter_v0") == lost
    code, _, error = run("replay match.json --lost-by nobody")
    assert code == 2
    assert "the agents in 'match.json' are greedy, random" in error


def test_the_suffix_says_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run("replay games.jsonl --game 1 --out game.gif --width 100 --seconds 0.1")
    assert (code, out) == (0, "The game is in game.gif\n")
    assert Path("game.gif").read_bytes()[:3] == b"GIF"
    assert run("replay games.jsonl --game 1 --out pictures --theme dark")[0] == 0
    assert len([*Path("pictures").iterdir()]) == 7
    monkeypatch.setattr(film, "write_atomically", Mock(side_effect=[None, KeyboardInterrupt]))
    assert run("replay games.jsonl --game 1 --out part")[0] == 130
    assert not Path("part").exists()


# --- watch ----------------------------------------------------------------------------------------


def test_agents_are_watched_and_the_game_is_kept() -> None:
    words = "watch twenty_one mcts:simulations=4 random --seed 1 --delay 0 --save watched.jsonl"
    code, out, error = run(words)
    assert (code, error) == (0, "")
    [record] = read_games("watched.jsonl")
    record.check()
    assert record.agents == ["mcts:simulations=4", "random"]
    assert any(data is not None and data.nodes == 4 for data in record.move_data)
    assert out.count("Twenty One: Player 0 (mcts:simulations=4) - ") == record.plies + 1
    assert "4 nodes" in out
    assert run(words)[0] == 0
    first, second = read_games("watched.jsonl")
    assert first.actions == second.actions


def test_ctrl_c_ends_a_watched_game_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    step = WatchedGame.step

    def interrupted(watched: WatchedGame) -> None:
        if watched.history.plies == 3:
            raise KeyboardInterrupt
        step(watched)

    monkeypatch.setattr(WatchedGame, "step", interrupted)
    code, _, error = run("watch tzaar random random --seed 1 --delay 0 --save watched.jsonl")
    assert (code, error) == (130, "")
    [record] = read_games("watched.jsonl")
    assert (record.plies, record.returns) == (3, None)


# --- the report of a tournament -------------------------------------------------------------------


def test_every_report_links_to_a_game_of_each_line_up() -> None:
    words = "tournament twenty_one random greedy optimal-solo --games 4 --seed 1"
    code, out, error = run(f"{words} --report report.html")
    assert (code, error) == (0, "")
    assert "The pages of 3 games are in report-games" in out
    links = set(re.findall(r'href="(report-games/.*?)"', Path("report.html").read_text()))
    assert len(links) == 3
    assert all(Path(link).read_text().startswith("<!DOCTYPE html>") for link in links)
    assert {Path(link) for link in links} == set(Path("report-games").iterdir())
    assert "tzaar-envs replay FILE --game N" in Path("report.html").read_text()


def test_reports_of_large_tournaments_link_to_some_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tzaar_envs.replay.files.MAX_PAGES", 2)
    assert run("tournament twenty_one random greedy optimal-solo --games 2 --report a.md")[0] == 0
    assert len([*Path("a-games").iterdir()]) == 2


def test_a_game_that_cannot_have_been_played_is_named_with_its_file() -> None:
    assert run("tournament twenty_one random greedy --games 2 --seed 1 --out r.jsonl")[0] == 0
    text = Path("r.jsonl").read_text()
    Path("r.jsonl").write_text(
        re.sub(r'"actions":\["[^"]*"', '"actions":["nonsense"', text, count=1)
    )
    code, _, error = run("rate r.jsonl --report report.html")
    assert code == 2
    assert error.startswith("error: 'r.jsonl', line-up 0, start 0, rotation ")
    assert "nonsense" in error
