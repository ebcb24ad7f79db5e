"""PettingZoo AEC environment of any game."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from tzaar_envs.core.kernel import NOBODY
from tzaar_envs.core.masks import ILLEGAL
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.toolkit import ILLEGAL_REWARD
from tzaar_envs.envs.base import BaseEnv, final_rewards


class _SetByReset:
    """An attribute that `reset` sets; read before, it says so, as PettingZoo's own wrapper does."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, env: object, owner: type) -> Any:
        raise AttributeError(f"{self._name} cannot be accessed before reset")


class GameEnv(BaseEnv, AECEnv[str, dict[str, NDArray[Any]], int]):
    """A game as a PettingZoo AEC environment, with all checks built in.

    **Agents** `player_0`, `player_1`, ... in turn order; `player_0` begins.

    **Observation** of an agent: `{"observation": ..., "action_mask": ...}`, an int8 array of
    `game.observation_shape` (float32 with `dtype="float32"`) and one of `(num_actions,)`. The
    planes are named in
    `game.observation_planes`; they show the position as the observing agent sees it, also when it
    is not to move. The mask is 1 where an action is legal for the agent now, all zeros for an agent
    that is not to move or whose game is over; `infos[agent]["action_mask"]` holds it too. The
    environment never writes to an array again after handing it out; the masks of waiting agents in
    `infos` are one read-only array.

    **Action**: `Discrete(num_actions)`; `game.layout.actions` explains the numbering.

    **Reward**: zero until the game ends; then every agent gets its own, see the option `reward`.
    With k winners among n players each winner gets +1/k and each other player -1/(n - k); zero if
    all are tied. `infos[agent]["score"]` then holds the agent's points, or its return in a game
    without points.

    **End**: all agents terminate together, or are truncated together if only a move cap ended the
    game; `game_state.end_code` then says why. After an illegal action with `illegal="terminate"`
    both flags are set.

    **Info**: numbers and arrays alone, since libraries keep infos in their buffers.

    **reset(seed, options)**: a seed determines all chance events of this game and of those that
    follow until the next seed. `options={"position": text}` starts from a position in the game's
    notation.

    Copies and pickles include the game in progress. One thread at a time may use an environment.

    Attributes:
        game: The game with its options.
        render_mode: None, `"ansi"`, `"rgb_array"` or `"human"`.

    Args:
        spec: The game.
        **options: Options of `ENV_OPTIONS` and of the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: A value that is not allowed.
        AssertionError: A method was called before `reset`, or an action is out of range.
    """

    def __init__(self, spec: GameSpec, **options: Any) -> None:
        super().__init__(spec, options, simultaneous=False)
        self._progress = 0  # counts the calls of reset and step, for agent_iter
        # The observation of the selected agent, which step() has written, until it is handed out.
        self._seen: dict[str, NDArray[Any]] | None = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: Seed for all further chance events; None continues the present stream.
            options: `{"position": notation}` starts from there; other keys are ignored, a
                misspelt one is refused.

        Raises:
            UnknownOptionError: A misspelt option.
            ValueError: The position cannot be read, or its game is over.
        """
        self._start(seed, options)
        self._progress += 1
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        assert self._state is not None
        self.infos = self._idle_infos()
        self.agent_selection = self.possible_agents[self._state.current_player]
        self.infos[self.agent_selection] = {"action_mask": self._state.legal_mask()}
        self._seen = None
        if self.render_mode == "human":
            self.render()

    def _idle_infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"action_mask": self.game.idle_mask} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the observation of an agent; no two calls return the same arrays.

        The first mask that the selected agent gets is the array in its info.
        """
        if self._state is None:
            raise AssertionError("reset() needs to be called before observe()")
        if self._seen is not None and agent == self.agent_selection:
            seen, self._seen = self._seen, None
            return seen
        # An agent whose game is over has an all-zero mask.
        acts = agent == self.agent_selection and not self.terminations.get(agent, True)
        observation = self._state.observation(self._seat[agent])
        return {
            "observation": observation.astype(self._dtype, copy=False),
            "action_mask": self._state.legal_mask()
            if acts
            else np.zeros(self.game.num_actions, np.int8),
        }

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent; None if its game is over.

        Raises:
            AssertionError: Before `reset`, or the action is not in the action space.
            IllegalActionError: An illegal action with `illegal="raise"`.
            ValueError: An action other than None when the agent's game is over.
        """
        state = self._state
        if state is None:
            raise AssertionError("reset() needs to be called before step()")
        self._progress += 1
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(None if action is None else self._checked(action))
            return
        try:
            number = index(action)  # type: ignore[arg-type]
        except TypeError:
            number = self._checked(action)  # raises
        before = state.clone() if self._draws else None
        seat, mask, observation = state.play_and_observe(number)
        if seat == ILLEGAL:
            self._checked(number)  # raises if the action space has no such action
            if self._raise_on_illegal:
                raise state.refusal(number)
            EnvLogger.warn_on_illegal_move()
            self._end({agent: ILLEGAL_REWARD}, terminated=True, truncated=True)
            return
        if seat == NOBODY:
            truncated = state.is_truncated
            final = final_rewards(state, self._reward).tolist()
            self._end(dict(zip(self.agents, final, strict=True)), not truncated, truncated)
        else:
            self.infos[agent] = {"action_mask": self.game.idle_mask}
            self.agent_selection = agent = self.possible_agents[seat]
            self.infos[agent] = {"action_mask": mask}
            seen = observation.astype(self._dtype, copy=False)
            self._seen = {"observation": seen, "action_mask": mask}
        if before is not None:
            self._last = before, number
            if self.render_mode == "human":
                self.render()

    def _end(self, rewards: dict[str, float], terminated: bool, truncated: bool) -> None:
        """Give every agent its final reward, 0 if none; each then leaves with a step of None."""
        assert self._state is not None
        self._seen = None
        self.rewards = dict.fromkeys(self.agents, 0.0) | rewards
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self._accumulate_rewards()
        self.infos = self._idle_infos()
        if self._state.is_terminal:
            for agent, score in zip(self.agents, self._state.scores().tolist(), strict=True):
                self.infos[agent]["score"] = score
        self._deads_step_first()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yield the selected agent repeatedly until all have left.

        Raises:
            AssertionError: Before `reset`, or if the loop continues without a `step` or `reset`.
        """
        if self._state is None:
            raise AssertionError("reset() needs to be called before agent_iter()")
        return self._selected_agents(max_iter)

    def _selected_agents(self, max_iter: int) -> Iterator[str]:
        for _ in range(max_iter):
            if not self.agents:
                return
            progress = self._progress
            yield self.agent_selection
            if self._progress == progress:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")


for _name in (
    "agents", "agent_selection", "rewards", "terminations", "truncations", "infos",
    "_cumulative_rewards",
):  # fmt: skip
    setattr(GameEnv, _name, _SetByReset(_name))
