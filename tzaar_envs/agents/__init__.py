"""Agents: what chooses actions, made from one text form.

| text          | agent                                                    |
|---------------|----------------------------------------------------------|
| `random`      | uniformly random legal actions                           |
| `greedy`      | one ply over the game's evaluation function              |
| `policy:PATH` | a trained policy that was saved at PATH                  |

A game can have further ones of its own, the `baselines` of its record.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import ActionValues, GameSpec

__all__ = ["Agent", "AgentObservation", "action_values_of", "agent_forms", "make_agent"]

_FORMS = {
    "random": "uniformly random legal actions",
    "greedy": "one ply over the game's evaluation function",
}
_POLICY = {"policy:PATH": "a trained policy that was saved at PATH"}


def agent_forms(spec: GameSpec) -> dict[str, str]:
    """Return the texts that name an agent of a game, with their meanings."""
    own = {baseline.name: baseline.meaning for baseline in spec.baselines}
    return _FORMS | own | _POLICY


def action_values_of(name: str, spec: GameSpec) -> ActionValues:
    """Return what `greedy`, or a baseline of the game's record, values actions by.

    Raises:
        ValueError: there is no such baseline.
    """
    if name == "greedy":
        from tzaar_envs.agents.greedy import action_values

        return action_values
    for baseline in spec.baselines:
        if baseline.name == name:
            return baseline.load()
    names = ", ".join(["greedy", *(baseline.name for baseline in spec.baselines)])
    raise ValueError(f"{name!r} does not value the actions of {spec.name}: use one of {names}")


def make_agent(text: str, game: Game, seed: int | Sequence[int] | None = None) -> Agent:
    """Return the agent that a text names, for one game.

    Args:
        text: one of `agent_forms`.
        game: the game that it shall play.
        seed: fixes its random choices.

    Raises:
        ValueError: the text names no agent, or the file is no policy for this game.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """
    forms = agent_forms(game.spec)
    name, colon, argument = text.partition(":")
    if name == "policy" and argument:
        from tzaar_envs.agents.policy import PolicyAgent

        return PolicyAgent.load(argument, game, seed)
    if name not in forms or colon:
        close = difflib.get_close_matches(text, forms, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(
            f"there is no agent {text!r}: {hint}the agents of {game.name} are {', '.join(forms)}"
        )
    if name == "random":
        from tzaar_envs.agents.random import RandomAgent

        return RandomAgent(game, seed)
    from tzaar_envs.agents.best_action import BestActionAgent

    return BestActionAgent(game, name, action_values_of(name, game.spec), seed)
