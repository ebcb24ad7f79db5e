"""The games of one task, played in lockstep so that agents are asked about many at once."""

from __future__ import annotations

import contextlib
import hashlib
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tzaar_envs.agents import Agent
from tzaar_envs.arena.plan import FOR_AGENT, FOR_OPENING, FOR_START, Plan, Task
from tzaar_envs.arena.result import EXCEPTION, FAIR, ILLEGAL
from tzaar_envs.core.state import State

_OPENING_ATTEMPTS = 100
_ERROR_LENGTH = 300  # characters


class Row(NamedTuple):
    """One game as it goes into the records, see `GameRecords`."""

    start: int
    rotation: int
    agent_at_seat: list[int]
    returns: list[float]
    scores: list[float]
    plies: int
    truncated: bool
    fault: int
    culprit: int
    digest: int
    error: str


class _Play:
    """A game that is being played."""

    __slots__ = ("_digest", "culprit", "error", "fault", "plies", "start", "state")

    def __init__(self, start: int, state: State, plies: int) -> None:
        self.start = start
        self.state = state
        self.plies = plies
        self.fault = FAIR
        self.culprit = -1
        self.error = ""
        self._digest = hashlib.blake2b(str(state).encode(), digest_size=8)

    @property
    def is_over(self) -> bool:
        return self.fault != FAIR or self.state.is_terminal

    def answer(self, agent: int, action: int | Exception) -> None:
        """Play the action that an agent chose, or end the game if it could not choose one."""
        if isinstance(action, Exception):
            self._end(agent, EXCEPTION, f"{type(action).__name__}: {action}")
        elif not self.state.is_legal(action):
            self._end(agent, ILLEGAL, f"action {action} is not legal in position '{self.state}'")
        else:
            self.state.apply(action)
            self.plies += 1
            self._digest.update(action.to_bytes(8, "little"))

    def _end(self, agent: int, fault: int, error: str) -> None:
        self.fault = fault
        self.culprit = agent
        self.error = " ".join(error.split())[:_ERROR_LENGTH]

    def row(self, rotation: int, agent_at_seat: list[int]) -> Row:
        agents = len(agent_at_seat)
        if self.fault == FAIR:
            seats = sorted(range(agents), key=agent_at_seat.__getitem__)
            returns = self.state.returns()[seats].tolist()
            scores = self.state.scores()[seats].tolist()
        else:
            returns = [1 / (agents - 1)] * agents if agents > 1 else [0.0]
            returns[self.culprit] = -1.0
            scores = [float("nan")] * agents
        return Row(
            self.start,
            rotation,
            agent_at_seat,
            returns,
            scores,
            self.plies,
            self.fault == FAIR and self.state.is_truncated,
            self.fault,
            self.culprit,
            int.from_bytes(self._digest.digest(), "big"),
            self.error,
        )


def play_task(
    plan: Plan,
    agents: list[Agent],
    task: Task,
    count: Callable[[], None],
    stopped: Callable[[], bool],
) -> list[Row] | None:
    """Play the games of a task in lockstep.

    Args:
        plan: the match.
        agents: the agents.
        task: which games.
        count: called whenever a game has finished.
        stopped: asked before every round whether to give up.

    Returns:
        The games in the order of their starts; None if stopped.
    """
    for number, agent in enumerate(agents):
        agent.seed(plan.stream(FOR_AGENT, task.chunk, task.rotation, number))
    agent_at_seat = [(seat - task.rotation) % plan.seats for seat in range(plan.seats)]
    plays = [
        _Play(start, _draw_start(plan, start), plan.opening_plies) for start in plan.starts_of(task)
    ]
    running = plays
    while running:
        if stopped():
            return None
        for number, agent in enumerate(agents):
            own = [
                play
                for play in running
                if not play.is_over and agent_at_seat[play.state.current_player] == number
            ]
            if own:
                for play, action in zip(own, _ask(agent, own), strict=True):
                    play.answer(number, action)
                    if play.is_over:
                        count()
        running = [play for play in running if not play.is_over]
    return [play.row(task.rotation, agent_at_seat) for play in plays]


def _draw_start(plan: Plan, start: int) -> State:
    """Return the position of a start where the agents take over."""
    for attempt in range(_OPENING_ATTEMPTS):
        state = plan.game.new_state(plan.stream(FOR_START, start, attempt, 0))
        rng = np.random.Generator(np.random.PCG64(plan.stream(FOR_OPENING, start, attempt, 0)))
        for _ in range(plan.opening_plies):
            actions = state.legal_actions()
            if actions.size == 0:
                break
            state.apply(int(actions[rng.integers(actions.size)]))
        if not state.is_terminal:
            return state
    raise ValueError(
        f"opening_plies={plan.opening_plies} is not allowed: {_OPENING_ATTEMPTS} random openings "
        f"of that length all ended the game of start {start}; use fewer"
    )


def _ask(agent: Agent, plays: list[_Play]) -> list[int | Exception]:
    """Return an agent's action in each game, or the exception that it raised there.

    Agents get copies, so that nothing they do to a state changes the game.
    """
    try:
        actions = np.asarray(agent.act_batch([play.state.clone() for play in plays]))
    except Exception:
        # One position may have spoiled the batch, and it alone shall be lost.
        return [_ask_alone(agent, play.state.clone()) for play in plays]
    if actions.shape != (len(plays),) or actions.dtype.kind not in "iu":
        error = TypeError(
            f"act_batch returned {actions.dtype} of shape {actions.shape}, not integers of shape "
            f"({len(plays)},)"
        )
        return [error] * len(plays)
    chosen: list[int | Exception] = actions.tolist()
    return chosen


def _ask_alone(agent: Agent, state: State) -> int | Exception:
    try:
        return operator.index(agent.act(state))
    except Exception as error:
        return error


@contextlib.contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let PyTorch, if it is loaded, compute on one thread."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
