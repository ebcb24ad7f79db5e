"""What is let in: requests to this host's own names, from its own pages."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}


def origins_of(host: str, port: int, others: Iterable[str] = ()) -> frozenset[str]:
    """Return the origins under which a server is known.

    Args:
        host: the address that it is bound to.
        port: its port.
        others: further origins, such as `https://games.example.org`.

    Raises:
        ValueError: one of the others is not an origin.
    """
    names = {*_LOOPBACK, f"[{host}]" if ":" in host else host}
    found = {f"http://{name}:{port}" for name in names}
    found |= {f"http://{name}" for name in names if port == 80}
    for origin in others:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or origin != f"{parts.scheme}://{parts.netloc}":
            raise ValueError(f"{origin!r} is not an origin: use one like https://games.example.org")
        found.add(origin.lower())
    return frozenset(found)


class Guard:
    """Refuses requests that are not for this server, or not from its own page.

    A page of another site can make a browser send requests here, also under a name of its own that
    it lets point to this machine (DNS rebinding). So the header Host must be one of the server's
    names, and the header Origin, which websockets always have in browsers, one of its origins.

    Args:
        app: what is guarded.
        origins: see `origins_of`.
    """

    def __init__(self, app: ASGIApp, origins: frozenset[str]) -> None:
        self._app = app
        self._origins = origins
        self._hosts = frozenset(origin.partition("://")[2] for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if reason := self._why_refused(scope):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": reason})
                return
            status = 413 if "body" in reason else 403
            await PlainTextResponse(f"{reason}\n", status)(scope, receive, _with_headers(send))
            return
        await self._app(scope, receive, _with_headers(send))

    def _why_refused(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "this server is not known by that name"
        origins = headers.getlist("origin")
        if scope["type"] == "websocket" and len(origins) != 1:
            return "only pages of this server may connect"
        if any(origin.lower() not in self._origins for origin in origins):
            return "pages of other origins may not ask this server"
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return "no request here has a body"
        return None


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return sending
