"""Agents: what chooses actions, made from one text form.

| text          | agent                                             |
|---------------|---------------------------------------------------|
| `random`      | uniformly random legal actions                    |
| `greedy`      | one ply over the game's evaluation function       |
| `policy:PATH` | a trained policy that was saved at PATH           |
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game

__all__ = ["AGENT_FORMS", "Agent", "AgentObservation", "make_agent"]

AGENT_FORMS = {
    "random": "uniformly random legal actions",
    "greedy": "one ply over the game's evaluation function",
    "policy:PATH": "a trained policy that was saved at PATH",
}


def make_agent(text: str, game: Game, seed: int | Sequence[int] | None = None) -> Agent:
    """Return the agent that a text names, for one game.

    Args:
        text: one of `AGENT_FORMS`.
        game: the game that it shall play.
        seed: fixes its random choices.

    Raises:
        ValueError: the text names no agent, or the file is no policy for this game.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """
    name, colon, argument = text.partition(":")
    if name == "random" and not colon:
        from tzaar_envs.agents.random import RandomAgent

        return RandomAgent(game, seed)
    if name == "greedy" and not colon:
        from tzaar_envs.agents.greedy import GreedyAgent

        return GreedyAgent(game, seed)
    if name == "policy" and argument:
        from tzaar_envs.agents.policy import PolicyAgent

        return PolicyAgent.load(argument, game, seed)
    close = difflib.get_close_matches(text, AGENT_FORMS, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ValueError(f"there is no agent {text!r}: {hint}the agents are {', '.join(AGENT_FORMS)}")
