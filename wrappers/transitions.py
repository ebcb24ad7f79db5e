"""From the turns of a game to what each player has met with: transitions for learning.

Between two actions of a player the others act, and the last action of a game is that of one player
alone. A player's transition goes from one of its own actions to its next one, or to the end of the
game, and has all rewards in between:

    player_0   action ----------------> action -----------------> end, +1
    player_1            action ---------------> action ---------> end, -1

So the next value of a transition is always one of the same player, and no sign changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from tzaar_envs.jit.arrays import Mask, Observation
from tzaar_envs.wrappers.observation_view import check_env


@dataclass(frozen=True, eq=False)
class Transition:
    """What an action of a player came to.

    Attributes:
        agent: the player.
        observation: what it saw.
        mask: int8 `(num_actions,)`, what it could play.
        action: what it played.
        reward: all of its rewards from then until its next action or the end of the game.
        next_observation: what it saw when it was to act again, or at the end.
        next_mask: what it could play then; zeros at the end.
        terminated: the game ended before it was to act again, by the rules.
        truncated: likewise, by a move cap; both: by an illegal action, its own or another's.
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
        """Whether the game ended before the player was to act again."""
        return self.terminated or self.truncated


class RecordTransitions(BaseWrapper[str, Any, int]):
    """An AEC environment that keeps the transitions of all its players.

    Play as always, and call `take()` whenever transitions are wanted. Those of a player come in the
    order of its actions. An action whose player has not been to act again yet is not among them; if
    `reset` leaves a game before its end, such actions are forgotten.

    Args:
        env: an environment of the suite, in wrappers or not.

    Raises:
        ValueError: an environment whose observations have another form.
    """

    def __init__(self, env: AECEnv[str, Any, int]) -> None:
        check_env(env, type(self).__name__)
        super().__init__(env)
        self._complete: list[Transition] = []
        self._open: dict[str, tuple[dict[str, Any], int]] = {}  # last observations and actions
        self._seen: tuple[str, dict[str, Any]] | None = None  # who has looked since the last step
        self._started = False

    def take(self) -> list[Transition]:
        """Return the transitions that have become complete since the last call."""
        taken, self._complete = self._complete, []
        return taken

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game, see `GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self._open = {}
        self._seen = None
        self._started = True

    def observe(self, agent: str) -> Any:
        """Return what an agent sees now."""
        seen = self.env.observe(agent)
        self._seen = (agent, seen)
        return seen

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, both ends and info of the selected agent."""
        result: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        if observe:
            self._seen = (self.env.agent_selection, result[0])
        return result

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the selected agent, again and again until all have left."""
        return self.env.agent_iter(max_iter)

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, see `GameEnv.step`."""
        env = self.env
        if action is None or not self._started or not env.agents:
            env.step(action)
            return
        agent = env.agent_selection
        # Whoever plays has mostly just looked, and to observe costs as much as a step.
        seen = self._seen[1] if self._seen and self._seen[0] == agent else env.observe(agent)
        reward = env._cumulative_rewards[agent]
        env.step(action)  # raises if the action cannot be played
        self._seen = None
        self._close(agent, reward, seen)
        self._open[agent] = (seen, int(action))
        terminated, truncated = env.terminations[agent], env.truncations[agent]
        if terminated or truncated:  # of all agents: they end together
            for player in list(self._open):
                total = env._cumulative_rewards[player]
                self._close(player, total, env.observe(player), terminated, truncated)

    def _close(
        self,
        agent: str,
        reward: float,
        following: dict[str, Any],
        terminated: bool = False,
        truncated: bool = False,
    ) -> None:
        """Complete the transition of an agent's last action, if there is one."""
        if agent not in self._open:
            return
        seen, action = self._open.pop(agent)
        self._complete.append(
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
