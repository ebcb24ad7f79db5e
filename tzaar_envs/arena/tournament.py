"""Tournaments: every combination of agents plays, and the results file keeps every game.

A tournament has a line-up for every combination of as many agents as the game has seats, see
`arena.plan`. Every game is written to the results file when it is over. The same call with the same
file continues where it was interrupted and ends with the same games. More games, or further agents,
continue the file, too. A batch of which games are missing is played again as a whole; games that
the file has already are not written twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.plan import (
    STARTS_PER_CHUNK,
    AgentSource,
    GameBatch,
    Header,
    Progress,
    check_picklable,
    make_plan,
)
from tzaar_envs.arena.playing import play_missing
from tzaar_envs.arena.ratings import win_shares
from tzaar_envs.arena.records import GameRecord, RecordFile
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import integer_from


@dataclass(frozen=True)
class TournamentResult:
    """The games of a tournament.

    Attributes:
        header: The description of the tournament.
        games: Those that are finished, in the order of the file.
        interrupted: Ctrl-C ended it before all were played.
        path: The results file.
    """

    header: Header
    games: list[GameRecord]
    interrupted: bool
    path: Path


def play_tournament(
    game: str | Game,
    agents: Sequence[AgentSource],
    path: str | Path,
    games: int,
    seed: int = 0,
    workers: int = 1,
    opening_plies: int = 0,
    book: str | Path | None = None,
    sprt: Sprt | None = None,
    ray: bool = False,
    progress: Progress | None = None,
    *,
    gauntlet: bool = False,
) -> TournamentResult:
    """Let every combination of agents play, or continue a tournament.

    It continues where it was interrupted, or with more games, or with agents after those that the
    file has.

    An agent that returns an illegal action or raises an exception forfeits that game: it gets -1,
    every other seat `1 / (seats - 1)`, and the tournament continues. Ctrl-C ends it, and loses only
    the games that are being played.

    Args:
        game: The name of a game, or a game.
        agents: As many as there are seats, or more. In games with more than two seats one may be
            named several times, to fill the seats; line-ups of one agent alone are left out.
        path: The results file; if it exists it must be one of the same tournament.
        games: The number of games for each line-up, a multiple of the number of seats.
        seed: Fixes everything except how long agents take, 0 or more.
        workers: The number of batches played at a time, each in a process of its own; 1 plays in
            this process.
        opening_plies: Uniformly random plies before the agents take over.
        book: A file of positions to start from instead, see `load_book`.
        sprt: Ends a pairing when its test has decided, evaluated after every chunk of starts; in
            games with two seats.
        ray: Play on the Ray cluster that this process is connected to, or else on a local one,
            `workers` batches at a time.
        progress: Called as `progress(done, games)` when a game has finished.
        gauntlet: Play only the combinations that have the first agent.

    Raises:
        ValueError: An argument is not allowed, or the file is one of another tournament.
        OSError: The results cannot be written; those that are finished are kept.
        ModuleNotFoundError: An agent, or Ray, needs an extra that is not installed.
        ChildProcessError: A worker process has died.
    """
    plan = make_plan(game, agents, games, seed, opening_plies, book, sprt, gauntlet=gauntlet)
    if integer_from("workers", workers, 1) > 1 or ray:
        check_picklable(plan.sources)
    made = plan.make_agents()

    with RecordFile(path, plan.header) as file:
        finished = {record.match: record for record in file.records}

        def rounds() -> Iterator[list[GameBatch]]:
            """Yield the batches that are missing; line-ups advance together.

            With a test each chunk is a round, so that the games do not depend on which of them
            happen to end first.
            """
            undecided = [*range(len(plan.line_ups))]
            chunks = range(plan.chunks)
            for some in [chunks] if sprt is None else [[chunk] for chunk in chunks]:
                if sprt is not None:
                    records, starts = [*finished.values()], some[0] * STARTS_PER_CHUNK
                    counts = {number: pair_counts(records, number, starts) for number in undecided}
                    undecided = [at for at in undecided if sprt.decision(counts[at]) is None]
                yield [
                    batch
                    for chunk in some
                    for line_up in undecided
                    for batch in plan.batches(line_up, chunk)
                    if any(game not in finished for game in plan.games_of(batch))
                ]

        interrupted = play_missing(
            plan, made, rounds(), finished, workers, progress, ray=ray, file=file
        )
    return TournamentResult(plan.header, [*finished.values()], interrupted, file.path)


def pair_counts(games: Sequence[GameRecord], line_up: int, starts: int) -> NDArray[np.int64]:
    """Return the number of pairs of a two-seat line-up with each score, see `arena.sprt`.

    Args:
        games: Games of the tournament.
        line_up: The number of the line-up; the scores are those of its first agent.
        starts: Only pairs from the first so many starts.
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
