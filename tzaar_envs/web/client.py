"""A client: one window of a browser, with its websocket, its table and the searches for it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

import tzaar_envs
from tzaar_envs.arena.history import HUMAN
from tzaar_envs.arena.records import RecordedGamesHeader, encode_records
from tzaar_envs.replay.files import read_content
from tzaar_envs.system.extras import sentence_of
from tzaar_envs.web.catalogue import Catalogue
from tzaar_envs.web.searches import Searches, in_thread
from tzaar_envs.web.table import Table
from tzaar_envs.web.view import expectation, hotspots_of, snapshot

PAUSE = 0.4
"""Seconds that an agent's move is shown before the next agent begins to think."""

_LISTED_GAMES = 200  # of a file
_AGENTS = 1  # stream of a table's seed, for the choices of agents

_log = logging.getLogger("tzaar_envs.web")

Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Message(msgspec.Struct, forbid_unknown_fields=True):
    """A message of the page; `docs/serve.md` says which fields belong to which purpose.

    Attributes:
        do: Its purpose.
        game: Name of a game.
        options: Those of the game that differ from their defaults.
        seats: `human` or an agent text for each; none: persons.
        seed: None: a random one.
        position: The start position in notation; None for the one that the seed gives.
        open: Whether hidden information is shown to everybody.
        token: That of a table.
        move: The move in notation.
        variation: The number of a variation.
        ply: How many of its moves come before the position.
        on: Whether the agents wait.
        engine: The search that analyses what is shown, now and later; None: none.
        content: That of a file of games.
        number: Which of them is opened; None: the only one, or several are listed.
    """

    do: Literal[
        "new", "load", "resume", "play", "go", "undo", "reveal", "pause", "seats", "analyse",
        "hint", "save", "share", "flip",
    ]  # fmt: skip
    game: str = ""
    options: dict[str, bool | int | float | str] = {}
    seats: list[str] = []
    seed: Number | None = None
    position: str | None = None
    open: bool = False
    token: str = ""
    move: str = ""
    variation: Number = 0
    ply: Number = 0
    on: bool = False
    engine: Literal["network", "mcts", "mcts:leaf=playout", "alphabeta"] | None = None
    content: str = ""
    number: Number | None = None


_decoder = msgspec.json.Decoder(Message)


