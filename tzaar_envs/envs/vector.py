"""Gymnasium vector environments: thousands of games of one kind, stepped together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from pettingzoo.utils.env_logger import EnvLogger

from tzaar_envs.core.batch import Batch
from tzaar_envs.core.errors import MissingActionError
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.core.state import State
from tzaar_envs.envs import base
from tzaar_envs.envs.rendering import FPS, LastActions, Renderer
from tzaar_envs.jit.arrays import ReusedArrays
from tzaar_envs.jit.rng import seed_sequence
from tzaar_envs.render.pixels import MOST
from tzaar_envs.render.svg import to_html

_NOTHING = object()


Infos: TypeAlias = dict[str, Any]
Results: TypeAlias = tuple[
    NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos
]
Seeds: TypeAlias = int | Sequence[int | None] | None


_MODES = {mode.name.lower(): mode for mode in AutoresetMode}

VECTOR_OPTIONS = (
    Option("num_envs", int, 1, "the number of games played at once", minimum=1),
    Option("num_threads", int, 1, "the number of threads that share a step", minimum=1),
    Option(
        "autoreset",
        str,
        "next_step",
        "when a new game replaces a finished one: in the next step, which ignores its action; in "
        "the same step; or only when `reset` is called with a mask of rows",
        choices=tuple(_MODES),
    ),
    Option(
        "copy",
        bool,
        True,
        "whether each step returns new arrays; if not, read-only ones that the next step "
        "overwrites",
    ),
    Option(
        "render_mode",
        str,
        None,
        "how the boards are shown: 'rgb_array' returns pixels for every row, 'human' shows a "
        f"window with the first {MOST} after every step",
        choices=(None, "rgb_array", "human"),
    ),
    *(option for option in base.ENV_OPTIONS if option.name != "render_mode"),
)


class BaseVectorEnv(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """The part of a vector environment that does not depend on who plays which seat.

    For code that was written for Gymnasium's `SyncVectorEnv` it can be asked for what single rows
    have, although they are no environments: `call`, `get_attr`.

    Attributes:
        game: The game with its options.
        batch: The games and their arrays.
        num_threads: The number of threads that share a step.
        autoreset_mode: Moment at which a new game replaces a finished one.

    Args:
        game: The game.
        batch: The games and their arrays.
        options: A value for each of `VECTOR_OPTIONS`.
        seed: The seed of the first `reset` if that call gets none.
    """

    __copy__ = base.whole_copy

    closed = True  # until the constructor has finished: Gymnasium's `__del__` closes what is open

    def __init__(self, game: Game, batch: Batch, options: Mapping[str, Any], seed: Seeds) -> None:
        self.game = game
        self.batch = batch
        self.num_envs = options["num_envs"]
        self.num_threads = options["num_threads"]
        self.autoreset_mode = _MODES[options["autoreset"]]
        self._copy = options["copy"]
        self._dtype = np.dtype(options["dtype"])
        self._raise_on_illegal = options["illegal"] == "raise"
        self.metadata = {
            "name": game.spec.env_id,
            "render_modes": ["rgb_array", "human"],
            "render_fps": FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = base.observation_box(game, options["dtype"])
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._renderer = Renderer(game.spec.title, options)
        self.render_mode = self._renderer.mode
        self._viewer = base.viewer_of(game, options["viewer"])
        drawn = self.num_envs if self.render_mode == "rgb_array" else min(self.num_envs, MOST)
        self._last = LastActions(batch, drawn) if self._renderer.draws else None
        self._row_seeds(seed)  # refuses what is not a seed
        self._first_seed = seed
        self._started = False
        self._converted = ReusedArrays(self.observation_space.shape or (), options["dtype"])
        self._over = np.zeros(self.num_envs, np.bool_)  # after the last step
        self.closed = False

    def _seed(self, seed: int) -> None:
        """Seed all draws that do not belong to a single game, if there are any."""

    @abstractmethod
    def _open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        """Start games in these rows."""

    @abstractmethod
    def _advance(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Play actions until the caller must act again; start games where they are over.

        Returns:
            float64 `(num_envs,)`, the rewards, 0 where a game starts.
        """

    def _show_last(self, rows: NDArray[np.bool_]) -> None:
        """Write the last observations of these rows, whose games are over, if they are not yet."""

    @abstractmethod
    def _infos(self) -> Infos:
        """Return the infos that every step has."""

    def reset(
        self, *, seed: Seeds = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], Infos]:
        """Start games; return observations and infos.

        Args:
            seed: Row i gets `seed + i`, or item i of a sequence, as for `GameEnv.reset`; None
                continues each row's stream.
            options: `{"reset_mask": mask}`, bool `(num_envs,)`, restarts only these rows;
                `{"position": text}` starts from that position.

        Raises:
            ValueError: Seeds or a mask of the wrong size, or a position that is invalid or whose
                game is over.
        """
        options = base.reset_options(options, "position", "reset_mask")
        if seed is None and not self._started:
            seed = self._first_seed
        rows = self._selected_rows(options.get("reset_mask"))
        seeds = self._row_seeds(seed)
        position = options.get("position")
        start = None if position is None else base.parse_start(self.game, position)
        first = next((each for each in seeds if each is not None), None)
        if first is not None:
            super().reset(seed=first)  # Gymnasium's own generator, for wrappers that draw from it
            self._seed(first)
        for row in rows.nonzero()[0].tolist():
            if seeds[row] is not None or not self._started:
                self.batch.seed(row, seeds[row])
        self._started = True
        self._open(rows, start)
        self._over[rows] = False
        if self.render_mode == "human":
            self.render()
        rewards = {"rewards": self._returned(self.batch.rewards)}
        return self._observations(), self._infos() | rewards | self._no_scores()

    def _no_scores(self) -> Infos:
        """Return keys that infos always have: buffers take those of the first for all."""
        return {"scores": np.zeros(self.batch.scores.shape), "_scores": np.zeros_like(self._over)}

    def _selected_rows(self, mask: Any) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(mask)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask={mask!r} is not allowed: use a bool array of shape "
                f"({self.num_envs},) with at least one True"
            )
        if not self._started and not mask.all():
            raise ValueError("reset_mask leaves out games that have not been started yet")
        return mask

    def _row_seeds(self, seed: Seeds) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            seed_sequence(int(seed))  # refuses a negative one
            return range(int(seed), int(seed) + self.num_envs)
        if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str):
            raise ValueError(
                f"seed={seed!r} is not allowed: use an integer from 0 on, one for each row, or None"
            )
        if len(seed) != self.num_envs:
            raise ValueError(
                f"{len(seed)} seeds were given for {self.num_envs} games: give as many"
            )
        for each in seed:
            seed_sequence(each)
        return seed

    def step(self, actions: NDArray[np.int64]) -> Results:
        """Play one action in every game; see the class for the returned values.

        Args:
            actions: Integers `(num_envs,)`, ignored where the game is over.

        Raises:
            AssertionError: Before `reset`; an action outside the action space; a game that is over
                with `autoreset="disabled"`.
            IllegalActionError: An illegal action with `illegal="raise"`.
            ValueError: The wrong number of actions, or actions that are not integers.
        """
        if not self._started:
            raise AssertionError("reset() needs to be called before step()")
        batch = self.batch
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            raise AssertionError(
                f"the game of row {int(self._over.argmax())} is over: restart it with "
                "reset(options={'reset_mask': mask})"
            )
        try:
            rewards = self._advance(actions)
        except MissingActionError as error:  # as PettingZoo and Gymnasium have it
            raise AssertionError(str(error)) from None
        terminated, truncated = batch.terminated.copy(), batch.truncated.copy()
        self._over = batch.over.copy()
        infos: Infos = {"rewards": self._returned(batch.rewards), **self._no_scores()}
        if self._over.any():
            if (terminated & truncated).any():
                EnvLogger.warn_on_illegal_move()
            infos["scores"] = np.where(self._over[:, None], batch.scores, 0.0)
            infos["_scores"] = self._over & ~(terminated & truncated)
            self._show_last(self._over)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final = np.full(self.num_envs, None, dtype=object)
                for row in self._over.nonzero()[0].tolist():
                    final[row] = batch.observations[row].astype(self._dtype)
                infos["final_obs"] = final
                infos["_final_obs"] = self._over.copy()
                infos["rewards"] = batch.rewards.copy()  # starting games sets theirs to zero
                last_infos = {name: array.copy() for name, array in self._infos().items()}
                infos["final_info"] = last_infos | {
                    "rewards": infos["rewards"],
                    "scores": infos["scores"],
                    "action_mask": np.zeros_like(batch.masks),
                }
                infos["_final_info"] = self._over.copy()
                self._open(self._over)
                self._over[:] = False
        if self.render_mode == "human":
            self.render()
        return self._observations(), rewards, terminated, truncated, self._infos() | infos

    def _observations(self) -> NDArray[Any]:
        if self._dtype != np.int8:
            return self._converted.copy_of(self.batch.observations)
        return self.batch.copied_observations() if self._copy else self.batch.observations

    def _masks(self) -> NDArray[np.int8]:
        return self.batch.copied_masks() if self._copy else self.batch.masks

    def _returned(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copy else array

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_envs, num_actions)`, the legal actions of whoever has to act."""
        return self.batch.copied_masks().view(np.bool_)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return the result of a method for each row, or the value of an attribute as often.

        Two methods can be called: `action_masks`, and `render` with `render_mode="rgb_array"`.
        Every other name is an attribute, which all rows share.

        Raises:
            AttributeError: The rows have neither a method nor an attribute of this name.
        """
        if name == "action_masks":
            return tuple(self.action_masks())
        if name == "render":
            pictures = self.render()
            return (None,) * self.num_envs if pictures is None else tuple(pictures)
        found = _NOTHING if name.startswith("_") else getattr(self, name, _NOTHING)
        if found is _NOTHING or callable(found):
            raise AttributeError(
                f"the rows have no method or attribute {name!r}: the methods are action_masks and "
                "render"
            )
        return (found,) * self.num_envs

    get_attr = call

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Return pixels for every row, uint8 `(height, width, 3)`, or show a window."""
        if not self._started:
            raise AssertionError("reset() needs to be called before render()")
        if self.render_mode == "rgb_array":
            return tuple(
                self._renderer.pixels(self.batch.state(row), self._viewer, self._last_of(row))
                for row in range(self.num_envs)
            )
        rows = range(min(self.num_envs, MOST))
        states = [self.batch.state(row) for row in rows]
        self._renderer.show(states, self._viewer, [self._last_of(row) for row in rows])
        return None

    def _last_of(self, row: int) -> tuple[State, int] | None:
        """Return the position before the last action, and that action, if pictures show them."""
        return None if self._last is None else self._last[row]

    def __repr__(self) -> str:
        return base.describe(self, self.game, f"{self.num_envs} game{'s' * (self.num_envs > 1)}")

    def _repr_html_(self) -> str:
        rows = range(min(self.num_envs, MOST) if self._started else 0)
        scenes = [
            self.batch.state(row).scene(self._viewer, last=self._last_of(row)) for row in rows
        ]
        return to_html(scenes, repr(self))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window and end the threads."""
        self._renderer.close()
        self.batch.close()


class VectorGameEnv(BaseVectorEnv):
    """Many games at once; the caller plays all seats of every row.

    A row is the game that `GameEnv` plays with the same seed and actions, step by step, for any
    number of rows and threads.

    **Observation**: `(num_envs, *observation_shape)`, int8 or what `dtype` says, as the player to
    move sees it; where the game is over, as the player sees it whose turn it would be.

    **Action**: `MultiDiscrete`, one action of the player to move for each row.

    **Reward**: float64 `(num_envs,)`, of the player who has just moved.

    **Infos**, arrays over all rows:

    | key             | content                                                                   |
    |-----------------|---------------------------------------------------------------------------|
    | `action_mask`   | int8 `(num_envs, num_actions)`, of the player to move; zeros if over       |
    | `player`        | int64 `(num_envs,)`, the player to move; -1 where the game is over         |
    | `rewards`       | float64 `(num_envs, num_players)`, every player's reward for this step     |
    | `scores`        | the same shape: the points where a game has just ended, see `_scores`      |
    | `final_obs`     | with `autoreset="same_step"`: last observations, see `_final_obs`          |
    | `final_info`    | with `autoreset="same_step"`: last infos, see `_final_info`                |

    **Autoreset**, as in Gymnasium: with `"next_step"`, the step after an end ignores the action,
    and returns reward 0 and the first observation of a new game; with `"same_step"`, the step that
    ends a game returns the first observation of the next one; with `"disabled"`, the caller
    restarts games with `reset(options={"reset_mask": mask})`. A new game continues the random
    stream of the one before it.

    **Threads**: `num_threads` share a step. The environment itself is for one thread at a time.

    **Copies**: with `copy=False`, observations, masks, players and rewards of all players are
    read-only arrays that the next call overwrites, which saves time.

    Args:
        spec: The game.
        seed: The seed of the first `reset` if that call gets none.
        **options: Options of `VECTOR_OPTIONS` and of the game.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: A value that is not allowed.
    """

    def __init__(self, spec: GameSpec, seed: Seeds = None, **options: Any) -> None:
        game, own = base.split_options(spec, options, VECTOR_OPTIONS, ("seed",))
        unit = base.score_unit(spec, own["reward"])
        super().__init__(game, Batch(game, own["num_envs"], own["num_threads"], unit), own, seed)

    def _open(self, rows: NDArray[np.bool_], start: State | None = None) -> None:
        if self._last is not None:
            self._last.forget(rows)
        if start is None:
            self.batch.reset(rows)
        else:
            self.batch.set_positions(rows, start.words)

    def _advance(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        with nullcontext() if self._last is None else self._last.played(actions, ~self._over):
            self.batch.step(
                actions,
                strict=self._raise_on_illegal,
                restart=True,
                new_arrays=self._copy and self._dtype == np.int8,
            )
        if self._last is not None:
            self._last.forget(self._over)
        return self.batch.mover_rewards.copy()

    def _infos(self) -> Infos:
        return {"action_mask": self._masks(), "player": self._returned(self.batch.players)}

    def sample_actions(self) -> NDArray[np.int64]:
        """Return int64 `(num_envs,)`: a uniformly random legal action of each player to move.

        They are drawn as the masks are written, at almost no cost: one choice per step, from
        generators that the seeds of the rows determine; 0 where a game is over.
        """
        return self.batch.random_actions.copy()
