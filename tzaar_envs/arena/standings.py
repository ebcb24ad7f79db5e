"""Standings: the agents of one or several results files, compared and rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.luck import LuckMeter, shares_without_luck
from tzaar_envs.arena.plan import Header, Progress, whole_starts
from tzaar_envs.arena.ratings import Ratings, rate, rate_against, win_shares
from tzaar_envs.arena.records import GameRecord, read_records
from tzaar_envs.registry import load_game


@dataclass(frozen=True, eq=False)
class Standings:
    """Agents, ratings and scores. The same text is the same agent, in all files.

    Attributes:
        files: The results files of the tournaments, as they were named.
        headers: Headers of the tournaments.
        tournaments: The games of each tournament.
        agents: Their texts, in the order in which they are first named.
        seats: int64 `(games, seats)`, the agent at each seat, for all games in order.
        starts: int64 `(games,)`, which games began from the same position.
        shares: float64 `(games, seats)`, each seat's share of the win.
        rated: The same as the ratings count it: without luck, if they are.
        ratings: Ratings of the agents.
        luck: The policy whose values took the luck from the ratings, see `arena.luck`; None: the
            ratings are of the games as they ended.
        meetings: int64 `(agents, agents)`: how often two agents met.
        points: float64 `(agents, agents)`: in how many of these games the first had the higher
            return; those with the same return count half.
    """

    files: tuple[str, ...]
    headers: tuple[Header, ...]
    tournaments: tuple[list[GameRecord], ...]
    agents: tuple[str, ...]
    seats: NDArray[np.int64]
    starts: NDArray[np.int64]
    shares: NDArray[np.float64]
    rated: NDArray[np.float64]
    ratings: Ratings
    meetings: NDArray[np.int64]
    points: NDArray[np.float64]
    luck: str | None

    @property
    def games(self) -> list[GameRecord]:
        """All games, one tournament after the other."""
        return [game for games in self.tournaments for game in games]

    def shares_of(self, agent: int) -> NDArray[np.float64]:
        """Return an agent's share of the win in each of its games."""
        return self.shares[self.seats == agent]

    def score(self, agent: int, other: int) -> float | None:
        """Return an agent's score against another one, 0 .. 1; None if they have not met."""
        met = self.meetings[agent, other]
        return float(self.points[agent, other] / met) if met else None

    def groups(self) -> list[tuple[int, ...]]:
        """Return the agents in groups that are linked by games with each other."""
        reach = self.meetings + np.eye(len(self.agents)) > 0
        for _ in self.agents:
            reach = reach @ reach
        return sorted({tuple(np.flatnonzero(row).tolist()) for row in reach})


def ladder_rating(
    standings: Standings, agent: int, ladder: Mapping[str, float]
) -> tuple[float, float] | None:
    """Return an agent's rating on the scale of a ladder, and half the width of its interval.

    See `ratings.rate_against`.

    Args:
        standings: Games with two seats.
        agent: The agent, as an index.
        ladder: Ratings of agents.

    Returns:
        The rating; None if it has not met an agent of the ladder.
    """
    elos = np.array([ladder.get(text, np.nan) for text in standings.agents], np.float64)
    elos[agent] = np.nan
    others = elos[standings.seats[:, ::-1]]
    met = (standings.seats == agent) & ~np.isnan(others)
    if not met.any():
        return None
    starts = np.repeat(standings.starts, 2)[met.ravel()]
    return rate_against(others[met], standings.rated[met], starts)


def read_results(path: str | Path) -> tuple[Header, list[GameRecord]]:
    """Read a results file; a torn last line is left out.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a results file, or a line is damaged; says which and why.
    """
    return read_records(path, Header)


def read_standings(
    paths: str | Path | Sequence[str | Path],
    anchor: str | None = None,
    luck: str | Path | None = None,
    progress: Progress | None = None,
) -> Standings:
    """Return the standings of results files.

    Args:
        paths: The file, or several, all of the same game with the same options.
        anchor: The agent whose rating is set to 0; None: the mean rating is 0.
        luck: Policy whose values take luck from the ratings, see `arena.luck`; None: none.
        progress: Called while luck is measured, as `progress(done, games)`.

    Raises:
        OSError: A file cannot be read, or there is no such policy.
        ValueError: A file is not a results file, is of another game, or is given twice; luck cannot
            be measured in this game or with this policy.
    """
    if isinstance(paths, str | Path):
        paths = [paths]
    if not paths:
        raise ValueError("no results file is given: name one or more")
    files: dict[str, tuple[Header, list[GameRecord]]] = {}
    for path in map(str, paths):
        header, games = read_results(path)
        for other_path, (other, _) in files.items():
            if header.game_title != other.game_title:
                raise ValueError(
                    f"{path!r} holds games of {header.game_title}, {other_path!r} of "
                    f"{other.game_title}: "
                    "rate each alone"
                )
            if header.extends(other) or other.extends(header):
                raise ValueError(f"{path!r} and {other_path!r} hold the same games: use one")
        files[path] = header, games
    return standings_of(files, anchor, luck, progress)


def standings_of(
    files: Mapping[str, tuple[Header, list[GameRecord]]],
    anchor: str | None = None,
    luck: str | Path | None = None,
    progress: Progress | None = None,
) -> Standings:
    """Return the standings of tournaments by the names of their files, see `read_standings`."""
    headers = tuple(header for header, _ in files.values())
    header = headers[0]
    tournaments = tuple(whole_starts(games, len(header.seats)) for _, games in files.values())
    agents = tuple(dict.fromkeys(agent for header in headers for agent in header.agents))
    games = [game for own in tournaments for game in own]
    shape = len(games), len(header.seats)
    seats = [agents.index(agent) for game in games for agent in game.agents]
    agent_at_seat = np.array(seats, np.int64).reshape(shape)
    returns = np.array([game.returns for game in games], np.float64).reshape(shape)
    # The same number means another position in another tournament.
    numbers = [
        game.match.start * len(files) + number
        for number, own in enumerate(tournaments)
        for game in own
        if game.match is not None
    ]
    starts = np.array(numbers, np.int64)
    meetings = np.zeros((len(agents), len(agents)), np.int64)
    points = np.zeros(meetings.shape)
    for one, two in permutations(range(shape[1]), 2):
        pairs = agent_at_seat[:, one], agent_at_seat[:, two]
        differ = pairs[0] != pairs[1]
        np.add.at(meetings, pairs, differ)
        np.add.at(points, pairs, differ * (1 + np.sign(returns[:, one] - returns[:, two])) / 2)
    rated = shares = win_shares(returns)
    if luck is not None:
        meter = LuckMeter(load_game(header.game, **header.options), luck)
        rated = shares_without_luck(agent_at_seat, shares, starts, meter.of_games(games, progress))
    try:
        ratings = rate(agents, agent_at_seat, rated, starts, anchor)
    except ValueError as error:
        raise ValueError(f"{', '.join(map(repr, files))}: {error}") from None
    return Standings(
        files=tuple(files),
        headers=headers,
        tournaments=tournaments,
        agents=agents,
        seats=agent_at_seat,
        starts=starts,
        shares=shares,
        rated=rated,
        ratings=ratings,
        meetings=meetings,
        points=points,
        luck=None if luck is None else str(luck),
    )
