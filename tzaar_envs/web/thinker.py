"""What a process that thinks for the server does: moves of agents, and analyses."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

import numpy as np

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.agents.searchers import MctsAgent
from tzaar_envs.arena.history import move_data
from tzaar_envs.arena.records import MoveData
from tzaar_envs.command_line import sentence_of
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.mcts.growing import GrowingSearch
from tzaar_envs.search.result import SearchResult
from tzaar_envs.web.places import place

STOP = "stop"  # sent to end an analysis

_Found: TypeAlias = tuple[int, int | None, float | None]  # an action, its visits, its value

_STEP = 0.25  # seconds between two reports of an analysis
_MOST_AGENTS = 6  # kept for the next request
_LISTED_MOVES = 60  # of an analysis


@dataclass(frozen=True)
class Choose:
    """Let an agent choose a move.

    Attributes:
        state: the position.
        agent: its text.
        seed: of its choice.
    """

    state: State
    agent: str
    seed: list[int]


@dataclass(frozen=True)
class Analyse:
    """Analyse a position, with reports that get better.

    Attributes:
        state: the position.
        engine: `mcts`, with or without parameters, or `alphabeta`.
        network: the agent text of a policy whose probabilities are reported too; None: of none.
        seconds: how long.
        simulations: how many at most.
        depth: in plies, at most.
    """

    state: State
    engine: str
    network: str | None
    seconds: float
    simulations: int
    depth: int


@dataclass(frozen=True)
class Prepare:
    """Load the rules of a game, which compiles them at the first use on a machine."""

    game: Game


@dataclass(frozen=True)
class Chosen:
    """The answer to `Choose`."""

    action: int
    data: MoveData | None
    seconds: float


@dataclass(frozen=True)
class Report:
    """What an analysis has found so far.

    Attributes:
        content: for the page.
        is_last: whether no better one follows.
    """

    content: dict[str, Any]
    is_last: bool


@dataclass(frozen=True)
class Ready:
    """The answer to `Prepare`."""


@dataclass(frozen=True)
class Failed:
    """A request that could not be answered, and why, in one sentence."""

    reason: str


def serve(connection: Connection) -> None:
    """Answer requests until the connection is closed."""
    connection.send(Ready())
    thinker = Thinker(connection)
    while True:
        request = connection.recv()
        if request == STOP:  # it came after the end of an analysis
            continue
        try:
            for answer in thinker.answers(request):
                connection.send(answer)
        except (ValueError, TypeError, RuntimeError, OSError, ModuleNotFoundError) as error:
            connection.send(Failed(sentence_of(error)))


@dataclass(frozen=True)
class _Finding:
    """What a search has found so far, about each action too."""

    found: SearchResult
    moves: list[_Found]
    is_last: bool


class Thinker:
    """Answers requests.

    Args:
        connection: on which an analysis can be stopped.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._agents: dict[tuple[Game, str], Agent] = {}

    def answers(self, request: object) -> Iterator[object]:
        """Yield the answers to a request; the last one is not a `Report` with more to come."""
        match request:
            case Choose():
                yield self._choose(request)
            case Analyse():
                yield from self._analyse(request)
            case Prepare():
                request.game.new_state(0)
                yield Ready()

    def _agent(self, text: str, game: Game) -> Agent:
        key = game, text
        if key not in self._agents:
            if len(self._agents) >= _MOST_AGENTS:
                self._agents.pop(next(iter(self._agents)))
            self._agents[key] = make_agent(text, game)
        return self._agents[key]

    def _choose(self, request: Choose) -> Chosen:
        agent = self._agent(request.agent, request.state.game)
        agent.seed(request.seed)
        begun = time.perf_counter()
        action = agent.act(request.state)
        seconds = time.perf_counter() - begun
        return Chosen(action, move_data(request.state, agent.last_search), seconds)

    def _analyse(self, request: Analyse) -> Iterator[Report]:
        """Yield reports; the first one comes before the network is loaded, which takes a while."""
        reports = _deepening(request) if request.engine == "alphabeta" else self._growing(request)
        policy: dict[int, float] | None = None
        for finding in reports:
            if policy is None and not finding.is_last:
                yield Report(_content(request.state, finding, {}), is_last=False)
                policy = self._policy(request)
                if not policy:
                    continue
            elif policy is None:
                policy = self._policy(request)
            stopped = self._connection.poll() and self._connection.recv() == STOP
            is_last = finding.is_last or stopped
            yield Report(_content(request.state, finding, policy), is_last)
            if is_last:
                return

    def _policy(self, request: Analyse) -> dict[int, float]:
        """Return the probability that a network gives each legal action; none without one."""
        if request.network is None:
            return {}
        agent = self._agent(request.network, request.state.game)
        if not isinstance(agent, PolicyAgent):
            return {}
        state = request.state
        mask = state.legal_mask().view(np.bool_)
        logits = agent.logits(state.observation(state.current_player)[None], mask[None])[0]
        legal = mask.nonzero()[0]
        weights = np.exp(logits[legal] - logits[legal].max())
        shares = weights / weights.sum()
        return dict(zip(legal.tolist(), shares.tolist(), strict=True))

    def _growing(self, request: Analyse) -> Iterator[_Finding]:
        agent = self._agent(request.engine, request.state.game)
        assert isinstance(agent, MctsAgent)
        options = {name: agent.mcts.options[name] for name in ("leaf", "rule", "exploration")}
        search = GrowingSearch(request.state, **options)
        begun = time.perf_counter()
        is_last = False
        step = 0.05  # the first report comes soon
        while not is_last:
            left = request.seconds - (time.perf_counter() - begun)
            search.advance(max(0.01, min(step, left)), request.simulations)
            step = _STEP
            is_last = (
                search.is_proven
                or search.simulations >= request.simulations
                or time.perf_counter() - begun >= request.seconds
            )
            found = search.result()
            moves: list[_Found] = [
                (action, report.visits, report.value) for action, report in search.actions().items()
            ]
            yield _Finding(found, moves, is_last)


