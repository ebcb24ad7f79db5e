"""Checks of an environment: each yields problems, with the number of turns before them."""

from __future__ import annotations

import copy
import functools
import math
import pickle
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.testing.episodes import (
    EnvDriver,
    Episode,
    Turn,
    first_difference,
    play,
    play_on,
    replay,
)
from tzaar_envs.testing.finding import difference, disagreement, sentence_of

Problems = Iterator[tuple[str, int]]
"""Sentences that say what is wrong, and how many turns of the episode lead to it."""

MakeDriver = Callable[[], EnvDriver]

LegalActions = Callable[[Any, str], Iterable[int]]
"""`legal(env, agent)`: the legal actions of an agent, from another source than the mask."""

Redraw = Callable[[Any, str, int], object]
"""`redraw(env, agent, seed)`: draw anew, in place, all that is hidden from an agent."""

_STARTS = 8  # without a seed; one of them may be that of the seed by chance
_POSITIONS = 8  # of an episode
_TRIES = 6  # actions that the mask forbids, and as many that it allows, in each position
_LATEST = 60  # turns; later positions take too long to reach
_REDRAWN = 3  # times in each position

# --- What a recorded game shows -------------------------------------------------------------------


def observations(env: Any, episode: Episode) -> Problems:
    """Every observation lies in the space of its agent, and is never written again."""
    for number, (turn, handed_out) in enumerate(
        zip(episode.turns, episode.handed_out, strict=True)
    ):
        for agent, observation in turn.observations.items():
            if reason := _why_outside(env.observation_space(agent), observation):
                yield f"the observation of {agent} is not in its space: {reason}", number
        if difference(turn.observations, handed_out):
            yield "an observation is overwritten after it was handed out", number


def _why_outside(space: spaces.Space[Any], value: Any) -> str:
    """Return in a few words why a value is not in a space; nothing if it is."""
    if isinstance(space, spaces.Dict) and isinstance(value, Mapping):
        if set(space.spaces) != set(value):
            return f"it has the keys {sorted(value)}, not {sorted(space.spaces)}"
        reasons = {key: _why_outside(part, value[key]) for key, part in space.spaces.items()}
        return next((f"{key!r} {reason}" for key, reason in reasons.items() if reason), "")
    if space.contains(value):
        return ""
    if not isinstance(space, spaces.Box) or not isinstance(value, np.ndarray):
        return f"{value!r} is not in {space}"
    if value.dtype != space.dtype or value.shape != space.shape:
        return f"is {value.dtype} of shape {value.shape}, not {space.dtype} of {space.shape}"
    place = tuple(np.argwhere((value < space.low) | (value > space.high) | (value != value))[0])
    low, high = space.low[place], space.high[place]
    return f"has {value[place]} at {[*map(int, place)]}, where {low} to {high} is allowed"


def masks(env: Any, episode: Episode) -> Problems:
    """An agent that has to act has a legal action."""
    for number, turn in enumerate(episode.turns):
        for agent, mask in turn.masks.items():
            if mask is not None and turn.actions[agent] is not None and not mask.any():
                yield f"{agent} has to act, but its mask allows nothing", number


def rewards(env: Any, episode: Episode) -> Problems:
    """Rewards are numbers, and `last()` tells an agent the sum of those since it acted."""
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for number, turn in enumerate(episode.turns):
        for agent, told in turn.told.items():
            if not math.isclose(told, owed[agent], abs_tol=1e-6):
                what = f"its rewards since it acted add up to {owed[agent]:g}"
                yield f"last() tells {agent} a reward of {told:g}, but {what}", number
            owed[agent] = 0.0
        for agent, reward in turn.rewards.items():
            if not math.isfinite(reward):
                yield f"the reward of {agent} is {reward}", number + 1
            if turn.is_played:  # a step of None pays nothing
                owed[agent] = owed.get(agent, 0.0) + reward


