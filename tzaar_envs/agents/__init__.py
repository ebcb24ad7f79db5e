"""Agents, which choose actions; an agent text names one and its parameters.

| agent text          | agent                                                               |
|---------------------|---------------------------------------------------------------------|
| `random`            | uniformly random legal actions                                      |
| `greedy`            | the best action by the game's evaluation function one ply later     |
| `alphabeta:depth=3` | alpha-beta search, for two players without chance in play           |
| `mcts:KEY=VALUE,..` | Monte Carlo tree search, see `search.options` for the parameters    |
| `reference`         | the trained policy that comes with the game, where there is one     |
| `policy:PATH`       | the trained policy in the file PATH, .safetensors or .onnx          |

A game can have agents of its own, the `baselines` of its spec. `specs.py` lists all agents.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.agents.specs import all_specs, specs_of, valuing_agents
from tzaar_envs.core.action_values import ActionValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec

__all__ = ["Agent", "AgentObservation", "action_values_of", "agent_specs", "make_agent"]


def agent_specs(spec: GameSpec) -> dict[str, str]:
    """Return the agent texts of a game, each with a description of the agent and its parameters."""
    return {agent.syntax: agent.description for agent in specs_of(spec).values()}


def action_values_of(name: str, spec: GameSpec) -> ActionValues:
    """Return the action values behind `greedy` or a baseline of the game's spec.

    Raises:
        ValueError: there is no such baseline.
    """
    agents = valuing_agents(spec)
    if name not in agents:
        raise ValueError(
            f"{name!r} does not value the actions of {spec.name}: use one of {', '.join(agents)}"
        )
    return agents[name].load()


def make_agent(text: str, game: Game, seed: int | Sequence[int] | None = None) -> Agent:
    """Return the agent that an agent text names, for one game.

    Args:
        text: one of `agent_specs`, with parameters for instance `mcts:simulations=100,rule=puct`.
        game: the game to play.
        seed: fixes its random choices.

    Raises:
        ValueError: there is no such agent, it cannot play the game, a parameter is unknown or not
            allowed, or the file is not a policy for this game.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """
    name, colon, rest = text.partition(":")
    spec = all_specs(game.spec).get(name)
    if spec is not None and (reason := spec.unsuitable(game.spec)):
        able = ", ".join(agent_specs(game.spec))
        raise ValueError(
            f"the agent {name} cannot play {game.name}: {reason}; the agents that can are {able}"
        )
    if spec is None or not spec.accepts(rest if colon else None):
        listing = agent_specs(game.spec)
        close = difflib.get_close_matches(text, listing, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(
            f"there is no agent {text!r}: {hint}the agents of {game.name} are {', '.join(listing)}"
        )
    if spec.argument:
        argument, given = spec.split_argument(rest)
        return spec.make(game, seed, argument=argument, **spec.parse_options(given))
    options = spec.parse_options(rest)
    agent = spec.make(game, seed, **options)
    agent.name = spec.agent_text(options)
    return agent
