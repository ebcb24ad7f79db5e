"""Game: the immutable description of a game with its options, and the factory of its states."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import itertools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.errors import NotationError
from tzaar_envs.core.layout import Symmetry, identity
from tzaar_envs.core.spec import GameSpec, resolve_options
from tzaar_envs.core.validation import array_of, integer
from tzaar_envs.jit.arrays import Mask, RngState, StateArray

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules
    from tzaar_envs.core.layout import Layout
    from tzaar_envs.core.state import State

_MISSING = object()


def standard_files(package: str) -> dict[str, Any]:
    """Return the arguments of a `GameSpec` for a game whose files have the standard names.

    Args:
        package: The `__name__` of the package, or of the only module, that holds the game; see
            `load_standard_files`. Its folder may hold `ratings.json` and `reference.safetensors`,
            and, in a package, `symmetries.py`.
    """
    folder = _folder(package)
    has_symmetries = _has_file(package, "symmetries") or hasattr(sys.modules[package], "symmetries")
    return {
        "load": functools.partial(load_standard_files, package),
        "symmetries": functools.partial(load_symmetries, package) if has_symmetries else None,
        "ratings": folder / "ratings.json",
        "reference": folder / "reference.safetensors",
    }


def load_standard_files(package: str, layout: Layout) -> Rules:
    """Return the rules of a game, from the names that its modules define.

    A package has the files below, or fewer: what is not in its own file is looked for in
    `rules.py`, then in `__init__.py`. A game can also be a single module. What is not defined at
    all has the default.

    | file           | name                            | default                                   |
    |----------------|---------------------------------|-------------------------------------------|
    | `board.py`     | `STATE_SIZE`                    | required                                  |
    |                | `KEY_SIZE`, `LOG_LENGTH`        | 0: all words tell positions apart         |
    |                | `FIELDS`                        | one `Field` of all words                  |
    | `rules.py`     | `reset`, `legal`, `apply`       | required                                  |
    |                | `scores`                        | `returns`                                 |
    |                | `returns`                       | from `scores`: the highest score wins     |
    |                | `determinize`                   | nothing is hidden                         |
    |                | `acting`                        | one player acts at a time                 |
    |                | `end_code`                      | untold: `over`, or `move_cap`             |
    |                | `derive`                        | nothing follows from `FIELDS`             |
    | `notation.py`  | `format_position`,              | from `FIELDS` and `derive`, see           |
    |                | `parse_position`                | `core.defaults.DefaultNotation`           |
    |                | `format_action`, `parse_action` | from the layout's action blocks           |
    | `features.py`  | `observe`                       | required                                  |
    | `baselines.py` | `evaluate`                      | 0 while the game runs, then the return    |
    | `render.py`    | `scene`                         | the fields; required with `determinize`   |
    |                | `trace`                         | cells and block names of the layout       |

    The signatures of the compiled functions are those of `core.kernel`.

    Args:
        package: The name of the package or module, as it is imported.
        layout: The layout of the game.

    Raises:
        ValueError: Something that is required is missing.
    """
    from tzaar_envs.core.default_scene import DefaultScene
    from tzaar_envs.core.defaults import DefaultNotation, neutral_evaluation, returns_from_scores
    from tzaar_envs.core.kernel import HEADER, Rules, nothing_hidden, seat_acts, untold_end
    from tzaar_envs.core.notation import all_words

    def find(file: str, name: str, default: Any = _MISSING) -> Any:
        found = _find(package, file, name, default)
        if found is _MISSING:
            raise ValueError(f"the game in {package!r} does not define {name!r}, which is required")
        return found

    folder = _folder(package)
    state_size, reset = find("board", "STATE_SIZE"), find("rules", "reset")
    scores, returns = find("rules", "scores", None), find("rules", "returns", None)
    if returns is None:
        if scores is None:
            raise ValueError(f"the game in {package!r} defines neither 'returns' nor 'scores'")
        returns = returns_from_scores(scores, package, folder)
    determinize = find("rules", "determinize", None)
    fields = find("board", "FIELDS", None) or all_words(HEADER, state_size)
    derive = find("rules", "derive", None)
    text = DefaultNotation(layout, fields, state_size, reset, derive)
    picture = DefaultScene(layout, fields, returns)
    players = len(layout.seat_names)
    evaluate = find("baselines", "evaluate", None)
    return Rules(
        state_size=state_size,
        reset=reset,
        legal=find("rules", "legal"),
        apply=find("rules", "apply"),
        observe=find("features", "observe"),
        returns=returns,
        evaluate=evaluate or neutral_evaluation(returns, players, package, folder),
        scores=scores or returns,
        format_position=find("notation", "format_position", text.format_position),
        parse_position=find("notation", "parse_position", text.parse_position),
        format_action=find("notation", "format_action", text.format_action),
        parse_action=find("notation", "parse_action", text.parse_action),
        determinize=determinize or nothing_hidden,
        acting=find("rules", "acting", seat_acts),
        end_code=find("rules", "end_code", untold_end),
        # The default picture shows everything.
        scene=find("render", "scene", _MISSING if determinize else picture.scene),
        trace=find("render", "trace", picture.trace),
        key_size=find("board", "KEY_SIZE", 0),
        log_length=find("board", "LOG_LENGTH", 0),
    )


def load_symmetries(package: str, layout: Layout) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game, the identity first: `symmetries` of its `symmetries.py`.

    Args:
        package: The name of the package or module, as it is imported.
        layout: The layout of the game.
    """
    found: tuple[Symmetry, ...] = _find(package, "symmetries", "symmetries", None)(layout)
    return found


