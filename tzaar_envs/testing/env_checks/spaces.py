"""Agents and spaces: there before `reset`, and the same objects whenever they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gymnasium.spaces import Space


def space_problems(env: Any) -> Iterator[str]:
    """Yield what is wrong with the agents and spaces of an environment."""
    agents = getattr(env, "possible_agents", None)
    if not agents:
        yield "possible_agents is missing or empty before reset"
        return
    if len(set(agents)) < len(agents):
        yield f"possible_agents has an agent twice: {agents}"
    for what in ("observation_space", "action_space"):
        for agent in agents:
            space = getattr(env, what)(agent)
            if not isinstance(space, Space):
                yield f"{what}({agent!r}) is {space!r}, not a space"
                break
            if space is not getattr(env, what)(agent):
                yield f"{what}({agent!r}) is another object at each call"
                break
    if not isinstance(getattr(env, "metadata", {}).get("name"), str):
        yield "metadata has no name"


def start_problems(env: Any, returned: Any, is_parallel: bool) -> Iterator[str]:
    """Yield what is wrong right after `reset`."""
    agents = [*env.agents]
    if not agents:
        yield "no agent is in the game after reset"
    expected = [agent for agent in env.possible_agents if agent in agents]
    if agents != expected:
        yield f"the agents after reset are {agents}, not in the order of possible_agents"
    if is_parallel:
        for what, found in zip(("observations", "infos"), returned, strict=True):
            if set(found) != set(agents):
                yield f"reset returns {what} of {sorted(found)}, but the agents are {agents}"
        return
    if returned is not None:
        yield f"reset of an AEC environment returns {type(returned).__name__}, not None"
    for name in ("rewards", "terminations", "truncations", "infos", "_cumulative_rewards"):
        found = getattr(env.unwrapped, name, None)
        if found is None or set(found) != set(agents):
            yield f"{name} after reset is of {sorted(found or ())}, but the agents are {agents}"
        elif name in ("terminations", "truncations") and any(found.values()):
            yield f"{name} is already true after reset"
    if agents and env.agent_selection not in agents:
        yield f"agent_selection is {env.agent_selection!r}, which is not among the agents"
