"""The application: what the server answers to, whom, and how it is run.

The page is for one person on this machine. So the server listens at the loopback address alone, and
all that must be kept out are pages of other sites in the person's browser: the header `Host` must
name this machine (else a site could point its own name here, DNS rebinding), and the websocket,
which browsers let any page open, must come from the server's own page.
"""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from tzaar_envs.registry import find_spec, list_games
from tzaar_envs.render.svg import style_sheet
from tzaar_envs.system.interrupts import SIGNALS
from tzaar_envs.web.catalogue import Catalogue, first_picture, rules
from tzaar_envs.web.client import Client, Sessions

HOST = "127.0.0.1"

_STATIC = Path(__file__).parent / "static"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


def make_app(sessions: Sessions) -> Starlette:
    """Return the application.

    Everything that can be fetched is in memory: no path of a request reaches a file.

    Args:
        sessions: What its clients share.
    """
    found = {"/theme.css": (style_sheet(), "text/css")}
    for file in _STATIC.iterdir():
        path = "/" if file.name == "index.html" else f"/{file.name}"
        found[path] = file.read_text(encoding="utf-8"), _TYPES[file.suffix]
    for name in list_games():
        spec = find_spec(name)
        for folder, text in (("rules", rules(spec)), ("pictures", first_picture(spec))):
            if text:
                found[f"/{folder}/{name}"] = text, "text/html"

    async def asset(request: Request) -> Response:
        content, media_type = found.get(request.scope["path"], (None, ""))
        if content is None:
            return PlainTextResponse("there is no such page\n", 404)
        return Response(content, media_type=media_type, headers=_HEADERS)

    async def connect(websocket: WebSocket) -> None:
        headers = websocket.headers
        if headers.get("origin") != f"http://{headers['host']}":
            await websocket.close(1008, "only the page of this server may connect")
            return
        await Client(sessions, websocket).serve()

    return Starlette(
        routes=[WebSocketRoute("/ws", connect), Route("/{path:path}", asset, methods=["GET"])],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
    )


def listen(port: int) -> socket.socket:
    """Return a socket that listens at the loopback address.

    Args:
        port: 0: any free one.

    Raises:
        OSError: The port cannot be used.
    """
    try:
        return socket.create_server((HOST, port), backlog=128)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"{HOST} port {port}") from error


def make_server(app: Starlette) -> uvicorn.Server:
    """Return the server of an application."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            ws="websockets-sansio",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=2,
        )
    )


def run(
    port: int = 8421,
    agents: Sequence[str] = (),
    started: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the page at the loopback address until Ctrl-C.

    Args:
        port: 0: any free one.
        agents: Agent texts that the page offers beside the agents of each game, such as
            `policy:PATH`.
        started: Called with the server's address; from then on it can be opened.

    Raises:
        OSError: The port cannot be used.
        ValueError: No game has one of the agents, or its policy is not one.
        FileNotFoundError: The policy or the program of an agent does not exist.
        ModuleNotFoundError: An agent needs an extra that is not installed.
    """
    with listen(port) as listening:
        server = make_server(make_app(Sessions(Catalogue(agents))))
        started(f"http://{HOST}:{listening.getsockname()[1]}/")
        handled = {*uvicorn.server.HANDLED_SIGNALS, *SIGNALS}
        uvicorn.server.HANDLED_SIGNALS = tuple(  # all but those that `nohup` ignores
            number for number in handled if signal.getsignal(number) != signal.SIG_IGN
        )
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
