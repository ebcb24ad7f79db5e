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

import operator
import pickle
import platform
import sys
import time
from collections.abc import Sequence
from itertools import islice

import numba
import numpy as np

from tzaar_envs.agents import Agent
from tzaar_envs.arena.lockstep import Row
from tzaar_envs.arena.plan import AgentSource, Plan, Task
from tzaar_envs.arena.processes import Progress, play_here, play_in_workers
from tzaar_envs.arena.result import FAIR, GameRecords, MatchResult
from tzaar_envs.core.game import Game

_ERRORS_KEPT = 10


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

    finished: dict[Task, list[Row]] = {}
    began = time.perf_counter()
    if workers == 1:
        interrupted = play_here(plan, made, finished, report)
    else:
        interrupted = play_in_workers(plan, workers, finished, report)
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
) -> Plan:
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
    return Plan(game, tuple(agents), games // seats, _whole("seed", seed, 0), opening_plies)


def _whole(name: str, value: int, minimum: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = minimum - 1
    if number < minimum or isinstance(value, bool):
        raise ValueError(f"{name}={value!r} is not allowed: use a whole number from {minimum}")
    return number


def _check_picklable(plan: Plan) -> None:
    for number, source in enumerate(plan.sources):
        try:
            pickle.dumps(source)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ValueError(
                f"agents[{number}] cannot be sent to worker processes ({error}): use a function at "
                "the top level of a module, or workers=1"
            ) from None


def _merge(plan: Plan, finished: dict[Task, list[Row]]) -> list[Row]:
    """Return the games of the chunks that are finished in all rotations, by start and rotation."""
    whole = [
        chunk
        for chunk in sorted({task.chunk for task in finished})
        if all(Task(chunk, rotation) in finished for rotation in range(plan.seats))
    ]
    rows = [
        row
        for chunk in whole
        for rotation in range(plan.seats)
        for row in finished[Task(chunk, rotation)]
    ]
    return sorted(rows, key=lambda row: (row.start, row.rotation))


def _to_records(rows: list[Row], seats: int) -> GameRecords:
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


def _first_errors(rows: list[Row], names: list[str]) -> tuple[str, ...]:
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