def agents(env: Any, episode: Episode) -> Problems:
    """Each agent is told of while it is in the game, and leaves once its game is over.

    An AEC agent leaves with the step of None after its end, a parallel one with its end.
    """
    if [*episode.start] != [agent for agent in env.possible_agents if agent in episode.start]:
        yield f"the agents after reset are {[*episode.start]}, unlike possible_agents", 0
    before = episode.start
    for number, turn in enumerate(episode.turns, start=1):
        is_parallel = not turn.told
        for what in ("rewards", "terminations", "truncations"):
            told_of = before if is_parallel else turn.agents
            if missing := {*told_of} - {*getattr(turn, what)}:
                yield f"{what} has nothing about {min(missing)}", number
        left = {*before} - {*turn.agents}
        if is_parallel:
            over = {agent for agent in before if turn.has_ended(agent)}
        else:
            over = {agent for agent, action in turn.actions.items() if action is None}
        for agent in sorted(left ^ over):
            yield f"{agent} {'leaves before' if agent in left else 'stays after'} its end", number
        before = turn.agents


def end(env: Any, episode: Episode) -> Problems:
    """A game ends, and both flags are bools."""
    for number, turn in enumerate(episode.turns, start=1):
        for what in ("terminations", "truncations"):
            for agent, flag in getattr(turn, what).items():
                if not isinstance(flag, bool):
                    yield f"{what} of {agent} is {flag!r}, which is no bool of Python", number
    turns = len(episode.turns)
    if not episode.error and turns and episode.turns[-1].agents:
        yield f"the game is not over after {turns} steps", turns


# --- What shows when a game is played again -------------------------------------------------------


def same_game_again(make: MakeDriver, episode: Episode, most: int) -> Problems:
    """The same seed and actions lead to the same game, in a new environment and in the same one."""
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002 - it is what is tested
    driver = make()
    try:
        for seed, what in ((1, "next"), (2, "same")):
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            driver.reset(episode.seed)
            if differs := _difference_of_replay(driver, episode, 0, len(episode.turns)):
                sentence = (
                    f"with the same seed and actions, {differs[0]} of the {what} environment "
                    "differ: draw from a generator that reset seeds, not from a global one"
                )
                yield sentence, differs[1]
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002


def _difference_of_replay(
    driver: EnvDriver, episode: Episode, first: int, last: int
) -> tuple[str, int] | None:
    """Play the turns from `first` to before `last` again; return how they differ."""
    again = [turn for turn, _ in play_on(driver, episode.choose, range(first, last))]
    return first_difference(episode.turns[first:last], again)


def the_stream_goes_on(make: MakeDriver, episode: Episode, most: int) -> Problems:
    """A `reset` without a seed goes on with the stream of the last seed."""
    driver, other = make(), make()
    second, again = (_two_games(each, episode.seed, most) for each in (driver, other))
    if driver.env is not other.env and (differs := first_difference(second.turns, again.turns)):
        yield f"reset without a seed after the same game leads to different {differs[0]}", 0
    foreign = play(make(), episode.seed + 1, 1)
    if not foreign.turns or not difference(_start(episode.turns[0]), _start(foreign.turns[0])):
        return  # there is one start only
    for _ in range(_STARTS):
        if first_difference(episode.turns, second.turns):
            return
        second = play(driver, episode.seed, most, reseed=False)
    yield "reset without a seed repeats the game of the last seed", 0


def _two_games(driver: EnvDriver, seed: int, most: int) -> Episode:
    """Return the second of two games, of which the first alone has a seed."""
    play(driver, seed, most)
    return play(driver, seed, most, reseed=False)


def _start(turn: Turn) -> dict[str, Any]:
    return {"observations": turn.observations, "masks": turn.masks}


def copies(make: MakeDriver, episode: Episode, most: int) -> Problems:
    """A copy in mid-game goes on like the original, which stays where it is."""
    turns, last = len(episode.turns) // 2, len(episode.turns)
    ways: dict[str, Callable[[EnvDriver], EnvDriver]] = {
        "deep": copy.deepcopy,
        "pickled": lambda driver: pickle.loads(pickle.dumps(driver)),
    }
    for what, copied in ways.items():
        driver = make()
        replay(driver, episode, turns)
        try:
            differs = _difference_of_replay(copied(driver), episode, turns, last)
        except Exception as error:
            yield f"a {what} copy in mid-game {sentence_of(error)}", turns
            continue
        if differs:
            yield f"a {what} copy in mid-game goes on with different {differs[0]}", turns
        if differs := _difference_of_replay(driver, episode, turns, last):
            yield f"playing on a {what} copy in mid-game changes the original: {differs[0]}", turns


