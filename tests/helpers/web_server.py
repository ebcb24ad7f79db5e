"""A server of `tzaar-envs serve` in this process, and clients that talk to it as a page does."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tzaar_envs.web import client
from tzaar_envs.web.app import listen, make_app, make_server
from tzaar_envs.web.catalogue import Catalogue
from tzaar_envs.web.client import Sessions

PATIENCE = 300.0  # seconds: a limit for hanging


@dataclass(frozen=True)
class RunningServer:
    """A server that answers.

    Attributes:
        sessions: what its clients share.
        port: on 127.0.0.1.
    """

    sessions: Sessions
    port: int

    @property
    def origin(self) -> str:
        """The origin of its page."""
        return f"http://127.0.0.1:{self.port}"

    @contextlib.contextmanager
    def client(self, origin: str | None = "own", **settings: Any) -> Iterator[Client]:
        """Connect as a page of an origin; None: without one."""
        sent = self.origin if origin == "own" else origin
        address = f"ws://127.0.0.1:{self.port}/ws"
        with connect(
            address,
            origin=sent,  # type: ignore[arg-type]
            max_size=None,
            open_timeout=PATIENCE,
            **settings,
        ) as socket:
            yield Client(socket)


class Client:
    """A browser's websocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def send(self, do: str, **content: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps({"do": do, **content}))

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=PATIENCE))
        return message

    def wait(self, kind: str, **expected: Any) -> dict[str, Any]:
        """Return the next message of a kind, with these contents; an error meanwhile fails."""
        while True:
            message = self.receive()
            if message["kind"] == kind and expected.items() <= message.items():
                return message
            assert message["kind"] != "error", message["text"]

    def error(self) -> str:
        """Return the text of the next error."""
        text: str = self.wait("error")["text"]
        return text

    def begin(self, game: str, seats: list[str], **content: Any) -> dict[str, Any]:
        """Begin a game and return what the page would show."""
        self.send("new", game=game, seats=seats, **content)
        return self.wait("table")

    def play(self, table: dict[str, Any], move: str) -> None:
        """Play a move in the position of a table."""
        self.send("play", move=move, variation=table["variation"], ply=table["ply"])


@contextlib.contextmanager
def running_server(*agents: str, pause: float = 0.0) -> Iterator[RunningServer]:
    """Run a server until the end of the block."""
    client.PAUSE = pause
    listening = listen(0)
    sessions = Sessions(Catalogue(agents))
    server = make_server(make_app(sessions))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
    thread.start()
    try:
        yield RunningServer(sessions, listening.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
