"""Base of the AEC and the parallel environment: options, spaces, start positions, rendering."""

from __future__ import annotations

import contextlib
import copy
import difflib
import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import DTypeLike, NDArray

from tzaar_envs.core.errors import UnknownOptionError
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option, resolve_options
from tzaar_envs.core.state import State
from tzaar_envs.core.toolkit import leads
from tzaar_envs.envs.rendering import FPS, Renderer
from tzaar_envs.registry import find_spec
from tzaar_envs.render.pixels import DEFAULT_WIDTH
from tzaar_envs.render.svg import to_html

T = TypeVar("T")


def whole_copy(env: T) -> T:
    """Return a copy that shares no game with the original, for use as `__copy__`.

    The shallow copy of Python would share the game, but not what is remembered about it.
    """
    return copy.deepcopy(env)


ENV_OPTIONS = (
    Option(
        "render_mode",
        str,
        None,
        "how the board is shown: 'ansi' returns text, 'rgb_array' pixels, 'human' shows a window "
        "after every step",
        choices=(None, "ansi", "rgb_array", "human"),
    ),
    Option(
        "render_size",
        int,
        DEFAULT_WIDTH,
        "the width of pictures in pixels",
        minimum=16,
        maximum=8192,
    ),
    Option("render_theme", str, "light", "the colours of pictures", choices=("light", "dark")),
    Option(
        "viewer",
        str,
        "all",
        "what `render` shows: the whole position, with all that is hidden from some players, or "
        "what one player may see",
        syntax="'all', 'player_0', 'player_1' and so on",
        examples=("player_0",),
    ),
    Option(
        "illegal",
        str,
        "terminate",
        "what an illegal action does: end the game with -1 for the mover and 0 for the others, or "
        "raise a ValueError and leave the position as it was",
        choices=("terminate", "raise"),
    ),
    Option(
        "reward",
        str,
        "outcome",
        "the final reward: +1 shared by the winners and -1 by the others, or the lead in points "
        "over the best other player, divided by the game's unit (no difference without points)",
        choices=("outcome", "score"),
    ),
    Option(
        "dtype",
        str,
        "int8",
        "the type of observations, which hold integers in both; masks are always int8",
        choices=("int8", "float32"),
    ),
)


def split_options(
    game: str | Game | GameSpec,
    options: Mapping[str, Any],
    own: Sequence[Option],
    others: Sequence[str] = (),
) -> tuple[Game, dict[str, Any]]:
    """Return the game of an environment, and a value for each of the environment's own options.

    Types of NumPy and modes of Gymnasium may stand for their names.

    Args:
        game: A game, or the spec or the name of one, with which the options of the game are allowed
            too.
        options: The given options.
        own: The options of the environment.
        others: Names of further keyword arguments of the environment, for the error.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: An unknown game, or a value that is not allowed.
    """
    given = dict(options)
    if isinstance(mode := given.get("autoreset"), AutoresetMode):
        given["autoreset"] = mode.name.lower()
    if not isinstance(given.get("dtype", ""), str):
        with contextlib.suppress(TypeError):  # what is no type is refused below
            given["dtype"] = np.dtype(given["dtype"]).name
    spec = find_spec(game) if isinstance(game, str) else game
    if isinstance(spec, Game):
        spec = spec.spec
    values = resolve_options((*own, *spec.options), given, spec.env_id, others)
    chosen = {option.name: values.pop(option.name) for option in own}
    if not isinstance(game, Game):
        return Game(spec, **values), chosen
    twice = {name: value for name, value in options.items() if name in values}
    if twice:
        raise ValueError(
            f"options {twice!r} are not allowed with a game that has its options already: {game!r}"
        )
    return game, chosen


def observation_box(game: Game, dtype: DTypeLike = np.int8) -> spaces.Box:
    """Return the space of one player's observation, with the range of every plane."""
    highs = np.array(game.layout.plane_highs, dtype)
    column = highs.reshape(-1, *[1] * len(game.layout.board_shape))
    high = np.broadcast_to(column, game.observation_shape)
    return spaces.Box(np.zeros_like(high), high, dtype=np.dtype(dtype).type)


def score_unit(spec: GameSpec, reward: str) -> float:
    """Return the lead in points that is worth a reward of 1; 0 for `reward="outcome"`."""
    if reward == "outcome":
        return 0.0
    return float(spec.score_unit or 2)  # without points the returns are the scores


def final_rewards(state: State, reward: str) -> NDArray[np.float64]:
    """Return every player's reward for a finished game, given the option `reward`."""
    unit = score_unit(state.game.spec, reward)
    if unit == 0.0:
        return state.returns()
    rewards = np.empty(state.game.num_players)
    leads(state.scores(), unit, rewards)
    return rewards


def describe(env: object, game: Game, now: str) -> str:
    """Describe an environment and its game in one line."""
    options = "".join(
        f", {option.name}={game.options[option.name]!r}"
        for option in game.spec.options
        if game.options[option.name] != option.default
    )
    return f"<{type(env).__name__} {game.spec.env_id}{options}: {now}>"


def viewer_of(game: Game, viewer: str) -> int | None:
    """Return the player that the option `viewer` names, None for all that there is to see.

    Raises:
        ValueError: It names no player of the game.
    """
    names = [f"player_{player}" for player in range(game.num_players)]
    if viewer != "all" and viewer not in names:
        raise ValueError(
            f"option viewer={viewer!r} is not allowed: use 'all', {', '.join(map(repr, names))}"
        )
    return None if viewer == "all" else names.index(viewer)


