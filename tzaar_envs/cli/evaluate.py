"""The command `evaluate`: a match."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tzaar_envs.arguments.errors import EXIT_INTERRUPTED
from tzaar_envs.arguments.parameters import (
    AgentPerSeat,
    GameName,
    GameOptions,
    JsonPath,
    LuckPolicy,
    MatchGames,
    MatchSeed,
    OpeningPlies,
    Workers,
    check_free,
    game_of,
)
from tzaar_envs.cli.matches import played_match
from tzaar_envs.cli.output import new_console, progress_of_matches, working
from tzaar_envs.system.interrupts import sigint_deferred

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult
    from tzaar_envs.arena.measure_luck import LuckMeter
    from tzaar_envs.core.game import Game


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
    luck: LuckPolicy = None,
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
    meter = None if luck is None else _luck_meter(game, luck)
    result = played_match(game, agents, games, seed, workers, opening_plies)
    _save(result, json_path)
    interruption = ""
    if result.interrupted:
        interruption = f"after {len(result.games):,} of {result.header.games:,} games"
    if meter is not None:
        try:
            with progress_of_matches() as progress:
                result = meter.of_match(result, progress)
            _save(result, json_path)
        except KeyboardInterrupt:
            interruption = "before all luck was measured"
    new_console().print(match_report(result))
    if json_path is not None:
        print(f"The result is in {json_path}")
    if interruption:
        print(f"Interrupted {interruption}")
        sys.exit(EXIT_INTERRUPTED)


def _save(result: MatchResult, path: Path | None) -> None:
    if path is not None:
        with sigint_deferred():
            result.save(path)


def _luck_meter(game: Game, policy: str) -> LuckMeter:
    with working("Loading the policy"):
        from tzaar_envs.arena.measure_luck import LuckMeter

        return LuckMeter(game, policy)
