"""Masks against legality: what is allowed is played, what is not is refused.

A step is tried in the position itself, which is reached again for each try. An environment refuses
an action by an error, by ending the game of all with a penalty for the mover alone (as PettingZoo's
TerminateIllegalWrapper does), or by leaving everything as it was.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.testing.env_checks.episode import Episode, replay, same
from tzaar_envs.testing.env_checks.problem import Problem
from tzaar_envs.testing.env_checks.seeds import MakeTable
from tzaar_envs.testing.env_checks.table import Table, mask_of

_POSITIONS = 8  # of an episode
_TRIES = 6  # actions that the mask forbids, and as many that it allows, in each position
_LATEST = 60  # turns; later positions take too long to reach


def forbidden_actions_are_refused(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """No action is played that the mask forbids."""
    return _tried(make, episode, allowed=False)


def allowed_actions_are_played(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """Every action is played that the mask allows."""
    return _tried(make, episode, allowed=True)


def missing_actions_are_refused(make: MakeTable, episode: Episode, most: int) -> Problem | None:
    """An action that is not in the action space is refused."""
    for number, turn in enumerate(episode.turns[:1]):
        for agent in turn.masks:
            space = make().env.action_space(agent)
            if isinstance(space, spaces.Discrete):
                action = int(space.start + space.n)
                table = make()
                if _is_refused(table, episode, number, agent, action) is None:
                    return Problem(
                        f"{agent} plays action {action}, which its action space does not have",
                        number,
                    )
    return None


def _tried(make: MakeTable, episode: Episode, allowed: bool) -> Problem | None:
    choices = random.Random(episode.seed)
    table = make()
    numbers = [
        number
        for number, turn in enumerate(episode.turns[:_LATEST])
        if not turn.was_over and any(mask is not None for mask in turn.masks.values())
    ]
    some = {*choices.sample(numbers, min(_POSITIONS, len(numbers))), *numbers[:1], *numbers[-1:]}
    for number in sorted(some):
        for agent, mask in episode.turns[number].masks.items():
            if mask is None:
                continue
            candidates = np.flatnonzero((mask != 0) == allowed).tolist()
            for action in choices.sample(candidates, min(_TRIES, len(candidates))):
                refusal = _is_refused(table, episode, number, agent, action, allowed)
                if allowed and refusal:
                    return Problem(
                        f"the mask allows {agent} action {action}, which {refusal}", number
                    )
                if not allowed and refusal is None:
                    return Problem(
                        f"the mask forbids {agent} action {action}, which is played like a legal "
                        "one",
                        number,
                    )
    return None


def _is_refused(
    table: Table, episode: Episode, number: int, agent: str, action: int, strictly: bool = False
) -> str | None:
    """Return how a position's action is refused; None if it is played.

    Args:
        table: the environment.
        episode: a game that leads to the position.
        number: of the turn.
        agent: who plays the action; others do as in the episode.
        action: the action.
        strictly: an unchanged position is no refusal: passing may be legal.
    """
    replay(table, episode, number)
    turn = episode.turns[number]
    before = _seen(table)
    try:
        table.step({**turn.actions, agent: action})
    except Exception as error:
        return f"raises {type(error).__name__}"
    rewards, terminations, truncations = table.flags()
    is_over = rewards and all(terminations.get(each) or truncations.get(each) for each in rewards)
    others = [reward for each, reward in rewards.items() if each != agent]
    if is_over and rewards.get(agent, 0) < 0 and not any(others):
        return "ends the game with a penalty for the mover"
    if not strictly and not is_over and same(before, _seen(table)):
        return "changes nothing"
    return None


def _seen(table: Table) -> Any:
    asked = table.asked()
    return [
        (agent, table.observation(agent), mask_of(table.observation(agent), table.info(agent)))
        for agent in asked
    ]
