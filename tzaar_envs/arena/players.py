"""Players: agents as the game loop sees them. Nothing that an agent does can break a game."""

from __future__ import annotations

import contextlib
import functools
import logging
import operator
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tzaar_envs.agents import Agent
from tzaar_envs.arena.history import move_data
from tzaar_envs.arena.openings import open_game
from tzaar_envs.arena.plan import Plan, Task
from tzaar_envs.arena.records import MoveData
from tzaar_envs.core.errors import Forfeit, ForfeitError
from tzaar_envs.core.state import State
from tzaar_envs.system.interrupts import ctrl_c_was_pressed
from tzaar_envs.system.memory import limit_memory
from tzaar_envs.system.processes import MOST_DEATHS, ChildProcess, ChildProcesses, ProcessDiedError
from tzaar_envs.system.silence import Watch

_ERROR_LENGTH = 300  # characters
_LARGEST_ACTION = 2**63

_watch = Watch(
    logging.getLogger("tzaar_envs.arena"), "a time limit would end it (tournament --move-seconds)"
)


class Move(NamedTuple):
    """An action, legal or not, and what the agent's search found."""

    action: int
    data: MoveData | None = None


class Loss(NamedTuple):
    """How an agent loses a game at once, and the error message."""

    forfeit: Forfeit
    error: str

    @property
    def line(self) -> str:
        """The message as one line of limited length."""
        return " ".join(self.error.split())[:_ERROR_LENGTH]


Answer: TypeAlias = Move | Loss


GRACE_SECONDS = 0.5
"""How long after the time limit an agent that does not answer is ended."""

FIRST_MOVE_SECONDS = 60.0
"""How much longer an agent's first move in a process may take: it may load or compile something."""


class LocalPlayer:
    """An agent in this process. It gets copies of states, so that it cannot change the game.

    Args:
        make: makes the agent; what it raises costs the agent its games.
    """

    def __init__(self, make: Callable[[], Agent]) -> None:
        self._make = make
        self._agent: Agent | None = None
        self._name = ""
        self._is_alone = False
        self._loss: Loss | None = None  # of all games of the task

    def begin(self, task: Task, seed: list[int]) -> None:
        """Seed the agent for a task."""
        self._is_alone = task.start is not None
        self._loss = None
        try:
            if self._agent is None:
                self._agent = self._make()
            self._name = str(self._agent.name)
            self._agent.seed(seed)
        except BaseException as error:
            _reraise_ctrl_c(error)
            self._loss = _loss_by(error)

    def ask(self, states: Sequence[State], actions: Sequence[int] = ()) -> list[Answer]:
        """Return the agent's answer in each position, in which it is to move.

        Args:
            states: of the games of the task.
            actions: all that were played in the first of these games since the agents took over.
        """
        if self._loss is not None or self._agent is None:
            return [self._loss or Loss("exception", "it was not made")] * len(states)
        with _watch.waiting(self._name):
            return self._answers(self._agent, states)

    def _answers(self, agent: Agent, states: Sequence[State]) -> list[Answer]:
        if self._is_alone:
            return [self._act(agent, states[0])]
        try:
            found = np.asarray(agent.act_batch([state.clone() for state in states]))
            searches = agent.last_searches
            data = [*map(move_data, states, searches)] if len(searches) == len(states) else []
        except BaseException as error:
            _reraise_ctrl_c(error)
            # One position may have spoiled the batch: only its game shall be lost.
            return [self._act(agent, state) for state in states]
        if found.shape != (len(states),) or found.dtype.kind not in "iu":
            given = f"act_batch returned {found.dtype} of shape {found.shape}"
            expected = f"not integers of shape ({len(states)},)"
            return [Loss("exception", f"{given}, {expected}")] * len(states)
        return [*map(Move, found.tolist(), data or [None] * len(states))]

    def _act(self, agent: Agent, state: State) -> Answer:
        try:
            action = operator.index(agent.act(state.clone()))
            if abs(action) >= _LARGEST_ACTION:  # it might have too many digits to be shown
                return Loss("illegal action", f"it answered a number of {action.bit_length()} bits")
            return Move(action, move_data(state, agent.last_search))
        except BaseException as error:
            _reraise_ctrl_c(error)
            return _loss_by(error)