def parse_start(game: Game, position: str, seed: int | None = None) -> State:
    """Return the start position that the notation describes.

    Raises:
        ValueError: The notation is invalid, or the game is over in that position.
    """
    start = game.parse(position, seed)
    if start.is_terminal:
        raise ValueError(
            f"the game is over in position {position!r}: start from one in which a player can act"
        )
    return start


def reset_options(options: Mapping[str, Any] | None, *known: str) -> Mapping[str, Any]:
    """Return the options of a `reset`, of which wrappers and libraries may add others.

    Raises:
        UnknownOptionError: One that looks like a misspelt known one.
        ValueError: No mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options={options!r} is not allowed: use a mapping, or None")
    for name in options or ():
        close = difflib.get_close_matches(str(name), known, 1, cutoff=0.75)
        if close and name not in known:
            raise UnknownOptionError(f"reset has no option {name!r}: did you mean {close[0]!r}?")
    return options or {}


def new_game(game: Game, before: State | None, seed: int | None, position: str | None) -> State:
    """Return the start of a game for the arguments of `reset`.

    Args:
        game: The game.
        before: The position that the last game reached, which may be written over; None: there was
            no game.
        seed: Seed for all chance events; None continues those of the last game.
        position: Start position in notation; None: where games of this kind start.

    Raises:
        ValueError: The position cannot be read, or its game is over.
    """
    if position is not None:
        start = parse_start(game, position, seed)
        if seed is None and before is not None:
            start.continue_chance(before)
        return start
    if seed is not None or before is None:
        return game.new_state(seed)
    before.restart()
    return before


class OneGame:
    """The part of an environment with one game that no library's interface changes.

    Attributes:
        game: The game with its options.
        render_mode: None, `"ansi"`, `"rgb_array"` or `"human"`.

    Args:
        game: The game.
        options: A value for each of `ENV_OPTIONS`.

    Raises:
        ValueError: The option `viewer` names no player.
    """

    _needs_reset: type[Exception] = AttributeError

    __copy__ = whole_copy

    def __init__(self, game: Game, options: Mapping[str, Any]) -> None:
        super().__init__()
        self.game = game
        self._renderer = Renderer(game.spec.title, options)
        self.render_mode = self._renderer.mode
        self._draws = self._renderer.draws
        self._raise_on_illegal = options["illegal"] == "raise"
        self._reward = options["reward"]
        self._dtype = np.dtype(options["dtype"])
        self._viewer = viewer_of(game, options["viewer"])
        self._state: State | None = None
        # The position before the last action, and that action, for pictures alone.
        self._last: tuple[State, int] | None = None

    @property
    def game_state(self) -> State:
        """A copy of the position, for search and analysis; it holds what is hidden, too.

        Raises:
            Exception: Before `reset`; the error that the environment's library has for that.
        """
        if self._state is None:
            raise self._needs_reset("game_state cannot be accessed before reset")
        return self._state.clone()

    def _show(self) -> str | NDArray[np.uint8] | None:
        assert self._state is not None
        return self._renderer.show([self._state], self._viewer, [self._last])

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def __repr__(self) -> str:
        if self._state is None:
            now = "not started"
        elif self._state.is_terminal:
            now = "over"
        else:
            now = f"{self.game.layout.seat_names[self._state.current_player]} to act"
        return describe(self, self.game, now)

    def _repr_html_(self) -> str:
        scenes = [] if self._state is None else [self._state.scene(self._viewer, last=self._last)]
        return to_html(scenes, repr(self), width=480)


class BaseEnv(OneGame):
    """The part of a PettingZoo environment that does not depend on when players act.

    Attributes:
        possible_agents: `player_0`, `player_1`, ... in turn order.

    Args:
        spec: The game.
        options: Those of `ENV_OPTIONS` and of the game.
        simultaneous: Whether one step plays the choices of all agents that act simultaneously.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: A value that is not allowed.
    """

    def __init__(self, spec: GameSpec, options: Mapping[str, Any], simultaneous: bool) -> None:
        game, own = split_options(spec, options, ENV_OPTIONS)
        super().__init__(game, own)
        self.metadata = {
            "name": spec.env_id,
            "render_modes": ["ansi", "rgb_array", "human"],
            "is_parallelizable": simultaneous,
            "render_fps": FPS,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        # The parallel environment has one more action: to wait.
        actions = game.num_actions + simultaneous
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(game, self._dtype),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._highest_action = actions - 1

    @functools.cached_property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        box = observation_box(self.game, self._dtype)
        highs = np.concatenate([box.high] * self.game.num_players)
        return spaces.Box(np.zeros_like(highs), highs, dtype=box.dtype.type)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space of an agent, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space of an agent, the same object at each call."""
        return self.action_spaces[agent]

    def _start(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Set up the start position for the arguments of `reset`."""
        self._last = None
        position = reset_options(options, "position").get("position")
        self._state = new_game(self.game, self._state, seed, position)

    def state(self) -> NDArray[Any]:
        """Return the observations of all players, concatenated along the first axis."""
        if self._state is None:
            raise AssertionError("reset() needs to be called before state()")
        seats = range(self.game.num_players)
        seen = np.concatenate([self._state.observation(seat) for seat in seats])
        return seen.astype(self._dtype, copy=False)

    def _checked(self, action: Any) -> int:
        """Return the action as an int; refuse one that is not in the action space."""
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if not 0 <= number <= self._highest_action:
            raise AssertionError(
                f"action is not in action space: {action!r} is not an integer from 0 to "
                f"{self._highest_action}"
            )
        return number

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text or as pixels, or show it in a window, as `render_mode` says.

        It shows the whole position, hidden information too, unless the option `viewer` names a
        player.
        """
        if self._state is None:
            raise AssertionError("reset() needs to be called before render()")
        return self._show()
