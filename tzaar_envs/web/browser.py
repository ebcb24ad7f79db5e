"""A browser: one websocket, the table that it plays at, and what is thought about for it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import time
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

import tzaar_envs
from tzaar_envs.arena.records import GameRecord, encode_records
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.registry import load_game
from tzaar_envs.replay.files import read_content
from tzaar_envs.replay.words import search_text
from tzaar_envs.web import messages, thinker
from tzaar_envs.web.house import House
from tzaar_envs.web.messages import AnyMessage
from tzaar_envs.web.places import clickable
from tzaar_envs.web.table import Table
from tzaar_envs.web.thinker import Chosen, Failed, Report
from tzaar_envs.web.thinking import Thought
from tzaar_envs.web.view import snapshot
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

LEFT, REFUSED, FULL = 1000, 1008, 1013  # codes of closed websockets (RFC 6455)
_LISTED_GAMES = 200  # of a file
_SPARE_SECONDS = 5.0  # beyond the limit, before a process is ended

_log = logging.getLogger("tzaar_envs.web")


class Browser:
    """Serves one websocket until it is closed.

    Args:
        house: what it shares with others.
        socket: not yet accepted.
    """

    def __init__(self, house: House, socket: WebSocket) -> None:
        self._house = house
        self._socket = socket
        self._table: Table | None = None
        self._lock = asyncio.Lock()  # held while the table changes
        self._outbox: dict[str, dict[str, Any]] = {}  # the newest message of each kind
        self._has_mail = asyncio.Event()
        self._answers: asyncio.Queue[tuple[Thought, object]] = asyncio.Queue()
        self._mover: Thought | None = None
        self._adviser: Thought | None = None
        self._analyst: Thought | None = None
        self._engine: str | None = None
        self._analysed: State | None = None
        self._allowance = _Allowance(house.limits.messages_per_second, house.limits.burst)
        self._later: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Serve the browser until it leaves."""
        await self._socket.accept()
        if self._house.browsers >= self._house.limits.browsers:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self._socket.close(FULL, "too many browsers are connected: try again later")
            return
        self._house.browsers += 1
        tasks = [asyncio.create_task(self._deliver()), asyncio.create_task(self._take_answers())]
        try:
            self._post("hello", version=tzaar_envs.__version__, games=self._house.games)
            await self._receive()
        finally:
            self._house.browsers -= 1
            self._stop_thinking()
            for task in (*tasks, *([self._later] if self._later else [])):
                task.cancel()
            if self._table is not None:
                self._house.leave(self._table, self)

    async def leave_table(self) -> None:
        """Give up the table to another browser."""
        async with self._lock:
            self._stop_thinking()
            self._table = None
        self._post("taken")

    # --- Messages --------------------------------------------------------------------------------

    async def _receive(self) -> None:
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            if not self._allowance.take():
                await self._close(REFUSED, "too many messages in a short time")
                return
            text = received.get("text")
            if text is None:
                self._post("error", text="the message is not text")
                continue
            async with self._lock:
                await self._obey(text)

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.close(code, reason)

    async def _obey(self, text: str) -> None:
        """Do what a message says; whatever is wrong with it becomes an error message."""
        try:
            await self._do(messages.decode(text))
        except ValueError as error:
            self._post("error", text=" ".join(str(error).split()))
        except WebSocketDisconnect:
            raise
        except Exception:
            _log.exception("a message could not be answered")
            self._post("error", text="this server has made a mistake: its terminal says which")

    async def _do(self, message: AnyMessage) -> None:
        match message:
            case messages.New():
                await self._begin(message)
            case messages.Load():
                await self._load(message)
            case messages.Resume():
                await self._resume(message.token)
            case _:
                await self._act(message, self._at_table())
                return
        await self._show()

    async def _act(self, message: AnyMessage, table: Table) -> None:
        """Do what a message to a table says."""
        match message:
            case messages.Play():
                await asyncio.to_thread(table.play, message.move, message.line, message.ply)
            case messages.Go():
                table.go(message.line, message.ply)
            case messages.Undo():
                table.undo()
                self._stop_moving()
            case messages.Reveal():
                table.reveal()
            case messages.Pause():
                table.is_paused = message.on
                self._stop_moving()
            case messages.ChangeSeats():
                self._change_seats(table, message.seats)
            case messages.Analyse():
                engine = message.engine
                self._engine = engine and self._house.seats.engine(engine, table.game)
                self._stop_analysis()
            case messages.Hint():
                self._advise(table)
                return
            case messages.Save():
                self._save(table)
                return
            case messages.Share():
                self._share(table)
                return
        await self._show()

    def _at_table(self) -> Table:
        if self._table is None:
            raise ValueError("there is no game here: begin one")
        return self._table

    async def _begin(self, message: messages.New) -> None:
        game = load_game(message.game, **message.options)
        seats = [self._house.seats.check(text, game) for text in message.seats]
        await self._house.load(game)
        table = await asyncio.to_thread(
            Table.begin,
            *(game, seats, message.seed, message.position, message.open),
            self._house.limits.lines,
        )
        self._replace(table)

    async def _resume(self, token: str) -> None:
        try:
            table = await self._house.find(token, self)
        except ValueError as error:
            self._post("error", text=str(error), gone=True)
            return
        self._enter(table)

    async def _load(self, message: messages.Load) -> None:
        file = io.BytesIO(message.content.encode("utf-8", "replace"))
        records = await asyncio.to_thread(read_content, file, "the file")
        if message.game is None and len(records) > 1:
            listed = [_listing(record) for record in records[:_LISTED_GAMES]]
            self._post("games", games=listed, others=len(records) - len(listed))
            return
        number = message.game or 0
        if number >= len(records):
            raise ValueError(f"the file has {len(records)} games: there is no game {number + 1}")
        record = records[number]
        await self._house.load(record.load_game())
        table = await asyncio.to_thread(Table.of_record, record, self._house.limits.lines)
        self._replace(table)

    def _replace(self, table: Table) -> None:
        """Sit down at a new table; the old one is forgotten."""
        if self._table is not None:
            self._house.drop(self._table)
            self._table = None
        self._stop_thinking()
        self._house.add(table, self)
        self._enter(table)

    def _enter(self, table: Table) -> None:
        if self._table is not None and self._table is not table:
            self._house.drop(self._table)
        self._stop_thinking()
        self._engine = None
        self._table = table

    def _change_seats(self, table: Table, seats: list[str]) -> None:
        if len(seats) != table.game.num_players:
            raise ValueError(f"{len(seats)} seats: {table.game.name} has {table.game.num_players}")
        table.seats = [self._house.seats.check(text, table.game) for text in seats]
        self._stop_moving()

    def _save(self, table: Table) -> None:
        lines = encode_records(RecordedGamesHeader(), [table.record()])
        self._post("file", name=f"{table.game.name}.jsonl", content=lines.decode())

    def _share(self, table: Table) -> None:
        self._post(
            "share",
            game=table.game.name,
            options=dict(table.game.options),
            position=str(table.state),
            tells=table.has_secrets,
        )

    # --- What is thought about -------------------------------------------------------------------

    def _think(self, request: object, agent: str, game: Game, analyse: bool = False) -> Thought:
        loop = asyncio.get_running_loop()

        def report(answer: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has been closed
                loop.call_soon_threadsafe(self._answers.put_nowait, (thought, answer))

        seconds = self._house.limits.seconds + _SPARE_SECONDS
        kind = f"{game.name} {agent.partition(':')[0]}"
        thought = Thought(request, report, seconds, kind)
        (self._house.analysts if analyse else self._house.movers).think(thought)
        return thought

    def _stop_moving(self) -> None:
        if self._mover is not None:
            self._mover.cancel()
            self._mover = None

    def _stop_analysis(self) -> None:
        if self._analyst is not None:
            self._analyst.cancel()
        self._analyst = self._analysed = None

    def _stop_thinking(self) -> None:
        self._stop_moving()
        self._stop_analysis()
        if self._adviser is not None:
            self._adviser.cancel()
            self._adviser = None

    def _wake(self) -> None:
        """Let think whoever has to: the agent to move, and the analysis of what is shown."""
        table = self._table
        if table is None:
            return
        agent = table.agent_to_move
        if self._mover is not None and self._thinks_about(self._mover) is not table.line.last:
            self._stop_moving()  # another line is shown
        if agent is not None and self._mover is None:
            request = thinker.Choose(table.line.last, agent, table.agent_seed())
            self._mover = self._think(request, agent, table.game)
        if self._engine is None or self._analysed is table.state:
            return
        self._stop_analysis()
        self._analysed = table.state
        if not table.can_analyse:
            self._post("analysis", moves=[], running=False, at=[table.at, table.ply])
            return
        limits = self._house.limits
        network = self._house.seats.network(table.game.spec)
        analyse = thinker.Analyse(
            *(table.state, self._engine, network),
            *(limits.seconds, limits.simulations, limits.depth),
        )
        self._analyst = self._think(analyse, self._engine, table.game, analyse=True)

    @staticmethod
    def _thinks_about(thought: Thought) -> State:
        """Return the position in which a move is looked for."""
        assert isinstance(thought.request, thinker.Choose)
        return thought.request.state

    def _advise(self, table: Table) -> None:
        if not table.can_play:
            raise ValueError("there is no hint: it is not your turn")
        if self._adviser is not None:
            raise ValueError("a hint is being looked for already")
        agent = self._house.seats.adviser(table.seats, table.game)
        request = thinker.Choose(table.state, agent, [table.ply])
        self._adviser = self._think(request, agent, table.game)

    async def _take_answers(self) -> None:
        while True:
            thought, answer = await self._answers.get()
            async with self._lock:
                try:
                    await self._take(thought, answer)
                except Exception:
                    _log.exception("an answer could not be used")
                    self._post("error", text="this server has made a mistake: its terminal says it")

    async def _take(self, thought: Thought, answer: object) -> None:
        table = self._table
        if thought.is_cancelled or table is None:
            return
        if thought is self._mover:
            await self._take_move(table, answer)
        elif thought is self._adviser:
            self._adviser = None
            self._take_hint(table, thought, answer)
        elif thought is self._analyst:
            self._take_report(table, answer)

    async def _take_move(self, table: Table, answer: object) -> None:
        self._mover = None
        seat = table.line.last.current_player
        agent = table.seats[seat]
        try:
            if isinstance(answer, Failed):
                raise ValueError(answer.reason)
            assert isinstance(answer, Chosen)
            await asyncio.to_thread(table.play_agent, answer.action, answer.data, answer.seconds)
        except ValueError as error:
            table.is_paused = True
            self._post("error", text=f"{agent} cannot move, so the game is paused: {error}")
        wait = self._house.limits.pause if table.agent_to_move else 0.0
        await self._show(wait)

    def _take_hint(self, table: Table, thought: Thought, answer: object) -> None:
        if isinstance(answer, Failed):
            self._post("error", text=f"there is no hint: {answer.reason}")
            return
        assert isinstance(answer, Chosen)
        state = self._thinks_about(thought)
        if state is not table.state or not table.can_play:
            return
        name = state.action_name(answer.action)
        entry = next(each for each in clickable(state)[0] if each["name"] == name)
        assert isinstance(thought.request, thinker.Choose)
        self._post(
            "hint", agent=thought.request.agent, move=name, found=search_text(answer.data),
            places=entry["places"], arrow=entry["arrow"],
        )  # fmt: skip

    def _take_report(self, table: Table, answer: object) -> None:
        if isinstance(answer, Failed):
            self._post("error", text=f"the analysis has ended: {answer.reason}")
            self._analyst = None
            return
        assert isinstance(answer, Report)
        place = {"at": [table.at, table.ply], "running": not answer.is_last}
        self._post("analysis", engine=self._engine, **place, **answer.content)

    # --- What the browser sees -------------------------------------------------------------------

    async def _show(self, wait: float = 0.0) -> None:
        """Show the table, and let think whoever has to, after a while."""
        if self._table is None:
            return
        self._post("table", **await asyncio.to_thread(snapshot, self._table))
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if wait:
            self._later = asyncio.create_task(self._wake_later(wait))
        else:
            self._wake()

    async def _wake_later(self, wait: float) -> None:
        await asyncio.sleep(wait)
        self._wake()

    def _post(self, kind: str, **content: Any) -> None:
        """Send a message, in place of an older one of its kind that is still waiting."""
        self._outbox.pop(kind, None)
        self._outbox[kind] = {"kind": kind} | content
        self._has_mail.set()

    async def _deliver(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has left
            while True:
                await self._has_mail.wait()
                self._has_mail.clear()
                while self._outbox:
                    kind = next(iter(self._outbox))
                    text = msgspec.json.encode(self._outbox.pop(kind)).decode()
                    await self._socket.send_text(text)


class _Allowance:
    """How many messages a browser may still send: a bucket that fills again with time."""

    def __init__(self, rate: float, most: int) -> None:
        self._rate, self._most = rate, most
        self._left = float(most)
        self._seen = time.monotonic()

    def take(self) -> bool:
        """Take one; False if there is none."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._seen) * self._rate)
        self._seen = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def _listing(record: GameRecord) -> dict[str, Any]:
    winners = [seat for seat, value in enumerate(record.returns or []) if value > 0]
    return {
        "game": record.game,
        "agents": record.agents,
        "plies": record.plies,
        "winners": winners,
    }
