"""Matches: agents play many games against each other.

A match is a tournament with one line-up, see `arena.plan`. It follows from its seed alone: a longer
match with the same seed begins with the same games, up to its last whole chunk of starts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from tzaar_envs.agents import Agent
from tzaar_envs.arena.checks import check_picklable, check_sources, make_plan
from tzaar_envs.arena.match_result import MatchResult
from tzaar_envs.arena.plan import AgentSource, Plan, Progress
from tzaar_envs.arena.records import GameId, GameRecord
from tzaar_envs.arena.schedule import Schedule
from tzaar_envs.arena.workers import play_plan
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import whole_number


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

    The same arguments give the same games, whatever the number of workers. An agent that answers
    with an illegal action, raises an exception or makes worker processes die loses that game at
    once: it gets -1, every other agent `1 / (seats - 1)`, and the match continues.

    Agents without chance repeat a game that begins with the same position: use `opening_plies`
    in a game with a single one. `MatchResult.distinct_games` is the number of games that differ.

    Ctrl-C ends the match: the result is then `interrupted`, with those finished games whose start
    was played in every rotation, in whole chunks.

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
    plan = plan_match(game, agents, games, seed, opening_plies)
    made = plan.make_agents()
    game.load_rules()  # before the clock starts
    schedule = Schedule(plan)
    workers = min(whole_number("workers", workers, 1), schedule.tasks_left)
    if workers > 1:
        check_picklable(plan.sources)
    finished: dict[GameId | None, GameRecord] = {}

    def keep(record: GameRecord) -> None:
        finished[record.match] = record
        if progress is not None:
            progress(len(finished), plan.games)

    began = time.perf_counter()
    play_plan(plan, made, workers, schedule, keep)
    return MatchResult(
        format="tzaar-envs match",
        format_version=2,
        header=plan.header,
        agents=_distinct_names(made),
        workers=workers,
        seconds=time.perf_counter() - began,
        games=_whole_chunks(plan, finished),
    )


def plan_match(
    game: Game, agents: Sequence[AgentSource], games: int, seed: int, opening_plies: int
) -> Plan:
    """Return the plan of a match; nothing is loaded or compiled for it.

    Args:
        game: the game.
        agents: see `play_match`, as all further arguments.
        games: see there.
        seed: see there.
        opening_plies: see there.

    Raises:
        ValueError: an argument is not allowed.
    """
    check_sources(game, agents)
    seats = game.num_players
    if len(agents) != seats:
        raise ValueError(f"{len(agents)} agents are not allowed: {game.name} has {seats} seats")
    return make_plan(game, agents, [tuple(range(seats))], games, seed, opening_plies)


def _whole_chunks(plan: Plan, finished: dict[GameId | None, GameRecord]) -> list[GameRecord]:
    """Return the games of the chunks that are finished, by start and rotation."""
    chunks: dict[int, list[GameId]] = {}
    for task in plan.tasks(0):
        chunks.setdefault(task.chunk, []).extend(plan.games_of(task))
    whole = [games for games in chunks.values() if all(game in finished for game in games)]
    ordered = sorted((game.start, game.rotation) for games in whole for game in games)
    return [finished[GameId(0, *place)] for place in ordered]


def _distinct_names(agents: Sequence[Agent]) -> tuple[str, ...]:
    """Return the names of agents, with #2, #3, ... added to those that occurred before."""
    names: list[str] = []
    for agent in agents:
        name = agent.name.encode("utf-8", "backslashreplace").decode()
        number, candidate = 1, name
        while candidate in names:
            number += 1
            candidate = f"{name}#{number}"
        names.append(candidate)
    return tuple(names)
