"""The end of an episode: there is one, and both flags are bools."""

from __future__ import annotations

from typing import Any

from tzaar_envs.testing.env_checks.episode import Episode
from tzaar_envs.testing.env_checks.problem import Problem


def flags_are_bools(env: Any, episode: Episode) -> Problem | None:
    """Terminations and truncations are bools, not numbers."""
    for number, turn in enumerate(episode.turns, start=1):
        for what in ("terminations", "truncations"):
            for agent, flag in getattr(turn, what).items():
                if not isinstance(flag, bool):
                    name = type(flag).__name__
                    return Problem(
                        f"{what} of {agent} is {flag!r} of type {name}, not bool", number
                    )
    return None


def nothing_is_taken_back(env: Any, episode: Episode) -> Problem | None:
    """An agent whose game is over stays over."""
    over: set[str] = set()
    for number, turn in enumerate(episode.turns, start=1):
        now = {
            agent
            for agent in turn.remaining
            if turn.terminations.get(agent) or turn.truncations.get(agent)
        }
        if again := (over & {*turn.remaining}) - now:
            return Problem(f"the game of {min(again)} was over, but goes on", number)
        over |= now
    return None


def all_end(env: Any, episode: Episode) -> Problem | None:
    """A game comes to its end, and every agent is told."""
    if not episode.is_finished:
        return Problem(f"the game is not over after {len(episode.turns)} steps", len(episode.turns))
    told: set[str] = set()
    for turn in episode.turns:
        told |= {
            agent
            for agent in turn.agents
            if turn.terminations.get(agent) or turn.truncations.get(agent)
        } | turn.was_over
    if missing := {*episode.start} - told:
        return Problem(f"{min(missing)} is never told that its game is over", len(episode.turns))
    return None
