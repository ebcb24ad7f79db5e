"""Collector of transitions for Tianshou, from a batch of games (needs the extra `tianshou`).

Tianshou's own collector asks one environment object after the other. This one steps all games as
one batch (see `envs/single_agent.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.data import Batch, VectorReplayBuffer, to_numpy

from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
from tzaar_envs.training.common.opponent_schedule import OpponentSchedule


class BatchCollector:
    """Plays a learner's seat in all games of an environment, into a replay buffer.

    A game that is cut by a move cap counts as over: its rewards are those of the rules. Rewards are
    shaped as in `SingleAgentVecEnv`.

    Args:
        env: the games, with `autoreset="disabled"`.
        schedule: told of each finished game.
        shaping: weight of reward shaping by the evaluation function, 0 for none.
        gamma: discount factor.
        draw: reward of a draw.
    """

    def __init__(
        self,
        env: SingleAgentVectorEnv,
        schedule: OpponentSchedule,
        shaping: float,
        gamma: float,
        draw: float = 0.0,
    ) -> None:
        self.env = env
        self.schedule = schedule
        self.draw = draw
        self.shaping = shaping
        self.gamma = gamma
        self._observations, self._infos = env.reset()
        self._potentials = self._evaluate(np.zeros(env.num_envs, np.bool_))

    def new_buffer(self, decisions: int, seed: int) -> VectorReplayBuffer:
        """Return a buffer for about that many decisions, with a part for each game."""
        games = self.env.num_envs
        size = max(decisions // games, 1) * games
        return VectorReplayBuffer(size, games, random_seed=seed)

    def collect(self, policy: Any, steps: int, buffer: VectorReplayBuffer) -> int:
        """Play steps of all games.

        Args:
            policy: of Tianshou.
            steps: per game.
            buffer: receives the transitions.

        Returns:
            The number of decisions.
        """
        for _ in range(steps):
            asked = Batch(obs=self._present(), info=Batch())
            with torch.no_grad():
                actions = to_numpy(policy(asked).act)
            self._observations, rewards, terminated, truncated, self._infos = self.env.step(actions)
            over = terminated | truncated
            self._record_games(over, rewards)
            rewards = np.where(over & (rewards == 0.0), self.draw, rewards)
            potentials = self._evaluate(over)
            buffer.add(
                Batch(
                    obs=asked.obs,
                    act=actions,
                    rew=rewards + self.shaping * (self.gamma * potentials - self._potentials),
                    terminated=over,
                    truncated=np.zeros_like(over),
                    obs_next=self._present(),
                    info=Batch(),
                )
            )
            if over.any():
                self._observations, self._infos = self.env.reset(options={"reset_mask": over})
                potentials = self._evaluate(np.zeros_like(over))
            self._potentials = potentials
        return steps * self.env.num_envs

    def _present(self) -> Batch:
        """Return observations and masks of the learners, as `tianshou_policy` reads them."""
        return Batch(obs=self._observations, mask=self._infos["action_mask"].view(np.bool_))

    def _evaluate(self, over: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the evaluation of every learner's position, 0 where the game is over."""
        if not self.shaping:
            return np.zeros(len(over))
        games = self.env.games
        return np.where(over, 0.0, games.batch.evaluate(games.seats))

    def _record_games(self, over: NDArray[np.bool_], rewards: NDArray[np.float64]) -> None:
        agents = self.env.games.agents
        for row in over.nonzero()[0].tolist():
            opponents = [agent.name for agent in agents[row] if agent is not None]
            self.schedule.record(opponents, won=rewards[row] > 0)
