"""Masks: of the right size and type, never empty for an agent that has to act."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.testing.env_checks.episode import Episode
from tzaar_envs.testing.env_checks.problem import Problem
from tzaar_envs.testing.env_checks.seeds import MakeTable

LegalActions = Callable[[Any, str], Iterable[int]]
"""`legal(env, agent)`: the legal actions of an agent, from another source than the mask."""


def fit_the_action_space(env: Any, episode: Episode) -> Problem | None:
    """A mask has one entry for each action, 0 or 1, as int8."""
    for number, turn in enumerate(episode.turns):
        for agent, mask in turn.masks.items():
            space = env.action_space(agent)
            if mask is None or not isinstance(space, spaces.Discrete):
                continue
            if mask.shape != (space.n,):
                return Problem(
                    f"the mask of {agent} has shape {mask.shape}, not ({space.n},)", number
                )
            if mask.dtype != np.int8:
                return Problem(
                    f"the mask of {agent} is {mask.dtype}: Discrete.sample takes int8 alone", number
                )
            if not np.isin(mask, (0, 1)).all():
                return Problem(f"the mask of {agent} has other entries than 0 and 1", number)
    return None


def something_is_legal(env: Any, episode: Episode) -> Problem | None:
    """An agent that has to act has a legal action."""
    for number, turn in enumerate(episode.turns):
        for agent, mask in turn.masks.items():
            if mask is not None and agent not in turn.was_over and not mask.any():
                return Problem(f"{agent} has to act, but its mask allows nothing", number)
    return None


def masks_agree(env: Any, episode: Episode) -> Problem | None:
    """Where observation and info both have a mask, it is the same one."""
    for number, turn in enumerate(episode.turns):
        for agent, observation in turn.observations.items():
            told = turn.infos[agent].get("action_mask")
            if not isinstance(observation, Mapping) or agent in turn.was_over or told is None:
                continue
            if not np.array_equal(observation.get("action_mask", told), told):
                return Problem(f"the mask of {agent} in its info is another one", number)
    return None


def as_the_rules_say(
    legal: LegalActions,
) -> Callable[[MakeTable, Episode, int], Problem | None]:
    """Return a check: masks allow what another source of legal actions says."""

    def check(make: MakeTable, episode: Episode, most: int) -> Problem | None:
        table = make()
        table.reset(episode.seed)
        for number, turn in enumerate(episode.turns):
            for agent, mask in turn.masks.items():
                if mask is None or agent in turn.was_over:
                    continue
                actual = {int(action) for action in legal(table.env, agent)}
                allowed = {int(action) for action in np.flatnonzero(mask)}
                for action in sorted(actual - allowed):
                    return Problem(
                        f"the mask hides action {action} from {agent}, which is legal", number
                    )
                for action in sorted(allowed - actual):
                    return Problem(
                        f"the mask allows {agent} action {action}, which is not legal", number
                    )
            table.step(turn.actions)
        return None

    return check
