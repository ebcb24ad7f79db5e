"""Matches: agents play many games against each other, and how each of them did.

A match is a tournament with one line-up, see `arena.plan`. It follows from its seed alone: a longer
match with the same seed begins with the same games, up to its last whole chunk of starts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from tzaar_envs.agents import Agent
from tzaar_envs.arena.plan import (
    AgentSource,
    Header,
    Progress,
    check_picklable,
    make_plan,
    whole_starts,
)
from tzaar_envs.arena.playing import play_missing
from tzaar_envs.arena.ratings import Interval, bounded_mean, unbounded_mean, wilson
from tzaar_envs.arena.records import GameId, GameRecord, without_mark
from tzaar_envs.arena.standings import Standings, standings_of
from tzaar_envs.core.errors import Forfeit
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import integer_from
from tzaar_envs.system.files import write_atomically


@dataclass(frozen=True)
class Summary:
    """The results of an agent, over all seats or at one of them.

    A game is won with a return above 0, lost below 0, and drawn at 0. Rates are 0 .. 1; without
    games they and the means are None. Intervals are 95 %: Wilson for rates, Wilson over the range
    for returns (see `ratings.bounded_mean`), Student for scores (None for less than two).

    Attributes:
        agent: Its name in the match.
        seat: The seat, None for all of them.
        forfeits: How many of the losses it did not lose in play: by an illegal action, for
            instance, or a reply that nobody can read.
        mean_return: -1 .. 1.
        mean_score: Mean over the games that were not forfeited.
    """

    agent: str
    seat: int | None
    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
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


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The games of a match and how they were played; saved as JSON.

    Agent i of the match is at seat `(i + game.match.rotation) % seats` of a game.

    Attributes:
        format, format_version: Of the JSON.
        header: The description of the match.
        agents: Their names, all different; their texts are in the header.
        workers: The number of processes that played.
        seconds: Wall-clock time of playing, the start of the workers included.
        games: Sorted by start and rotation, each start in every rotation.

    Raises:
        ValueError: The parts do not belong together.
    """

    format: Literal["tzaar-envs match"]
    format_version: Literal[2]
    header: Header
    agents: tuple[str, ...]
    workers: Annotated[int, msgspec.Meta(ge=1)]
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e12)]
    games: list[GameRecord]

    def __post_init__(self) -> None:
        seats = len(self.header.seats)
        if not seats == len(self.header.agents) == len(set(self.agents)) == len(self.agents):
            raise ValueError(f"there are not {seats} agents with different names")
        ids = [game.match for game in self.games]
        starts = sorted({game.start for game in ids if game is not None})
        if ids != [GameId(0, start, rotation) for start in starts for rotation in range(seats)]:
            raise ValueError("the games are not each start in every rotation, in order")
        for game in self.games:
            self.header.check_record(game)

    @property
    def interrupted(self) -> bool:
        """Whether the match was stopped before all games were played."""
        return len(self.games) < self.header.games

    @property
    def forfeits(self) -> Counter[Forfeit]:
        """The number of games that were forfeited in each way."""
        return Counter(game.forfeit for game in self.games if game.forfeit is not None)

    def summary(self, agent: int, seat: int | None = None) -> Summary:
        """Return the results of an agent.

        Args:
            agent: Its index in `agents`.
            seat: Only its games at this seat; None: all.

        Raises:
            ValueError: The agent or the seat does not exist.
        """
        for what, number in (("agent", agent), ("seat", seat or 0)):
            if not 0 <= number < len(self.agents):
                last = len(self.agents) - 1
                raise ValueError(f"{what} {number} does not exist: use 0 to {last}")
        places = ((agent + number) % len(self.agents) for number in range(len(self.games)))
        own = [both for both in zip(self.games, places, strict=True) if seat in (None, both[1])]
        returns = [game.returns[place] for game, place in own if game.returns is not None]
        scores = [game.scores[place] for game, place in own if game.scores is not None]
        games = len(returns)
        wins = sum(value > 0 for value in returns)
        losses = sum(value < 0 for value in returns)
        draws = games - wins - losses
        return Summary(
            agent=self.agents[agent],
            seat=seat,
            games=games,
            wins=wins,
            draws=draws,
            losses=losses,
            forfeits=sum(game.culprit == place for game, place in own),
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

    def standings(
        self, luck: str | Path | None = None, progress: Progress | None = None
    ) -> Standings:
        """Return scores and ratings of the agents, as those of a tournament.

        Args:
            luck: A policy whose values take luck from the ratings, see `arena.luck`; None: none.
            progress: Called while luck is measured, as `progress(done, games)`.

        Raises:
            ValueError: Luck cannot be measured in this game or with this policy.
            OSError: There is no such policy.
        """
        return standings_of({"match": (self.header, self.games)}, None, luck, progress)

    def summaries(self) -> list[Summary]:
        """Return every agent's summary over all seats, each followed by those of its seats."""
        seats = range(len(self.agents))
        return [self.summary(agent, seat) for agent in seats for seat in (None, *seats)]

    def to_json(self) -> str:
        """Return the whole result as JSON text, with the summaries for people and other programs.

        For the same arguments all but `workers` and `seconds` is the same; `load` computes
        the summaries from the games again.
        """
        content = msgspec.to_builtins(self)
        games = content.pop("games")
        content["summaries"] = msgspec.to_builtins(self.summaries())
        content["games"] = games
        lines = [f'  "{name}": {_lines(value)}' for name, value in content.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def save(self, path: str | Path) -> Path:
        """Write the result as JSON, whole or not at all; missing folders are made.

        Returns:
            The path of the file.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, self.to_json())
        return path

    @classmethod
    def load(cls, path: str | Path) -> MatchResult:
        """Read a result that `save` wrote, after checking all of it.

        Raises:
            OSError: The file cannot be read.
            ValueError: It is not such a result; says what is wrong.
        """
        return cls.decode(Path(path).read_bytes(), path)

    @classmethod
    def decode(cls, content: bytes, name: str | Path) -> MatchResult:
        """Read the content of such a file, after checking all of it.

        Args:
            content: JSON.
            name: The name in errors.

        Raises:
            ValueError: It is not such a result; says what is wrong.
        """
        try:
            return msgspec.json.decode(without_mark(content), type=cls)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} is not a match result: {error}") from None


def _lines(value: Any) -> str:
    """Return JSON, a list of objects with one line each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"    {_lines(item)}" for item in value) + "\n  ]"
    return msgspec.json.encode(value).decode()


def distinct_games(games: Sequence[GameRecord]) -> int:
    """Return the number of distinct games; agents without chance repeat them from one position."""
    return len({str((game.agents, game.position, game.actions, game.outcomes)) for game in games})


def forfeit_messages(games: Sequence[GameRecord], limit: int = 10) -> list[str]:
    """Return the agents that forfeited the first games, where and how, for people."""
    return [
        f"{game.agents[game.culprit]}, line-up {game.match.line_up}, start {game.match.start}, "
        f"rotation {game.match.rotation}, ply {game.plies}: {game.error}"
        for game in games
        if game.culprit is not None and game.match is not None
    ][:limit]


def play_match(
    game: str | Game,
    agents: Sequence[AgentSource],
    games: int,
    seed: int = 0,
    workers: int = 1,
    opening_plies: int = 0,
    progress: Progress | None = None,
) -> MatchResult:
    """Play games between agents, every start position once in each rotation of the seats.

    The same arguments give the same games, whatever the number of workers. An agent that answers
    with an illegal action or raises an exception forfeits that game: it gets -1, every other agent
    `1 / (seats - 1)`, and the match continues.

    Agents without chance repeat a game that begins with the same position: use `opening_plies`
    in a game with a single one; `match_report` tells how many games differ.

    Ctrl-C ends the match: the result is then `interrupted`, with those finished games whose start
    was played in every rotation; short games are among them more often than long ones.

    Args:
        game: The name of a game, or a game.
        agents: One per seat: text for `make_agent`, an agent, or a function that takes the game
            and returns one.
        games: The number of games, a multiple of the number of seats.
        seed: Fixes everything, 0 or more.
        workers: The number of processes; 1 plays in this one.
        opening_plies: Uniformly random plies before the agents take over, the same in every
            rotation; a start whose opening ends the game is drawn again.
        progress: Called as `progress(done, games)` when games have finished.

    Raises:
        ValueError: An argument is not allowed, or nearly every random opening ends the game.
        ModuleNotFoundError: An agent needs an extra that is not installed.
        ChildProcessError: A worker process has died.
    """
    plan = make_plan(game, agents, games, seed, opening_plies, is_match=True)
    made = plan.make_agents()
    plan.game.load_rules()  # before the clock starts
    batches = [batch for chunk in range(plan.chunks) for batch in plan.batches(0, chunk)]
    workers = min(integer_from("workers", workers, 1), len(batches))
    if workers > 1:
        check_picklable(plan.sources)
    finished: dict[GameId | None, GameRecord] = {}
    began = time.perf_counter()
    play_missing(plan, made, [batches], finished, workers, progress)
    return MatchResult(
        format="tzaar-envs match",
        format_version=2,
        header=plan.header,
        agents=_distinct_names(made),
        workers=workers,
        seconds=time.perf_counter() - began,
        games=whole_starts([finished[each] for each in sorted(finished)], plan.seats),  # type: ignore[type-var]
    )


def _distinct_names(agents: Sequence[Agent]) -> tuple[str, ...]:
    """Return the names of agents, with #2, #3, ... added to those that occurred before."""
    names = [agent.name for agent in agents]
    counts = [names[: number + 1].count(name) for number, name in enumerate(names)]
    return tuple(
        name if count == 1 else f"{name}#{count}" for name, count in zip(names, counts, strict=True)
    )
