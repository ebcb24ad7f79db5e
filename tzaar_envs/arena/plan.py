"""The plan of a match or tournament: line-ups, starts, tasks, and the seed of each.

- A *line-up* is a choice of agents, one per seat. A match has one line-up, a tournament many.
- A *start* is a position with its chance events. Every line-up plays the same starts, each start
  once in every rotation of the seats.
- A *task* is `STARTS_PER_CHUNK` starts (a chunk) of a line-up in one rotation. Its games are
  batched: an agent is asked about many positions at once.

Everything follows from the seed of the plan. An agent has one random stream for a task, hence its
choices in a game depend on the other games of the task. Therefore the numbers of the starts alone
decide which of them make up a task, never the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.arena.records import GameId
from tzaar_envs.arena.results_file import Header
from tzaar_envs.core.game import Game

AgentSource: TypeAlias = str | Callable[[Game], Agent]
"""A text for `make_agent`, or a factory; with workers it must be one that can be pickled."""

Progress: TypeAlias = Callable[[int, int], None]
"""`progress(done, games)`: called with the number of finished games."""

STARTS_PER_CHUNK = 16

# The first word of every seed names its purpose, so that no two streams are the same.
FOR_START, FOR_OPENING, FOR_AGENT, FOR_AGENT_ALONE, FOR_BOOK = 1, 2, 3, 4, 5


class Task(NamedTuple):
    """The games of one line-up from the starts of a chunk, in one rotation.

    Attributes:
        line_up: its index in `Plan.line_ups`.
        chunk: the number of the chunk.
        rotation: in rotation r agent i of the line-up takes seat `(i + r) % seats`.
        start: only the game from this start of the chunk; None: all of them, batched.
    """

    line_up: int
    chunk: int
    rotation: int
    start: int | None = None


@dataclass(frozen=True)
class Plan:
    """All that a process has to know about a match or a tournament.

    Attributes:
        game: the game.
        sources: of the agents.
        line_ups: agents that play together, as indices into `sources`, one for each seat.
        header: the seed and all settings.
        book: positions to start from, in notation; empty: the game's own start positions.
    """

    game: Game
    sources: tuple[AgentSource, ...]
    line_ups: tuple[tuple[int, ...], ...]
    header: Header
    book: tuple[str, ...] = ()

    @property
    def seats(self) -> int:
        """The number of seats, and so of rotations."""
        return self.game.num_players

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.line_ups) * self.header.games

    def tasks(self, line_up: int) -> Iterator[Task]:
        """Yield the tasks of a line-up, the rotations of a chunk one after the other.

        With a time limit every game is a task of its own.
        """
        starts = self.header.games // self.seats
        for chunk in range(-(-starts // STARTS_PER_CHUNK)):
            for rotation in range(self.seats):
                task = Task(line_up, chunk, rotation)
                yield from (task,) if self.header.move_seconds is None else self.single_games(task)

    def single_games(self, task: Task) -> Iterator[Task]:
        """Yield a task of its own for each game of a task."""
        for game in self.games_of(task):
            yield task._replace(start=game.start)

    def games_of(self, task: Task) -> list[GameId]:
        """Return the games of a task."""
        first = task.chunk * STARTS_PER_CHUNK
        end = min(first + STARTS_PER_CHUNK, self.header.games // self.seats)
        starts = range(first, end) if task.start is None else (task.start,)
        return [GameId(task.line_up, start, task.rotation) for start in starts]

    def has(self, game: GameId, agents: list[str]) -> bool:
        """Whether there is such a game, with these agents at its seats."""
        return (
            game.line_up < len(self.line_ups)
            and game.start * self.seats < self.header.games
            and agents == self.agents_at_seats(game)
        )

    def agents_at_seats(self, game: GameId) -> list[str]:
        """Return the text of the agent at each seat."""
        agents = self.line_ups[game.line_up]
        rotated = [agents[(seat - game.rotation) % self.seats] for seat in range(self.seats)]
        return [self.header.agents[agent] for agent in rotated]

    def stream(self, purpose: int, *numbers: int) -> list[int]:
        """Return the seed of a stream; the plan's own seed is last because it may be long."""
        return [purpose, *numbers, self.header.seed]

    def agent_stream(self, task: Task, place: int) -> list[int]:
        """Return the seed of the agent at a place of the line-up, for one task."""
        number = task.line_up * self.seats + place
        if task.start is None:
            return self.stream(FOR_AGENT, task.chunk, task.rotation, number)
        return self.stream(FOR_AGENT_ALONE, task.start, task.rotation, number)

    def make_agent(self, number: int) -> Agent:
        """Return a new agent from a source.

        Raises:
            ValueError: the text names no agent, or the factory returned something else.
        """
        source = self.sources[number]
        if isinstance(source, str):
            return make_agent(source, self.game)
        agent = source(self.game)
        if not isinstance(agent, Agent):
            raise ValueError(f"the factory agents[{number}] returned {agent!r}, not an Agent")
        return agent

    def make_agents(self) -> list[Agent]:
        """Return a new agent for each source."""
        return [self.make_agent(number) for number in range(len(self.sources))]


def agent_text(source: AgentSource) -> str:
    """Return the text that names an agent in records: `module:function` for a factory."""
    if isinstance(source, str):
        return source
    name = getattr(source, "__qualname__", type(source).__qualname__)
    return f"{getattr(source, '__module__', type(source).__module__)}:{name}"
