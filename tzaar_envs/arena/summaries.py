"""Summaries of games: how an agent did, lengths, faults, distinct games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tzaar_envs.arena.ratings.intervals import bounded_mean, unbounded_mean, wilson
from tzaar_envs.records import Fault, GameRecord


@dataclass(frozen=True)
class Summary:
    """How an agent did, over all seats or at one of them.

    A game is won with a return above 0, lost below 0, and drawn at 0. All intervals are 95 %.

    Attributes:
        agent: its name in the match.
        seat: the seat, None for all of them.
        games: how many.
        wins: how many.
        draws: how many.
        losses: how many.
        win_rate: 0 .. 1; None without games, as all rates and means.
        win_interval: Wilson.
        draw_rate: 0 .. 1.
        draw_interval: Wilson.
        loss_rate: 0 .. 1.
        loss_interval: Wilson.
        mean_return: -1 .. 1.
        return_interval: Wilson over the range, conservative; see `intervals.bounded_mean`.
        mean_score: of the games that no fault cut off; None if there are none.
        score_interval: Student; None with fewer than two such games.
    """

    agent: str
    seat: int | None
    games: int
    wins: int
    draws: int
    losses: int
    win_rate: float | None
    win_interval: tuple[float, float]
    draw_rate: float | None
    draw_interval: tuple[float, float]
    loss_rate: float | None
    loss_interval: tuple[float, float]
    mean_return: float | None
    return_interval: tuple[float, float]
    mean_score: float | None
    score_interval: tuple[float, float] | None


def summarise(
    agent: str, seat: int | None, returns: Sequence[float], scores: Sequence[float]
) -> Summary:
    """Return the summary of an agent's games.

    Args:
        agent: its name.
        seat: where it played them; None: at all seats.
        returns: its return in each game.
        scores: its points in each game that no fault cut off.
    """
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


class Lengths(NamedTuple):
    """The lengths of games in plies, those of random openings included."""

    mean: float
    minimum: int
    median: float
    maximum: int
    truncated: int
    games: int

    def __str__(self) -> str:
        return (
            f"Plies per game: mean {self.mean:.1f}, median {self.median:g}, {self.minimum} to "
            f"{self.maximum}; {self.truncated:,} of {self.games:,} games ended by the move cap."
        )


def lengths_of(games: Sequence[GameRecord]) -> Lengths | None:
    """Return the lengths of games, and how many were truncated; None without games."""
    plies = np.array([game.plies for game in games], np.int64)
    if not games:
        return None
    return Lengths(
        float(plies.mean()),
        int(plies.min()),
        float(np.median(plies)),
        int(plies.max()),
        sum(game.truncated for game in games),
        len(games),
    )


def distinct_games(games: Sequence[GameRecord]) -> int:
    """Return how many games differ; agents without chance repeat them from the same position."""
    return len({str((game.agents, game.position, game.actions, game.outcomes)) for game in games})


def fault_counts(games: Sequence[GameRecord]) -> Counter[tuple[str, Fault]]:
    """Return how many games each agent lost by each kind of fault, as `(agent, fault)`."""
    return Counter(
        (game.agents[game.culprit], game.fault)
        for game in games
        if game.fault is not None and game.culprit is not None
    )


def fault_messages(games: Sequence[GameRecord], most: int = 10) -> tuple[str, ...]:
    """Return which agents lost the first games by a fault, where and how, for people."""
    faulty = [game for game in games if game.culprit is not None][:most]
    return tuple(
        f"{game.agents[game.culprit or 0]}, start {game.match.start}, rotation "
        f"{game.match.rotation}, ply {game.plies}: {game.error}"
        for game in faulty
        if game.match is not None
    )
