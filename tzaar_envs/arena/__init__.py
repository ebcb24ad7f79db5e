"""The arena: matches between agents, with intervals that say how much a result means.

    from tzaar_envs import load_game
    from tzaar_envs.arena import match_report, play_match

    result = play_match(load_game("tzaar"), ["greedy", "random"], games=200, seed=1, workers=2)
    rich.print(match_report(result))
    result.save("match.json")

The same seed gives the same games whatever the number of worker processes. A script that uses
`workers` must guard its main part with `if __name__ == "__main__":`.
"""

from tzaar_envs.arena.intervals import bounded_mean, unbounded_mean, wilson
from tzaar_envs.arena.match import play_match
from tzaar_envs.arena.plan import AgentSource
from tzaar_envs.arena.report import match_footnote, match_progress, match_report, match_table
from tzaar_envs.arena.result import GameRecords, Lengths, MatchResult, Summary

__all__ = [
    "AgentSource",
    "GameRecords",
    "Lengths",
    "MatchResult",
    "Summary",
    "bounded_mean",
    "match_footnote",
    "match_progress",
    "match_report",
    "match_table",
    "play_match",
    "unbounded_mean",
    "wilson",
]
