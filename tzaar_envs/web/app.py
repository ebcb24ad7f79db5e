"""The application: pages and websockets, and how it is run."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Mapping

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from tzaar_envs.web.assets import Asset, assets
from tzaar_envs.web.browser import Browser
from tzaar_envs.web.guard import Guard, origins_of
from tzaar_envs.web.house import House
from tzaar_envs.web.limits import Limits

_MOST_HEADER_BYTES = 16_384
_CLOSE_SECONDS = 2


def make_app(house: House, origins: frozenset[str]) -> ASGIApp:
    """Return the application.

    Args:
        house: what its browsers share; closed at the end of the application.
        origins: under which it is known, see `guard.origins_of`.
    """
    found: Mapping[str, Asset] = assets()

    async def asset(request: Request) -> Response:
        known = found.get(request.scope["path"])
        if known is None:
            return PlainTextResponse("there is no such page\n", 404)
        return Response(known.content, media_type=known.media_type)

    async def connect(websocket: WebSocket) -> None:
        await Browser(house, websocket).serve()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            house.close()

    routes = [WebSocketRoute("/ws", connect), Route("/{path:path}", asset, methods=["GET"])]
    return Guard(Starlette(routes=routes, lifespan=lifespan), origins)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: the address to bind to.
        port: 0: any free one.

    Raises:
        OSError: the address cannot be used; says which.
        ValueError: it is none.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"{host} port {port}") from error
    except TypeError as error:  # it holds a zero, or a label that is too long
        raise ValueError(f"{host!r} is not an address: {error}") from error


class Server(uvicorn.Server):
    """The server.

    Args:
        app: what it serves.
        limits: of browsers and messages.
        started: called once it answers.
    """

    def __init__(
        self, app: ASGIApp, limits: Limits, started: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                ws="websockets-sansio",
                ws_max_size=limits.message_bytes,
                ws_max_queue=8,
                limit_concurrency=4 * limits.browsers + 16,
                h11_max_incomplete_event_size=_MOST_HEADER_BYTES,
                http="h11",
                loop="asyncio",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_CLOSE_SECONDS,
            )
        )
        self._tell_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if self.started:
            self._tell_started()


def run(
    host: str,
    port: int,
    limits: Limits,
    agents: tuple[str, ...] = (),
    origins: tuple[str, ...] = (),
    started: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until Ctrl-C.

    Args:
        host: the address to bind to.
        port: 0: any free one.
        limits: of what browsers may ask for.
        agents: agent texts that browsers may use although they name files.
        origins: further origins under which the server is known.
        started: called with the server's address once it answers.

    Raises:
        OSError: the address cannot be used.
        ValueError: it is none, no game has one of the agents, or an origin is not one.
        FileNotFoundError: the policy or the program of an agent does not exist.
        ModuleNotFoundError: an agent needs an extra that is not installed.
    """
    with listen(host, port) as listening:
        bound = listening.getsockname()[1]
        known = origins_of(host, bound, origins)
        name = f"[{host}]" if ":" in host else host
        house = House(limits, agents)
        server = Server(make_app(house, known), limits, lambda: started(f"http://{name}:{bound}/"))
        try:
            with contextlib.suppress(KeyboardInterrupt):
                server.run(sockets=[listening])
        finally:
            house.close()
