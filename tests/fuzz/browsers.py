"""What a page sends: messages over a websocket, with moves, positions, seats and files."""

from __future__ import annotations

import asyncio
import functools
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import msgspec
from fuzz.values import expect, is_text, text
from hypothesis import strategies as st

if TYPE_CHECKING:
    from fuzz.calls import Session

_SEATS = ("human", "random", "greedy", "mcts:simulations=9", "policy:/etc/passwd", "engine:sh", "")
_NUMBERS = (0, 1, 2, -1, 2**31, 1.5, None, "0")


class _NoSearches:
    """Searches that never find anything: what they would find is fuzzed elsewhere."""

    async def choose(self, *arguments: Any) -> Any:
        """Wait."""
        await asyncio.Event().wait()

    async def analyse(self, *arguments: Any) -> Any:
        """Wait."""
        await asyncio.Event().wait()
        yield {}


@functools.cache
def _sessions() -> Any:
    from tzaar_envs.web.catalogue import Catalogue
    from tzaar_envs.web.client import Sessions

    sessions: Any = Sessions(Catalogue())
    sessions.searches = _NoSearches()
    return sessions


def browser(session: Session) -> None:
    """Send messages, and see that none of them is a mistake of the server."""
    if find_spec("starlette") is None:
        return
    messages = [_message(session) for _ in range(session.draw(st.integers(2, 7)))]
    with session.call(f"Client {str(messages)[:200]}"):
        asyncio.run(_obey(session, messages))


async def _obey(session: Session, messages: list[Any]) -> None:
    from tzaar_envs.web.client import Client

    client: Any = Client(_sessions(), None)  # type: ignore[arg-type]
    begin = {"do": "new", "game": session.game.name, "options": dict(session.game.options)}
    for message in [begin, *messages]:
        content = message if isinstance(message, str) else msgspec.json.encode(message).decode()
        with session.call(f"Client._obey {content[:200]}"):
            await client._obey(content)
        while not client._outbox.empty():
            answer = client._outbox.get_nowait()
            msgspec.json.encode(answer)
            expect(answer["kind"] != "error" or "made a mistake" not in answer["text"])
    client._leave()


def _message(session: Session) -> Any:
    """Draw a message: a right one, with one wrong value, or anything."""
    draw, state = session.draw, session.state
    name = "pass" if session.over else state.action_name(int(state.legal_actions()[0]))
    position = draw(text(str(state)).filter(is_text))
    seats = draw(st.lists(st.sampled_from(_SEATS), max_size=session.game.num_players))
    numbers = st.sampled_from(_NUMBERS)
    move = draw(text(name).filter(is_text))
    right: list[dict[str, Any]] = [
        {"do": "new", "game": session.game.name, "position": position, "seats": seats, "seed": 1},
        {"do": "play", "move": move, "variation": 0, "ply": 0},
        {"do": "go", "variation": draw(numbers), "ply": draw(numbers)},
        {"do": "undo"}, {"do": "hint"}, {"do": "reveal"}, {"do": "save"}, {"do": "share"},
        {"do": "pause", "on": draw(st.booleans())},
        {"do": "seats", "seats": seats},
        {"do": "analyse", "engine": draw(st.sampled_from([None, "mcts", "alphabeta", "x"]))},
        {"do": "resume", "token": draw(st.text(max_size=3))},
        {"do": "load", "content": draw(text('{"format":"tzaar-envs games"}\n{}').filter(is_text))},
    ]  # fmt: skip
    message = dict(draw(st.sampled_from(right)))
    if draw(st.integers(0, 3)) == 0:
        key = draw(st.sampled_from([*message, "x"]))
        message[key] = draw(st.sampled_from([None, 1, -1, 2**70, "", "x", [], {}, [[]], 1.5]))
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(["", "{", "[" * 50_000, "null", '{"do":"play"', "\0", "1e999"]))
    return message


CALLS: tuple[Any, ...] = (browser,)
