"""What is played: starts, chunks, line-ups, tasks, and the seeds of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.core.game import Game

AgentSource: TypeAlias = str | Callable[[Game], Agent]
"""A text form for `make_agent`, or a factory; with workers it must be one that can be pickled."""

STARTS_PER_CHUNK = 16

# The first word of every seed says what it is for, so that no two streams are the same.
FOR_START, FOR_OPENING, FOR_AGENT, FOR_AGENT_ALONE, FOR_BOOK = 1, 2, 3, 4, 5


class Task(NamedTuple):
    """The games of one line-up from the starts of a chunk, in one rotation.

    Attributes:
        line_up: its index in `Plan.line_ups`.
        chunk: the number of the chunk.
        rotation: in rotation r agent i of the line-up sits at seat `(i + r) % seats`.
        start: only the game from this start of the chunk, its agents asked about it alone; None:
            all of them in lockstep.
    """

    line_up: int
    chunk: int
    rotation: int
    start: int | None = None


class GameId(NamedTuple):
    """Which game of a plan."""

    line_up: int
    start: int
    rotation: int


@dataclass(frozen=True)
class Plan:
    """All that a process has to know about a match or a tournament.

    Attributes:
        game: what is played.
        sources: of the agents.
        line_ups: who plays together, as indices into `sources`, one for each seat.
        starts: how many for each line-up, each played in every rotation.
        seed: everything follows from it.
        opening_plies: random plies before the agents take over.
        book: positions to start from instead, in notation; none: the game's own start positions.
        move_seconds: the longest that an agent may take for a move; None: any time.
        keep_moves: whether rows hold the moves of their games.
    """

    game: Game
    sources: tuple[AgentSource, ...]
    line_ups: tuple[tuple[int, ...], ...]
    starts: int
    seed: int
    opening_plies: int = 0
    book: tuple[str, ...] = ()
    move_seconds: float | None = None
    keep_moves: bool = False

    @property
    def seats(self) -> int:
        """The number of seats, and so of rotations."""
        return self.game.num_players

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.line_ups) * self.starts * self.seats

    def tasks(self, line_up: int) -> Iterator[Task]:
        """Yield the tasks of a line-up, the rotations of a chunk one after the other.

        With a time limit every game is a task of its own.
        """
        for chunk in range(-(-self.starts // STARTS_PER_CHUNK)):
            for rotation in range(self.seats):
                task = Task(line_up, chunk, rotation)
                if self.move_seconds is None:
                    yield task
                else:
                    yield from self.alone(task)

    def alone(self, task: Task) -> Iterator[Task]:
        """Yield a task of its own for each game of a task."""
        for start in self.starts_of(task):
            yield task._replace(start=start)

    def starts_of(self, task: Task) -> range:
        """Return the numbers of the starts of a task."""
        if task.start is not None:
            return range(task.start, task.start + 1)
        first = task.chunk * STARTS_PER_CHUNK
        return range(first, min(first + STARTS_PER_CHUNK, self.starts))

    def games_of(self, task: Task) -> list[GameId]:
        """Return the games of a task."""
        return [GameId(task.line_up, start, task.rotation) for start in self.starts_of(task)]

    def agent_at_seat(self, line_up: int, rotation: int) -> list[int]:
        """Return the agent at each seat, as its index in `sources`."""
        agents = self.line_ups[line_up]
        return [agents[(seat - rotation) % self.seats] for seat in range(self.seats)]

    def stream(self, purpose: int, *numbers: int) -> list[int]:
        """Return the seed of a stream; the plan's own stands last because it may be long."""
        return [purpose, *numbers, self.seed]

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
            raise ValueError(f"the factory agents[{number}] returned {agent!r}, which is no Agent")
        return agent

    def make_agents(self) -> dict[int, Agent]:
        """Return a new agent for each source."""
        return {number: self.make_agent(number) for number in range(len(self.sources))}
