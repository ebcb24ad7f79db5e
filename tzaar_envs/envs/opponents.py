"""Opponents for the single-agent views: agents on all seats but the learner's."""

from __future__ import annotations

import copy
import math
import warnings
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from numbers import Real
from typing import TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.ladder import MixtureAgent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.core.state import State
from tzaar_envs.core.validation import integer_from
from tzaar_envs.envs.rendering import LastActions
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.registry import load_game

Opponents: TypeAlias = str | Agent | Sequence[str | Agent] | Mapping[str | Agent, float]
"""One or several agents, or texts that name them; a mapping gives each a relative probability."""

RECENT_GAMES = 200
"""Games against an agent that count for the win rate against it."""

OPENING_ATTEMPTS = 100  # each with newly drawn seats and opponents
_MAX_FORFEITS = 3  # in a row, of an opponent that cannot answer


def unplayable(position: str | None) -> str:
    """Return the error for a start from which the learner never gets to act."""
    start = "" if position is None else f" from position {position!r}"
    return (
        f"the opponents end the game{start} before the learner can act: give the learner the seat "
        "to act"
    )


class OpponentPool:
    """The opponents of a learner, from which the other seats of every game are filled.

    Baselines have fixed weights. Snapshots are earlier versions of the learner: a seat gets one
    with the probability `snapshot_share`, once there are any. That is the newest with the
    probability `latest_share`, else any of them: all equally often, or those more often that are
    harder to beat (prioritized fictitious self-play, PFSP; Vinyals et al., 2019).

    Environments take a pool as `opponent`: they draw from it when a game starts, and record who won
    when it ends. In between, a game keeps the opponents that it started with, whatever happens to
    the pool. A loop of your own calls `draw_seats` and `record`.

    Attributes:
        game: The game.
        baselines: The agents with fixed weights.
        snapshots: The snapshots, from old to new.
        snapshot_share: The probability that a seat gets a snapshot.
        latest_share: The probability that this is the newest one.
        hardness: A snapshot is met in proportion to `(1 - win_rate) ** hardness`; with 0, all are
            met equally often.
        results: Of each agent, whether the learner won each of its last `RECENT_GAMES` games
            against it.

    Args:
        game: The name of a game, or a game.
        baselines: An agent, or a text that names one (see `make_agent`), for all other seats; or
            several, from which each other seat draws one for each game. A mapping gives each its
            relative probability: `{"greedy": 0.7, "random": 0.3}`.
        snapshot_share: Sets the attribute; 0 to 1.
        latest_share: Sets the attribute; 0 to 1.
        hardness: Sets the attribute; 0 to 10.
        max_snapshots: The number of snapshots that are kept; a new one replaces the oldest.
        seed: Seed for the draws and the agents' choices; the seed of an environment replaces it.

    Raises:
        ValueError: No baseline, unsuitable probabilities, or a number that is not allowed.
    """

    def __init__(
        self,
        game: str | Game,
        baselines: Opponents,
        *,
        snapshot_share: float = 0.5,
        latest_share: float = 0.0,
        hardness: float = 0.0,
        max_snapshots: int = 6,
        seed: int | None = None,
    ) -> None:
        for name, value, highest in (
            ("snapshot_share", snapshot_share, 1),
            ("latest_share", latest_share, 1),
            ("hardness", hardness, 10),
        ):
            if not (isinstance(value, Real) and 0 <= value <= highest):
                raise ValueError(
                    f"{name}={value!r} is not allowed: use a number from 0 to {highest}"
                )
        max_snapshots = integer_from("max_snapshots", max_snapshots, 1)
        self.game = load_game(game) if isinstance(game, str) else game
        self.snapshot_share = snapshot_share
        self.latest_share = latest_share
        self.hardness = hardness
        self.baselines: list[Agent] = []
        self.snapshots: deque[Agent] = deque(maxlen=max_snapshots)
        self.results: dict[Agent, deque[bool]] = {}
        self._forfeits: dict[Agent, int] = {}
        self._rng = random_generator(seed)
        self.replace(baselines)
        self.seed(seed)

    @property
    def agents(self) -> list[Agent]:
        """The baselines, then the snapshots."""
        return [*self.baselines, *self.snapshots]

    def replace(self, baselines: Opponents) -> None:
        """Use other baselines in all games that start from now on."""
        if isinstance(baselines, str | Agent) or not isinstance(baselines, Iterable):
            baselines = [baselines]
        if not isinstance(baselines, Mapping):
            baselines = [*baselines]
        if not baselines:
            raise ValueError("no opponent was given: give at least one")
        for each in baselines:
            if not isinstance(each, str | Agent):
                raise ValueError(
                    f"opponent {each!r} is not allowed: use an Agent, a text that names one, or a "
                    "mapping of these to their probabilities"
                )
        weights = [1.0] * len(baselines)
        if isinstance(baselines, Mapping):
            weights = list(baselines.values())
        are_numbers = all(isinstance(each, Real) and 0 <= each < math.inf for each in weights)
        if not are_numbers or sum(weights) == 0:
            raise ValueError(
                f"opponents with the probabilities {weights} are not allowed: use numbers of 0 or "
                "more, at least one above 0"
            )
        self.baselines = [
            make_agent(each, self.game, self._new_seed()) if isinstance(each, str) else each
            for each in baselines
        ]
        self._weights = np.array(weights, np.float64) / sum(weights)
        self._keep_results()

    def add_snapshot(self, learner: Agent) -> None:
        """Add a copy of the learner as it is now, for games that start from now on.

        Args:
            learner: An agent that plays as the learner does; `copy.deepcopy` copies it.

        Raises:
            ValueError: It cannot be copied.
        """
        try:
            snapshot = copy.deepcopy(learner)
        except Exception as error:
            raise ValueError(
                f"{learner.name} cannot be copied, give its class a __deepcopy__: {error}"
            ) from error
        snapshot.seed(self._new_seed())
        self.snapshots.append(snapshot)
        self._keep_results()

    def _keep_results(self) -> None:
        """Forget the results of agents that are not in the pool any more."""
        known = self.results
        self.results = {
            agent: known.get(agent) or deque(maxlen=RECENT_GAMES) for agent in self.agents
        }

    def _new_seed(self) -> int:
        return int(self._rng.integers(2**63))

    def seed(self, seed: int | None) -> None:
        """Seed all further draws and all further choices of the agents."""
        self._rng = random_generator(seed)
        for agent in self.agents:
            agent.seed(self._new_seed())

    def record(self, agents: Iterable[Agent | None], won: bool) -> None:
        """Record a finished game of the learner.

        Args:
            agents: The agent of each seat, as `draw_seats` returned them.
            won: Whether the learner won.
        """
        met = set(agents)
        for agent, results in self.results.items():
            parts = agent.agents if isinstance(agent, MixtureAgent) else [agent]
            if not met.isdisjoint(parts):
                results.append(won)

    def win_rate(self, agent: Agent) -> float:
        """Return the share of the learner's last games against an agent of the pool that it won.

        One win and one loss are added, so that it is 0.5 before the first game, and never 0 or 1.

        Raises:
            ValueError: The agent is not in the pool.
        """
        if (results := self.results.get(agent)) is None:
            raise ValueError(f"{agent.name} is not in the pool: use one of `agents`")
        return (sum(results) + 1) / (len(results) + 2)

    def probabilities(self) -> NDArray[np.float64]:
        """Return float64 `(len(agents),)`, how likely a seat gets each of `agents`."""
        if not self.snapshots:
            return self._weights
        past = np.array([1 - self.win_rate(each) for each in self.snapshots]) ** self.hardness
        past *= (1 - self.latest_share) / past.sum()
        past[-1] += self.latest_share
        share = self.snapshot_share
        return np.concatenate([(1 - share) * self._weights, share * past])

    def draw_seats(self, seat: int | None = None) -> tuple[int, list[Agent | None]]:
        """Draw the opponents of a game.

        Args:
            seat: The learner's seat; None draws it.

        Returns:
            The learner's seat, and the agent of each seat: None is the learner.
        """
        seats, agents = self.game.num_players, self.agents
        own = int(self._rng.integers(seats)) if seat is None else seat
        numbers = self._rng.choice(len(agents), size=seats, p=self.probabilities())
        drawn = [agents[number] for number in numbers]
        drawn = [
            each.agent_for(self._new_seed()) if isinstance(each, MixtureAgent) else each
            for each in drawn
        ]
        return own, [None if seat == own else drawn[seat] for seat in range(seats)]

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


