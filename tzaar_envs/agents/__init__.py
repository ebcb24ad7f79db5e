"""Agents: what chooses actions, made from one text form.

| text                | agent                                                               |
|---------------------|---------------------------------------------------------------------|
| `random`            | uniformly random legal actions                                      |
| `greedy`            | one ply over the game's evaluation function                         |
| `alphabeta:depth=3` | alpha-beta search, for two seats without chance in play             |
| `mcts:KEY=VALUE,..` | Monte Carlo tree search, see `search.options` for the parameters    |
| `reference`         | the trained policy of the suite, in the games that have one         |
| `policy:PATH`       | a trained policy that was saved at PATH, or exported to PATH.onnx   |

A game can have further ones of its own, the `baselines` of its record. `specs.py` lists all.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.agents.specs import specs_of, valuing_agents
from tzaar_envs.core.action_values import ActionValues
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec

__all__ = ["Agent", "AgentObservation", "action_values_of", "agent_forms", "make_agent"]


def agent_specs(spec: GameSpec) -> dict[str, str]:
    """Return the texts that name an agent of a game, with their meanings and parameters."""
    return {form.syntax: form.description for form in specs_of(spec).values()}


def action_values_of(name: str, spec: GameSpec) -> ActionValues:
    """Return what `greedy`, or a baseline of the game's record, values actions by.

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
    """Return the agent that a text names, for one game.

    Args:
        text: one of `agent_forms`, with parameters for instance `mcts:simulations=100,rule=puct`.
        game: the game that it shall play.
        seed: fixes its random choices.

    Raises:
        ValueError: the text names no agent, a parameter is unknown or not allowed, or the file is
            no policy for this game.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """
    forms = specs_of(game.spec)
    name, colon, rest = text.partition(":")
    form = forms.get(name)
    if form is None or not form.takes(rest if colon else None):
        listing = agent_specs(game.spec)
        close = difflib.get_close_matches(text, listing, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(
            f"there is no agent {text!r}: {hint}the agents of {game.name} are {', '.join(listing)}"
        )
    if form.argument:
        argument, given = form.split(rest)
        return form.make(game, seed, argument=argument, **form.read(given))
    options = form.read(rest)
    agent = form.make(game, seed, **options)
    agent.name = form.text(options)
    return agent
