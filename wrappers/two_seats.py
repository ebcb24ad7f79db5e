"""Two-player view of a game of several players: one player against a coalition."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper
from pettingzoo.utils.env_logger import EnvLogger

from tzaar_envs.envs.base import whole_copy
from tzaar_envs.wrappers.views import check_env

PLAYER = "player_0"
OTHERS = "player_1"


class TwoSeats(BaseWrapper[str, Any, int]):
    """An AEC environment in which one agent plays against a coalition of all other seats.

    `PLAYER` has one seat. `OTHERS` acts for every other seat in its turn, several times in a row
    if need be, and then sees what that seat sees: the coalition shares an aim, not hidden
    information. While `PLAYER` must act, and after the game, `OTHERS` sees what the seat sees for
    which it acted last; before its first action, what the seat after the player's sees.

    **Reward** of `PLAYER`: that of its seat. Of `OTHERS`: with `zero_sum` the negative of that,
    which trains the worst case, a coalition whose only aim is the player's loss (the paranoid
    reduction of Sturtevant and Korf, 2000); without, the sum over the other seats, which is the
    same for `reward="outcome"` but not for `reward="score"`. After an illegal action it is always
    the sum: -1 for the side that played it, 0 for the other.

    Args:
        env: an environment of the suite, wrapped or not.
        seat: the player's seat.
        zero_sum: see above.

    Raises:
        ValueError: a seat that does not exist, or an environment whose observations have another
            form.
    """

    __copy__ = whole_copy

    def __init__(self, env: AECEnv[str, Any, int], seat: int = 0, zero_sum: bool = True) -> None:
        check_env(env, type(self).__name__)
        seats = len(env.possible_agents)
        if seat not in range(seats):
            raise ValueError(f"seat={seat!r} is not allowed: use 0 to {seats - 1}")
        super().__init__(env)
        self._zero_sum = zero_sum
        self._player: str = env.possible_agents[seat]
        self._first_other: str = env.possible_agents[(seat + 1) % seats]
        self._speaker = self._first_other  # the seat for which `OTHERS` acts or acted last
        self.possible_agents = [PLAYER, OTHERS]
        seen_by = {PLAYER: self._player, OTHERS: self._first_other}
        self.observation_spaces = {a: env.observation_space(b) for a, b in seen_by.items()}
        self.action_spaces = {a: env.action_space(b) for a, b in seen_by.items()}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent, the same object at each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game, see `GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._speaker = self._first_other
        self._read()

    def _read(self) -> None:
        """Read who acts, as long as the game is not over, and what the agents are told."""
        env = self.env
        if not any(self.terminations.values()) and not any(self.truncations.values()):
            self.agent_selection = PLAYER if env.agent_selection == self._player else OTHERS
            if self.agent_selection == OTHERS:
                self._speaker = env.agent_selection
        self.infos = {PLAYER: env.infos[self._player], OTHERS: env.infos[self._speaker]}

    def observe(self, agent: str) -> Any:
        """Return what the agent's seat sees; of `OTHERS`, the seat for which it acts."""
        return self.env.observe(self._player if agent == PLAYER else self._speaker)

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, None if its game is over; see `GameEnv.step`."""
        if "agents" not in vars(self):
            self.env.step(action)  # raises: before reset
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        env = self.env
        env.step(action)
        # All agents end together.
        terminated, truncated = env.terminations[self._player], env.truncations[self._player]
        own = float(env.rewards[self._player])
        others = 0.0 - own  # which is never -0.0
        if not self._zero_sum or (terminated and truncated):  # both: by an illegal action
            others = float(sum(env.rewards.values())) - own
        self.rewards = {PLAYER: own, OTHERS: others}
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        self._read()
        if terminated or truncated:
            self._deads_step_first()
