"""Replays as one player sees them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from command_line import run_cli
from recorded import record_of, short_record

from tzaar_envs.arena.records import forfeit_returns, write_records
from tzaar_envs.render.svg import to_svg
from tzaar_envs.replay import PlayedGame, game_page, game_text
from tzaar_envs.replay.page import points
from tzaar_envs.wrappers.record_games import RecordedGamesHeader


@pytest.mark.parametrize("viewer", [0, 1])
@pytest.mark.parametrize("name", ["zatre", "twenty_one"])
def test_pictures_do_not_depend_on_what_is_hidden(name: str, viewer: int) -> None:
    played = PlayedGame(short_record(name, plies=30), viewer=viewer)
    for ply, state in enumerate(played.positions):
        last = (played.positions[ply - 1], played.history.actions[ply - 1]) if ply else None
        other = state.determinize(viewer, seed=ply)
        assert to_svg(played.scene(ply)) == to_svg(other.scene(viewer, last=last))


def test_hands_of_others_are_face_down_in_the_page() -> None:
    record = short_record("zatre")
    face_down = "a tile, face down"
    assert face_down not in str(PlayedGame(record).scene(0))
    assert str(PlayedGame(record, viewer=1).scene(0)).count(face_down) == 3


def test_findings_of_the_own_agent_alone_are_told() -> None:
    record = short_record("zatre", plies=12)  # made-up findings in seat 0
    own, other = (PlayedGame(record, viewer=viewer) for viewer in (0, 1))
    assert any(points(own))
    assert "1,234 nodes" in "\n".join(game_text(own))
    assert not any(points(other))
    assert "1,234 nodes" not in "\n".join(game_text(other))
    assert 'id="curve"' not in game_page(other)


def test_a_choice_that_others_have_not_seen_is_not_told() -> None:
    found = set()
    for plies in range(1, 9):
        record = record_of("twenty_one", {}, plies, False)
        last = PlayedGame(record).players[-1]
        moves = PlayedGame(record, viewer=1 - last).moves
        assert PlayedGame(record, viewer=last).moves == record.actions
        assert moves[:-1] == record.actions[:-1]
        found.add(moves[-1] == "hidden")
    assert found == {True, False}


def test_neither_the_seed_nor_errors_of_others_are_told() -> None:
    record = short_record("zatre")
    culprit = PlayedGame(record).positions[-1].current_player
    record = msgspec.structs.replace(
        record,
        forfeit="exception",
        culprit=culprit,
        error="I held 1 2 3",
        returns=forfeit_returns(2, culprit),
        scores=None,
    )
    assert "seed 1" in game_page(PlayedGame(record))
    assert PlayedGame(record, viewer=culprit).reason == "I held 1 2 3"
    page = game_page(PlayedGame(record, viewer=1 - culprit))
    assert "seed" not in page.partition("<main>")[0]
    assert "I held" not in page


def test_without_hidden_information_a_viewer_changes_nothing() -> None:
    record = short_record("turm_und_waechter")
    assert game_page(PlayedGame(record, viewer=1)) == game_page(PlayedGame(record))


def test_the_command_takes_a_viewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_records("game.jsonl", RecordedGamesHeader(), [short_record("zatre")])
    assert run_cli("replay", "game.jsonl", "--viewer", "1")[0] == 0
    assert "as Player 1 sees it" in Path("game.html").read_text(encoding="utf-8")
