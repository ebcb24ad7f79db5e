"""Single-agent view of a game: a Gymnasium environment with opponents inside `step`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tzaar_envs.agents import Agent
from tzaar_envs.core.border import integer
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.base import (
    ENV_OPTIONS,
    describe,
    observation_box,
    parse_start,
    progress,
    score_unit,
    viewer_of,
)
from tzaar_envs.envs.copies import whole_copy
from tzaar_envs.envs.opponents import OpponentPool, SeatedBatch, split_options
from tzaar_envs.envs.rendering import FPS, LastActions, Renderer
from tzaar_envs.jit.arrays import Observation
from tzaar_envs.jit.in_use import exclusive
from tzaar_envs.render.grid import to_html

_ONLY_ROW = np.ones(1, np.bool_)
_ROW_0 = np.zeros(1, np.intp)


class SingleAgentEnv(gymnasium.Env[Observation, np.int64]):
    """A game against agents, as a Gymnasium environment.

    The learner has one seat. `reset` and `step` return when the learner must act or the game is
    over, so the learner's last action gets the reward for a game that the opponent's reply ends.

    **Observation**: `Box` int8 of `game.observation_shape`, as the learner's seat sees it.

    **Action**: `Discrete(num_actions)`. `action_masks()` and `info["action_mask"]` show the legal
    actions.

    **Reward**: the learner's, at the end of the game; see the option `reward` of `GameEnv`.

    **Info**: `action_mask` int8 `(num_actions,)`; `seat`, the learner's seat; at the end also
    `returns` and `scores`, float64 `(num_players,)`, and `end_code`, see `State.end_code`.

    Args:
        game: the name of a game, or a game.
        opponent: an agent or the text that names one (see `make_agent`), for all other seats; or a
            sequence of these, from which each other seat draws one for each game.
        seat: the learner's seat; None draws it for each game.
        **options: those of `ENV_OPTIONS` and of the game.

    Raises:
        ValueError: an unknown name or option, or a value that is not allowed.
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": FPS}  # noqa: RUF012

    __copy__ = whole_copy

    def __init__(
        self,
        game: str | Game,
        opponent: str | Agent | Sequence[str | Agent] = "random",
        seat: int | None = None,
        **options: Any,
    ) -> None:
        game, values = split_options(game, options, ENV_OPTIONS)
        self._renderer = Renderer(game.spec.title, values)
        self.render_mode = self._renderer.mode
        self._raise_on_illegal = values["illegal"] == "raise"
        self._reward = values["reward"]
        self.game = game
        self._viewer = viewer_of(game, values["viewer"])
        self.observation_space = observation_box(game)  # type: ignore[assignment]
        self.action_space = spaces.Discrete(game.num_actions)
        self.pool = OpponentPool(game, opponent, seat)
        self._games = SeatedBatch(self.pool, 1, score_unit=score_unit(game.spec, self._reward))
        if self._renderer.draws:
            self._games.last = LastActions(self._games.batch, 1)
        self.in_use = self._games.batch.in_use
        self._started = False

    @exclusive
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game and let the opponents act until the learner must.

        Args:
            seed: determines all further chance events, seats and opponents' choices.
            options: `{"position": notation}` starts from there; other keys are ignored.

        Raises:
            ValueError: a position that is invalid, in which the game is over, or from which the
                opponents end the game before the learner can act.
        """
        super().reset(seed=seed)
        start = None
        if (position := (options or {}).get("position")) is not None:
            start = parse_start(self.game, position)
        if seed is not None:
            self.pool.seed(seed)
        if seed is not None or not self._started:
            self._games.batch.seed(0, seed)
        self._started = True
        self._games.open(_ONLY_ROW, start)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    @exclusive
    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then let the opponents act.

        Raises:
            TypeError: the action is not an integer.
            ValueError: an illegal action with `illegal="raise"`, or an action that does not exist.
            gymnasium.error.ResetNeeded: before `reset`, or after the end of the game.
        """
        batch = self._games.batch
        if not self._started or batch.over[0]:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before step()")
        action = integer("action", action)
        exists = 0 <= action < self.game.num_actions
        legal = exists and bool(batch.masks[0, action])
        if not exists or (self._raise_on_illegal and not legal):
            raise ValueError(batch.state(0).why_illegal(action))
        self._games.step(np.array([action]), _ONLY_ROW)
        if self.render_mode == "human":
            self.render()
        terminated = bool(batch.terminated[0])
        truncated = bool(batch.truncated[0]) and legal
        info = self._info() if legal else self._info() | {"illegal": action}
        reward = float(batch.rewards[0, self._seat])
        return self._observation(), reward, terminated, truncated, info

    @property
    def _seat(self) -> int:
        return int(self._games.seats[0])

    def _observation(self) -> Observation:
        return self._games.batch.observe(_ROW_0, self._games.seats)[0]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_actions,)`, the legal actions; MaskablePPO calls it by this name."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before action_masks()")
        return self._games.batch.masks[0].astype(np.bool_)

    def _info(self) -> dict[str, Any]:
        batch = self._games.batch
        info: dict[str, Any] = {"action_mask": batch.masks[0].copy(), "seat": self._seat}
        if batch.over[0] and (state := batch.state(0)).is_terminal:
            info |= {
                "returns": state.returns(),
                "scores": state.scores(),
                "end_code": state.end_code,
            }
        return info

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text or pixels, or show it in a window; see `GameEnv.render`."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("reset() needs to be called before render()")
        return self._renderer.show([self._games.batch.state(0)], self._viewer, [self._last])

    @property
    def _last(self) -> tuple[State, int] | None:
        """The position before the last action, and that action, if pictures show them."""
        return None if self._games.last is None else self._games.last[0]

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def __repr__(self) -> str:
        state = self._games.batch.state(0) if self._started else None
        return describe(self, self.game, progress(state))

    def _repr_html_(self) -> str:
        scenes = []
        if self._started:
            state = self._games.batch.state(0)
            scenes = [state.scene(self._viewer, last=self._last)]
        return to_html(scenes, repr(self), width=480)
