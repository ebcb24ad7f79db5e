"""Standings: what the games of one or several results files say about the agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.ratings import Ratings, rate, win_shares
from tzaar_envs.arena.results_file import GameLine, Header, read_results


@dataclass(frozen=True, eq=False)
class Standings:
    """Agents, ratings and scores. An agent is what its text says, in all files alike.

    Attributes:
        headers: of the tournaments.
        games: all of them, one tournament after the other.
        tournament: int64 `(games,)`, the index of each game's header.
        agents: in the order in which they are named first.
        seats: int64 `(games, seats)`, the agent at each seat.
        shares: float64 `(games, seats)`, which part of the win each seat has.
        ratings: of the agents.
        wins: int64 `(agents, agents)`: how often the first had a higher return than the second in
            the same game.
        draws: int64 `(agents, agents)`, likewise: the same return.
    """

    headers: tuple[Header, ...]
    games: list[GameLine]
    tournament: NDArray[np.int64]
    agents: tuple[str, ...]
    seats: NDArray[np.int64]
    shares: NDArray[np.float64]
    ratings: Ratings
    wins: NDArray[np.int64]
    draws: NDArray[np.int64]

    def shares_of(self, agent: int) -> NDArray[np.float64]:
        """Return an agent's share of the win in each of its games."""
        return self.shares[self.seats == agent]

    def score(self, agent: int, other: int) -> float | None:
        """Return an agent's score against another one, 0 .. 1; None if they have not met."""
        met = self.meetings(agent, other)
        return float(self.wins[agent, other] + self.draws[agent, other] / 2) / met if met else None

    def meetings(self, agent: int, other: int) -> int:
        """Return how often two agents met."""
        return int(self.wins[agent, other] + self.wins[other, agent] + self.draws[agent, other])

    @property
    def distinct_games(self) -> int:
        """How many games differ; agents without chance repeat themselves from the same position."""
        games = [(*line.agents, line.position, *line.moves, line.outcomes) for line in self.games]
        return len({str(game) for game in games})

    def groups(self) -> list[list[int]]:
        """Return the agents in groups that are linked by games with each other."""
        linked = (self.wins + self.wins.T + self.draws) > 0
        left, found = set(range(len(self.agents))), []
        while left:
            group = {min(left)}
            while (
                grown := {other for agent in group for other in left if linked[agent, other]}
                - group
            ):
                group |= grown
            left -= group
            found.append(sorted(group))
        return found


def read_standings(paths: Sequence[str | Path], anchor: str | None = None) -> Standings:
    """Return what results files say.

    Args:
        paths: of the files, all of the same game with the same options.
        anchor: the agent whose rating is 0; None: the mean of all ratings is.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is no results file, is one of another game, or is given twice.
    """
    if not paths:
        raise ValueError("no results file is given: name one or more")
    files: list[tuple[Header, list[GameLine]]] = []
    for path in paths:
        header, games = read_results(path)
        for other_path, (other, _) in zip(paths, files, strict=False):
            if (header.game, header.options) != (other.game, other.options):
                raise ValueError(
                    f"{str(path)!r} is of {_named(header)}, {str(other_path)!r} of {_named(other)}:"
                    " rate each alone"
                )
            if header == other:
                raise ValueError(
                    f"{str(path)!r} and {str(other_path)!r} hold the same tournament: give one"
                )
        files.append((header, games))
    return standings(files, anchor)


def standings(
    files: Sequence[tuple[Header, list[GameLine]]], anchor: str | None = None
) -> Standings:
    """Return what tournaments of the same game say, see `read_standings`."""
    agents = tuple(dict.fromkeys(agent for header, _ in files for agent in header.agents))
    number = {agent: index for index, agent in enumerate(agents)}
    games = [line for _, lines in files for line in lines]
    tournament = np.repeat(np.arange(len(files)), [len(lines) for _, lines in files])
    shape = (len(games), len(files[0][0].seats))
    seats = np.array([[number[agent] for agent in line.agents] for line in games], np.int64)
    seats = seats.reshape(shape)
    returns = np.array([line.returns for line in games], np.float64).reshape(shape)
    # The same number means another position in another tournament.
    starts = np.array([line.start for line in games], np.int64) * len(files) + tournament
    wins, draws = _compare(len(agents), seats, returns)
    shares = win_shares(returns)
    return Standings(
        headers=tuple(header for header, _ in files),
        games=games,
        tournament=tournament,
        agents=agents,
        seats=seats,
        shares=shares,
        ratings=rate(agents, seats, shares, starts, anchor),
        wins=wins,
        draws=draws,
    )


def first_of_line_up(line: GameLine) -> str:
    """Return the first agent of a game's line-up."""
    return line.agents[line.rotation]


def fault_counts(games: Sequence[GameLine]) -> Counter[tuple[str, str]]:
    """Return how many games each agent lost by each kind of fault, as `(agent, fault)`."""
    return Counter(
        (line.agents[line.culprit], line.fault)
        for line in games
        if line.fault is not None and line.culprit is not None
    )


def _compare(
    count: int, seats: NDArray[np.int64], returns: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how often each agent had a higher return than each other one, and the same."""
    wins = np.zeros((count, count), np.int64)
    draws = np.zeros((count, count), np.int64)
    for seat in range(seats.shape[1]):
        for other in range(seats.shape[1]):
            agents = seats[:, seat], seats[:, other]
            if seat != other:
                is_other = agents[0] != agents[1]
                np.add.at(wins, agents, is_other & (returns[:, seat] > returns[:, other]))
                np.add.at(draws, agents, is_other & (returns[:, seat] == returns[:, other]))
    return wins, draws


def _named(header: Header) -> str:
    options = ", ".join(f"{name}={value}" for name, value in header.options.items())
    return f"{header.game} ({options})" if options else header.game