class Sessions:
    """What all clients share.

    Args:
        catalogue: The games and agents that the page offers.

    Attributes:
        catalogue: As given.
        searches: Those of all clients.
        tables: All tables by their tokens, so that a page that is loaded again finds its own.
        clients: Who shows a table, by its token.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.searches = Searches()
        self.tables: dict[str, Table] = {}
        self.clients: dict[str, Client] = {}


class Client:
    """Serves one websocket until it is closed. All methods run in the event loop.

    Args:
        sessions: What it shares with others.
        socket: Not yet accepted.
    """

    def __init__(self, sessions: Sessions, socket: WebSocket) -> None:
        self._sessions = sessions
        self._socket = socket
        self._table: Table | None = None
        self._engine: str | None = None  # that analyses what is shown
        # Searches by what they look for (move, hint, analysis), each with what it depends on.
        self._running: dict[str, tuple[object, asyncio.Task[None]]] = {}
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def serve(self) -> None:
        """Serve the client until it leaves."""
        await self._socket.accept()
        deliver = asyncio.create_task(self._deliver())
        try:
            self._post("hello", games=self._sessions.catalogue.games)
            async for text in self._socket.iter_text():
                await self._obey(text)
        finally:
            deliver.cancel()
            self._leave()

    def _post(self, kind: str, **content: Any) -> None:
        self._outbox.put_nowait({"kind": kind} | content)

    async def _deliver(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has left
            while True:
                message = msgspec.json.encode(await self._outbox.get())
                await self._socket.send_text(message.decode())

    async def _obey(self, text: str) -> None:
        """Do what a message says; whatever is wrong with it becomes an error message."""
        try:
            message = _decoder.decode(text)
            match message.do:
                case "new":
                    await self._begin(message)
                case "load":
                    await self._load(message)
                case "resume":
                    self._resume(message.token, message.engine)
                case _ if self._table is None:
                    raise ValueError("there is no game here: begin one")
                case _:
                    self._act(message, self._table)
        except ValueError as error:
            self._post("error", text=" ".join(str(error).split()))
        except Exception:
            _log.exception("a message could not be answered")
            self._post("error", text="this server has made a mistake: its terminal says which")

    # --- Tables -----------------------------------------------------------------------------------

    async def _begin(self, message: Message) -> None:
        game = tzaar_envs.load_game(message.game, **message.options)
        seats = [self._sessions.catalogue.check(text, game) for text in message.seats]
        arguments = game, seats, message.seed, message.position, message.open
        # In a thread, for rules are compiled at their first use on a machine.
        self._enter(await in_thread(lambda: Table.begin(*arguments)))

    async def _load(self, message: Message) -> None:
        records = read_content(message.content.encode("utf-8", "replace"), "the file")
        if message.number is None and len(records) > 1:
            listed = [
                {"game": record.game, "agents": record.agents, "plies": record.plies}
                for record in records[:_LISTED_GAMES]
            ]
            self._post("games", games=listed, others=len(records) - len(listed))
            return
        number = message.number or 0
        if number >= len(records):
            raise ValueError(f"the file has {len(records)} games: there is no game {number + 1}")
        self._enter(await in_thread(lambda: Table.of_record(records[number])))

    def _resume(self, token: str, engine: str | None) -> None:
        table = self._sessions.tables.get(token)
        if table is None:
            error = "this game is not kept any more: begin a new one"
            self._post("error", text=error, gone=True)
            return
        shown_by = self._sessions.clients.get(token)
        if shown_by is not None and shown_by is not self:
            shown_by._leave()
            shown_by._post("taken")
        self._enter(table, engine)

    def _enter(self, table: Table, engine: str | None = None) -> None:
        """Show a table, and analyse it with an engine; the one before is forgotten."""
        before = self._table
        self._leave()
        if before is not None and before is not table:
            del self._sessions.tables[before.token]
        self._sessions.tables[table.token] = table
        self._sessions.clients[table.token] = self
        self._table, self._engine = table, engine
        self._show()

    def _leave(self) -> None:
        """Show no table any more."""
        for _, task in self._running.values():
            task.cancel()
        self._running.clear()
        if self._table is not None:
            del self._sessions.clients[self._table.token]
            self._table = None

    def _act(self, message: Message, table: Table) -> None:
        """Do what a message to a table says."""
        match message.do:
            case "play":
                table.play(message.move, message.variation, message.ply)
            case "go":
                table.go(message.variation, message.ply)
            case "undo":
                table.undo()
            case "reveal":
                table.revealed = table.revealed if table.covered is None else table.covered
            case "pause":
                table.is_paused = message.on
            case "flip":
                table.is_flipped = not table.is_flipped
            case "seats":
                seats = [self._sessions.catalogue.check(text, table.game) for text in message.seats]
                table.change_seats(seats)
            case "analyse":
                self._engine = message.engine
            case "hint" if not table.can_play:
                raise ValueError("there is no hint: it is not your turn")
            case "hint":
                self._search("hint", object(), lambda: self._advise(table))
                return
            case "save":
                lines = encode_records(RecordedGamesHeader(), [table.history.to_record()])
                self._post("file", name=f"{table.game.name}.jsonl", content=lines.decode())
                return
            case "share":
                self._post(
                    "share",
                    game=table.game.name,
                    options=dict(table.game.options),
                    position=str(table.state),
                    tells=table.has_secrets,
                )
                return
        self._show()

    def _show(self) -> None:
        """Show the table, and search what has to be searched there."""
        table = self._table
        if table is None:
            return
        self._post("table", **snapshot(table))
        agent = table.agent_to_move
        subject: object = agent and (agent, table.history.state)
        self._search("move", subject, lambda: self._move(table))
        engine = self._engine if table.can_analyse else None
        subject = engine and (engine, table.shown, table.ply, table.state)
        self._search("analysis", subject, lambda: self._analyse(table, str(engine)))

    # --- Searches ---------------------------------------------------------------------------------

    def _search(
        self, kind: str, subject: object, search: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        """Let a search run, unless one of its kind with the same subject does, or has ended.

        Args:
            kind: What is looked for.
            subject: What the search depends on; None: there shall be none.
            search: Makes it.
        """
        before, task = self._running.get(kind, (None, None))
        if before == subject:
            return
        if task is not None:
            task.cancel()
            del self._running[kind]
        if subject is not None:
            self._running[kind] = subject, asyncio.create_task(search())

    async def _move(self, table: Table) -> None:
        """Let the agent to move play, after a pause if the last move is an agent's too."""
        history, agent = table.history, str(table.agent_to_move)
        if history.plies and table.seats[history.player(history.plies - 1)] != HUMAN:
            await asyncio.sleep(PAUSE)
        seed = [table.seed, _AGENTS, history.plies]  # the same after undo
        try:
            choice = await self._sessions.searches.choose(history.for_agent(), agent, seed)
            table.play_agent(*choice)
        except Exception as error:
            table.is_paused = True
            self._post(
                "error", text=f"{agent} cannot move, so the game is paused: {sentence_of(error)}"
            )
        del self._running["move"]
        self._show()

    async def _advise(self, table: Table) -> None:
        """Show what the strongest agent of the game would play."""
        state, agent = table.state, self._sessions.catalogue.adviser(table.game)
        try:
            own = table.history.for_agent(table.ply)
            action, data = await self._sessions.searches.choose(own, agent, [table.ply])
        except Exception as error:
            self._post("error", text=f"there is no hint: {sentence_of(error)}")
            return
        if table.state is state and table.can_play:
            move, expected = state.action_name(action), expectation(data, table.game.num_players)
            places = hotspots_of(state, action)
            self._post("hint", agent=agent, move=move, expected=expected, **places)

    async def _analyse(self, table: Table, engine: str) -> None:
        network = self._sessions.catalogue.network(table.game)
        if engine == "network" and network is None:  # none fits the options
            engine = "mcts"
        try:
            async for report in self._sessions.searches.analyse(table.state, engine, network):
                self._post("analysis", engine=engine, at=[table.shown, table.ply], **report)
        except Exception as error:
            self._post("error", text=f"the analysis has ended: {sentence_of(error)}")
