"""Searches for the page: moves of agents, and analyses that improve while they are shown.

They run in threads of the server: compiled searches release the interpreter's lock, or come back to
Python every millisecond, so pages and messages never wait for one. A search whose result is no
longer wanted is stopped by its `SearchControl`, as in the engine protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec
import numpy as np

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.arena.history import move_data
from tzaar_envs.arena.records import MoveData
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.networks.evaluator import load_evaluator
from tzaar_envs.networks.file import find_policy
from tzaar_envs.search.alphabeta import AlphaBeta
from tzaar_envs.search.control import SearchControl, SearchLimits
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.result import SearchResult
from tzaar_envs.web.view import hotspots_of

MAX_SECONDS = 30.0
"""How long a position is analysed."""
MAX_SIMULATIONS = 100_000
"""How many simulations an analysis by tree search runs at most."""
MAX_DEPTH = 8
"""How many plies an analysis by alpha-beta looks ahead at most."""

_STEP = 0.25  # seconds between two reports of an analysis
_LISTED_MOVES = 60  # of an analysis

T = TypeVar("T")
_Finding = tuple[SearchResult, dict[int, float | None]]
# What a search has found so far, and how much each action is worth


async def in_thread(call: Callable[[], T]) -> T:
    """Await a call that takes a while, without keeping the server from ending.

    It goes on if the caller is cancelled, and its result is dropped.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # from now on `future` cannot be cancelled

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True, name="search").start()
    return await asyncio.wrap_future(future)


class Searches:
    """Runs searches in threads, without keeping the event loop waiting."""

    def __init__(self) -> None:
        self._idle: dict[tuple[Game, str], Agent] = {}

    async def choose(
        self, state: State, agent: str, seed: Sequence[int]
    ) -> tuple[int, MoveData | None]:
        """Let an agent choose an action; the search is stopped if the caller is cancelled.

        Args:
            state: The position, a copy for the agent.
            agent: Its agent text.
            seed: Seed of its choice.

        Returns:
            The action, and what the agent's search has found.

        Raises:
            Exception: The agent cannot be made, or cannot answer.
        """
        control = SearchControl()

        def search() -> tuple[int, MoveData | None]:
            with self._agent(agent, position.game) as player:
                player.seed(seed)
                player.control = control
                return player.act(state), move_data(position, player.last_search)

        position = state.clone()
        try:
            return await in_thread(search)
        finally:
            control.stop()

    async def analyse(
        self, state: State, engine: str, network: str | None
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield what the page shows of an analysis, again and again as it gets better.

        Args:
            state: The position.
            engine: `network`, a tree search with that; `mcts`, `mcts:leaf=playout` or `alphabeta`.
            network: The agent text of a policy whose probabilities are reported too; None: of none.

        Raises:
            Exception: The game cannot be searched like this.
        """
        control = SearchControl()
        reports = self._reports(state.clone(), engine, network, control)
        try:
            while (report := await in_thread(lambda: next(reports, None))) is not None:
                yield report
        finally:
            control.stop()

    @contextlib.contextmanager
    def _agent(self, text: str, game: Game) -> Iterator[Agent]:
        """Lend an agent to one search at a time; an agent that fails is dropped."""
        agent = self._idle.pop((game, text), None) or make_agent(text, game)
        yield agent
        self._idle[game, text] = agent

    def _reports(
        self, state: State, engine: str, network: str | None, control: SearchControl
    ) -> Iterator[dict[str, Any]]:
        if engine == "alphabeta":
            findings = _deepening(state, control)
        elif engine == "network":
            if network is None:
                raise ValueError(f"{state.game.name} has no trained network")
            path = find_policy(network.removeprefix("policy:"), state.game.spec)
            findings = _growing(state, Mcts(state.game, load_evaluator(path, state.game)))
        else:
            leaf = "lookahead" if engine == "mcts" else "playout"
            findings = _growing(state, Mcts(state.game, leaf=leaf))
        policy: dict[int, float] | None = None if network else {}
        report: dict[str, Any] = {}
        for finding in findings:
            if policy is None:  # the network takes a while to load
                yield _report(state, finding, {}) | {"running": True}
                policy = self._probabilities(state, str(network))
            report = _report(state, finding, policy)
            yield report | {"running": True}
        yield report | {"running": False}

    def _probabilities(self, state: State, network: str) -> dict[int, float]:
        """Return the probability that a policy gives each legal action."""
        with self._agent(network, state.game) as agent:
            assert isinstance(agent, PolicyAgent)
            mask = state.legal_mask().view(np.bool_)
            logits = agent.logits(state.observation(state.current_player)[None], mask[None])[0]
        legal = mask.nonzero()[0]
        weights = np.exp(logits[legal] - logits[legal].max())
        return dict(zip(legal.tolist(), (weights / weights.sum()).tolist(), strict=True))


def _growing(state: State, search: Mcts) -> Iterator[_Finding]:
    """Search a tree on and on."""
    legal = state.legal_actions().tolist()
    search.control = SearchControl(SearchLimits(MAX_SECONDS, MAX_SIMULATIONS))
    for found in search.search_in_steps(state, 0, _STEP):
        yield found, {action: found.action_values.get(action) for action in legal}


def _deepening(state: State, control: SearchControl) -> Iterator[_Finding]:
    """Search deeper and deeper, and value every action by a search that is one ply less deep."""
    search, player = AlphaBeta(state.game), state.current_player
    search.control = control
    deadline = time.perf_counter() + MAX_SECONDS

    def milliseconds() -> float:
        return max(1.0, 1000 * (deadline - time.perf_counter()))

    def value(action: int, depth: int) -> float | None:
        after = state.clone()
        after.apply(action)
        if after.is_terminal:
            return float(after.returns()[player])
        if control.is_stopped or time.perf_counter() >= deadline:
            return None
        return search.search(after, depth, milliseconds()).values[player]

    for depth in range(2, MAX_DEPTH + 1):
        found = search.search(state, depth, milliseconds())
        values = {action: value(action, depth - 1) for action in state.legal_actions().tolist()}
        yield found, values | {found.action: found.value}
        if found.proven or found.depth < depth or time.perf_counter() >= deadline:
            return


def _report(state: State, finding: _Finding, policy: dict[int, float]) -> dict[str, Any]:
    found, values = finding
    data = move_data(state, found)
    assert data is not None
    visits = {action: found.visits.get(action, 0) for action in values} if found.visits else {}

    def rank(action: int) -> tuple[bool, int, float]:
        value = values[action]
        return action != found.action, -visits.get(action, 0), 2.0 if value is None else -value

    moves = [
        {
            "move": state.action_name(action),
            "visits": visits.get(action),
            "value": values[action],
            "policy": policy.get(action),
            **hotspots_of(state, action),
        }
        for action in sorted(values, key=rank)[:_LISTED_MOVES]
    ]
    return msgspec.structs.asdict(data) | {
        "values": [value if math.isfinite(value) else 0.0 for value in found.values],
        "moves": moves,
        "has_policy": bool(policy),
    }
