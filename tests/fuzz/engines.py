"""Lines from outside: hosts that command an engine, engines that answer a host, agent texts."""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Any
from unittest import mock

from fuzz.values import anything, expect, is_text, number, seeds, text
from hypothesis import strategies as st

from tzaar_envs.agents import (
    AgentText,
    action_values_of,
    agent_specs,
    engine,
    make_agent,
    starts_program,
)
from tzaar_envs.agents.engine_protocol import (
    format_go,
    format_info,
    format_list,
    parse_go,
    parse_infos,
    parse_position,
    parse_setoption,
    parse_variation,
    play_moves,
    split_outcome,
)
from tzaar_envs.agents.engine_server import EngineServer
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.search.control import SearchControl, SearchLimits

if TYPE_CHECKING:
    from fuzz.calls import Session

_WORDS = (
    "protocol 1", "protocol", "protocol 99", "isready", "newgame", "stop", "position", "legal",
    "game", "setoption name seed value 7", "setoption name simulations value 4", "setoption name",
    "setoption name seed value", "setoption name simulations value -1", "observation", "go nodes 3",
    "go movetime 1 depth 1", "go nodes", "go nodes 0", "go nodes 9223372036854775808", "go ponder",
    "go nodes 3 nodes 3", "quit now", "", "\x00", "é", "go nodes ٣", "uci",
)  # fmt: skip
_ANSWERS = (
    "id name x", "id name", "option name seed type spin", "option name", "feature legal",
    "feature observation", "feature x", "protocolok", "protocolok", "readyok", "readyok", "error",
    "error no", "info depth 3 nodes 9 value 0.5", "info value nan values 1 pv", "info pv ; ; ;",
    "info depth 99999999999999999999999 value 1e999 time -1 proven", "info string \x1b[2J",
    "bestmove", "bestmove pass", "", " ", "\ud800", "x" * 3000,
)  # fmt: skip


def engine_server(session: Session) -> None:
    """Command an engine."""
    game, draw = session.game, session.draw
    written: list[str] = []
    agents = ["random", "greedy", "mcts:simulations=4", "nobody", "mcts:simulations=0", ""]
    with session.call("EngineServer"):
        server = EngineServer(game, draw(st.sampled_from(agents)), written.append)
        legal = [*session.state.legal_actions()]
        moves = session.state.action_name(int(legal[0])) if legal else "pass"
        for _ in range(draw(st.integers(1, 6))):
            command = draw(st.sampled_from([*_WORDS, f"position {session.state}"]))
            if draw(st.booleans()):
                position = f"position {session.state} moves {moves}"
                command = draw(text(command if draw(st.booleans()) else position).filter(is_text))
            with session.call(f"EngineServer.obey {command!r}"):
                server.obey(command)
                _wait(server)
        with session.call("EngineServer.serve"):
            lines = draw(st.sampled_from(["go nodes 2\nstop\nquit\n", "\\xff\n", "\0" * 2**21]))
            server.serve(io.StringIO(lines))
        expect(all("\n" not in line for line in written))


def _wait(server: EngineServer) -> None:
    """Wait until a search is over, so that Hypothesis can repeat what follows."""
    limit = time.monotonic() + 60
    while server._is_searching:
        server.obey("stop")
        expect(time.monotonic() < limit)


class _Program:
    """A program whose answers are drawn."""

    def __init__(self, draw: st.DrawFn, lines: list[str]) -> None:
        self._draw, self._lines, self._left = draw, lines, 40

    def write(self, line: str) -> None:
        expect("\n" not in line)

    def read(self, deadline: float) -> str:
        self._left -= 1
        if self._left < 0:
            raise EOFError("it ended")
        return self._draw(st.sampled_from([*self._lines, *_ANSWERS]))

    def end(self) -> None:
        """Do nothing."""


