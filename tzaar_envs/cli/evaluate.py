"""The command `evaluate`: a match."""

from __future__ import annotations

import sys

from tzaar_envs.arguments.errors import EXIT_INTERRUPTED
from tzaar_envs.arguments.parameters import (
    AgentPerSeat,
    GameName,
    GameOptions,
    JsonPath,
    MatchGames,
    MatchSeed,
    OpeningPlies,
    Workers,
    check_free,
    game_of,
)
from tzaar_envs.cli.matches import played_match
from tzaar_envs.cli.output import new_console, working
from tzaar_envs.system.interrupts import sigint_deferred


def evaluate(
    name: GameName,
    agents: AgentPerSeat,
    /,
    *,
    games: MatchGames = None,
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 0,
    option: GameOptions = (),
    json_path: JsonPath = None,
) -> None:
    """Play a match between agents: each start position once in every rotation of the seats.

    Ctrl-C ends the match; the games finished by then are reported and written.
    """
    check_free("--json", json_path)
    with working("Loading the arena"):
        from tzaar_envs.arena import match_report
        from tzaar_envs.registry import find_spec

    game = game_of(find_spec(name), option)
    result = played_match(game, agents, games, seed, workers, opening_plies)
    if json_path is not None:
        with sigint_deferred():
            result.save(json_path)
    new_console().print(match_report(result))
    if json_path is not None:
        print(f"The result is in {json_path}")
    if result.interrupted:
        print(f"Interrupted after {len(result.games):,} of {result.header.games:,} games")
        sys.exit(EXIT_INTERRUPTED)
