"""A server of `tzaar-envs serve` in this process, and clients that talk to it as a page does."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tzaar_envs.web.app import Server, listen, make_app
from tzaar_envs.web.guard import origins_of
from tzaar_envs.web.house import House
from tzaar_envs.web.limits import Limits

PATIENCE = 300.0  # seconds: a limit for hanging


@dataclass(frozen=True)
class RunningServer:
    """A server that answers.

    Attributes:
        house: what its browsers share.
        port: on 127.0.0.1.
    """

    house: House
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
        self.send("play", move=move, line=table["line"], ply=table["ply"])


@contextlib.contextmanager
def running_server(named: tuple[str, ...] = (), **limits: Any) -> Iterator[RunningServer]:
    """Run a server until the end of the block."""
    chosen = Limits(**{"processes": 1, "pause": 0.0, "messages_per_second": 500, **limits})
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    house = House(chosen, named)
    started = threading.Event()
    server = Server(make_app(house, origins_of("127.0.0.1", port)), chosen, started.set)
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
    thread.start()
    try:
        assert started.wait(PATIENCE)
        yield RunningServer(house, port)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        house.close()
        listening.close()
