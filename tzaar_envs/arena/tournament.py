"""Tournaments: every combination of agents plays, and the results file keeps every game.

A tournament has a line-up for every combination of as many agents as the game has seats, see
`arena.plan`. Every game is written to the results file when it is over. The same call with the same
file continues where it was interrupted and ends with the same games.

An agent that returns an illegal action, raises an exception, takes too long or makes processes die
loses that game: it gets -1, every other seat `1 / (seats - 1)`, and the tournament continues. How
agents are isolated and timed: see `arena.workers`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.checks import check_memory, check_picklable, check_sources, make_plan
from tzaar_envs.arena.plan import STARTS_PER_CHUNK, AgentSource, Progress, agent_text
from tzaar_envs.arena.ratings import win_shares
from tzaar_envs.arena.records import GameRecord, RecordFile
from tzaar_envs.arena.results_file import Header
from tzaar_envs.arena.schedule import Schedule
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.arena.workers import play_plan
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import whole_number


@dataclass(frozen=True)
class TournamentResult:
    """The games of a tournament.

    Attributes:
        header: what the tournament is.
        games: those that are finished, in the order of the file.
        interrupted: Ctrl-C ended it before all were played.
        path: of the results file.
    """

    header: Header
    games: list[GameRecord]
    interrupted: bool
    path: Path


def play_tournament(
    game: Game,
    agents: Sequence[AgentSource],
    path: str | Path,
    games: int,
    seed: int = 0,
    workers: int = 1,
    opening_plies: int = 0,
    book: str | Path | None = None,
    sprt: Sprt | None = None,
    move_seconds: float | None = None,
    ray: bool = False,
    memory_gib: float | None = None,
    progress: Progress | None = None,
) -> TournamentResult:
    """Let every combination of agents play, or continue a tournament that was interrupted.

    Args:
        game: the game.
        agents: as many as there are seats, or more. In games with more than two seats one may be
            named several times, to fill the seats; line-ups of one agent alone are left out.
        path: the results file; if it exists it must be one of the same tournament.
        games: how many for each line-up, a multiple of the number of seats.
        seed: fixes everything except how long agents take, 0 or more.
        workers: the number of tasks played at a time, each in a process of its own; 1 plays in this
            process, unless there is a limit of time or memory.
        opening_plies: uniformly random plies before the agents take over.
        book: a file of positions to start from instead, see `load_book`.
        sprt: ends a pairing when its test has decided, evaluated after every chunk of starts; in
            games with two seats.
        move_seconds: the time limit for a move, see `workers.FIRST_MOVE_SECONDS` for the first one.
        ray: play the tasks on the Ray cluster that this process is connected to, or else on a local
            one, `workers` at a time.
        memory_gib: how much memory, in GiB, the agents of each process may allocate (Linux only);
            an agent that needs more loses the game. With this limit agents do not play in this
            process. None: no limit.
        progress: called as `progress(done, games)` when a game has finished.

    Raises:
        ValueError: an argument is not allowed, or the file is one of another tournament.
        OSError: the results cannot be written; says what is kept and how to continue.
        ModuleNotFoundError: an agent, or Ray, needs an extra that is not installed.
        RuntimeError: worker processes die, and no agent can be blamed.
    """
    check_sources(game, agents)
    if ray and move_seconds is not None:
        raise ValueError("move_seconds is not allowed with ray: it needs processes on this machine")
    if memory_gib is not None:
        check_memory(memory_gib, ray)
    numbers = line_ups([*map(agent_text, agents)], game.num_players)
    plan = make_plan(game, agents, numbers, games, seed, opening_plies, book, sprt, move_seconds)
    in_other_processes = ray or move_seconds is not None or memory_gib is not None
    if whole_number("workers", workers, 1) > 1 or in_other_processes:
        check_picklable(plan.sources)
    made = plan.make_agents()

    with RecordFile(path, plan.header) as file:
        finished: list[GameRecord] = []
        of_line_up: defaultdict[int, list[GameRecord]] = defaultdict(list)

        def add(record: GameRecord) -> None:
            assert record.match is not None
            finished.append(record)
            of_line_up[record.match.line_up].append(record)

        for number, record in enumerate(file.records, start=2):
            if record.match is None or not plan.has(record.match, record.agents):
                raise ValueError(
                    f"{str(path)!r}, line {number}: {record.match} is not a game of this tournament"
                )
            add(record)

        def decided(line_up: int, chunks: int) -> bool:
            if sprt is None:
                return False
            counts = pair_counts(of_line_up[line_up], line_up, chunks * STARTS_PER_CHUNK)
            return sprt.decision(counts) is not None

        def keep(record: GameRecord) -> None:
            file.append(record)
            add(record)
            if progress is not None:
                progress(len(finished), schedule.games)

        schedule = Schedule(
            plan,
            [record.match for record in finished if record.match is not None],
            None if sprt is None else decided,
        )
        interrupted = play_plan(plan, made, workers, schedule, keep, ray, memory_gib)
    is_whole = len(finished) == schedule.games
    return TournamentResult(plan.header, finished, interrupted and not is_whole, file.path)


def line_ups(agents: Sequence[str], seats: int) -> tuple[tuple[int, ...], ...]:
    """Return every combination of agents for the seats, as indices.

    Raises:
        ValueError: there are too few agents, or one is named too often.
    """
    if len(agents) < seats:
        raise ValueError(
            f"{len(agents)} agents are not allowed: there are {seats} seats, so name {seats} or "
            "more agents" + (", one of them several times if necessary" if seats > 2 else "")
        )
    for agent in agents:
        if agents.count(agent) >= seats:
            raise ValueError(
                f"agent {agent!r} is named {agents.count(agent)} times: with {seats} seats use it "
                f"{'once' if seats == 2 else f'at most {seats - 1} times'}"
            )
    different = {
        tuple(sorted(agents[number] for number in numbers)): numbers
        for numbers in reversed(list(combinations(range(len(agents)), seats)))
    }
    return tuple(sorted(different.values()))


def pair_counts(games: Sequence[GameRecord], line_up: int, starts: int) -> NDArray[np.int64]:
    """Return how many pairs of a two-seat line-up had each score, see `statistics.sprt`.

    Args:
        games: of the tournament.
        line_up: the number of the line-up; the scores are those of its first agent.
        starts: only pairs from the first so many starts.
    """
    scores: dict[int, list[float]] = {}
    for record in games:
        game = record.match
        if game is not None and game.line_up == line_up and game.start < starts:
            shares = win_shares(np.array([record.returns]))[0]
            # In rotation r the first agent is at seat r.
            scores.setdefault(game.start, []).append(float(shares[game.rotation]))
    totals = [round(2 * sum(pair)) for pair in scores.values() if len(pair) == 2]
    return np.bincount(np.array(totals, np.int64), minlength=5)
