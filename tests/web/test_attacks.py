"""Browsers and pages that mean harm: everything is refused, and the server goes on."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from web_server import PATIENCE, RunningServer, running_server
from websockets.exceptions import ConnectionClosed, InvalidStatus

GAME = "turm_und_waechter"


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running_server(browsers=4, games=3, message_bytes=100_000) as running:
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
        connection.putheader(name.replace("_", "-"), value)
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


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml", "/..%2f..%2fpyproject.toml", "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd", "/rules/../../etc/passwd", "/rules/tzaar.md", "/static/index.html",
        "/main.js/", "/app.py", "/pictures/%00", "/\\..\\..", "/rules/tzaar%00.html",
    ],
)  # fmt: skip
def test_no_path_reaches_a_file(server: RunningServer, path: str) -> None:
    status, content = get(server, path)
    assert status == 404
    assert content == b"there is no such page\n"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80"])
def test_other_names_of_this_machine_are_refused(server: RunningServer, host: str) -> None:
    assert get(server, "/", Host=host)[0] == 403
    assert get(server, "/rules/tzaar", Host=host)[0] == 403


def test_two_names_are_refused(server: RunningServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        name = f"127.0.0.1:{server.port}"
        raw.sendall(f"GET / HTTP/1.1\r\nHost: {name}\r\nHost: evil\r\n\r\n".encode())
        assert raw.recv(100).split()[1] in (b"400", b"403")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", None])
def test_websockets_of_other_origins_are_refused(server: RunningServer, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused, server.client(origin):
        pass
    assert refused.value.response.status_code == 403


def test_a_websocket_under_another_name_is_refused(server: RunningServer) -> None:
    with (
        pytest.raises(InvalidStatus),
        server.client(additional_headers={"Host": f"evil.example:{server.port}"}),
    ):
        pass


def test_pages_of_other_origins_may_not_ask(server: RunningServer) -> None:
    assert get(server, "/", Origin="http://evil.example")[0] == 403
    assert get(server, "/", Origin=server.origin)[0] == 200


def test_bodies_are_refused(server: RunningServer) -> None:
    assert get(server, "/", Content_Length="1000000000")[0] == 413
    assert get(server, "/", Transfer_Encoding="chunked")[0] == 413
    assert get(server, "/", method="POST")[0] == 405


def test_endless_headers_are_refused(server: RunningServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.settimeout(PATIENCE)
        raw.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 40_000)
        assert b" 400 " in raw.recv(200)


BAD: list[Any] = [
    "", "null", "[]", "7", "{", '{"do": 1}', '{"do": "fly"}', "{}", "[" * 50_000, '"\ud83d"',
    {"do": "new"}, {"do": "new", "game": 1}, {"do": "new", "game": "chess"},
    {"do": "new", "game": "../tzaar"}, {"do": "new", "game": GAME, "options": []},
    {"do": "new", "game": GAME, "options": {"x": 1}},
    {"do": "new", "game": GAME, "seats": ["human"]},
    {"do": "new", "game": GAME, "seats": ["human"] * 17}, {"do": "new", "game": GAME, "seed": -1},
    {"do": "new", "game": GAME, "seed": 2**70}, {"do": "new", "game": GAME, "seed": 1.5},
    {"do": "new", "game": GAME, "position": "x" * 20_001},
    {"do": "new", "game": GAME, "position": "\x00"},
    {"do": "new", "game": GAME, "position": 3}, {"do": "new", "game": GAME, "more": 1},
    {"do": "new", "game": "twenty_one", "options": {"players": 10**9}},
    {"do": "new", "game": "twenty_one", "options": {"players": True}},
    {"do": "new", "game": GAME, "seats": ["policy:/etc/passwd", "human"]},
    {"do": "new", "game": GAME, "seats": ["mcts:policy=/etc/passwd", "human"]},
    {"do": "new", "game": GAME, "seats": ["mcts:simulations=99999999", "human"]},
    {"do": "new", "game": GAME, "seats": ["mcts:simulations=\ud800", "human"]},
    {"do": "resume", "token": "../../x"}, {"do": "play", "move": "A7-B7-1", "line": 0, "ply": 0},
    {"do": "load", "content": ""}, {"do": "load", "content": "{}"},
    {"do": "load", "content": "{\n"},
    {"do": "load", "content": '{"format":"tzaar-envs games"}\n{"record":1}\n'},
    {"do": "load", "content": '{"format":"tzaar-envs games"}\n' + "[" * 5000 + "\n"},
]  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_a_bad_message_is_one_sentence(server: RunningServer, message: Any) -> None:
    with server.client() as client:
        client.wait("hello")
        text = message if isinstance(message, str) else json.dumps(message)
        client.socket.send(text.encode("utf-8", "replace").decode())
        text = client.error()
        assert "mistake" not in text
        assert "\n" not in text


AT_A_TABLE: list[Any] = [
    {"do": "play", "move": "Z9", "line": 0, "ply": 0},
    {"do": "play", "move": "x" * 101, "line": 0, "ply": 0},
    {"do": "play", "move": "A7-B7-1", "line": 9, "ply": 0},
    {"do": "play", "move": "A7-B7-1", "line": 0, "ply": 10**12},
    {"do": "go", "line": 5, "ply": 0}, {"do": "go", "line": 0, "ply": 5},
    {"do": "go", "line": -1, "ply": 0},
    {"do": "undo"}, {"do": "seats", "seats": []}, {"do": "seats", "seats": ["policy:x", "human"]},
    {"do": "pause", "on": 1}, {"do": "analyse", "engine": "policy:/etc/passwd"},
    {"do": "analyse", "engine": "mcts:policy=x"}, {"do": "analyse", "engine": "random"},
    {"do": "analyse"}, {"do": "hint", "agent": "x"},
]  # fmt: skip


@pytest.mark.parametrize("message", AT_A_TABLE)
def test_a_bad_message_changes_nothing(server: RunningServer, message: Any) -> None:
    with server.client() as client:
        table = client.begin(GAME, ["human", "human"])
        client.socket.send(json.dumps(message))
        assert "mistake" not in client.error()
        client.send("go", line=0, ply=0)
        assert client.wait("table") == table


def test_binary_messages_are_refused(server: RunningServer) -> None:
    with server.client() as client:
        client.wait("hello")
        client.socket.send(b"\x00\xff")
        assert client.error() == "the message is not text"


def test_a_huge_message_closes_the_connection(server: RunningServer) -> None:
    with server.client() as client:
        client.wait("hello")
        with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012
            client.socket.send("x" * 200_000)
            client.receive()
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1009


def test_a_flood_closes_the_connection() -> None:
    with running_server(messages_per_second=5, burst=20) as server, server.client() as client:
        with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012
            for _ in range(1000):
                client.send("undo")
            while True:
                client.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008


def test_there_are_not_too_many_browsers(server: RunningServer) -> None:
    clients = [server.client() for _ in range(4)]
    entered = [client.__enter__() for client in clients]
    for client in entered:
        client.wait("hello")
    with server.client() as fifth, pytest.raises(ConnectionClosed) as closed:
        fifth.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1013
    for client in clients:
        client.__exit__(None, None, None)
    _wait_until(lambda: server.house.browsers == 0)


def test_there_are_not_too_many_games() -> None:
    with running_server(games=2) as server:
        with server.client() as one, server.client() as two, server.client() as three:
            kept = one.begin(GAME, ["human", "human"])
            for _ in range(5):  # each takes the place of the one before
                two.begin(GAME, ["human", "human"])
            three.send("new", game=GAME)
            assert "the most that this server allows" in three.error()
        _wait_until(lambda: server.house.browsers == 0)
        with server.client() as client:
            client.begin(GAME, ["human", "human"])  # in place of one whose browser has left
            client.send("resume", token=kept["token"])
            message = client.receive()
            assert message["kind"] in ("error", "table")


def test_a_socket_that_breaks_off_ends_what_was_thought_for_it() -> None:
    with running_server() as server:
        with server.client() as client:
            client.begin(GAME, ["mcts:simulations=100000", "random"])
            client.socket.socket.shutdown(socket.SHUT_RDWR)
        _wait_until(lambda: server.house.browsers == 0)
        with server.client() as client:  # the only process is free again
            client.begin(GAME, ["random", "human"])
            client.wait("table", ply=1)


def test_a_thinking_agent_keeps_nobody_waiting() -> None:
    endless = {"simulations": 10**8, "seconds": 3600.0}
    with running_server(**endless) as server, server.client() as one, server.client() as other:
        table = one.begin(GAME, ["mcts:simulations=100000000", "human"])
        assert table["thinking"] == 0
        table = other.begin(GAME, ["human", "human"])
        other.play(table, table["actions"][0]["name"])
        assert other.wait("table", ply=1)
        assert get(server, "/")[0] == 200
        one.send("undo")
        assert "nothing to take back" in one.error()
        one.send("seats", seats=["human", "human"])
        assert one.wait("table", thinking=None)["can_play"]


def _wait_until(condition: Any) -> None:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.02)
