"""Agents that the server was started with, which may read a file or start a program."""

from __future__ import annotations

from tzaar_envs.agents import AgentText
from tzaar_envs.agents.specs import specs_of
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.networks.file import find_policy, read_card
from tzaar_envs.registry import find_spec, list_games


def games_of(text: str) -> frozenset[str]:
    """Return the names of the games that an agent can play; nothing is compiled for it.

    Args:
        text: an agent text.

    Raises:
        ValueError: there is no such agent, a parameter is not allowed, or its policy is not one, or
            is of none of the games.
        FileNotFoundError: there is no such policy, or no such program.
        ModuleNotFoundError: the agent needs an extra that is not installed.
    """
    specs = [find_spec(name) for name in list_games()]
    suited = [spec for spec in specs if text.partition(":")[0] in specs_of(spec)]
    if not suited:
        raise ValueError(f"no game has an agent {text!r}")
    found: set[str] = set()
    errors: list[ValueError | OSError] = []
    for spec in suited:
        try:
            if _fits(AgentText.parse(text, spec), spec):
                found.add(spec.name)
        except (ValueError, OSError) as error:
            errors.append(error)
    if not found:
        raise errors[0] if errors else ValueError(f"the policy of {text!r} is of no game here")
    return frozenset(found)


def _fits(agent: AgentText, spec: GameSpec) -> bool:
    """Return whether the policy of an agent, if it has one, is of a game.

    Raises:
        ValueError: it is not a policy, or the command of an engine is not one.
        FileNotFoundError: there is no such policy, or no such program.
        ModuleNotFoundError: the extra that reads policies is not installed.
    """
    if agent.spec.name == "engine":
        agent.make(Game(spec))  # the program starts with its first move
        return True
    path = agent.argument if agent.spec.name == "policy" else agent.options.get("policy", "")
    if not path:
        return True
    return bool(read_card(find_policy(path, spec))["game"] == spec.name)