def _folder(package: str) -> Path:
    file = sys.modules[package].__file__
    assert file is not None  # a game is not a namespace package
    return Path(file).resolve().parent


def _has_file(package: str, file: str) -> bool:
    is_package = hasattr(sys.modules[package], "__path__")
    return is_package and importlib.util.find_spec(f"{package}.{file}") is not None


def _find(package: str, file: str, name: str, default: Any) -> Any:
    """Return a game's definition of a name, or the default."""
    whole = importlib.import_module(package)
    files = [each for each in (file, "rules") if _has_file(package, each)]
    for module in (*(importlib.import_module(f"{package}.{each}") for each in files), whole):
        if hasattr(module, name):
            return getattr(module, name)
    return default


class Game:
    """A game with fixed options.

    Attributes:
        spec: The game's spec.
        name: Name, for instance `"tzaar"`.
        options: The value of every option, read-only.
        layout: Players, observation planes and action blocks.
        observation_planes: The named planes of an observation, in order.
        num_players: Players are 0 .. num_players - 1 in turn order.
        num_actions: Actions are 0 .. num_actions - 1, legal or not.
        observation_shape: Shape of a player's int8 observation.
        max_plies: No game is longer.

    Args:
        spec: The spec of the game.
        **options: Options of the game, see `spec.options`.

    Raises:
        UnknownOptionError: An option that does not exist.
        ValueError: A value that is not allowed.
    """

    def __init__(self, spec: GameSpec, /, **options: Any) -> None:
        self.spec = spec
        self.name = spec.name
        self.options = MappingProxyType(resolve_options(spec.options, options, spec.name))
        self.layout = spec.layout(self.options)
        self.num_players = len(self.layout.seat_names)
        self.num_actions = self.layout.num_actions
        self.observation_planes = self.layout.planes
        self.observation_shape = self.layout.observation_shape
        self.max_plies = self.layout.max_plies

    @functools.cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries of the game: a group, the identity first."""
        if self.spec.symmetries is None:
            return (identity(self.layout),)
        return self.spec.symmetries(self.layout)

    @functools.cached_property
    def rules(self) -> Rules:
        """The compiled rules, loaded at first use.

        Raises:
            ValueError: Says in one sentence what is wrong with a game that cannot be used, such as
                a function that cannot be compiled.
        """
        return self.spec.load(self.layout)

    def load_rules(self) -> None:
        """Load `rules` now, which may compile them.

        Raises:
            ValueError: See `rules`.
        """
        _ = self.rules

    @functools.cached_property
    def encoded_options(self) -> StateArray:
        """The options as compiled code sees them, int64, in the order of the spec."""
        codes = (option.encode(self.options[option.name]) for option in self.spec.options)
        return np.array([*itertools.chain.from_iterable(codes)], np.int64)

    @functools.cached_property
    def idle_mask(self) -> Mask:
        """The mask of a player who is not to move: zeros, read-only."""
        mask = np.zeros(self.num_actions, np.int8)
        mask.setflags(write=False)
        return mask

    def new_state(
        self, seed: int | Sequence[int] | None = None, outcome: Sequence[int] | None = None
    ) -> State:
        """Return a start position.

        Args:
            seed: Seed for all chance events, the set-up included; None takes entropy from the
                system.
            outcome: The outcomes of chance in the set-up, see `State.apply`; None draws them.

        Raises:
            ValueError: These outcomes are not possible.
        """
        from tzaar_envs.core.state import State
        from tzaar_envs.jit.rng import new_generator

        words = np.zeros(self.rules.state_size, np.int64)
        state = State(self, words, new_generator(seed))
        state.restart(outcome)
        return state

    def parse(self, text: str, seed: int | Sequence[int] | None = None) -> State:
        """Return the position that the notation describes.

        Raises:
            NotationError: Says which field is wrong and why.
        """
        from tzaar_envs.core.state import State
        from tzaar_envs.jit.rng import new_generator

        if not isinstance(text, str):
            raise NotationError(f"a position is text in the notation of {self.name}, not {text!r}")
        try:
            words = self.rules.parse_position(text, self.encoded_options)
        except ValueError as error:
            raise NotationError(str(error)) from None
        return State(self, words, new_generator(seed))

    def checked_player(self, player: Any) -> int:
        """Return the number of a player as an int.

        Raises:
            TypeError: It is not an integer.
            ValueError: The game has no such player.
        """
        number = integer("player", player)
        if not 0 <= number < self.num_players:
            raise ValueError(
                f"player {number} does not exist: {self.name} has players 0 to "
                f"{self.num_players - 1}"
            )
        return number

    def checked_positions(self, positions: Any) -> NDArray[np.int64]:
        """Return positions, int64 `(n, state_size)`, as compiled code takes them.

        Raises:
            ValueError: Another shape or type.
        """
        array = np.asarray(positions)
        count = len(array) if array.ndim == 2 else 1
        return array_of("positions", array, np.int64, (count, self.rules.state_size))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"load_game({self.name!r}{options})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.spec.env_id == other.spec.env_id and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.spec.env_id, tuple(self.options.items())))

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(Game, self.spec, **self.options), ()


ActionValues: TypeAlias = Callable[[Game, NDArray[np.int64], RngState], NDArray[np.float64]]
"""From a game, `n` positions and a generator for chance to float64 `(n, num_actions)`.

The greater the better for the player to move; minus infinity where an action is not legal. Values
are on the scale of returns: points are divided by the `score_unit` of the game's spec.
"""
