"""Tournaments: every agent meets every other one, and nothing that was played is ever lost.

The games are those of matches (see `arena.match`): starts that are played in every rotation of the
seats, in chunks of lockstep tasks, so that everything follows from the seed. A tournament has a
line-up for every combination of as many agents as the game has seats, all from the same starts.
Every game goes into the results file when it is over. The same call with the same file goes on
where it was interrupted, and comes to the same games.

An agent that returns an illegal action, raises an exception, takes too long or makes worker
processes die loses that game: it gets -1, every other seat `1 / (seats - 1)`, and the tournament
goes on.

With a time limit an agent is asked about one game at a time, every game is a task of its own, and
worker processes are used even if there is only one, because only another process can end an agent
that never answers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.checks import (
    check_picklable,
    check_sources,
    form_of,
    games_of_every_rotation,
    length_of_openings,
    whole_number,
)
from tzaar_envs.arena.faults import FAIR, FAULT_NAMES
from tzaar_envs.arena.lockstep import Row
from tzaar_envs.arena.match import Progress
from tzaar_envs.arena.openings import load_book
from tzaar_envs.arena.plan import STARTS_PER_CHUNK, AgentSource, Plan
from tzaar_envs.arena.ratings import win_shares
from tzaar_envs.arena.results_file import GameLine, Header, ResultsFile
from tzaar_envs.arena.schedule import Schedule
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.arena.workers import play_here, play_in_workers
from tzaar_envs.core.game import Game
from tzaar_envs.system.machine import machine
from tzaar_envs.system.versions import versions


@dataclass(frozen=True)
class TournamentResult:
    """What a tournament came to.

    Attributes:
        header: what it is.
        games: those that are finished, in the order in which they were.
        interrupted: Ctrl-C ended it before all were played.
        path: of the results file.
    """

    header: Header
    games: list[GameLine]
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
    progress: Progress | None = None,
) -> TournamentResult:
    """Let every combination of agents play, or go on with a tournament that was interrupted.

    Args:
        game: the game.
        agents: as many as there are seats, or more. In games with more than two seats one may be
            named several times, to fill the seats; line-ups of one agent alone are left out.
        path: the results file; if it exists it must be one of the same tournament.
        games: how many for each line-up, a multiple of the number of seats.
        seed: fixes everything but what agents do with time, 0 or more.
        workers: the number of processes; 1 plays in this one, unless there is a time limit.
        opening_plies: uniformly random plies before the agents take over.
        book: a file of positions to start from instead, see `load_book`.
        sprt: ends a pairing when its test has decided, looked at after every chunk of starts; in
            games with two seats.
        move_seconds: the longest that an agent may take for a move; see the docstring of the
            module, and `workers.FIRST_MOVE_SECONDS` for the first move.
        ray: play the tasks on the Ray cluster that this process is connected to, or else on a local
            one, `workers` at a time.
        progress: called as `progress(done, games)` when a game has finished.

    Raises:
        ValueError: an argument is not allowed, or the file is one of another tournament.
        OSError: the results cannot be written; says what is kept and how to go on.
        ModuleNotFoundError: an agent, or Ray, needs an extra that is not installed.
        RuntimeError: worker processes die, and no agent can be blamed.
    """
    check_sources(agents)
    _check_settings(game, opening_plies, book, sprt, move_seconds, ray)
    forms = [form_of(source) for source in agents]
    plan = Plan(
        game,
        tuple(agents),
        line_ups=line_ups(forms, game.num_players),
        starts=games_of_every_rotation(games, game.num_players) // game.num_players,
        seed=whole_number("seed", seed, 0),
        opening_plies=length_of_openings(opening_plies, game),
        book=() if book is None else load_book(book, game),
        move_seconds=move_seconds,
        keep_moves=True,
    )
    whole_number("workers", workers, 1)
    in_workers = workers > 1 or move_seconds is not None
    if in_workers or ray:
        check_picklable(plan.sources)
    made = plan.make_agents()
    header = _header(plan, forms, sprt)

    with ResultsFile(path, header) as file:
        for line in file.games:
            _check_belongs(line, plan, forms, file.path)
        finished = list(file.games)
        pairings = _Pairings(plan, sprt, finished)
        schedule = Schedule(
            plan, [line.id for line in finished], None if sprt is None else pairings.decided
        )

        def keep(row: Row) -> None:
            line = _to_line(row, plan, forms)
            file.append(line)
            finished.append(line)
            pairings.add(line)
            if progress is not None:
                progress(len(finished), schedule.games)

        if ray:
            from tzaar_envs.arena.ray_tasks import play_on_ray

            interrupted = play_on_ray(plan, workers, schedule, keep)
        elif in_workers:
            interrupted = play_in_workers(plan, workers, schedule, keep)
        else:
            interrupted = play_here(plan, made, schedule, keep)
    is_whole = len(finished) == schedule.games
    return TournamentResult(header, finished, interrupted and not is_whole, file.path)


def line_ups(forms: Sequence[str], seats: int) -> tuple[tuple[int, ...], ...]:
    """Return every combination of agents for the seats, as indices.

    Raises:
        ValueError: there are too few agents, or one is named too often.
    """
    if len(forms) < seats:
        raise ValueError(
            f"{len(forms)} agents are not allowed: there are {seats} seats, so name {seats} agents "
            "or more" + (", one of them several times if need be" if seats > 2 else "")
        )
    for form in forms:
        if forms.count(form) >= seats:
            raise ValueError(
                f"agent {form!r} is named {forms.count(form)} times: with {seats} seats use it "
                f"{'once' if seats == 2 else f'at most {seats - 1} times'}"
            )
    different = {
        tuple(sorted(forms[number] for number in numbers)): numbers
        for numbers in reversed(list(combinations(range(len(forms)), seats)))
    }
    return tuple(sorted(different.values()))


def pair_counts(games: Sequence[GameLine], line_up: int, starts: int) -> NDArray[np.int64]:
    """Return how many pairs of a two-seat line-up had each score, int64 `(5,)`, see `arena.sprt`.

    Args:
        games: of the tournament.
        line_up: the number of the line-up; the scores are those of its first agent.
        starts: only pairs from the first so many starts.
    """
    scores: dict[int, list[float]] = {}
    for line in games:
        if line.line_up == line_up and line.start < starts:
            shares = win_shares(np.array([line.returns]))[0]
            # In rotation r the first agent sits at seat r.
            scores.setdefault(line.start, []).append(float(shares[line.rotation]))
    totals = [round(2 * sum(pair)) for pair in scores.values() if len(pair) == 2]
    return np.bincount(np.array(totals, np.int64), minlength=5)


class _Pairings:
    """The games of each line-up, for the test that ends one early."""

    def __init__(self, plan: Plan, sprt: Sprt | None, games: Sequence[GameLine]) -> None:
        self._sprt = sprt
        self._games: list[list[GameLine]] = [[] for _ in plan.line_ups]
        for line in games:
            self.add(line)

    def add(self, line: GameLine) -> None:
        """Take note of a finished game."""
        if self._sprt is not None:
            self._games[line.line_up].append(line)

    def decided(self, line_up: int, chunks: int) -> bool:
        """Whether the test has decided after so many chunks."""
        assert self._sprt is not None
        pairs = pair_counts(self._games[line_up], line_up, chunks * STARTS_PER_CHUNK)
        return self._sprt.decision(pairs) is not None


def _check_settings(
    game: Game,
    opening_plies: int,
    book: str | Path | None,
    sprt: Sprt | None,
    move_seconds: float | None,
    ray: bool,
) -> None:
    if book is not None and opening_plies:
        raise ValueError(
            f"opening_plies={opening_plies} is not allowed with a book: its positions are the "
            "openings"
        )
    if sprt is not None and game.num_players != 2:
        raise ValueError(
            f"sprt is not allowed: it compares two agents, {game.name} has {game.num_players} seats"
        )
    if move_seconds is not None and not 0 < move_seconds < math.inf:
        raise ValueError(
            f"move_seconds={move_seconds!r} is not allowed: use a number of seconds above 0"
        )
    if ray and move_seconds is not None:
        raise ValueError(
            "move_seconds is not allowed with ray: only worker processes of this machine can be "
            "ended in time"
        )


def _header(plan: Plan, forms: list[str], sprt: Sprt | None) -> Header:
    digest = hashlib.sha256("\n".join(plan.book).encode()).hexdigest()
    return Header(
        game=plan.game.spec.env_id,
        options=dict(plan.game.options),
        seats=list(plan.game.layout.seat_names),
        agents=forms,
        games=plan.starts * plan.seats,
        seed=plan.seed,
        opening_plies=plan.opening_plies,
        book={"positions": len(plan.book), "sha256": digest} if plan.book else None,
        move_seconds=plan.move_seconds,
        sprt=None if sprt is None else [sprt.elo0, sprt.elo1],
        versions=versions(),
        machine=machine(),
    )


def _to_line(row: Row, plan: Plan, forms: list[str]) -> GameLine:
    is_fair = row.fault == FAIR
    return GameLine(
        line_up=row.line_up,
        start=row.start,
        rotation=row.rotation,
        seed=plan.seed,
        agents=[forms[agent] for agent in row.agent_at_seat],
        returns=row.returns,
        scores=row.scores if is_fair else None,
        plies=row.plies,
        truncated=row.truncated,
        fault=None if is_fair else FAULT_NAMES[row.fault],
        culprit=None if is_fair else row.culprit,
        error=None if is_fair else row.error,
        position=row.position,
        moves=row.moves,
        outcomes=row.outcomes,
    )


def _check_belongs(line: GameLine, plan: Plan, forms: list[str], path: Path) -> None:
    """Raise a ValueError for a game that is none of the plan's."""
    is_known = line.line_up < len(plan.line_ups) and line.start < plan.starts
    if is_known:
        agents = [forms[agent] for agent in plan.agent_at_seat(line.line_up, line.rotation)]
        is_known = line.agents == agents
    if not is_known:
        raise ValueError(
            f"{str(path)!r} is damaged: line-up {line.line_up}, start {line.start}, rotation "
            f"{line.rotation} is no game of this tournament"
        )
