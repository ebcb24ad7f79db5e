"""Episodes: games of an environment of either API, recorded for the checks."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.testing.finding import sentence_of


class AecTable:
    """An AEC environment, with the methods that a parallel one has here too.

    Attributes:
        env: The environment.
    """

    is_parallel = False

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int | None) -> None:
        """Start a game."""
        self.env.reset(seed=seed)

    def asked(self) -> list[str]:
        """Return the agents that have to act, also those whose game is over; none at the end."""
        return [self.env.agent_selection] if self.env.agents else []

    def observation(self, agent: str) -> Any:
        """Return what an agent that is asked sees."""
        return self.env.observe(agent)

    def info(self, agent: str) -> Mapping[str, Any]:
        """Return the info of an agent."""
        found: Mapping[str, Any] = self.env.infos[agent]
        return found

    def is_over(self, agent: str) -> bool:
        """Return whether the game of an agent is over."""
        return bool(self.env.terminations[agent] or self.env.truncations[agent])

    def step(self, actions: Mapping[str, Any]) -> None:
        """Play the actions of all agents that are asked."""
        self.env.step(actions[self.env.agent_selection])

    def flags(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return rewards, terminations and truncations of the last step."""
        env = self.env
        return dict(env.rewards), dict(env.terminations), dict(env.truncations)