def local_players(plan: Plan) -> list[LocalPlayer]:
    """Return all agents of a plan as players of this process, each made when it first plays."""
    numbers = range(len(plan.sources))
    return [LocalPlayer(functools.partial(plan.make_agent, number)) for number in numbers]


class IsolatedPlayer:
    """An agent in a process of its own, which is ended if it takes too long for a move.

    Args:
        processes: to start it among.
        plan: that it plays.
        number: of the agent.
        memory_gib: see `play_tournament`.
    """

    def __init__(
        self, processes: ChildProcesses, plan: Plan, number: int, memory_gib: float | None
    ) -> None:
        self._processes = processes
        self._plan = plan
        self._number = number
        self._memory_gib = memory_gib
        self._child: ChildProcess | None = None
        self._has_moved = False  # in this process
        self._sent = 0  # actions of the present game that the process knows

    def begin(self, task: Task, seed: list[int]) -> None:
        """Begin a game; start a process if there is none."""
        if self._child is None or self._child.is_ended:
            self._child = self._processes.start(
                _serve_agent, self._plan, self._number, self._memory_gib
            )
            self._has_moved = False
        self._sent = 0
        self._child.send((task, seed))

    def ask(self, states: Sequence[State], actions: Sequence[int]) -> list[Answer]:
        """Return the agent's answer, or how it failed to give one."""
        assert self._child is not None
        limit = self._plan.header.move_seconds
        if limit is not None and not self._has_moved:
            limit += FIRST_MOVE_SECONDS
        self._has_moved = True
        self._child.send(actions[self._sent :])
        self._sent = len(actions)
        place = f"in position '{states[0]}'"
        try:
            answer, seconds = self._child.receive(None if limit is None else limit + GRACE_SECONDS)
        except TimeoutError:
            self._child.end()
            return [Loss("time", f"no answer within {limit:g} s {place}")]
        except ProcessDiedError as error:
            return [Loss("crash", f"its process died {MOST_DEATHS} times ({error}) {place}")]
        if limit is not None and seconds > limit:
            return [Loss("time", f"took {seconds:.2f} s for a move {place}, of {limit:g} s")]
        return [answer]

    def end(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.end()


def _serve_agent(connection: Connection, plan: Plan, number: int, memory_gib: float | None) -> None:
    """Be the process of an agent: replay the game that is sent, and answer in its positions."""
    if memory_gib is not None:
        plan.game.load_rules()  # which is not the agent's affair
        limit_memory(memory_gib)
    connection.send("ready")  # before the agent is made, so that it is blamed for what it does
    player = LocalPlayer(lambda: plan.make_agent(number))
    while True:
        message = connection.recv()
        if isinstance(message, tuple):
            task, seed = message
            player.begin(task, seed)
            state, _ = open_game(plan, plan.games_of(task)[0])
            continue
        for action in message:
            state.apply(action)
        began = time.monotonic()
        with one_torch_thread():
            [answer] = player.ask([state])
        connection.send((answer, time.monotonic() - began))


def _reraise_ctrl_c(error: BaseException) -> None:
    """Raise the user's Ctrl-C; a KeyboardInterrupt of an agent is an error as any other."""
    if isinstance(error, KeyboardInterrupt) and ctrl_c_was_pressed():
        raise error


def _loss_by(error: BaseException) -> Loss:
    """Return how an agent that raised this has lost its game."""
    if isinstance(error, ForfeitError):
        return Loss(error.reason, _describe(error).partition(": ")[2])
    return Loss("exception", _describe(error))


def _describe(error: BaseException) -> str:
    error.__traceback__ = None  # what the agent held in memory is free again
    try:
        text = f"{type(error).__name__}: {error}"
    except BaseException as another:  # even its message is broken
        _reraise_ctrl_c(another)
        text = type(error).__name__
    return text.encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let PyTorch, if it is loaded, compute on one thread; their number shows in its rounding."""
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