def engine_client(session: Session) -> None:
    """Ask an engine that answers anything."""
    game, draw, state = session.game, session.draw, session.state
    if session.over:
        return
    name = state.action_name(int(state.legal_actions()[0]))
    program = _Program(draw, [f"bestmove {name}", f"info value 0.1 pv {name}; {name}"])
    with (
        mock.patch.object(engine, "Program", return_value=program),
        session.call("Engine"),
    ):
        try:
            running = engine.Engine(["x"], game, draw(_options()))
            running.new_game(1)
            action, found = running.search(state, SearchLimits(nodes=3), 60.0)
            expect(state.is_legal(action))
            expect(found is None or found.action == action)
        except ForfeitError as error:
            expect("\n" not in str(error))


def _options() -> st.SearchStrategy[dict[str, str]]:
    return st.dictionaries(st.sampled_from(["seed", "x"]), st.just("1"), max_size=1)


def protocol(session: Session) -> None:
    """Read the parts of lines."""
    game, draw, state = session.game, session.draw, session.state
    given = draw(text("go nodes 3 movetime 9").filter(is_text))
    with session.call(f"parse_go {given!r}"):
        go = parse_go(given)
        expect(go[0] is None or go[1] or parse_go(format_go(go[0]).partition(" ")[2]) == go)
    given = draw(text("name seed value 3").filter(is_text))
    with session.call(f"parse_setoption {given!r}"):
        parse_setoption(given)
    given = draw(text("3 -1 6").filter(is_text))
    with session.call(f"split_outcome {given!r}"):
        split_outcome(f"x -> {given}")
    given = draw(text(str(state)).filter(is_text))
    with session.call(f"parse_position {given!r}"):
        parse_position(game, given, 3)
    names = [] if session.over else [state.action_name(int(state.legal_actions()[0]))]
    given = draw(text(format_list(names)).filter(is_text))
    with session.call(f"play_moves {given!r}"):
        play_moves(state.clone(), given)
    with session.call(f"parse_variation {given!r}"):
        parse_variation(state, given)
    if not session.over:
        with session.call("parse_infos"):
            infos = [
                draw(text(draw(st.sampled_from(_ANSWERS))[5:]).filter(is_text))
                for _ in range(draw(st.integers(1, 4)))
            ]
            found = parse_infos(state, infos, int(state.legal_actions()[0]), 0.1)
            if found is not None:
                expect("\n" not in format_info(state, found))


def agent_texts(session: Session) -> None:
    """Make agents of any text, and change their parameters."""
    game, draw = session.game, session.draw
    right = draw(
        st.sampled_from(["mcts:simulations=3", "greedy", "alphabeta:depth=1,ms=0", *_NAMES])
    )
    given = draw(text(right).filter(is_text))
    with session.call(f"make_agent {given!r}"):
        agent = make_agent(given, game, draw(seeds()))
        agent.act_batch([session.state])
    with session.call(f"starts_program {given!r}"):
        starts_program(given)
    with session.call(f"AgentText {right!r}"):
        AgentText.parse(right, game.spec).changed(
            draw(st.sampled_from(["simulations", "depth", "ms", "x", ""])),
            str(draw(number(9))),
        )
    with session.call("action_values_of"):
        name = draw(st.sampled_from(["greedy", "nobody", *agent_specs(game.spec)]))
        action_values_of(name, game.spec)


_NAMES = (
    "random",
    "engine:",
    "engine:/nonexistent",
    "policy:/nonexistent",
    "policy:",
    "nobody:x=1",
)


def limits(session: Session) -> None:
    """Search within limits, and with reports, that may be anything."""
    game, draw = session.game, session.draw
    if session.over:
        return
    finite = st.sampled_from([0, 1, 3, -1, 0.5, None, "1", 2**70])
    numbers = st.one_of(finite, st.sampled_from([float("nan"), float("inf"), 1e-9]))
    name = draw(st.sampled_from(["mcts:simulations=4", "alphabeta:depth=1", "greedy"]))
    with session.call(f"SearchControl {name}"):
        given = SearchLimits(draw(numbers), draw(finite), draw(finite))
        agent = make_agent(name, game, 1)
        control = SearchControl(given, lambda result: control.stop())
        control.stop()
        agent.control = control
        agent.act(session.state)
        expect(control.is_stopped)
        control.wants_report, control.report(draw(anything))


CALLS: tuple[Any, ...] = (engine_server, engine_client, protocol, agent_texts, limits)
