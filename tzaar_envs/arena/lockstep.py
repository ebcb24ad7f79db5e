"""The games of one task, played in lockstep so that agents are asked about many at once.

A task of one game alone asks by `act`, one move at a time: it can be timed, and whoever watches the
process from outside can be told of every move.
"""

from __future__ import annotations

import contextlib
import hashlib
import operator
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from tzaar_envs.agents import Agent
from tzaar_envs.arena.faults import EXCEPTION, FAIR, ILLEGAL, TIME, forfeit_returns
from tzaar_envs.arena.openings import draw_start
from tzaar_envs.arena.plan import Plan, Task
from tzaar_envs.core.state import State

_ERROR_LENGTH = 300  # characters


class Row(NamedTuple):
    """One finished game.

    Attributes:
        line_up: see `Task`.
        start: the number of the start.
        rotation: see `Task`.
        agent_at_seat: the agent at each seat, as its index in `Plan.sources`.
        returns: of each seat.
        scores: the points of each seat; NaN where a fault cut the game off.
        plies: the actions played, those of the random opening included.
        truncated: ended by a move cap alone.
        fault: see `arena.faults`.
        culprit: the seat whose fault it was, -1 if there was none.
        digest: of the position where the agents took over, and of their actions.
        error: what the fault was, for people.
        position: where the agents took over, in notation.
        moves: the actions of the agents in notation; none unless `Plan.keep_moves`.
        outcomes: what chance brought with each of them, see `State.apply`.
    """

    line_up: int
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
    position: str
    moves: list[str]
    outcomes: list[list[int]]


class OutOfTimeError(Exception):
    """An agent took too long for a move."""


Answer: TypeAlias = int | Exception | SystemExit
"""An agent's action, or what it raised instead."""


class Watcher(Protocol):
    """Is told of every move of a game that is played alone."""

    def asked(self, agent: int) -> float | None:
        """Return how many seconds the agent may take, which is asked now; None: any time."""

    def played(self, action: int) -> None:
        """Take note of the legal action that it answered with."""


class Play:
    """A game that is being played.

    Args:
        plan: what it belongs to.
        task: likewise.
        start: the number of its start.
    """

    __slots__ = (
        "_digest", "_plan", "_task", "culprit", "error", "fault", "moves", "outcomes", "plies",
        "position", "start", "state",
    )  # fmt: skip

    def __init__(self, plan: Plan, task: Task, start: int) -> None:
        self._plan = plan
        self._task = task
        self.start = start
        self.state = draw_start(plan, start)
        self.position = str(self.state)
        self.plies = plan.opening_plies
        self.moves: list[str] = []
        self.outcomes: list[list[int]] = []
        self.fault = FAIR
        self.culprit = -1
        self.error = ""
        self._digest = hashlib.blake2b(self.position.encode(), digest_size=8)

    @property
    def is_over(self) -> bool:
        """Whether nobody is to move any more."""
        return self.fault != FAIR or self.state.is_terminal

    def answer(self, action: Answer) -> None:
        """Play the action that the agent to move chose, or end the game if it chose none."""
        if isinstance(action, OutOfTimeError):
            self.forfeit(TIME, str(action))
        elif not isinstance(action, int):
            self.forfeit(EXCEPTION, f"{type(action).__name__}: {action}")
        elif not self.state.is_legal(action):
            self.forfeit(ILLEGAL, f"action {action} is not legal in position '{self.state}'")
        else:
            if self._plan.keep_moves:
                self.moves.append(self.state.action_name(action))
            self.state.apply(action)
            if self._plan.keep_moves:
                self.outcomes.append(list(self.state.last_outcome))
            self.plies += 1
            self._digest.update(action.to_bytes(8, "little"))

    def forfeit(self, fault: int, error: str) -> None:
        """End the game by a fault of the agent to move."""
        self.fault = fault
        self.culprit = self.state.current_player
        self.error = " ".join(error.split())[:_ERROR_LENGTH]

    def row(self) -> Row:
        """Return the finished game."""
        seats = self._plan.seats
        if self.fault == FAIR:
            returns, scores = self.state.returns().tolist(), self.state.scores().tolist()
        else:
            returns = forfeit_returns(seats, self.culprit)
            scores = [float("nan")] * seats
        return Row(
            line_up=self._task.line_up,
            start=self.start,
            rotation=self._task.rotation,
            agent_at_seat=self._plan.agent_at_seat(self._task.line_up, self._task.rotation),
            returns=returns,
            scores=scores,
            plies=self.plies,
            truncated=self.fault == FAIR and self.state.is_truncated,
            fault=self.fault,
            culprit=self.culprit,
            digest=int.from_bytes(self._digest.digest(), "big"),
            error=self.error,
            position=self.position,
            moves=self.moves,
            outcomes=self.outcomes,
        )


def play_task(
    plan: Plan,
    agents: Mapping[int, Agent],
    task: Task,
    finish: Callable[[Row], None],
    watcher: Watcher | None = None,
) -> None:
    """Play the games of a task.

    Args:
        plan: what it belongs to.
        agents: by their indices in `Plan.sources`, those of the line-up at least.
        task: which games.
        finish: called with every game when it is over.
        watcher: is told of every move, if the game is played alone.
    """
    line_up = [agents[number] for number in plan.line_ups[task.line_up]]
    for place, agent in enumerate(line_up):
        agent.seed(plan.agent_stream(task, place))
    running = [Play(plan, task, start) for start in plan.starts_of(task)]
    while running:
        for place, agent in enumerate(line_up):
            seat = (place + task.rotation) % plan.seats
            own = [
                play for play in running if not play.is_over and play.state.current_player == seat
            ]
            if not own:
                continue
            if watcher is None or task.start is None:
                answers = _ask(agent, own)
            else:
                seconds = watcher.asked(plan.line_ups[task.line_up][place])
                answers = [_ask_in_time(agent, own[0].state, seconds)]
                if isinstance(answers[0], int) and own[0].state.is_legal(answers[0]):
                    watcher.played(answers[0])
            for play, action in zip(own, answers, strict=True):
                play.answer(action)
                if play.is_over:
                    finish(play.row())
        running = [play for play in running if not play.is_over]


def _ask(agent: Agent, plays: list[Play]) -> list[Answer]:
    """Return an agent's action in each game, or the exception that it raised there.

    Agents get copies, so that nothing they do to a state changes the game.
    """
    try:
        actions = np.asarray(agent.act_batch([play.state.clone() for play in plays]))
    except (Exception, SystemExit):
        # One position may have spoiled the batch, and it alone shall be lost.
        return [_ask_alone(agent, play.state) for play in plays]
    if actions.shape != (len(plays),) or actions.dtype.kind not in "iu":
        error = TypeError(
            f"act_batch returned {actions.dtype} of shape {actions.shape}, not integers of shape "
            f"({len(plays)},)"
        )
        return [error] * len(plays)
    chosen: list[Answer] = actions.tolist()
    return chosen


def _ask_alone(agent: Agent, state: State) -> Answer:
    try:
        return operator.index(agent.act(state.clone()))
    except (Exception, SystemExit) as error:
        return error


def _ask_in_time(agent: Agent, state: State, seconds: float | None) -> Answer:
    began = time.monotonic()
    action = _ask_alone(agent, state)
    taken = time.monotonic() - began
    if seconds is not None and taken > seconds:
        return OutOfTimeError(
            f"took {taken:.2f} s for a move in position '{state}', of {seconds:g} s"
        )
    return action


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
