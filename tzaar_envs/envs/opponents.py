"""Opponents for the single-agent views: agents on all seats but the learner's."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.ladder import MixtureAgent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.core.state import State
from tzaar_envs.envs.rendering import LastActions
from tzaar_envs.jit.rng import random_generator

Opponents: TypeAlias = str | Agent | Sequence[str | Agent] | Mapping[str | Agent, float]
"""One or several agents, or texts that name them; a mapping gives each a relative probability."""

OPENING_ATTEMPTS = 100  # each with newly drawn seats and opponents
_MAX_FORFEITS = 3  # in a row, of an opponent that cannot answer


def unplayable(position: str) -> str:
    """Return the error for a position from which the learner never gets to act."""
    return (
        f"the opponents end the game from position {position!r} before the learner can act: give "
        "the learner the seat to act"
    )


class OpponentPool:
    """The opponents of a learner, from which the other seats of every game are filled.

    Args:
        game: The game.
        opponents: An agent, or a text that names one (see `make_agent`), for all other seats; or
            several, from which each other seat draws one for each game. A mapping gives each its
            relative probability: `{"greedy": 0.7, "random": 0.3}`.
        seat: The learner's seat; None draws it for each game.
        seed: Seed for the draws and the agents' choices.

    Raises:
        ValueError: No opponent, a seat that does not exist, or unsuitable probabilities.
    """

    def __init__(
        self, game: Game, opponents: Opponents, seat: int | None = None, seed: int | None = None
    ) -> None:
        if seat is not None and (isinstance(seat, float) or seat not in range(game.num_players)):
            raise ValueError(
                f"seat={seat!r} is not allowed: use None to draw it, or 0 to {game.num_players - 1}"
            )
        self.game = game
        self.seat = seat
        self._forfeits: dict[Agent, int] = {}
        self.replace(opponents)
        self.seed(seed)

    def replace(self, opponents: Opponents) -> None:
        """Use other opponents in all games that start from now on."""
        if isinstance(opponents, str | Agent):
            opponents = [opponents]
        if not opponents:
            raise ValueError("no opponent was given: give at least one")
        for each in opponents:
            if not isinstance(each, str | Agent):
                raise ValueError(
                    f"opponent {each!r} is not allowed: use an Agent, a text that names one, or a "
                    "mapping of these to their probabilities"
                )
        weights = [1.0] * len(opponents)
        if isinstance(opponents, Mapping):
            weights = list(opponents.values())
        if min(weights) < 0 or sum(weights) <= 0:
            raise ValueError(
                f"opponents with the probabilities {weights} are not allowed: use numbers of 0 or "
                "more, at least one above 0"
            )
        self.agents = [
            make_agent(each, self.game) if isinstance(each, str) else each for each in opponents
        ]
        self._probabilities = np.array(weights, np.float64) / sum(weights)

    def seed(self, seed: int | None) -> None:
        """Seed all further draws and all further choices of the agents."""
        self._rng = random_generator(seed)
        for agent in self.agents:
            agent.seed(int(self._rng.integers(2**63)))

    def report_forfeit(self, agent: Agent, error: ForfeitError) -> None:
        """Warn that an agent has lost a game since it cannot answer.

        Raises:
            ForfeitError: It has not answered between several such games.
        """
        count = self._forfeits[agent] = self._forfeits.get(agent, 0) + 1
        if count >= _MAX_FORFEITS:
            raise error
        warnings.warn(f"an opponent has lost its game: {error}", RuntimeWarning, stacklevel=2)

    def report_answer(self, agent: Agent) -> None:
        """Note that an agent has answered."""
        self._forfeits.pop(agent, None)

    def draw_seats(self) -> tuple[int, list[Agent | None]]:
        """Draw the learner's seat for a game, and the agent of each seat: None is the learner."""
        seats = self.game.num_players
        own = int(self._rng.integers(seats)) if self.seat is None else self.seat
        drawn = self._rng.choice(len(self.agents), size=seats, p=self._probabilities)
        agents = [self.agents[number] for number in drawn]
        agents = [
            each.agent_for(self._rng.integers(2**63)) if isinstance(each, MixtureAgent) else each
            for each in agents
        ]
        return own, [None if seat == own else agents[seat] for seat in range(seats)]


