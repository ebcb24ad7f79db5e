"""The server as its page sees it: messages over a websocket."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from recorded import short_record, whole_record
from web_server import RunningServer, running_server

from tzaar_envs import load_game
from tzaar_envs.arena.records import encode_records
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

GAME = "turm_und_waechter"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server() as running:
        # Networks are left to the tests of searches: PyTorch takes seconds to import.
        running.sessions.catalogue.network = lambda game: None  # type: ignore[method-assign]
        yield running


def test_a_whole_game_against_an_agent(server: RunningServer) -> None:
    with server.client() as client:
        assert {game["name"] for game in client.wait("hello")["games"]} >= {"tzaar", "zatre"}
        table = client.begin("twenty_one", ["human", "greedy"], seed=1)
        while not table["over"]:
            if table["can_play"]:
                client.play(table, table["actions"][0]["name"])
            table = client.wait("table")
        assert table["result"]
        assert table["seats"][1]["seconds"] >= 0


def test_agents_play_each_other_and_pause(server: RunningServer) -> None:
    with server.client() as client:
        client.begin(GAME, ["mcts:simulations=4", "greedy"])
        client.wait("table", ply=3)
        client.begin(GAME, ["mcts:simulations=100000000", "greedy"])
        client.send("pause", on=True)
        assert client.wait("table", paused=True)["thinking"] is None
        client.send("pause", on=False)
        assert client.wait("table", paused=False)["thinking"] == 0


def test_an_agent_thinks_about_the_variation_that_is_shown(server: RunningServer) -> None:
    with server.client() as client:
        table = client.begin(GAME, ["human", "mcts:simulations=100000000"])
        client.play(table, table["actions"][0]["name"])
        client.wait("table", ply=1)
        client.send("go", variation=0, ply=0)
        table = client.wait("table", ply=0)
        client.play(table, table["actions"][1]["name"])
        table = client.wait("table", variation=1)
        client.send("seats", seats=["human", "greedy"])
        table = client.wait("table", variation=1, ply=2)
        assert table["variations"] == [1, 2]


def test_a_hint(server: RunningServer) -> None:
    with server.client() as client:
        table = client.begin(GAME, ["human", "mcts:simulations=8"])
        client.send("hint")
        hint = client.wait("hint")
        assert hint["move"] in [action["name"] for action in table["actions"]]
        assert "policy=reference" in hint["agent"]  # the strongest of the ladder
        assert "%" in hint["expected"]
        assert len(hint["hotspots"]) == 2


@pytest.mark.parametrize("engine", ["mcts", "alphabeta"])
def test_an_analysis_grows(server: RunningServer, engine: str) -> None:
    with server.client() as client:
        client.begin(GAME, ["human", "human"])
        client.send("analyse", engine=engine)
        first = client.wait("analysis")
        later = client.wait("analysis")
        assert later["nodes"] > first["nodes"]
        best = later["moves"][0]
        assert best["move"] == later["line"][0]
        assert -1 <= best["value"] <= 1
        assert len(best["hotspots"]) == 2
        client.send("analyse", engine=None)


def test_an_analysis_follows_the_position(server: RunningServer) -> None:
    with server.client() as client:
        table = client.begin(GAME, ["human", "human"])
        client.send("analyse", engine="mcts")
        assert client.wait("analysis")["at"] == [0, 0]
        client.play(table, table["actions"][0]["name"])
        while client.wait("analysis")["at"] != [0, 1]:
            pass


def test_an_analysis_tells_nothing_hidden(server: RunningServer) -> None:
    with server.client() as client:
        table = client.begin("zatre", ["human", "greedy"])
        client.send("pause", on=True)
        client.wait("table", paused=True)
        while table["turn"] == 0:
            client.play(table, table["actions"][0]["name"])
            table = client.wait("table", paused=True, ply=table["ply"] + 1)
        client.send("analyse", engine="mcts")
        assert not client.wait("table")["can_analyse"]
        client.send("go", variation=0, ply=0)
        assert client.wait("analysis")["at"] == [0, 0]


def test_a_position_from_notation_and_its_address(server: RunningServer) -> None:
    state = load_game(GAME).new_state(1)
    state.apply(int(state.legal_actions()[3]))
    with server.client() as client:
        table = client.begin(GAME, ["human", "human"], position=str(state))
        assert table["turn"] == 1
        client.send("share")
        shared = client.wait("share")
        assert shared["position"] == str(state)
        assert not shared["tells"]
        client.send("new", game=GAME, position="nonsense")
        assert "nonsense" in client.error()


def test_a_dropped_file(server: RunningServer) -> None:
    records = [short_record(GAME), whole_record(GAME)]
    content = encode_records(RecordedGamesHeader(), records).decode()
    with server.client() as client:
        client.send("load", content=content)
        assert [game["plies"] for game in client.wait("games")["games"]] == [
            record.plies for record in records
        ]
        client.send("load", content=content, number=1)
        table = client.wait("table")
        assert (table["ply"], table["plies"]) == (0, records[1].plies)
        client.send("go", variation=0, ply=table["plies"])
        assert client.wait("table", ply=table["plies"])["over"]
        client.send("save")
        assert json.loads(client.wait("file")["content"].splitlines()[1])["actions"] == (
            records[1].actions
        )


def test_a_page_that_comes_back_finds_its_game(server: RunningServer) -> None:
    with server.client() as client:
        table = client.begin(GAME, ["human", "greedy"])
        client.play(table, table["actions"][0]["name"])
        table = client.wait("table", ply=2)
    with server.client() as client:
        client.send("resume", token=table["token"], engine="mcts")
        again = client.wait("table")
        assert again["moves"] == table["moves"]
        assert client.wait("analysis")["engine"] == "mcts"  # it goes on
        with server.client() as other:
            other.send("resume", token=table["token"])
            other.wait("table")
            client.wait("taken")


def test_seats_change_during_the_game(server: RunningServer) -> None:
    with server.client() as client:
        client.begin(GAME, ["human", "human"])
        client.send("seats", seats=["greedy", "human"])
        table = client.wait("table", ply=1)
        assert table["seats"][0]["text"] == "greedy"
        client.send("seats", seats=["greedy"])
        assert "1 seats are taken" in client.error()
