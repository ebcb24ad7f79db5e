"""PettingZoo parallel environment of games with simultaneous choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.state import State
from tzaar_envs.core.toolkit import ILLEGAL_REWARD
from tzaar_envs.envs.base import BaseEnv, final_rewards

AgentObservations: TypeAlias = dict[str, dict[str, NDArray[Any]]]
Infos: TypeAlias = dict[str, dict[str, Any]]


class ParallelGameEnv(BaseEnv, ParallelEnv[str, dict[str, NDArray[Any]], int]):
    """A game as a PettingZoo parallel environment, with all checks built in.

    The same seed and the same actions lead to the same positions as in `GameEnv`. One step plays
    the choices of all agents that choose now, which are `env.acting`.

    **Observation, reward, end**: as in `GameEnv`, except that the mask has one more entry.

    **Action**: `Discrete(num_actions + 1)`. The last action is to *wait*: the only legal action of
    an agent that does not choose in this step. Such an agent may also be left out.

    **Info**: `action_mask`; at the end also `score`.

    Args:
        spec: A game with simultaneous choices.
        **options: Options of `ENV_OPTIONS` and of the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: A game without simultaneous choices, or a value that is not allowed.
    """

    def __init__(self, spec: GameSpec, **options: Any) -> None:
        if not spec.simultaneous:
            raise ValueError(
                f"{spec.env_id} has no parallel environment: its players act one after the other"
            )
        super().__init__(spec, options, simultaneous=True)
        self.agents: list[str] = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[AgentObservations, Infos]:
        """Start a game, see `GameEnv.reset`; return observations and infos of all agents.

        Raises:
            ValueError: The position cannot be read, or its game is over.
        """
        self._start(seed, options)
        self.agents = self.possible_agents[:]
        if self.render_mode == "human":
            self.render()
        return self._observe_all()

    @property
    def acting(self) -> list[str]:
        """The agents that choose in the next step; the others wait."""
        if self._state is None or not self.agents:
            return []
        return [self.possible_agents[seat] for seat in self._state.acting_players()]

    def _masks(self, state: State) -> NDArray[np.int8]:
        """Return int8 `(num_players, num_actions + 1)`: what each agent may do now."""
        over = state.is_terminal or not self.agents
        acting = [] if over else state.acting_players()
        masks = np.zeros((self.game.num_players, self.game.num_actions + 1), np.int8)
        for seat in range(self.game.num_players):
            if seat in acting:
                masks[seat, :-1] = state.legal_mask_of(seat)
            else:
                masks[seat, -1] = not over
        return masks

    def _observe_all(self) -> tuple[AgentObservations, Infos]:
        """Return observations and infos of all agents; all masks are zero if the game is over."""
        state = self._state
        assert state is not None
        masks = self._masks(state)
        observations = {
            agent: {
                "observation": state.observation(seat).astype(self._dtype, copy=False),
                "action_mask": masks[seat],
            }
            for agent, seat in self._seat.items()
        }
        # Nothing else before the end: TorchRL takes what the first infos hold for all there is.
        infos: Infos = {
            agent: {"action_mask": masks[seat].copy()} for agent, seat in self._seat.items()
        }
        if state.is_terminal:
            for agent, score in zip(self.possible_agents, state.scores(), strict=True):
                infos[agent]["score"] = float(score)
        return observations, infos

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[AgentObservations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Play the actions of all agents that choose now.

        Args:
            actions: An action by agent; agents that wait may be left out.

        Returns:
            Observations, rewards, terminations, truncations and infos of all agents.

        Raises:
            AssertionError: Before `reset`, or an action is not in the action space.
            ValueError: An unknown agent; a missing or illegal action with `illegal="raise"`.
        """
        state = self._state
        if state is None:
            raise AssertionError("reset() needs to be called before step()")
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return {}, {}, {}, {}, {}
        for agent in actions:
            if agent not in self._seat:
                raise ValueError(
                    f"there is no agent {agent!r}: the agents are {', '.join(self.possible_agents)}"
                )
        chosen = {self._seat[agent]: self._checked(action) for agent, action in actions.items()}
        wait = self.game.num_actions
        masks = self._masks(state)
        illegal = [seat for seat, mask in enumerate(masks) if not mask[chosen.get(seat, wait)]]
        rewards = dict.fromkeys(self.agents, 0.0)
        terminated = truncated = False
        if illegal:
            if self._raise_on_illegal:
                agent, action = self.possible_agents[illegal[0]], chosen.get(illegal[0])
                what = "no action was given" if action is None else f"action {action} is not legal"
                raise ValueError(f"{what} for {agent} in {state.label}")
            EnvLogger.warn_on_illegal_move()
            terminated = truncated = True
            for seat in illegal:
                rewards[self.possible_agents[seat]] = ILLEGAL_REWARD
        else:
            for _ in state.acting_players():
                action = chosen[state.current_player]
                if self._draws:
                    self._last = state.clone(), action
                state.apply(action)
            if state.is_terminal:
                truncated = state.is_truncated
                terminated = not truncated
                final = final_rewards(state, self._reward).tolist()
                rewards = dict(zip(self.possible_agents, final, strict=True))
        agents = self.agents
        if terminated or truncated:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        observations, infos = self._observe_all()
        return (
            observations,
            rewards,
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            infos,
        )
