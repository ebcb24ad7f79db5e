"""Texts from files and agents stay texts in pages of HTML."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import run_cli
from small_games.adding import ADDING_FOR_TWO
from small_games.agents import Lowest

import tzaar_envs
from tzaar_envs.arena import play_tournament, read_standings, write_report
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import GameRecord, MoveData, append_records
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

EVIL = "</script><img src=x onerror=alert(1)>"


def hostile_record() -> GameRecord:
    """Return a game whose texts are as hostile as a record lets them be."""
    state = tzaar_envs.load_game("turm_und_waechter").new_state(1)
    history = GameHistory(state, seed=1, agents=[EVIL, f"{EVIL}2"])
    found = MoveData(value=0.5, depth=1, visits={EVIL: 3}, line=[EVIL])
    history.apply(int(state.legal_actions()[0]), found)
    history.end_by_forfeit("exception", EVIL)
    return history.to_record()


def test_recorded_games(tmp_path: Path) -> None:
    path, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    append_records(path, RecordedGamesHeader(), [hostile_record()])
    assert run_cli("replay", str(path), "--out", str(page))[0] == 0
    assert "<img" not in page.read_text(encoding="utf-8")


def test_results_files(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    play_tournament(ADDING_FOR_TWO, ["random", Lowest], path, 2, seed=1)
    text = path.read_text(encoding="utf-8").replace('"random"', json.dumps(EVIL))
    path.write_text(text, encoding="utf-8")
    report = tmp_path / "report.html"
    write_report(report, read_standings([path]), ())
    assert "<img" not in report.read_text(encoding="utf-8")
