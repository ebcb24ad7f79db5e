"""Episodes: games of an environment of either API, recorded for the checks."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.testing.finding import difference, sentence_of

Mask = NDArray[Any] | None
Choose = Callable[[int, str, Mask], Any]
"""`choose(turn, agent, mask)`: the action of an agent."""


class EnvDriver:
    """An environment of either API, which is asked and played alike.

    Attributes:
        env: The environment.
        is_parallel: Whether its agents act at the same time.

    Raises:
        TypeError: It is neither an AEC nor a parallel environment.
    """

    def __init__(self, env: Any) -> None:
        self.is_parallel = not hasattr(env, "agent_iter")
        if self.is_parallel and (not hasattr(env, "possible_agents") or hasattr(env, "observe")):
            raise TypeError(f"{env!r} is neither an AEC nor a parallel environment of PettingZoo")
        self.env = env

    def reset(self, seed: int | None) -> None:
        """Start a game."""
        returned = self.env.reset(seed=seed)
        if self.is_parallel:  # what the last step returned is kept here
            self._observations, self._infos = returned
            self._flags: tuple[dict[str, Any], ...] = ({}, {}, {})

    def asked(self) -> list[str]:
        """Return the agents that have to act, also those whose game is over; none at the end."""
        agents = [*self.env.agents]
        return agents if self.is_parallel or not agents else [self.env.agent_selection]

    def observation(self, agent: str) -> Any:
        """Return the view of the agent that is asked."""
        return self._observations[agent] if self.is_parallel else self.env.observe(agent)

    def mask(self, agent: str, observation: Any) -> Mask:
        """Return a copy of the mask in an agent's observation or info; None if there is none."""
        infos = self._infos if self.is_parallel else self.env.infos
        for place in (observation, infos.get(agent)):
            if isinstance(place, Mapping) and place.get("action_mask") is not None:
                return np.array(place["action_mask"])
        return None

    def is_over(self, agent: str) -> bool:
        """Return whether the game of an agent is over; of a parallel environment it has left."""
        env = self.env
        return not self.is_parallel and bool(env.terminations[agent] or env.truncations[agent])

    def step(self, actions: Mapping[str, Any]) -> None:
        """Play the actions of all agents that are asked."""
        if self.is_parallel:
            self._observations, *flags, self._infos = self.env.step(dict(actions))
            self._flags = tuple(map(dict, flags))
        else:
            self.env.step(actions[self.env.agent_selection])

    def flags(self) -> tuple[dict[str, Any], ...]:
        """Return rewards, terminations and truncations of the last step."""
        env = self.env
        if self.is_parallel:
            return self._flags
        return dict(env.rewards), dict(env.terminations), dict(env.truncations)


class Turn(NamedTuple):
    """One step of an episode.

    Attributes:
        observations: The observations of those that were asked; copies.
        masks: Their masks, None for an agent without one.
        told: The rewards that `last()` of an AEC environment told them.
        actions: Their actions; None if their game was over before.
        rewards: Rewards of all agents after it.
        terminations: Terminations of all agents after it.
        truncations: Truncations of all agents after it.
        agents: Those that were in the game after it.
    """

    observations: dict[str, Any]
    masks: dict[str, Mask]
    told: dict[str, Any]
    actions: dict[str, Any]
    rewards: dict[str, Any]
    terminations: dict[str, Any]
    truncations: dict[str, Any]
    agents: tuple[str, ...]

    @property
    def is_played(self) -> bool:
        """Whether agents played actions, and no None after their end."""
        return all(action is not None for action in self.actions.values())

    def has_ended(self, agent: str) -> bool:
        """Return whether the game of an agent is over after it."""
        return bool(self.terminations.get(agent) or self.truncations.get(agent))


@dataclass
class Episode:
    """A game of an environment.

    Attributes:
        seed: Seed of the environment and of the players' choices.
        turns: Its steps.
        handed_out: The observations of each step, as the environment returned them.
        start: The agents after `reset`.
        error: Why it could not be played on; empty if it could.
    """

    seed: int
    turns: list[Turn] = field(default_factory=list)
    handed_out: list[dict[str, Any]] = field(default_factory=list)
    start: tuple[str, ...] = ()
    error: str = ""

    def actions(self, turns: int) -> tuple[Any, ...]:
        """Return the actions of the first turns: single ones in an AEC environment."""
        return tuple(_plain(turn.actions) for turn in self.turns[:turns])

    def choose(self, turn: int, agent: str, mask: Mask) -> Any:
        """Return an agent's action in a turn, to play it again."""
        return self.turns[turn].actions[agent]


def _plain(actions: dict[str, Any]) -> Any:
    plain = {
        agent: action.tolist() if isinstance(action, np.ndarray | np.generic) else action
        for agent, action in actions.items()
    }
    return next(iter(plain.values())) if len(plain) == 1 else plain


def random_players(env: Any, seed: int) -> Choose:
    """Return players of a legal action where there is a mask, else of any of the action space."""
    choices = np.random.default_rng(seed)
    action_spaces = {agent: copy.deepcopy(env.action_space(agent)) for agent in env.possible_agents}
    for number, space in enumerate(action_spaces.values()):
        space.seed(seed + number)

    def choose(turn: int, agent: str, mask: Mask) -> Any:
        if mask is None:
            return action_spaces[agent].sample()
        legal = np.flatnonzero(mask)
        return int(choices.choice(legal)) if legal.size else 0

    return choose


def play(driver: EnvDriver, seed: int, most: int, *, reseed: bool = True) -> Episode:
    """Play a random game.

    Args:
        driver: The environment.
        seed: Seed of the environment and of the players.
        most: Steps; a longer game is left.
        reseed: Whether `reset` gets the seed.
    """
    episode = Episode(seed)
    try:
        driver.reset(seed if reseed else None)
        episode.start = tuple(driver.env.agents)
        for turn, handed_out in play_on(driver, random_players(driver.env, seed), range(most)):
            episode.turns.append(turn)
            episode.handed_out.append(handed_out)
    except Exception as error:
        episode.error = sentence_of(error)
    return episode


def play_on(
    driver: EnvDriver, choose: Choose, numbers: Sequence[int]
) -> Iterator[tuple[Turn, dict[str, Any]]]:
    """Yield the further steps of a game as they are played, and the observations handed out."""
    for number in numbers:
        asked = driver.asked()
        if not asked:
            return
        handed_out = {agent: driver.observation(agent) for agent in asked}
        masks = {agent: driver.mask(agent, handed_out[agent]) for agent in asked}
        observations = copy.deepcopy(handed_out)
        told = {} if driver.is_parallel else {asked[0]: driver.env.last(observe=False)[1]}
        actions = {
            agent: None if driver.is_over(agent) else choose(number, agent, masks[agent])
            for agent in asked
        }
        driver.step(actions)
        rewards, terminations, truncations = driver.flags()
        agents = tuple(driver.env.agents)
        yield (
            Turn(observations, masks, told, actions, rewards, terminations, truncations, agents),
            handed_out,
        )


def replay(driver: EnvDriver, episode: Episode, turns: int) -> None:
    """Play the first turns of an episode again."""
    driver.reset(episode.seed)
    for turn in episode.turns[:turns]:
        driver.step(turn.actions)


def first_difference(one: Sequence[Turn], other: Sequence[Turn]) -> tuple[str, int] | None:
    """Return in what two games differ, and in which turn; None if they do not."""
    for number, (turn, again) in enumerate(zip(one, other, strict=False)):
        if what := difference(turn._asdict(), again._asdict()):
            return what, number
    if len(one) != len(other):
        return "length of the game", min(len(one), len(other))
    return None