class SeatedBatch:
    """A batch of games in which opponents play until the learner must act or the game is over.

    Attributes:
        batch: The games; `rewards`, `terminated` and `truncated` cover all plies since the
            learner's last action.
        pool: The opponents.
        seats: int64 `(num_envs,)`, the learner's seat in each game.
        agents: The agent of each seat of each game; None is the learner.
        last: Last actions for pictures; None if there are no pictures.

    Args:
        pool: The opponents.
        num_envs: The number of games.
        num_threads: The number of threads that share the games.
        score_unit: Lead that is worth a reward of 1, see `Batch`.
    """

    def __init__(
        self, pool: OpponentPool, num_envs: int, num_threads: int = 1, score_unit: float = 0.0
    ) -> None:
        self.pool = pool
        self.batch = Batch(pool.game, num_envs, num_threads, score_unit)
        self.seats = np.zeros(num_envs, np.int64)
        self.agents: list[list[Agent | None]] = [[] for _ in range(num_envs)]
        self.last: LastActions | None = None
        self._chosen = np.zeros(num_envs, np.int64)

    def open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        """Start games, draw their seats, and let the opponents act until the learner must.

        Another game replaces one that the opponents end before the learner can act.

        Args:
            rows: bool `(num_envs,)`, where to start games.
            start: The position to start from; None: a start position of the game.

        Raises:
            ValueError: The opponents end the game from this position with every draw of seats.
        """
        batch = self.batch
        left = rows.copy()
        attempts = 0
        while left.any():
            attempts += 1
            if start is None:
                batch.reset(left)
            elif attempts > OPENING_ATTEMPTS:
                raise ValueError(unplayable(str(start)))
            else:
                batch.set_positions(left, start.words)
            if self.last is not None:
                self.last.forget(left)
            for row in left.nonzero()[0]:
                self.seats[row], self.agents[row] = self.pool.draw_seats()
            self.reply(left)
            left &= batch.over

    def step(
        self, actions: NDArray[np.int64], rows: NDArray[np.bool_], strict: bool = False
    ) -> None:
        """Play the learner's actions in the selected rows, then let the opponents act there.

        Args:
            actions: Integers `(num_envs,)`.
            rows: bool `(num_envs,)`, the rows in which the learner must act.
            strict: Whether to refuse illegal actions, see `Batch.step`.
        """
        self.act(actions, rows, strict)
        self.reply(rows)

    def act(
        self, actions: NDArray[np.int64], rows: NDArray[np.bool_], strict: bool = False
    ) -> None:
        """Play the learner's actions alone; `reply` must follow. Arguments as of `step`."""
        with nullcontext() if self.last is None else self.last.played(actions, rows):
            self.batch.step(actions, rows, strict=strict)

    def reply(self, rows: NDArray[np.bool_]) -> None:
        """Let the agents act until each of these rows waits for its learner or is over.

        Each agent acts in many games at once, which is far faster than one by one.
        """
        batch = self.batch
        while True:
            waiting = rows & (batch.players != self.seats) & (batch.players != NOBODY)
            if not waiting.any():
                return
            by_agent: dict[int, tuple[Agent, list[int]]] = {}
            for row in waiting.nonzero()[0].tolist():
                agent = self.agents[row][batch.players[row]]
                assert agent is not None
                by_agent.setdefault(id(agent), (agent, []))[1].append(row)
            for agent, group in by_agent.values():
                self._ask(agent, np.array(group))
            self.act(self._chosen, waiting & ~batch.over)

    def _ask(self, agent: Agent, rows: NDArray[np.intp]) -> None:
        """Let an agent choose in some rows; it loses those in which it cannot answer."""
        batch = self.batch
        try:
            answers = agent.act_rows(batch, rows)
        except ForfeitError as error:
            if len(rows) > 1:  # one position has spoiled the call: only its game shall be lost
                for row in rows:
                    self._ask(agent, row[None])
                return
            self.pool.report_forfeit(agent, error)
            lost = np.zeros(len(batch.over), np.bool_)
            lost[rows] = True
            batch.forfeit(lost)
            return
        self.pool.report_answer(agent)
        self._chosen[rows] = batch.legal_answers(agent.name, answers, rows)
