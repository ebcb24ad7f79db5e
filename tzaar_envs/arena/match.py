"""Matches: agents play many games against each other, on one process or several.

How a result follows from its seed alone:

- The games stand in *starts*. A start is a position with its chance events, both drawn from
  (seed, number of the start), after `opening_plies` uniformly random plies. It is played once in
  every rotation of the seats: in rotation r agent i sits at seat `(i + r) % seats`.
- `STARTS_PER_CHUNK` starts in one rotation are one task. Its games are played in lockstep, so that
  an agent is asked about many positions at once. An agent has one random stream, hence its choices
  in a game depend on the other games of the task; therefore which starts make up a task is fixed
  by their numbers, never by the number of workers, and an agent is seeded for each task, with
  (seed, chunk, rotation, number of the agent).
- Tasks are merged in their order, whichever finished first. PyTorch, if an agent has loaded it,
  runs on one thread in each process, because the number of threads shows in its rounding.

So a longer match with the same seed begins with the same games up to its last whole chunk.
"""

from __future__ import annotations

import contextlib
import hashlib
import operator
import pickle
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple, TypeAlias

import numba
import numpy as np

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.arena.result import EXCEPTION, FAIR, ILLEGAL, GameRecords, MatchResult
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

AgentSource: TypeAlias = str | Callable[[Game], Agent]
"""A text form for `make_agent`, or a factory; with workers it must be one that can be pickled."""

Progress: TypeAlias = Callable[[int, int], None]
"""`progress(done, games)`: called with the number of finished games."""

STARTS_PER_CHUNK = 16

_OPENING_ATTEMPTS = 100
_ERRORS_KEPT = 10
_ERROR_LENGTH = 300  # characters
_POLL_SECONDS = 0.2
_GRACE_SECONDS = 5.0  # for workers to stop by themselves

# The first word of every seed says what it is for, so that no two streams are the same.
_FOR_START, _FOR_OPENING, _FOR_AGENT = 1, 2, 3


class _Task(NamedTuple):
    """The starts of a chunk in one rotation."""

    chunk: int
    rotation: int