class ParallelTable(AecTable):
    """A parallel environment, see `AecTable`; what the last step returned belongs to the table."""

    is_parallel = True

    def reset(self, seed: int | None) -> None:
        """Start a game."""
        self.observations, self.infos = self.env.reset(seed=seed)
        self._flags: tuple[dict[str, Any], dict[str, Any], dict[str, Any]] = ({}, {}, {})

    def asked(self) -> list[str]:
        """Return the agents that have to act."""
        return [*self.env.agents]

    def observation(self, agent: str) -> Any:
        """Return what an agent sees."""
        return self.observations[agent]

    def info(self, agent: str) -> Mapping[str, Any]:
        """Return the info of an agent."""
        found: Mapping[str, Any] = self.infos.get(agent, {})
        return found

    def is_over(self, agent: str) -> bool:
        """Return False: agents leave with the end of their game."""
        return False

    def step(self, actions: Mapping[str, Any]) -> None:
        """Play the actions of all agents."""
        self.observations, rewards, ended, cut, self.infos = self.env.step(dict(actions))
        self._flags = dict(rewards), dict(ended), dict(cut)

    def flags(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return rewards, terminations and truncations of the last step."""
        return self._flags


def table_of(env: Any) -> AecTable:
    """Return the table of an environment of either API.

    Raises:
        TypeError: it is neither an AEC nor a parallel environment.
    """
    if hasattr(env, "agent_iter"):
        return AecTable(env)
    if hasattr(env, "possible_agents") and not hasattr(env, "observe"):
        return ParallelTable(env)
    raise TypeError(f"{env!r} is neither an AEC nor a parallel environment of PettingZoo")


def mask_of(observation: Any, info: Mapping[str, Any]) -> NDArray[Any] | None:
    """Return the mask of an agent, of its observation or its info; None if there is none."""
    for place in (observation, info):
        if isinstance(place, Mapping) and place.get("action_mask") is not None:
            return np.asarray(place["action_mask"])
    return None


class Problem(NamedTuple):
    """A promise that an episode breaks.

    Attributes:
        sentence: what is wrong.
        turns: how many turns lead to it.
    """

    sentence: str
    turns: int


@dataclass(frozen=True)
class Turn:
    """One step of an episode.

    Attributes:
        agents: those that were in the game before it.
        observations: what those that were asked saw; copies.
        handed_out: the same objects as the environment returned them.
        infos: their infos.
        masks: their masks, None for an agent without one.
        last_rewards: what `last()` of an AEC environment told them.
        was_over: the agents among them whose game was over before.
        actions: what they played.
        rewards: of all agents, after it.
        terminations: of all agents, after it.
        truncations: of all agents, after it.
        remaining: the agents that were in the game after it.
    """

    agents: tuple[str, ...]
    observations: dict[str, Any]
    handed_out: dict[str, Any]
    infos: dict[str, Any]
    masks: dict[str, NDArray[Any] | None]
    last_rewards: dict[str, Any]
    was_over: frozenset[str]
    actions: dict[str, Any]
    rewards: dict[str, Any]
    terminations: dict[str, Any]
    truncations: dict[str, Any]
    remaining: tuple[str, ...]


@dataclass
class Episode:
    """A game of an environment.

    Attributes:
        seed: of the environment, and of the players' choices.
        turns: its steps.
        start: the agents after `reset`.
        error: why it could not be played on; empty if it could.
        is_finished: whether it came to its end.
    """

    seed: int
    turns: list[Turn] = field(default_factory=list)
    start: tuple[str, ...] = ()
    error: str = ""
    is_finished: bool = False

    def actions(self, turns: int | None = None) -> tuple[Any, ...]:
        """Return what was played in the first turns: of an AEC environment single actions."""
        return tuple(_plain(turn.actions) for turn in self.turns[:turns])


def _plain(actions: dict[str, Any]) -> Any:
    plain = {agent: _number(action) for agent, action in actions.items()}
    return next(iter(plain.values())) if len(plain) == 1 else plain


def _number(action: Any) -> Any:
    return action.tolist() if isinstance(action, np.ndarray | np.generic) else action


class Players:
    """Random players: a legal action where there is a mask, else any of the action space."""

    def __init__(self, env: Any, seed: int) -> None:
        self._choices = np.random.default_rng(seed)
        self._spaces = {}
        for number, agent in enumerate(env.possible_agents):
            self._spaces[agent] = copy.deepcopy(env.action_space(agent))
            self._spaces[agent].seed(seed + number)

    def action(self, agent: str, mask: NDArray[Any] | None) -> Any:
        """Return an action of an agent."""
        if mask is None:
            return self._spaces[agent].sample()
        legal = np.flatnonzero(mask)
        return int(self._choices.choice(legal)) if legal.size else 0


def play(table: AecTable, seed: int, most: int, *, reseed: bool = True) -> Episode:
    """Play a random game.

    Args:
        table: the environment.
        seed: of the environment and of the players.
        most: steps; a longer game is left.
        reseed: whether `reset` gets the seed.
    """
    episode = Episode(seed)
    try:
        players = Players(table.env, seed)
        table.reset(seed if reseed else None)
        episode.start = tuple(table.env.agents)
        for turn in play_on(table, players, most):
            episode.turns.append(turn)
        episode.is_finished = not table.env.agents
    except Exception as error:
        episode.error = sentence_of(error)
    return episode


def play_on(table: AecTable, players: Players, most: int) -> Iterator[Turn]:
    """Yield the further steps of a game as they are played."""
    for _ in range(most):
        asked = table.asked()
        if not asked:
            return
        yield _turn(table, asked, players)


def _turn(table: AecTable, asked: Sequence[str], players: Players) -> Turn:
    agents = tuple(table.env.agents)
    handed_out = {agent: table.observation(agent) for agent in asked}
    infos = {agent: table.info(agent) for agent in asked}
    masks = {agent: _copied_mask(handed_out[agent], infos[agent]) for agent in asked}
    over = frozenset(agent for agent in asked if table.is_over(agent))
    observations = copy.deepcopy(handed_out)
    last_rewards = {} if table.is_parallel else {asked[0]: table.env.last(observe=False)[1]}
    actions = {
        agent: None if agent in over else players.action(agent, masks[agent]) for agent in asked
    }
    table.step(actions)
    return Turn(
        agents, observations, handed_out, dict(infos), masks, last_rewards, over, actions,
        *table.flags(), tuple(table.env.agents),
    )  # fmt: skip


def _copied_mask(observation: Any, info: Mapping[str, Any]) -> NDArray[Any] | None:
    mask = mask_of(observation, info)
    return None if mask is None else mask.copy()


def replay(table: AecTable, episode: Episode, turns: int) -> None:
    """Play the first turns of an episode again."""
    table.reset(episode.seed)
    for turn in episode.turns[:turns]:
        table.step(turn.actions)


def same(one: Any, other: Any) -> bool:
    """Return whether two observations, infos or other values are the same."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        is_float = one.dtype.kind == "f" and other.dtype.kind == "f"
        return bool(np.array_equal(one, other, equal_nan=is_float))
    return bool(one == other) or bool(one != one and other != other)


def first_difference(one: Sequence[Turn], other: Sequence[Turn]) -> tuple[int, str] | None:
    """Return the first turn in which two games differ, and in what; None if they do not."""
    for number, (turn, again) in enumerate(zip(one, other, strict=False)):
        for what in ("agents", "observations", "masks", "last_rewards", "actions", "rewards",
                     "terminations", "truncations"):  # fmt: skip
            if not same(getattr(turn, what), getattr(again, what)):
                return number, what.replace("last_", "")
    if len(one) != len(other):
        return min(len(one), len(other)), "length of the game"
    return None