def legality(make: MakeDriver, episode: Episode, most: int) -> Problems:
    """Every action is played that the mask allows, and no other one."""
    choices, driver = random.Random(episode.seed), make()
    numbers = [number for number, turn in enumerate(episode.turns[:_LATEST]) if turn.is_played]
    some = {*choices.sample(numbers, min(_POSITIONS, len(numbers))), *numbers[:1], *numbers[-1:]}
    for number in sorted(some):
        for agent, mask in episode.turns[number].masks.items():
            space = driver.env.action_space(agent)
            if isinstance(space, spaces.Discrete) and number == 0:
                action = int(space.start + space.n)
                if not _refusal(driver, episode, number, agent, action):
                    what = "which its action space does not have"
                    yield f"{agent} plays action {action}, {what}", number
            if mask is None:
                continue
            for action in _some(choices, np.flatnonzero(mask)):
                refusal = _refusal(driver, episode, number, agent, action)
                if refusal and refusal != _NOTHING:  # passing may be legal
                    yield f"the mask allows {agent} action {action}, which {refusal}", number
            for action in _some(choices, np.flatnonzero(mask == 0)):
                if not _refusal(driver, episode, number, agent, action):
                    what = "which is played like a legal one"
                    yield f"the mask forbids {agent} action {action}, {what}", number


def _some(choices: random.Random, actions: Any) -> list[int]:
    return choices.sample(actions.tolist(), min(_TRIES, len(actions)))


_NOTHING = "changes nothing"


def _refusal(driver: EnvDriver, episode: Episode, number: int, agent: str, action: int) -> str:
    """Return the refusal of an action in a turn; nothing if it is played.

    The other agents do as in the episode.
    """
    replay(driver, episode, number)
    before = _seen(driver)
    try:
        driver.step({**episode.turns[number].actions, agent: action})
    except Exception as error:
        return f"raises {type(error).__name__}"
    rewards, terminations, truncations = driver.flags()
    is_over = rewards and all(terminations.get(each) or truncations.get(each) for each in rewards)
    others = [reward for each, reward in rewards.items() if each != agent]
    if is_over and rewards.get(agent, 0) < 0 and not any(others):
        return "ends the game with a penalty for the mover"
    return _NOTHING if not is_over and not difference(before, _seen(driver)) else ""


def _seen(driver: EnvDriver) -> dict[str, Any]:
    """Return the agents that are asked, with their observations and masks."""
    asked = driver.asked()
    seen = {agent: driver.observation(agent) for agent in asked}
    return copy.deepcopy(
        {"asked": asked, "seen": seen, "masks": [driver.mask(each, seen[each]) for each in asked]}
    )


def as_the_rules_say(
    legal: LegalActions, make: MakeDriver, episode: Episode, most: int
) -> Problems:
    """Masks allow what another source of legal actions says."""
    driver = make()
    driver.reset(episode.seed)
    for number, turn in enumerate(episode.turns):
        for agent, mask in turn.masks.items():
            if mask is not None and turn.actions[agent] is not None:
                named = functools.partial("{1} of {0}".format, agent)
                if what := disagreement(legal(driver.env, agent), np.flatnonzero(mask), named):
                    yield what, number
        driver.step(turn.actions)


def hidden_information(redraw: Redraw, make: MakeDriver, episode: Episode, most: int) -> Problems:
    """An agent sees the same after what is hidden from it is drawn anew."""
    driver = make()
    numbers = range(min(len(episode.turns), _LATEST))
    choices = random.Random(episode.seed)
    for number in sorted(choices.sample(numbers, min(_POSITIONS, len(numbers)))):
        agents = episode.turns[number - 1].agents if number else episode.start
        for agent in agents:
            for seed in range(_REDRAWN):
                replay(driver, episode, number)
                before = _told(driver.env, agent)
                redraw(driver.env, agent, seed)
                if what := difference(before, _told(driver.env, agent)):
                    what = f"the {what} of {agent}"
                    yield f"{what} changes when only what is hidden from it is drawn anew", number


def _told(env: Any, agent: str) -> dict[str, Any]:
    """Return an AEC environment's answer to an agent."""
    _, reward, terminated, truncated, info = env.last(observe=False)
    told = {
        "observation": env.observe(agent),
        "turn": env.agent_selection,
        "end": (terminated, truncated),
    }
    if agent == env.agent_selection:
        told |= {"reward": reward, "info": info}
    return copy.deepcopy(told)
