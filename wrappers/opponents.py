"""Games in which a learner has one seat and agents have the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State


@dataclass
class Table:
    """One game with its seats taken.

    Attributes:
        state: the position.
        seat: the learner's seat.
        agents: who has which of the other seats.
    """

    state: State
    seat: int = 0
    agents: dict[int, Agent] = field(default_factory=dict)

    @property
    def waits_for_learner(self) -> bool:
        """Whether the learner is to act, or nobody any more."""
        return self.state.current_player in (self.seat, -1)


class OpponentPool:
    """Draws the seats of a table for every game.

    Args:
        game: the game.
        opponents: agents, or texts that name them (see `make_agent`), of which every other seat
            draws one for each game.
        seat: the learner's seat; None draws it for each game.
        seed: fixes the draws and the agents' choices.
        weights: how likely each opponent is, in proportion; None: all alike.

    Raises:
        ValueError: no opponent, a seat that does not exist, or weights that do not fit.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[str | Agent],
        seat: int | None = None,
        seed: int | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        if seat is not None and seat not in range(game.num_players):
            raise ValueError(
                f"seat={seat!r} is not allowed: use None to draw it, or 0 to {game.num_players - 1}"
            )
        self.game = game
        self.seat = seat
        self.replace(opponents, weights)
        self.seed(seed)

    def replace(
        self, opponents: Sequence[str | Agent], weights: Sequence[float] | None = None
    ) -> None:
        """Take other opponents for the games that start from now on."""
        if not opponents:
            raise ValueError("at least one opponent is needed, none was given")
        weights = [1.0] * len(opponents) if weights is None else weights
        if len(weights) != len(opponents) or min(weights) < 0 or sum(weights) <= 0:
            raise ValueError(
                f"weights={list(weights)!r} is not allowed: use a number of 0 or more for each of "
                f"the {len(opponents)} opponents, not all 0"
            )
        self.agents = [
            make_agent(opponent, self.game) if isinstance(opponent, str) else opponent
            for opponent in opponents
        ]
        self._probabilities = np.array(weights, np.float64) / sum(weights)

    def seed(self, seed: int | None) -> None:
        """Fix all draws and all choices of the agents from here on."""
        self._rng = np.random.Generator(np.random.PCG64(seed))
        for agent in self.agents:
            agent.seed(int(self._rng.integers(2**63)))

    def draw_seats(self, table: Table) -> None:
        """Give the seats of a table to the learner and to agents of the pool."""
        seats = self.game.num_players
        table.seat = int(self._rng.integers(seats)) if self.seat is None else self.seat
        table.agents = {
            seat: self.agents[self._rng.choice(len(self.agents), p=self._probabilities)]
            for seat in range(seats)
            if seat != table.seat
        }

    def open(self, tables: list[Table]) -> None:
        """Seat the players of new games and let the opponents act first where they have to.

        A game that an opponent ends before its learner could act is replaced by another.
        """
        while tables:
            for table in tables:
                self.draw_seats(table)
            play_opponents(tables)
            tables = [table for table in tables if table.state.is_terminal]
            for table in tables:
                table.state.restart()


def play_opponents(tables: Sequence[Table]) -> None:
    """Let the agents act at all tables until each waits for its learner or its game is over.

    The agents are asked for many tables at once, which is far faster than one by one.
    """
    waiting = [table for table in tables if not table.waits_for_learner]
    while waiting:
        by_agent: dict[int, list[Table]] = {}
        for table in waiting:
            agent = table.agents[table.state.current_player]
            by_agent.setdefault(id(agent), []).append(table)
        for group in by_agent.values():
            agent = group[0].agents[group[0].state.current_player]
            actions = agent.act_batch([table.state for table in group])
            for table, action in zip(group, actions, strict=True):
                table.state.apply(int(action))
        waiting = [table for table in waiting if not table.waits_for_learner]
