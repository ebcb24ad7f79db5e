"""Hidden information: what an agent is told does not depend on what is hidden from it."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from tzaar_envs.testing.env_checks.episode import Episode, replay, same
from tzaar_envs.testing.env_checks.problem import Problem
from tzaar_envs.testing.env_checks.seeds import MakeTable

Redraw = Callable[[Any, str, int], object]
"""`redraw(env, agent, seed)`: draw anew, in place, all that is hidden from an agent."""

_POSITIONS = 8  # of an episode
_LATEST = 60  # turns; later positions take too long to reach
_REDRAWN = 3  # times in each position


def the_agent_cannot_tell(
    redraw: Redraw,
) -> Callable[[MakeTable, Episode, int], Problem | None]:
    """Return a check: an agent sees the same after what is hidden from it is drawn anew."""

    def check(make: MakeTable, episode: Episode, most: int) -> Problem | None:
        table = make()
        numbers = range(min(len(episode.turns), _LATEST))
        choices = random.Random(episode.seed)
        for number in sorted(choices.sample(numbers, min(_POSITIONS, len(numbers)))):
            for agent in episode.turns[number].agents:
                for seed in range(_REDRAWN):
                    replay(table, episode, number)
                    before = _told(table.env, agent)
                    redraw(table.env, agent, seed)
                    after = _told(table.env, agent)
                    for what, told in before.items():
                        if not same(told, after[what]):
                            return Problem(
                                f"the {what} of {agent} changes when only what is hidden from it "
                                "is drawn anew",
                                number,
                            )
        return None

    return check


def _told(env: Any, agent: str) -> dict[str, Any]:
    """Return what an AEC environment tells an agent."""
    _, reward, terminated, truncated, info = env.last(observe=False)
    told = {
        "observation": env.observe(agent),
        "turn": env.agent_selection,
        "end": (terminated, truncated),
    }
    if agent == env.agent_selection:
        told |= {"reward": reward, "info": info}
    return copy.deepcopy(told)
