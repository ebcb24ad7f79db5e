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
- Games are put in their order, whichever finished first. PyTorch, if an agent has loaded it,
  runs on one thread in each process, because the number of threads shows in its rounding.

So a longer match with the same seed begins with the same games up to its last whole chunk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np

from tzaar_envs.arena.checks import (
    check_picklable,
    check_sources,
    form_of,
    games_of_every_rotation,
    length_of_openings,
    whole_number,
)
from tzaar_envs.arena.faults import FAIR
from tzaar_envs.arena.lockstep import Row
from tzaar_envs.arena.plan import STARTS_PER_CHUNK, AgentSource, Plan
from tzaar_envs.arena.result import GameRecords, MatchResult
from tzaar_envs.arena.schedule import Schedule
from tzaar_envs.arena.workers import play_here, play_in_workers
from tzaar_envs.core.game import Game
from tzaar_envs.system.versions import versions

Progress: TypeAlias = Callable[[int, int], None]
"""`progress(done, games)`: called with the number of finished games."""

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
    module says how. An agent that answers with an illegal action, raises an exception or makes
    three worker processes die loses that game at once: it gets -1, every other agent
    `1 / (seats - 1)`, and the match goes on.

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
        RuntimeError: worker processes die before they play.
    """
    check_sources(agents)
    seats = game.num_players
    if len(agents) != seats:
        raise ValueError(f"{len(agents)} agents are not allowed: {game.name} has {seats} seats")
    plan = Plan(
        game,
        tuple(agents),
        line_ups=(tuple(range(seats)),),
        starts=games_of_every_rotation(games, seats) // seats,
        seed=whole_number("seed", seed, 0),
        opening_plies=length_of_openings(opening_plies, game),
    )
    whole_number("workers", workers, 1)
    made = plan.make_agents()
    game.rules  # noqa: B018  # loads the rules before the clock starts
    schedule = Schedule(plan)
    workers = min(workers, schedule.tasks_left)
    if workers > 1:
        check_picklable(plan.sources)

    rows: list[Row] = []

    def keep(row: Row) -> None:
        rows.append(row)
        if progress is not None:
            progress(len(rows), plan.games)

    began = time.perf_counter()
    if workers == 1:
        interrupted = play_here(plan, made, schedule, keep)
    else:
        interrupted = play_in_workers(plan, workers, schedule, keep)
    seconds = time.perf_counter() - began

    rows = _whole_chunks(plan, rows)
    names = _distinct([made[number].name for number in range(seats)])
    return MatchResult(
        game=game.name,
        version=game.spec.version,
        options=dict(game.options),
        seat_names=game.layout.seat_names,
        agents=tuple(names),
        forms=tuple(form_of(source) for source in plan.sources),
        seed=plan.seed,
        opening_plies=plan.opening_plies,
        games_requested=plan.games,
        interrupted=interrupted and len(rows) < plan.games,
        records=_to_records(rows, seats),
        errors=_first_errors(rows, names),
        versions=versions(),
        workers=workers,
        seconds=seconds,
    )


def _whole_chunks(plan: Plan, rows: list[Row]) -> list[Row]:
    """Return the games of the chunks that are finished, by start and rotation."""
    finished = {(row.start, row.rotation) for row in rows}
    whole = {
        task.chunk
        for task in plan.tasks(0)
        if all(
            (start, rotation) in finished
            for start in plan.starts_of(task)
            for rotation in range(plan.seats)
        )
    }
    kept = [row for row in rows if row.start // STARTS_PER_CHUNK in whole]
    return sorted(kept, key=lambda row: (row.start, row.rotation))


def _to_records(rows: list[Row], seats: int) -> GameRecords:
    """Return the games as arrays, with the returns of agents in place of those of seats."""
    each, per_seat = (len(rows),), (len(rows), seats)
    agent_at_seat = np.array([row.agent_at_seat for row in rows], np.int64).reshape(per_seat)
    returns, scores = np.empty(per_seat), np.empty(per_seat)
    np.put_along_axis(
        returns, agent_at_seat, np.array([row.returns for row in rows]).reshape(per_seat), 1
    )
    np.put_along_axis(
        scores, agent_at_seat, np.array([row.scores for row in rows]).reshape(per_seat), 1
    )
    return GameRecords(
        start=np.array([row.start for row in rows], np.int64).reshape(each),
        rotation=np.array([row.rotation for row in rows], np.int64).reshape(each),
        agent_at_seat=agent_at_seat,
        returns=returns,
        scores=scores,
        plies=np.array([row.plies for row in rows], np.int64).reshape(each),
        truncated=np.array([row.truncated for row in rows], np.bool_).reshape(each),
        fault=np.array([row.fault for row in rows], np.int64).reshape(each),
        culprit=np.array([_culprit(row) for row in rows], np.int64).reshape(each),
        digest=np.array([row.digest for row in rows], np.uint64).reshape(each),
    )


def _culprit(row: Row) -> int:
    """Return the agent whose fault it was, -1 if there was none."""
    return -1 if row.fault == FAIR else row.agent_at_seat[row.culprit]


def _first_errors(rows: list[Row], names: list[str]) -> tuple[str, ...]:
    faulty = (row for row in rows if row.fault != FAIR)
    return tuple(
        f"{names[_culprit(row)]}, start {row.start}, rotation {row.rotation}, ply {row.plies}: "
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