def pool_of(game: Game, opponent: Opponents | OpponentPool) -> OpponentPool:
    """Return the pool that an environment was given, or a new one of the given opponents.

    Raises:
        ValueError: A pool of another game; otherwise see `OpponentPool`.
    """
    if not isinstance(opponent, OpponentPool):
        return OpponentPool(game, opponent)
    if opponent.game != game:
        raise ValueError(
            f"the opponents play {opponent.game!r}, the environment {game!r}: use the same game"
        )
    return opponent


def checked_seat(game: Game, seat: int | None) -> int | None:
    """Return the learner's seat, or None to draw it; raise a ValueError for anything else."""
    if seat is not None and (isinstance(seat, float) or seat not in range(game.num_players)):
        raise ValueError(
            f"seat={seat!r} is not allowed: use None to draw it, or 0 to {game.num_players - 1}"
        )
    return seat


class SeatedBatch:
    """A batch of games in which opponents play until the learner must act or the game is over.

    Attributes:
        batch: The games; `rewards`, `terminated` and `truncated` cover all plies since the
            learner's last action.
        pool: The opponents.
        seats: int64 `(num_envs,)`, the learner's seat in each game.
        agents: The agent of each seat of each game; None is the learner.
        last: Last actions for pictures; None if there are no pictures.
        is_broken: Whether an error has ended the opponents' turn, so that all games must be opened
            anew.

    Args:
        pool: The opponents.
        num_envs: The number of games.
        num_threads: The number of threads that share the games.
        score_unit: Lead that is worth a reward of 1, see `Batch`.
        seat: The learner's seat; None draws it for each game.

    Raises:
        ValueError: A seat that does not exist.
    """

    def __init__(
        self,
        pool: OpponentPool,
        num_envs: int,
        num_threads: int = 1,
        score_unit: float = 0.0,
        seat: int | None = None,
    ) -> None:
        self.pool = pool
        self._seat = checked_seat(pool.game, seat)
        self._has_leads = score_unit != 0
        self.batch = Batch(pool.game, num_envs, num_threads, score_unit)
        self.seats = np.zeros(num_envs, np.int64)
        self.agents: list[list[Agent | None]] = [[] for _ in range(num_envs)]
        self.last: LastActions | None = None
        self.is_broken = False
        self._chosen = np.zeros(num_envs, np.int64)

    def open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        """Start games, draw their seats, and let the opponents act until the learner must.

        Another game replaces one that the opponents end before the learner can act.

        Args:
            rows: bool `(num_envs,)`, where to start games.
            start: The position to start from; None: a start position of the game.

        Raises:
            ValueError: The opponents end the game with every draw of seats.
            ResetNeeded: An error has ended the opponents' turn, and not all games are opened.
        """
        if not rows.all():
            self._check()
        batch = self.batch
        left = rows.copy()
        attempts = 0
        while left.any():
            attempts += 1
            if attempts > OPENING_ATTEMPTS:
                self.is_broken = True
                raise ValueError(unplayable(None if start is None else str(start)))
            if start is None:
                batch.reset(left)
            else:
                batch.set_positions(left, start.words)
            if self.last is not None:
                self.last.forget(left)
            for row in left.nonzero()[0]:
                self.seats[row], self.agents[row] = self.pool.draw_seats(self._seat)
            self.reply(left)
            left &= batch.over

    def step(
        self, actions: NDArray[np.int64], rows: NDArray[np.bool_], strict: bool = False
    ) -> None:
        """Play the learner's actions in the selected rows, then let the opponents act there.

        The pool gets the results of games that end.

        Args:
            actions: Integers `(num_envs,)`.
            rows: bool `(num_envs,)`, the rows in which the learner must act.
            strict: Whether to refuse illegal actions, see `Batch.step`.

        Raises:
            ResetNeeded: An error has ended the opponents' turn.
        """
        self._check()
        self.act(actions, rows, strict)
        self.reply(rows)
        for row in (rows & self.batch.over).nonzero()[0]:
            rewards = self.batch.rewards[row]
            if self._has_leads and (state := self.batch.state(row)).is_terminal:
                rewards = state.returns()  # a shared victory is no lead
            self.pool.record(self.agents[row], bool(rewards[self.seats[row]] > 0))

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
        self.is_broken = True
        while True:
            waiting = rows & (batch.players != self.seats) & (batch.players != NOBODY)
            if not waiting.any():
                self.is_broken = False
                return
            by_agent: dict[int, tuple[Agent, list[int]]] = {}
            for row in waiting.nonzero()[0].tolist():
                agent = self.agents[row][batch.players[row]]
                assert agent is not None
                by_agent.setdefault(id(agent), (agent, []))[1].append(row)
            for agent, group in by_agent.values():
                # One by one, so that none is asked again after a forfeit.
                for part in [[row] for row in group] if agent.acts_singly else [group]:
                    self._ask(agent, np.array(part))
            self.act(self._chosen, waiting & ~batch.over)

    def _check(self) -> None:
        if self.is_broken:
            raise ResetNeeded("opponents could not end their turns: reset() all games first")

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
