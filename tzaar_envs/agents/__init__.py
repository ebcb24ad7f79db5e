"""Agents, which choose actions; an agent text names one and its options.

| agent text          | agent                                                               |
|---------------------|---------------------------------------------------------------------|
| `random`            | uniformly random legal actions                                      |
| `greedy`            | the best action by the game's evaluation function one ply later     |
| `greedy:policy=..`  | the same by the values of a trained network                         |
| `alphabeta:depth=3` | alpha-beta search, for two players without chance in play           |
| `mcts:KEY=VALUE,..` | Monte Carlo tree search, see `search.options` for the options       |
| `reference`         | the trained network that comes with the game, where there is one    |
| `policy:PATH`       | the trained policy in the file PATH, .safetensors or .onnx          |
| `level:3`           | an opponent of level 1 to 8, from the ladder of the game            |
| `elo:1200`          | an opponent of a rating on the ladder's scale: greedy has 1000      |
| `python:FILE:CLASS` | your own agent, from FILE.py or a module                            |
| `engine:COMMAND`    | the program that COMMAND starts, which speaks the engine protocol   |

A game can have agents of its own, the `baselines` of its spec. `specs.py` lists all agents.
"""

from __future__ import annotations

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.agents.specs import (
    AgentText,
    action_values_of,
    agent_specs,
    make_agent,
    runs_code,
)
from tzaar_envs.agents.text import TextAgent, parse_reply, text_prompt

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
