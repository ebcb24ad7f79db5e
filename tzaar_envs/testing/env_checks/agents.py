"""Agents: none comes back, and each leaves once its game is over."""

from __future__ import annotations

from typing import Any

from tzaar_envs.testing.env_checks.episode import Episode
from tzaar_envs.testing.env_checks.problem import Problem


def none_comes_back(env: Any, episode: Episode) -> Problem | None:
    """An agent that has left is not seen again; agents come from `possible_agents`."""
    possible = set(env.possible_agents)
    before = set(episode.start)
    for number, turn in enumerate(episode.turns, start=1):
        after = set(turn.remaining)
        if len(after) < len(turn.remaining):
            return Problem(f"the agents {[*turn.remaining]} are not different ones", number)
        if foreign := after - possible:
            return Problem(f"{min(foreign)!r} is not among possible_agents", number)
        if new := after - before:
            return Problem(f"{min(new)} comes into a game that has begun without it", number)
        before = after
    return None


def each_leaves_in_time(env: Any, episode: Episode) -> Problem | None:
    """An AEC agent leaves with the step of None after its end, a parallel one with its end."""
    for number, turn in enumerate(episode.turns, start=1):
        left = {*turn.agents} - {*turn.remaining}
        ended = {
            agent
            for agent in turn.agents
            if turn.terminations.get(agent) or turn.truncations.get(agent)
        }
        if turn.last_rewards:
            if left != turn.was_over:
                who = min(left ^ turn.was_over)
                what = "leaves before its step of None" if who in left else "stays after it"
                return Problem(f"{who} {what}", number)
        elif left != ended:
            who = min(left ^ ended)
            what = "leaves before its end" if who in left else "stays after its end"
            return Problem(f"{who} {what}", number)
    return None


def told_of_each(env: Any, episode: Episode) -> Problem | None:
    """Rewards and flags are there for every agent in the game."""
    for number, turn in enumerate(episode.turns, start=1):
        agents = {*turn.remaining} if turn.last_rewards else {*turn.agents}
        for what in ("rewards", "terminations", "truncations"):
            if missing := agents - getattr(turn, what).keys():
                return Problem(f"{what} has nothing about {min(missing)}", number)
    return None
