"""A learner in one seat: its games, and its opponents from weak to strong, with its snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.agent import AgentObservation
from tzaar_envs.agents.ladder import MixtureAgent
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.opponents import RECENT_GAMES, OpponentPool
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import NonNegativeInt, RewardSettings
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch

EPSILONS = (0.4, 0.2, 0.1)
"""Shares of random actions with which an agent also plays, so that there are games to win."""
THRESHOLD = 0.8
"""Win rate at which the next agent joins."""
SNAPSHOT_SHARE = 0.2
"""Share of the games that are against snapshots, beside a stronger agent than the first."""
SNAPSHOT_SHARE_ALONE = 0.5
"""The same where snapshots are the strongest opponents."""


@dataclass(kw_only=True)
class OneSeatSettings(RewardSettings):
    """Settings of the scripts that learn in one seat.

    Attributes:
        opponent: Agent to learn against; can be repeated, from weak to strong: each joins when the
            one before it is beaten.
        snapshot_every: Steps between snapshots of the policy, which become opponents; 0: none.
        latest_share: Share of snapshot games that meet the newest one; the others draw any.
        hardness: Exponent by which snapshots that are harder to beat are met more often (PFSP); 0:
            all equally often.
    """

    opponent: Annotated[tuple[str, ...], Meta(min_length=1)] = ("random",)
    draw: float = -0.5
    snapshot_every: NonNegativeInt = 50_000
    latest_share: Annotated[float, Meta(ge=0, le=1)] = 0.0
    hardness: Annotated[float, Meta(ge=0, le=10)] = 0.0

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: There is no such game or opponent, or an option is not allowed.
        """
        game = super().load_game()
        for name in self.opponent:
            make_agent(name, game)
        return game


class EpsilonGreedyAgent(Agent):
    """Plays like another agent, except that a share of its actions is random.

    A learner wins some games against it long before it wins any against the agent itself, and meets
    more positions.

    Args:
        agent: The agent; its seed is set together with this one.
        epsilon: Share of random actions, 0 to 1.
        seed: Seed of all choices.
    """

    def __init__(
        self, agent: Agent, epsilon: float, seed: int | Sequence[int] | None = None
    ) -> None:
        self.game = agent.game
        self.name = f"{agent.name} ({epsilon:.0%} random)"
        self.epsilon = epsilon
        self._agent = agent
        self._random = make_agent("random", agent.game)
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._rng = random_generator(seed)
        self._agent.seed(int(self._rng.integers(2**63)))
        self._random.seed(int(self._rng.integers(2**63)))

    def act(self, position: State | AgentObservation) -> int:
        """Return the agent's action, or a random one."""
        explores = self._rng.random() < self.epsilon
        return (self._random if explores else self._agent).act(position)

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the agent's action, or a random one, in each row."""
        explores = self._rng.random(len(rows)) < self.epsilon
        actions = np.zeros(len(rows), np.int64)
        for agent, chosen in ((self._random, explores), (self._agent, ~explores)):
            if chosen.any():
                actions[chosen] = agent.act_rows(batch, rows[chosen])
        return actions


def open_games(session: Session[Any]) -> tuple[SingleAgentVecEnv, OpponentSchedule]:
    """Return the games of a run, and the schedule of their opponents."""
    arguments, game = session.arguments, session.game
    agents = [
        make_agent(name, game, [session.seed, number])
        for number, name in enumerate(arguments.opponent)
    ]
    pool = OpponentPool(
        game, agents[0], latest_share=arguments.latest_share, hardness=arguments.hardness
    )
    env = SingleAgentVecEnv(
        game,
        pool,
        arguments.num_envs,
        seed=session.seed,
        draw=arguments.draw,
        shaping=arguments.shaping,
        gamma=arguments.gamma,
    )
    return env, OpponentSchedule(pool, agents, arguments.snapshot_every)


class OpponentSchedule:
    """Changes the opponents of a pool as the learner gets better.

    The learner starts against the first agent. Each time it has won `THRESHOLD` of its recent games
    against the newest one, the next joins, as it is and with `EPSILONS`: against a much stronger
    opponent that never errs there is nothing to win, hence nothing to learn. Each of these plays
    twice as many games as each of the earlier agents. From the second agent on, or if there is only
    one, snapshots of the learner join too.

    Args:
        pool: The pool.
        agents: Agents from weak to strong.
        snapshot_every: Steps between snapshots; 0: there are none.

    Attributes:
        stage: Index of the newest agent.
    """

    def __init__(self, pool: OpponentPool, agents: Sequence[Agent], snapshot_every: int) -> None:
        self.pool = pool
        self.agents = list(agents)
        self.snapshot_every = snapshot_every
        self.stage = 0
        self._last_snapshot = 0  # steps
        self._update_pool()

    def load_snapshots(self, session: Session[Any]) -> None:
        """Let the snapshots of a resumed run join again."""
        for snapshot in session.load_snapshots(self.pool.snapshots.maxlen or 1):
            self.pool.add_snapshot(snapshot)

    def after_update(self, session: Session[Any], losses: Mapping[str, float]) -> None:
        """Change the pool when it is time; write the log and the checkpoint of an update."""
        newest, is_last = self.agents[self.stage], self.stage + 1 == len(self.agents)
        win_rate = self.pool.win_rate(newest)
        is_known = len(self.pool.results[newest]) == RECENT_GAMES
        if is_known and win_rate >= THRESHOLD and not is_last:
            self.stage += 1
            self._update_pool()
        takes_snapshots = self.stage > 0 or is_last
        if takes_snapshots and 0 < self.snapshot_every <= session.steps - self._last_snapshot:
            self._last_snapshot = session.steps
            self.pool.add_snapshot(session.save_snapshot())
        metrics = {
            "schedule/recent_wins": win_rate,
            "schedule/stage": self.stage,
            "schedule/snapshots": len(self.pool.snapshots),
        }
        session.log({**losses, **metrics}, f"{win_rate:.0%} wins vs {newest.name}")
        session.checkpoint()

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint; the snapshots have files of their own."""
        return {"stage": self.stage, "last_snapshot": self._last_snapshot}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a state, without snapshots."""
        self.stage, self._last_snapshot = state["stage"], state["last_snapshot"]
        self._update_pool()

    def _update_pool(self) -> None:
        """Give the pool the opponents of the present stage."""
        newest = self.agents[self.stage]
        opponents: dict[str | Agent, float] = dict.fromkeys(self.agents[: self.stage], 1.0)
        opponents[newest] = 2.0
        if self.stage > 0:  # the first agent is the weakest already
            # A mixture draws one of its agents for a game: each of them errs.
            parts = {newest: 1.0}
            if isinstance(newest, MixtureAgent):
                parts = dict(zip(newest.agents, newest.probabilities, strict=True))
            opponents |= {
                EpsilonGreedyAgent(agent, epsilon, number): 2.0 * share
                for number, epsilon in enumerate(EPSILONS)
                for agent, share in parts.items()
            }
        self.pool.replace(opponents)
        self.pool.snapshot_share = SNAPSHOT_SHARE if self.stage > 0 else SNAPSHOT_SHARE_ALONE
