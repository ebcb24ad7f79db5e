"""What a match is made of: starts, chunks, tasks and the seeds of each."""

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
FOR_START, FOR_OPENING, FOR_AGENT = 1, 2, 3


class Task(NamedTuple):
    """The starts of a chunk in one rotation."""

    chunk: int
    rotation: int


@dataclass(frozen=True)
class Plan:
    """All that a process has to know about the match.

    Attributes:
        game: what is played.
        sources: of the agents.
        starts: how many, each played in every rotation.
        seed: everything follows from it.
        opening_plies: random plies before the agents take over.
    """

    game: Game
    sources: tuple[AgentSource, ...]
    starts: int
    seed: int
    opening_plies: int

    @property
    def seats(self) -> int:
        """The number of seats, and so of rotations."""
        return self.game.num_players

    def tasks(self) -> Iterator[Task]:
        """Yield all tasks, the rotations of a chunk one after the other."""
        for chunk in range(-(-self.starts // STARTS_PER_CHUNK)):
            for rotation in range(self.seats):
                yield Task(chunk, rotation)

    def starts_of(self, task: Task) -> range:
        """Return the numbers of the starts of a task."""
        first = task.chunk * STARTS_PER_CHUNK
        return range(first, min(first + STARTS_PER_CHUNK, self.starts))

    def stream(self, purpose: int, *numbers: int) -> list[int]:
        """Return the seed of a stream; the match's own stands last because it may be long."""
        return [purpose, *numbers, self.seed]

    def make_agents(self) -> list[Agent]:
        """Return new agents, one for each source."""
        return [
            make_agent(source, self.game) if isinstance(source, str) else source(self.game)
            for source in self.sources
        ]
