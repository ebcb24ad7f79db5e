"""Texts from files and programs reach a terminal without their control characters."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from command_line import run_cli
from small_games.adding import ADDING_FOR_TWO
from small_games.agents import Lowest
from small_policies import save_new_sparse_policy

import tzaar_envs
from tzaar_envs.arena import for_terminal, match_report, play_match, tournament_report
from tzaar_envs.arena.records import GameRecord, MoveData, Recorder, append_records
from tzaar_envs.arena.standings import read_standings
from tzaar_envs.cli.output import new_console
from tzaar_envs.networks.card import make_card
from tzaar_envs.networks.file import load_policy, save_policy
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

EVIL = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\u2066</script><img src=x onerror=alert(1)>"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def no_control(text: str) -> None:
    found = CONTROLS.search(text)
    assert found is None, (found, text[max(0, found.start() - 80) :][:160])


def hostile_record() -> GameRecord:
    """Return a game whose texts are as hostile as a record lets them be."""
    state = tzaar_envs.load_game("turm_und_waechter").new_state(1)
    recorder = Recorder(state, seed=1, agents=[EVIL, f"{EVIL}2"])
    found = MoveData(value=0.5, depth=1, visits={EVIL: 3}, line=[EVIL])
    recorder.play(state, int(state.legal_actions()[0]), found)
    return recorder.record(state, fault="exception", error=EVIL, returns=[1.0, -1.0])


@pytest.mark.parametrize("games", [1, 2])
def test_recorded_games(games: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where pages without a name of their own are written
    path, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    append_records(path, RecordedGamesHeader(), [hostile_record()] * games)
    for words in (["--text"], [], ["--text", "--game", "1"], ["--out", str(page), "--game", "1"]):
        code, out, err = run_cli("replay", str(path), *words)
        no_control(out + err)
    html = page.read_text(encoding="utf-8")
    no_control(html)
    assert "<img" not in html
    assert code == 0


def test_matches_and_tournaments(tmp_path: Path) -> None:
    class Evil(Lowest):
        name = EVIL

        def in_trouble(self, position: object) -> int:
            raise ValueError(EVIL)

    result = play_match(ADDING_FOR_TWO, ["random", Evil], 2, seed=1)
    document = match_report(result)
    console = new_console()
    with console.capture() as captured:
        console.print(document)
    no_control(captured.get())
    assert "title" in captured.get()


def test_results_files(tmp_path: Path) -> None:
    from tzaar_envs.arena import play_tournament, write_report

    path = tmp_path / "results.jsonl"
    play_tournament(ADDING_FOR_TWO, ["random", Lowest], path, 2, seed=1)
    text = path.read_text(encoding="utf-8").replace('"random"', json.dumps(EVIL))
    path.write_text(text, encoding="utf-8")
    standings = read_standings([path])
    console = new_console()
    with console.capture() as captured:
        console.print(for_terminal(tournament_report(standings)))
    no_control(captured.get())
    report = tmp_path / "report.html"
    write_report(report, standings, ())
    assert "<img" not in report.read_text(encoding="utf-8")


def test_cards(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    game = tzaar_envs.load_game("turm_und_waechter")
    save_new_sparse_policy(path, game)
    network, _ = load_policy(path)
    card = make_card(game, network.shape, {"algorithm": EVIL, "steps": 5, "command": EVIL})
    save_policy(path, network, card)
    code, out, err = run_cli("card", str(path))
    assert code == 0
    no_control(out + err)


def test_errors_that_name_a_file(tmp_path: Path) -> None:
    name = "\x1b[2J\u202e.jsonl"
    for words in (["replay", name], ["rate", name], ["card", name], ["evaluate", "tzaar", name]):
        code, out, err = run_cli(*words)
        assert code == 2
        no_control(out + err)
    (tmp_path / name).write_text('{"format": "\\u001b[2J"}\n{"record": "\\u001b[2J"}\n')
    for command in ("replay", "rate"):
        code, out, err = run_cli(command, str(tmp_path / name))
        assert code == 2
        no_control(out + err)


def test_the_record_is_as_hostile_as_it_can_be() -> None:
    """Else the tests above would mean nothing."""
    assert EVIL in json.loads(msgspec.json.encode(hostile_record()))["agents"]
