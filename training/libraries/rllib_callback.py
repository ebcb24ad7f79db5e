"""Callback for the games of RLlib's env runners (needs the extra `rllib`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.metrics.metrics_logger import MetricsLogger

from tzaar_envs.training.libraries.rllib_league import LEARNER, RANDOM, draw_seats

GAMES = "league_games"  # metric: games that ended against other members
WINS = "league_wins"  # metric: wins of the learner in these

_SEATS = "seats"  # in the custom data of an episode


def module_of(agent: str, episode: MultiAgentEpisode, **_: Any) -> str:
    """Return the module of an agent: RLlib's mapping function.

    RLlib also calls it with an episode that it is still building from the first part of the same
    game: that one has no custom data yet, and the result is not used.
    """
    seats: dict[str, str] = getattr(episode, "custom_data", {}).get(_SEATS, {})
    return seats.get(agent, LEARNER)


class LeagueCallback(RLlibCallback):
    """Draws the seats of each game, counts the learner's wins, drops what others decided."""

    def __init__(self) -> None:
        super().__init__()
        self._rng: np.random.Generator | None = None

    def on_episode_created(
        self, *, episode: MultiAgentEpisode, env_runner: MultiAgentEnvRunner, **_: Any
    ) -> None:
        """Draw the seats."""
        config = env_runner.config
        if self._rng is None:
            self._rng = np.random.default_rng([config.seed, env_runner.worker_index])
        # Sorted, since the order of a set differs from process to process.
        snapshots = sorted(set(config.policies) - {LEARNER, RANDOM})
        agents = env_runner.env.envs[0].unwrapped.possible_agents
        episode.custom_data[_SEATS] = draw_seats(self._rng, agents, snapshots)

    def on_episode_end(
        self, *, episode: MultiAgentEpisode, metrics_logger: MetricsLogger, **_: Any
    ) -> None:
        """Count games against others, and wins."""
        seats = episode.custom_data[_SEATS]
        own = [agent for agent, member in seats.items() if member == LEARNER]
        if len(own) < len(seats) and own[0] in episode.agent_episodes:
            metrics_logger.log_value(GAMES, 1, reduce="sum")
            won = episode.agent_episodes[own[0]].rewards[-1] > 0
            metrics_logger.log_value(WINS, int(won), reduce="sum")

    def on_sample_end(self, *, samples: list[MultiAgentEpisode], **_: Any) -> None:
        """Drop the decisions of the other members: nobody learns from them."""
        for episode in samples:
            for agent, part in list(episode.agent_episodes.items()):
                if part.module_id != LEARNER:
                    del episode.agent_episodes[agent]
