"""Per-player transitions from turn-based games.

Other players act between two actions of a player, and only one player makes the last move. So a
player's transition goes from one of its actions to its next one, or to the end of the game, and
sums all rewards in between:

    player_0   action ----------------> action -----------------> end, +1
    player_1            action ---------------> action ---------> end, -1

So both ends of a transition belong to the same player, and values never change sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from tzaar_envs.envs.copies import whole_copy
from tzaar_envs.jit.arrays import Mask, Observation
from tzaar_envs.wrappers.observation_view import check_env


@dataclass(frozen=True, eq=False)
class Transition:
    """One action of a player and its consequences.

    Attributes:
        agent: the player.
        observation: its observation.
        mask: int8 `(num_actions,)`, its legal actions.
        action: the action that it played.
        reward: the sum of its rewards until its next action or the end of the game.
        next_observation: its observation at its next action, or at the end.
        next_mask: its legal actions then; zeros at the end.
        terminated: whether the game ended by the rules before its next action.
        truncated: whether it ended by a move cap. Both: by an illegal action of any player.
    """

    agent: str
    observation: Observation
    mask: Mask
    action: int
    reward: float
    next_observation: Observation
    next_mask: Mask
    terminated: bool
    truncated: bool

    @property
    def done(self) -> bool:
        """Whether the game ended before the player's next action."""
        return self.terminated or self.truncated


class TransitionLog:
    """Follows the players of a game from action to action, and collects their transitions.

    Attributes:
        complete: the transitions so far.
    """

    def __init__(self) -> None:
        self.complete: list[Transition] = []
        self._open: dict[str, tuple[Mapping[str, Any], int]] = {}  # last observations and actions

    def begin(self) -> None:
        """Begin a game; the last actions of one that is not over are dropped."""
        self._open = {}

    def act(self, agent: str, seen: Mapping[str, Any], action: int, reward: float = 0.0) -> None:
        """Note an action that an agent has played.

        Args:
            agent: the player.
            seen: its observation and mask before the action.
            action: the action.
            reward: the sum of its rewards from its last action to this one.
        """
        self._close(agent, reward, seen, False, False)
        self._open[agent] = (seen, action)

    def end(
        self,
        reward: Callable[[str], float],
        observe: Callable[[str], Mapping[str, Any]],
        terminated: bool,
        truncated: bool,
    ) -> None:
        """Complete the last transition of every player who has played.

        Args:
            reward: the sum of an agent's rewards since its last action.
            observe: what an agent sees now.
            terminated: see `Transition`.
            truncated: see `Transition`.
        """
        for agent in list(self._open):
            self._close(agent, reward(agent), observe(agent), terminated, truncated)

    def _close(
        self,
        agent: str,
        reward: float,
        following: Mapping[str, Any],
        terminated: bool,
        truncated: bool,
    ) -> None:
        """Complete the transition of an agent's last action, if there is one."""
        if agent not in self._open:
            return
        seen, action = self._open.pop(agent)
        self.complete.append(
            Transition(
                agent=agent,
                observation=seen["observation"],
                mask=seen["action_mask"],
                action=action,
                reward=float(reward),
                next_observation=following["observation"],
                next_mask=following["action_mask"],
                terminated=terminated,
                truncated=truncated,
            )
        )


class RecordTransitions(BaseWrapper[str, Any, int]):
    """An AEC environment that records the transitions of all its players.

    Play as usual, and call `take()` to get the transitions. Those of a player are in the order of
    its actions. A player's last action is not among them until the player must act again or the
    game ends; a `reset` in mid-game drops it.

    Args:
        env: an environment of the suite, wrapped or not.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    __copy__ = whole_copy

    def __init__(self, env: AECEnv[str, Any, int]) -> None:
        check_env(env, type(self).__name__)
        super().__init__(env)
        self._log = TransitionLog()
        self._seen: tuple[str, dict[str, Any]] | None = None  # last observation since the step
        self._started = False

    def take(self) -> list[Transition]:
        """Return the transitions completed since the last call."""
        taken, self._log.complete = self._log.complete, []
        return taken

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game, see `GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self._log.begin()
        self._seen = None
        self._started = True

    def observe(self, agent: str) -> Any:
        """Return what an agent sees now."""
        seen = self.env.observe(agent)
        self._seen = (agent, seen)
        return seen

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, terminated, truncated and info of the selected agent."""
        result: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        if observe:
            self._seen = (self.env.agent_selection, result[0])
        return result

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the selected agent repeatedly until all have left."""
        return self.env.agent_iter(max_iter)

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, see `GameEnv.step`."""
        env = self.env
        if action is None or not self._started or not env.agents:
            env.step(action)
            return
        agent = env.agent_selection
        # The agent has usually just observed, and observing again costs as much as a step.
        seen = self._seen[1] if self._seen and self._seen[0] == agent else env.observe(agent)
        reward = env._cumulative_rewards[agent]
        env.step(action)  # raises if the action cannot be played
        self._seen = None
        self._log.act(agent, seen, int(action), reward)
        terminated, truncated = env.terminations[agent], env.truncations[agent]
        if terminated or truncated:  # of all agents: they end together
            rewards = env._cumulative_rewards
            self._log.end(rewards.__getitem__, env.observe, terminated, truncated)