def _deepening(request: Analyse) -> Iterator[_Finding]:
    state = request.state
    search = AlphaBeta(state.game)
    begun = time.perf_counter()
    for depth in range(1, request.depth + 1):
        left = request.seconds - (time.perf_counter() - begun)
        found = search.search(state, depth, max(1.0, 1000 * left))
        moves = _values_at(state, depth - 1, search, found.action, found.value, begun, request)
        is_last = (
            found.proven
            or depth == request.depth
            or found.depth < depth
            or time.perf_counter() - begun >= request.seconds
        )
        yield _Finding(found, moves, is_last)
        if is_last:
            return


def _values_at(
    state: State,
    depth: int,
    search: AlphaBeta,
    best: int,
    value: float,
    begun: float,
    request: Analyse,
) -> list[_Found]:
    """Return the value of every action by a search that is one ply less deep, the best first."""
    values: dict[int, float | None] = {}
    for action in state.legal_actions().tolist():
        following = state.clone()
        following.apply(action)
        left = request.seconds - (time.perf_counter() - begun)
        if action == best:
            values[action] = value
        elif following.is_terminal:
            values[action] = float(following.returns()[state.current_player])
        elif depth == 0:
            values[action] = following.evaluate(state.current_player)
        elif left > 0:
            values[action] = search.search(following, depth, 1000 * left).values[
                state.current_player
            ]
        else:
            values[action] = None
    ranked = sorted(values, key=lambda action: (action != best, -_known(values[action])))
    return [(action, None, values[action]) for action in ranked]


def _known(value: float | None) -> float:
    return -2.0 if value is None else value


def _places(state: State, action: int) -> dict[str, Any]:
    """Return where an action leads, for marks."""
    trace = state.game.rules.trace(state.words, action)
    return {"stops": [place(stop) for stop in trace.stops], "arrow": trace.arrow}


def _content(state: State, finding: _Finding, policy: dict[int, float]) -> dict[str, Any]:
    """Return what the page shows of an analysis."""
    data, moves = move_data(state, finding.found), finding.moves
    assert data is not None
    listed = [entry for entry in moves if state.is_legal(entry[0])][:_LISTED_MOVES]
    return {
        "value": data.value,
        "values": [value if math.isfinite(value) else 0.0 for value in finding.found.values],
        "proven": data.proven,
        "depth": data.depth,
        "nodes": data.nodes,
        "seconds": data.seconds,
        "line": data.line,
        "moves": [
            {
                "move": state.action_name(action),
                "visits": visits,
                "value": value,
                "policy": policy.get(action),
                **_places(state, action),
            }
            for action, visits, value in listed
        ],
        "others": len(moves) - len(listed),
        "has_policy": bool(policy),
    }
