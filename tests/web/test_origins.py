"""Pages of other sites, and messages that are wrong: everything is refused, the server goes on."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from processes import eventually
from web_server import PATIENCE, RunningServer, running_server
from websockets.exceptions import InvalidStatus

GAME = "turm_und_waechter"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _still_answers(server: RunningServer) -> Iterator[None]:
    yield
    with server.client() as client:
        client.wait("hello")


def get(server: RunningServer, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def test_the_page_and_its_policy(server: RunningServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", "/")
    answer = connection.getresponse()
    assert answer.status == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert b'<script type="module" src="/main.js">' in answer.read()


@pytest.mark.parametrize("path", ["/rules/tzaar", "/pictures/zatre", "/theme.css"])
def test_what_can_be_fetched(server: RunningServer, path: str) -> None:
    assert get(server, path)[0] == 200
    assert get(server, path, method="POST")[0] == 405


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/..%2f..%2fpyproject.toml", "//etc/passwd", "/rules/tzaar.md"]
)
def test_no_path_reaches_a_file(server: RunningServer, path: str) -> None:
    assert get(server, path) == (404, b"there is no such page\n")


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil:80", "0.0.0.0"])
def test_other_names_of_this_machine_are_refused(server: RunningServer, host: str) -> None:
    assert get(server, "/", Host=host)[0] == 400
    with (
        pytest.raises(InvalidStatus),
        server.client(f"http://{host}", additional_headers={"Host": host}),
    ):
        pass


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", None]
)
def test_websockets_of_other_origins_are_refused(server: RunningServer, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused, server.client(origin):
        pass
    assert refused.value.response.status_code == 403


BAD: list[Any] = [
    "", "null", "[]", "{", '{"do": 1}', '{"do": "fly"}', "{}", "[" * 50_000,
    {"do": "new"}, {"do": "new", "game": 1}, {"do": "new", "game": "chess"},
    {"do": "new", "game": GAME, "options": []},
    {"do": "new", "game": GAME, "options": {"x": 1}},
    {"do": "new", "game": GAME, "seats": ["human"]},
    {"do": "new", "game": GAME, "seed": -1}, {"do": "new", "game": GAME, "seed": 1.5},
    {"do": "new", "game": GAME, "position": "\x00"}, {"do": "new", "game": GAME, "more": 1},
    {"do": "new", "game": "twenty_one", "options": {"players": 10**9}},
    {"do": "new", "game": GAME, "seats": ["engine:true", "human"]},
    {"do": "new", "game": GAME, "seats": ["mcts:simulations=x", "human"]},
    {"do": "resume", "token": "../../x"}, {"do": "play", "move": "A7-B7-1"},
    {"do": "load", "content": ""}, {"do": "load", "content": "{}"},
    {"do": "load", "content": "{\n"},
    {"do": "load", "content": '{"format":"tzaar-envs games"}\n{"record":1}\n'},
    {"do": "load", "content": '{"format":"tzaar-envs games"}\n' + "[" * 5000 + "\n"},
]  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_a_bad_message_is_one_sentence(server: RunningServer, message: Any) -> None:
    with server.client() as client:
        client.wait("hello")
        client.socket.send(message if isinstance(message, str) else json.dumps(message))
        text = client.error()
        assert "mistake" not in text
        assert "\n" not in text


AT_A_TABLE: list[Any] = [
    {"do": "play", "move": "Z9"}, {"do": "play", "move": "A7-B7-1", "variation": 9},
    {"do": "play", "move": "A7-B7-1", "ply": 10**12},
    {"do": "go", "variation": 5}, {"do": "go", "ply": 5}, {"do": "go", "variation": -1},
    {"do": "undo"}, {"do": "seats", "seats": []}, {"do": "seats", "seats": ["nobody", "human"]},
    {"do": "seats", "seats": ["engine:true", "human"]},
    {"do": "pause", "on": 1}, {"do": "analyse", "engine": "mcts:policy=x"},
    {"do": "analyse", "engine": "random"}, {"do": "hint", "agent": "x"},
]  # fmt: skip


@pytest.mark.parametrize("message", AT_A_TABLE)
def test_a_bad_message_changes_nothing(server: RunningServer, message: Any) -> None:
    with server.client() as client:
        table = client.begin(GAME, ["human", "human"])
        client.socket.send(json.dumps(message))
        assert "mistake" not in client.error()
        client.send("go", variation=0, ply=0)
        assert client.wait("table") == table


def test_a_socket_that_breaks_off_ends_the_searches_for_it(server: RunningServer) -> None:
    with server.client() as client:
        client.begin(GAME, ["mcts:simulations=100000000", "random"])
        client.send("analyse", engine="alphabeta")
        client.wait("analysis")
        client.socket.socket.shutdown(socket.SHUT_RDWR)
    assert eventually(no_search_runs)


def test_a_long_search_keeps_nobody_waiting(server: RunningServer) -> None:
    with server.client() as one, server.client() as other:
        table = one.begin(GAME, ["mcts:simulations=100000000", "human"])
        assert table["thinking"] == 0
        table = other.begin(GAME, ["human", "greedy"])
        other.play(table, table["actions"][0]["name"])
        assert other.wait("table", ply=2)
        assert get(server, "/")[0] == 200
        one.send("undo")
        assert "nothing to take back" in one.error()
        one.send("seats", seats=["human", "human"])
        assert one.wait("table", thinking=None)["can_play"]
    assert eventually(no_search_runs)


def no_search_runs() -> bool:
    return all(thread.name != "search" for thread in threading.enumerate())
