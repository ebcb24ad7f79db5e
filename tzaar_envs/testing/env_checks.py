"""What a recorded game of an environment shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces import Space

from tzaar_envs.testing.episodes import Episode, Problem, same

# --- Agents and spaces: there before `reset`, and the same objects at each call -------------------


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


# --- Observations: within their space, and never written again ------------------------------------


def within_their_space(env: Any, episode: Episode) -> Problem | None:
    """Every observation lies in the space of its agent."""
    for number, turn in enumerate(episode.turns):
        for agent, observation in turn.observations.items():
            space = env.observation_space(agent)
            if reason := why_outside(space, observation):
                return Problem(f"the observation of {agent} is not in its space: {reason}", number)
    return None


def why_outside(space: spaces.Space[Any], value: Any) -> str | None:
    """Return in a few words why a value is not in a space; None if it is."""
    if isinstance(space, spaces.Dict) and isinstance(value, Mapping):
        if set(space.spaces) != set(value):
            return f"it has the keys {sorted(value)}, not {sorted(space.spaces)}"
        for key, part in space.spaces.items():
            if reason := why_outside(part, value[key]):
                return f"{key!r} {reason}"
        return None
    if isinstance(space, spaces.Box) and isinstance(value, np.ndarray):
        if value.dtype != space.dtype:
            return f"has dtype {value.dtype}, not {space.dtype}"
        if value.shape != space.shape:
            return f"has shape {value.shape}, not {space.shape}"
        outside = ~((value >= space.low) & (value <= space.high))
        if outside.any():
            place = tuple(int(index[0]) for index in outside.nonzero())
            low, high = space.low[place], space.high[place]
            return f"has {value[place]} at {place}, where {low} to {high} is allowed"
        return None
    try:
        return None if space.contains(value) else f"{value!r} is not in {space}"
    except Exception as error:
        return f"{space} cannot tell: {error}"


def never_written_again(env: Any, episode: Episode) -> Problem | None:
    """What was handed out stays as it was, whatever is played later."""
    for number, turn in enumerate(episode.turns):
        for agent, observation in turn.observations.items():
            if not same(observation, turn.handed_out[agent]):
                return Problem(
                    f"the observation that {agent} got is overwritten in later steps", number
                )
    return None


def state_problem(env: Any) -> str | None:
    """Return what is wrong with `state()` of an environment that has a `state_space`."""
    space = getattr(env, "state_space", None)
    if space is None:
        return None
    reason = why_outside(space, env.state())
    return f"state() is not in state_space: {reason}" if reason else None


# --- Masks: of the right size and type, never empty for an agent that has to act ------------------


def fit_the_action_space(env: Any, episode: Episode) -> Problem | None:
    """A mask has one entry for each action, 0 or 1, as int8."""
    for number, turn in enumerate(episode.turns):
        for agent, mask in turn.masks.items():
            space = env.action_space(agent)
            if mask is None or not isinstance(space, spaces.Discrete):
                continue
            if mask.shape != (space.n,):
                return Problem(
                    f"the mask of {agent} has shape {mask.shape}, not ({space.n},)", number
                )
            if mask.dtype != np.int8:
                return Problem(
                    f"the mask of {agent} is {mask.dtype}: Discrete.sample takes int8 alone", number
                )
            if not np.isin(mask, (0, 1)).all():
                return Problem(f"the mask of {agent} has other entries than 0 and 1", number)
    return None


def something_is_legal(env: Any, episode: Episode) -> Problem | None:
    """An agent that has to act has a legal action."""
    for number, turn in enumerate(episode.turns):
        for agent, mask in turn.masks.items():
            if mask is not None and agent not in turn.was_over and not mask.any():
                return Problem(f"{agent} has to act, but its mask allows nothing", number)
    return None


def masks_agree(env: Any, episode: Episode) -> Problem | None:
    """Where observation and info both have a mask, it is the same one."""
    for number, turn in enumerate(episode.turns):
        for agent, observation in turn.observations.items():
            told = turn.infos[agent].get("action_mask")
            if not isinstance(observation, Mapping) or agent in turn.was_over or told is None:
                continue
            if not np.array_equal(observation.get("action_mask", told), told):
                return Problem(f"the mask of {agent} in its info is another one", number)
    return None


# --- Rewards: of every agent, finite, and paid out once -------------------------------------------


def finite_numbers(env: Any, episode: Episode) -> Problem | None:
    """Rewards are numbers."""
    for number, turn in enumerate(episode.turns, start=1):
        for agent, reward in turn.rewards.items():
            try:
                is_finite = math.isfinite(reward)
            except TypeError:
                return Problem(f"the reward of {agent} is {reward!r}, not a number", number)
            if not is_finite:
                return Problem(f"the reward of {agent} is {reward}", number)
    return None


def last_tells_all(env: Any, episode: Episode) -> Problem | None:
    """`last()` tells an agent the sum of its rewards since it acted."""
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for number, turn in enumerate(episode.turns):
        for agent, told in turn.last_rewards.items():
            if not math.isclose(told, owed[agent], abs_tol=1e-6):
                return Problem(
                    f"last() tells {agent} a reward of {told:g}, but its rewards since it acted "
                    f"add up to {owed[agent]:g}",
                    number,
                )
            owed[agent] = 0.0
        if not turn.was_over:  # a step of None pays nothing
            for agent, reward in turn.rewards.items():
                owed[agent] = owed.get(agent, 0.0) + reward
    return None


# --- Agents: none comes back, and each leaves once its game is over -------------------------------


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


# --- The end of an episode: there is one, and both flags are bools --------------------------------


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
