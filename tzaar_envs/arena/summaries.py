"""Summaries of games: how an agent did, lengths, faults, distinct games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tzaar_envs.arena.intervals import bounded_mean, unbounded_mean, wilson
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.core.errors import Forfeit

Interval = tuple[float, float]


@dataclass(frozen=True)
class Summary:
    """How an agent did, over all seats or at one of them.

    A game is won with a return above 0, lost below 0, and drawn at 0. Rates are 0 .. 1; without
    games they and the means are None. Intervals are 95 %: Wilson for rates, Wilson over the range
    for returns (see `intervals.bounded_mean`), Student for scores (None for less than two).

    Attributes:
        agent: its name in the match.
        seat: the seat, None for all of them.
        mean_return: -1 .. 1.
        mean_score: of the games that no fault cut off.
    """

    agent: str
    seat: int | None
    games: int
    wins: int
    draws: int
    losses: int
    win_rate: float | None
    win_interval: Interval
    draw_rate: float | None
    draw_interval: Interval
    loss_rate: float | None
    loss_interval: Interval
    mean_return: float | None
    return_interval: Interval
    mean_score: float | None
    score_interval: Interval | None


def summarise(
    agent: str, seat: int | None, returns: Sequence[float], scores: Sequence[float]
) -> Summary:
    """Return the summary of an agent's games from its returns and, as far as known, its scores."""
    games = len(returns)
    wins = sum(value > 0 for value in returns)
    losses = sum(value < 0 for value in returns)
    draws = games - wins - losses
    return Summary(
        agent=agent,
        seat=seat,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        win_rate=wins / games if games else None,
        win_interval=wilson(wins, games),
        draw_rate=draws / games if games else None,
        draw_interval=wilson(draws, games),
        loss_rate=losses / games if games else None,
        loss_interval=wilson(losses, games),
        mean_return=float(np.mean(returns)) if games else None,
        return_interval=bounded_mean(returns),
        mean_score=float(np.mean(scores)) if scores else None,
        score_interval=unbounded_mean(scores),
    )


def length_note(games: Sequence[GameRecord]) -> str:
    """Return the lengths of games in plies as a sentence; empty without games."""
    plies = [game.plies for game in games]
    truncated = sum(game.truncated for game in games)
    if not plies:
        return ""
    return (
        f"Plies per game: mean {np.mean(plies):.1f}, median {np.median(plies):g}, {min(plies)} to "
        f"{max(plies)}; {truncated:,} of {len(games):,} games ended by the move cap."
    )


def distinct_games(games: Sequence[GameRecord]) -> int:
    """Return how many games differ; agents without chance repeat them from the same position."""
    return len({str((game.agents, game.position, game.actions, game.outcomes)) for game in games})


def forfeit_counts(games: Sequence[GameRecord]) -> Counter[tuple[str, Forfeit]]:
    """Return how many games each agent lost by each kind of fault, as `(agent, fault)`."""
    return Counter(
        (game.agents[game.culprit], game.forfeit)
        for game in games
        if game.forfeit is not None and game.culprit is not None
    )


def forfeit_messages(games: Sequence[GameRecord], most: int = 10) -> list[str]:
    """Return the agents that lost the first games by a fault, where and how, for people."""
    return [
        f"{game.agents[game.culprit]}, line-up {game.match.line_up}, start {game.match.start}, "
        f"rotation {game.match.rotation}, ply {game.plies}: {game.error}"
        for game in games
        if game.culprit is not None and game.match is not None
    ][:most]
