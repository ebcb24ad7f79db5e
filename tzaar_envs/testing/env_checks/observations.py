"""Observations: within their space, repeatable, and never written again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.testing.env_checks.episode import Episode, same
from tzaar_envs.testing.env_checks.problem import Problem


def within_their_space(env: Any, episode: Episode) -> Problem | None:
    """Every observation lies in the space of its agent."""
    for number, turn in enumerate(episode.turns):
        for agent, observation in turn.observations.items():
            space = env.observation_space(agent)
            if reason := why_outside(space, observation):
                return Problem(f"the observation of {agent} is not in its space: {reason}", number)
    return None


def why_outside(space: spaces.Space[Any], value: Any) -> str | None:
    """Return in a few words why a value is not in a space; None if it is."""
    if isinstance(space, spaces.Dict) and isinstance(value, Mapping):
        if set(space.spaces) != set(value):
            return f"it has the keys {sorted(value)}, not {sorted(space.spaces)}"
        for key, part in space.spaces.items():
            if reason := why_outside(part, value[key]):
                return f"{key!r} {reason}"
        return None
    if isinstance(space, spaces.Box) and isinstance(value, np.ndarray):
        if value.dtype != space.dtype:
            return f"has dtype {value.dtype}, not {space.dtype}"
        if value.shape != space.shape:
            return f"has shape {value.shape}, not {space.shape}"
        outside = ~((value >= space.low) & (value <= space.high))
        if outside.any():
            place = tuple(int(index[0]) for index in outside.nonzero())
            low, high = space.low[place], space.high[place]
            return f"has {value[place]} at {place}, where {low} to {high} is allowed"
        return None
    try:
        return None if space.contains(value) else f"{value!r} is not in {space}"
    except Exception as error:
        return f"{space} cannot tell: {error}"


def never_written_again(env: Any, episode: Episode) -> Problem | None:
    """What was handed out stays as it was, whatever is played later."""
    for number, turn in enumerate(episode.turns):
        for agent, observation in turn.observations.items():
            if not same(observation, turn.handed_out[agent]):
                return Problem(
                    f"the observation that {agent} got is overwritten in later steps", number
                )
    return None