@dataclass(frozen=True)
class _Plan:
    """All that a process has to know about the match."""

    game: Game
    sources: tuple[AgentSource, ...]
    starts: int
    seed: int
    opening_plies: int

    @property
    def seats(self) -> int:
        return self.game.num_players

    def tasks(self) -> Iterator[_Task]:
        """Yield all tasks, the rotations of a chunk one after the other."""
        for chunk in range(-(-self.starts // STARTS_PER_CHUNK)):
            for rotation in range(self.seats):
                yield _Task(chunk, rotation)

    def starts_of(self, task: _Task) -> range:
        first = task.chunk * STARTS_PER_CHUNK
        return range(first, min(first + STARTS_PER_CHUNK, self.starts))

    def stream(self, purpose: int, *numbers: int) -> list[int]:
        """Return the seed of a stream; the match's own stands last because it may be long."""
        return [purpose, *numbers, self.seed]

    def make_agents(self) -> list[Agent]:
        return [
            make_agent(source, self.game) if isinstance(source, str) else source(self.game)
            for source in self.sources
        ]


class _Row(NamedTuple):
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

    def row(self, rotation: int, agent_at_seat: list[int]) -> _Row:
        agents = len(agent_at_seat)
        if self.fault == FAIR:
            seats = sorted(range(agents), key=agent_at_seat.__getitem__)
            returns = self.state.returns()[seats].tolist()
            scores = self.state.scores()[seats].tolist()
        else:
            returns = [1 / (agents - 1)] * agents if agents > 1 else [0.0]
            returns[self.culprit] = -1.0
            scores = [float("nan")] * agents
        return _Row(
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


def play_match(
    game: Game,
    agents: Sequence[AgentSource],
    games: int,
    seed: int = 0,
    workers: int = 1,
    opening_plies: int = 0,
    progress: Progress | None = None,
) -> MatchResult:
    """Play games between agents, every start position once in each rotation of the seats.

    The same arguments give the same games, whatever the number of workers; the docstring of this
    module says how. An agent that answers with an illegal action, or raises an exception, loses
    that game at once: it gets -1, every other agent `1 / (seats - 1)`, and the match goes on.

    Agents without chance repeat a game that begins alike, so give a game with a single start
    position some `opening_plies`; `MatchResult.distinct_games` says how many games differ.

    Ctrl-C ends the match: the result then has `interrupted=True` and those finished games whose
    start was played in every rotation, in whole chunks.

    Args:
        game: the game.
        agents: one per seat, as text for `make_agent` or as a factory that takes the game.
        games: how many in all, a multiple of the number of seats.
        seed: fixes everything, 0 or more.
        workers: the number of processes; 1 plays in this one.
        opening_plies: uniformly random plies before the agents take over, the same in every
            rotation; a start whose opening ends the game is drawn again.
        progress: called as `progress(done, games)` when games have finished.

    Raises:
        ValueError: an argument is not allowed, or nearly every random opening ends the game.
        ModuleNotFoundError: an agent needs an extra that is not installed.
        RuntimeError: a worker process died.
    """
    plan = _checked_plan(game, agents, games, seed, workers, opening_plies)
    made = plan.make_agents()
    for number, agent in enumerate(made):
        if not isinstance(agent, Agent):
            raise ValueError(f"the factory agents[{number}] returned {agent!r}, which is no Agent")
    game.implementation  # noqa: B018  # loads the rules before the clock starts
    workers = min(workers, sum(1 for _ in plan.tasks()))
    if workers > 1:
        _check_picklable(plan)
    report = progress or (lambda done, games: None)

    finished: dict[_Task, list[_Row]] = {}
    began = time.perf_counter()
    if workers == 1:
        interrupted = _play_here(plan, made, finished, report)
    else:
        interrupted = _play_in_workers(plan, workers, finished, report)
    seconds = time.perf_counter() - began

    rows = _merge(plan, finished)
    names = _distinct([agent.name for agent in made])
    return MatchResult(
        game=game.name,
        version=game.spec.version,
        options=dict(game.options),
        seat_names=game.layout.seat_names,
        agents=tuple(names),
        forms=tuple(_form(source) for source in plan.sources),
        seed=plan.seed,
        opening_plies=plan.opening_plies,
        games_requested=plan.starts * plan.seats,
        interrupted=interrupted and len(rows) < plan.starts * plan.seats,
        records=_to_records(rows, plan.seats),
        errors=_first_errors(rows, names),
        versions=_versions(),
        workers=workers,
        seconds=seconds,
    )


def _checked_plan(
    game: Game,
    agents: Sequence[AgentSource],
    games: int,
    seed: int,
    workers: int,
    opening_plies: int,
) -> _Plan:
    if isinstance(agents, str):
        raise ValueError(f"agents={agents!r} is not allowed: use a list with one agent per seat")
    for number, agent in enumerate(agents):
        if not isinstance(agent, str) and not callable(agent):
            raise ValueError(
                f"agents[{number}]={agent!r} is not allowed: use text for make_agent, or a "
                "function that takes the game and returns an Agent"
            )
    seats = game.num_players
    if len(agents) != seats:
        raise ValueError(f"{len(agents)} agents are not allowed: {game.name} has {seats} seats")
    games = _whole("games", games, seats)
    if games % seats:
        below = games - games % seats
        raise ValueError(
            f"games={games} is not allowed: every start is played once in each of the {seats} "
            f"rotations of the seats, so use a multiple of {seats}, such as {below} or "
            f"{below + seats}"
        )
    opening_plies = _whole("opening_plies", opening_plies, 0)
    if opening_plies >= game.max_plies:
        raise ValueError(
            f"opening_plies={opening_plies} is not allowed: no game of {game.name} is longer than "
            f"{game.max_plies} plies, so use 0 to {game.max_plies - 1}"
        )
    _whole("workers", workers, 1)
    return _Plan(game, tuple(agents), games // seats, _whole("seed", seed, 0), opening_plies)


def _whole(name: str, value: int, minimum: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = minimum - 1
    if number < minimum or isinstance(value, bool):
        raise ValueError(f"{name}={value!r} is not allowed: use a whole number from {minimum}")
    return number


def _check_picklable(plan: _Plan) -> None:
    for number, source in enumerate(plan.sources):
        try:
            pickle.dumps(source)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ValueError(
                f"agents[{number}] cannot be sent to worker processes ({error}): use a function at "
                "the top level of a module, or workers=1"
            ) from None


def _play_here(
    plan: _Plan, agents: list[Agent], finished: dict[_Task, list[_Row]], report: Progress
) -> bool:
    """Play all tasks in this process; return whether Ctrl-C ended them early."""
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        report(done, plan.starts * plan.seats)

    try:
        with _one_torch_thread():
            for task in plan.tasks():
                rows = _play_task(plan, agents, task, count, stopped=lambda: False)
                assert rows is not None
                finished[task] = rows
    except KeyboardInterrupt:
        return True
    return False


def _play_in_workers(
    plan: _Plan, workers: int, finished: dict[_Task, list[_Row]], report: Progress
) -> bool:
    """Play all tasks in worker processes; return whether Ctrl-C ended them early."""
    context = get_context("spawn")
    stop = context.Event()
    counter = context.Value("q", 0)
    games = plan.starts * plan.seats
    tasks = plan.tasks()
    running: dict[Future[list[_Row] | None], _Task] = {}
    executor = ProcessPoolExecutor(workers, context, _begin_work, (plan, stop, counter))
    interrupted = False
    try:
        with _sigint_deferred():
            for task in islice(tasks, 2 * workers):
                running[executor.submit(_work, task)] = task
        reported = 0
        while running:
            ready, _ = wait(running, _POLL_SECONDS, FIRST_COMPLETED)
            for future in ready:
                rows = future.result()
                assert rows is not None
                finished[running.pop(future)] = rows
                for task in islice(tasks, 1):
                    running[executor.submit(_work, task)] = task
            if counter.value != reported:
                reported = counter.value
                report(reported, games)
    except KeyboardInterrupt:
        interrupted = True
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a worker process died: it may have run out of memory, or the script that started the "
            "match does not guard its main part with `if __name__ == '__main__':`; try workers=1"
        ) from error
    finally:
        stop.set()
        _close(executor, running)
    for future, task in running.items():  # after Ctrl-C: what was ready but not yet taken
        if not future.cancelled() and future.exception() is None:
            rows = future.result()
            if rows is not None:
                finished[task] = rows
    return interrupted


def _close(executor: ProcessPoolExecutor, running: Collection[Future[Any]]) -> None:
    """End the workers, which have been told to stop; those that still think are terminated."""
    with contextlib.suppress(KeyboardInterrupt):  # a second Ctrl-C: without patience
        wait(running, _GRACE_SECONDS)
    if not all(future.done() for future in running):
        # Python 3.14 has terminate_workers() for this.
        for process in list((executor._processes or {}).values()):
            process.terminate()
    executor.shutdown(wait=True, cancel_futures=True)


class _Worker(NamedTuple):
    """The state of a worker process."""

    plan: _Plan
    agents: list[Agent]
    stop: Any
    counter: Any


_worker: _Worker | None = None
_worker_arguments: tuple[_Plan, Any, Any] | None = None


def _begin_work(plan: _Plan, stop: Any, counter: Any) -> None:
    """Prepare a worker process."""
    global _worker_arguments
    # A Ctrl-C at the terminal reaches all processes; what to do about it is the parent's choice.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker_arguments = (plan, stop, counter)


def _work(task: _Task) -> list[_Row] | None:
    """Play a task in a worker process; return None if the match was stopped."""
    global _worker
    if _worker is None:
        # Not in _begin_work, because an exception there would not reach the parent.
        assert _worker_arguments is not None
        plan, stop, counter = _worker_arguments
        _worker = _Worker(plan, plan.make_agents(), stop, counter)
    plan, agents, stop, counter = _worker

    def count() -> None:
        with counter.get_lock():
            counter.value += 1

    with _one_torch_thread():
        return _play_task(plan, agents, task, count, stop.is_set)


def _play_task(
    plan: _Plan,
    agents: list[Agent],
    task: _Task,
    count: Callable[[], None],
    stopped: Callable[[], bool],
) -> list[_Row] | None:
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
        agent.seed(plan.stream(_FOR_AGENT, task.chunk, task.rotation, number))
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


def _draw_start(plan: _Plan, start: int) -> State:
    """Return the position of a start where the agents take over."""
    for attempt in range(_OPENING_ATTEMPTS):
        state = plan.game.new_state(plan.stream(_FOR_START, start, attempt, 0))
        rng = np.random.Generator(np.random.PCG64(plan.stream(_FOR_OPENING, start, attempt, 0)))
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
def _one_torch_thread() -> Iterator[None]:
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


@contextlib.contextmanager
def _sigint_deferred() -> Iterator[None]:
    """Put Ctrl-C off until the end; processes that are started meanwhile never see it.

    The mask is what these inherit, so that they are shielded from their first moment on and not
    only from `_begin_work` on (Windows has no masks). For this process it would not do: the signal
    then reaches another thread, and Python's handler runs all the same.
    """
    caught: list[int] = []
    before: Any = None
    if threading.current_thread() is threading.main_thread():  # others cannot set handlers
        before = signal.getsignal(signal.SIGINT)
        if before is not None:
            signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    mask = None
    if sys.platform != "win32":
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if before is not None:
            signal.signal(signal.SIGINT, before)
        if caught:
            signal.raise_signal(signal.SIGINT)


def _merge(plan: _Plan, finished: dict[_Task, list[_Row]]) -> list[_Row]:
    """Return the games of the chunks that are finished in all rotations, by start and rotation."""
    whole = [
        chunk
        for chunk in sorted({task.chunk for task in finished})
        if all(_Task(chunk, rotation) in finished for rotation in range(plan.seats))
    ]
    rows = [
        row
        for chunk in whole
        for rotation in range(plan.seats)
        for row in finished[_Task(chunk, rotation)]
    ]
    return sorted(rows, key=lambda row: (row.start, row.rotation))


def _to_records(rows: list[_Row], seats: int) -> GameRecords:
    each, per_seat = (len(rows),), (len(rows), seats)
    return GameRecords(
        start=np.array([row.start for row in rows], np.int64).reshape(each),
        rotation=np.array([row.rotation for row in rows], np.int64).reshape(each),
        agent_at_seat=np.array([row.agent_at_seat for row in rows], np.int64).reshape(per_seat),
        returns=np.array([row.returns for row in rows], np.float64).reshape(per_seat),
        scores=np.array([row.scores for row in rows], np.float64).reshape(per_seat),
        plies=np.array([row.plies for row in rows], np.int64).reshape(each),
        truncated=np.array([row.truncated for row in rows], np.bool_).reshape(each),
        fault=np.array([row.fault for row in rows], np.int64).reshape(each),
        culprit=np.array([row.culprit for row in rows], np.int64).reshape(each),
        digest=np.array([row.digest for row in rows], np.uint64).reshape(each),
    )


def _first_errors(rows: list[_Row], names: list[str]) -> tuple[str, ...]:
    faulty = (row for row in rows if row.fault != FAIR)
    return tuple(
        f"{names[row.culprit]}, start {row.start}, rotation {row.rotation}, ply {row.plies}: "
        f"{row.error}"
        for row in islice(faulty, _ERRORS_KEPT)
    )


def _distinct(names: list[str]) -> list[str]:
    """Return the names with #2, #3, ... added to those that stood before."""
    result: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in result:
            number += 1
            candidate = f"{name}#{number}"
        result.append(candidate)
    return result


def _form(source: AgentSource) -> str:
    if isinstance(source, str):
        return source
    name = getattr(source, "__qualname__", type(source).__qualname__)
    return f"{getattr(source, '__module__', type(source).__module__)}:{name}"


def _versions() -> dict[str, str]:
    from tzaar_envs import __version__

    versions = {
        "python": platform.python_version(),
        "tzaar_envs": __version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
    if "torch" in sys.modules:
        versions["torch"] = str(sys.modules["torch"].__version__)
    return versions
