"""Agents, which choose actions; an agent text names one and its parameters.

| agent text          | agent                                                               |
|---------------------|---------------------------------------------------------------------|
| `random`            | uniformly random legal actions                                      |
| `greedy`            | the best action by the game's evaluation function one ply later     |
| `greedy:policy=..`  | the same by the values of a trained network                         |
| `alphabeta:depth=3` | alpha-beta search, for two players without chance in play           |
| `mcts:KEY=VALUE,..` | Monte Carlo tree search, see `search.options` for the parameters    |
| `reference`         | the trained network that comes with the game, where there is one    |
| `policy:PATH`       | the trained policy in the file PATH, .safetensors or .onnx          |
| `python:FILE:CLASS` | your own agent, from FILE.py or a module                            |
| `engine:COMMAND`    | the program that COMMAND starts, which speaks the engine protocol   |

A game can have agents of its own, the `baselines` of its spec. `specs.py` lists all agents.
"""

from __future__ import annotations

from collections.abc import Sequence

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.agents.specs import AgentText, action_values_of, agent_specs, runs_code
from tzaar_envs.agents.text import TextAgent, parse_reply, text_prompt
from tzaar_envs.core.game import Game

__all__ = [
    "Agent",
    "AgentObservation",
    "AgentText",
    "TextAgent",
    "action_values_of",
    "agent_specs",
    "make_agent",
    "parse_reply",
    "runs_code",
    "text_prompt",
]


def make_agent(text: str, game: Game, seed: int | Sequence[int] | None = None) -> Agent:
    """Return the agent that an agent text names, for one game.

    Args:
        text: One of `agent_specs`, with parameters for instance `mcts:simulations=100,rule=puct`.
        game: The game to play.
        seed: Fixes its random choices.

    Raises:
        ValueError: There is no such agent, it cannot play the game, a parameter is unknown or not
            allowed, or the file is not a policy for this game.
        ModuleNotFoundError: The agent needs an extra that is not installed.
    """
    return AgentText.parse(text, game.spec).make(game, seed)
