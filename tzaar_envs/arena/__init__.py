"""The arena: matches and tournaments, ratings with intervals, reports.

    from tzaar_envs import load_game
    from tzaar_envs.arena import match_report, play_match

    result = play_match(load_game("tzaar"), ["greedy", "random"], games=200, seed=1, workers=2)
    rich.print(match_report(result))
    result.save("match.json")

Every agent against every other one, into a results file from which it can resume:

    play_tournament(game, ["random", "greedy", Mine], "results.jsonl", games=200, workers=2)
    standings = read_standings(["results.jsonl"])
    rich.print(for_terminal(tournament_report(standings)))

The same seed gives the same games whatever the number of worker processes. A script that uses
`workers` must guard its main part with `if __name__ == "__main__":`.
"""

from tzaar_envs.arena.luck import LuckMeter
from tzaar_envs.arena.match import MatchResult, Summary, play_match
from tzaar_envs.arena.plan import AgentSource, Header
from tzaar_envs.arena.ratings import wilson
from tzaar_envs.arena.reports import (
    luck_report,
    match_progress,
    match_report,
    tournament_report,
    write_report,
)
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.arena.standings import Standings, read_results, read_standings
from tzaar_envs.arena.tournament import TournamentResult, play_tournament
from tzaar_envs.render.markdown import for_terminal

__all__ = [
    "AgentSource",
    "Header",
    "LuckMeter",
    "MatchResult",
    "Sprt",
    "Standings",
    "Summary",
    "TournamentResult",
    "for_terminal",
    "luck_report",
    "match_progress",
    "match_report",
    "play_match",
    "play_tournament",
    "read_results",
    "read_standings",
    "tournament_report",
    "wilson",
    "write_report",
]
