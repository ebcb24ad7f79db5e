"""Opponents by strength: `elo:N` and `level:N`, from the published ladder of a game."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, StateAgent
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import seed_sequence
from tzaar_envs.search.result import SearchResult

_MOST_LEVELS = 8


def expected_score(difference: float) -> float:
    """Return the expected score, 0 .. 1, against an agent rated lower by this difference."""
    return 1 / (1 + 10 ** (-difference / 400))


def levels(spec: GameSpec) -> list[str]:
    """Return the agents of the levels of a game, at most eight, the weakest first."""
    count = min(_MOST_LEVELS, len(spec.ladder))
    last = len(spec.ladder) - 1
    return [spec.ladder[round(level * last / max(1, count - 1))] for level in range(count)]


def agent_of_level(text: str, spec: GameSpec) -> str:
    """Return the agent of a level.

    Raises:
        ValueError: The game has no such level.
    """
    agents = levels(spec)
    if not text.isdecimal() or not 1 <= int(text) <= len(agents):
        raise ValueError(f"there is no level {text!r} in {spec.name}: use 1 to {len(agents)}")
    return agents[int(text) - 1]


def mixture(text: str, spec: GameSpec) -> dict[str, float]:
    """Return the agent of the ladder with a rating, or two with their probabilities.

    They are the next agents below and above. Mixed like this, they score 50 % against an agent of
    the rating, by the ratings of the ladder.

    Args:
        text: The rating in Elo, on the scale of the game's ladder, where greedy has 1000.
        spec: The game.

    Raises:
        ValueError: Not a number, or no agent of the ladder is as weak or as strong; says which are
            the limits.
    """
    ratings = {agent: rating[0] for agent, rating in spec.published_ratings().items()}
    least, most = min(ratings.values()), max(ratings.values())
    try:
        elo = float(text)
    except ValueError:
        elo = float("nan")
    if not least <= elo <= most:
        raise ValueError(
            f"there is no agent elo:{text} in {spec.name}: use a rating of {least:.0f} to "
            f"{most:.0f}, where greedy has 1000"
        )
    best_first = [*ratings.items()]
    for (above, high), (below, low) in pairwise(best_first):
        if low <= elo <= high:
            win, loss = (expected_score(rating - elo) for rating in (high, low))
            share = (0.5 - loss) / (win - loss)
            return {name: p for name, p in ((below, 1 - share), (above, share)) if p > 0}
    raise AssertionError  # the ratings of a ladder descend


class MixtureAgent(StateAgent):
    """Plays each game as one of several agents, drawn for the game.

    Positions that the arena hands out name their game; of others the agent knows none, and plays as
    the one that it drew when it was seeded.

    Args:
        game: The game that it plays.
        agents: The agents, with their probabilities.
        name: Its name in results.
        seed: Fixes the draws, and the choices of the agents.
    """

    def __init__(
        self,
        game: Game,
        agents: Mapping[Agent, float],
        name: str,
        seed: int | Sequence[int] | None = None,
    ) -> None:
        self.game = game
        self.agents, self.probabilities = [*agents], [*agents.values()]
        self.name = name
        for agent in self.agents:
            agent.name = name
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all draws, and all choices of the agents, from now on."""
        self._entropy = seed_sequence(seed).generate_state(4).tolist()
        for agent in self.agents:
            agent.seed(seed)

    def agent_for(self, game: object) -> Agent:
        """Return the agent that plays a game, which any object names whose text is its own."""
        draw = random.Random(f"{self._entropy} {game}")
        return draw.choices(self.agents, self.probabilities)[0]

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the action for each state, of the agent that plays its game."""
        drawn = [self.agent_for(state.line and state.line.seed) for state in states]
        actions = np.empty(len(states), np.int64)
        searches: list[SearchResult | None] = [None] * len(states)
        for agent in self.agents:
            own = [place for place, each in enumerate(drawn) if each is agent]
            if own:
                agent.control = self.control
                actions[own] = agent.act_batch([states[place] for place in own])
                for place, search in zip(own, agent.last_searches, strict=False):
                    searches[place] = search
        self.last_searches = searches
        return actions
