"""Game: the immutable description of a game with its options, and the factory of its states."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.errors import NotationError
from tzaar_envs.core.layout import Plane, Symmetry, identity
from tzaar_envs.core.spec import GameSpec, resolve_keywords
from tzaar_envs.core.validation import array_of, integer
from tzaar_envs.jit.arrays import Mask, RngState, StateArray

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules
    from tzaar_envs.core.layout import Layout
    from tzaar_envs.core.state import State

_MISSING = object()


class StandardFiles(TypedDict):
    """The arguments of a `GameSpec` that follow from where the game's files are."""

    load: Callable[[Layout], Rules]
    symmetries: Callable[[Layout], tuple[Symmetry, ...]] | None
    ratings: Path
    reference: Path


def standard_files(package: str) -> StandardFiles:
    """Return the arguments of a `GameSpec` for a game whose files have the standard names.

    Args:
        package: the `__name__` of the package, or of the only module, that holds the game; see
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
        package: the name of the package or module, as it is imported.
        layout: the layout of the game.

    Raises:
        ValueError: something that is required is missing.
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
        package: the name of the package or module, as it is imported.
        layout: the layout of the game.
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
    """Return what a game defines under a name, the default if nothing."""
    whole = importlib.import_module(package)
    files = [each for each in (file, "rules") if _has_file(package, each)]
    for module in (*(importlib.import_module(f"{package}.{each}") for each in files), whole):
        if hasattr(module, name):
            return getattr(module, name)
    return default


class Game:
    """A game with fixed options.

    Attributes:
        spec: the game's spec.
        name: for instance `"tzaar"`.
        options: the value of every option, read-only.
        layout: players, observation planes and action blocks.
        num_players: players are 0 .. num_players - 1 in turn order.
        num_actions: actions are 0 .. num_actions - 1, legal or not.
        observation_shape: of a player's int8 observation.
        max_plies: no game is longer.

    Args:
        spec: the spec of the game.
        **options: see `spec.options`.

    Raises:
        UnknownOptionError: an option that does not exist.
        ValueError: a value that is not allowed.
    """

    def __init__(self, spec: GameSpec, /, **options: Any) -> None:
        self.spec = spec
        self.name = spec.name
        self.options = MappingProxyType(resolve_keywords(spec.options, options, spec.name))
        self.layout = spec.layout(self.options)
        self.num_players = len(self.layout.seat_names)
        self.num_actions = self.layout.num_actions
        self.observation_shape = self.layout.observation_shape
        self.max_plies = self.layout.max_plies

    @property
    def observation_planes(self) -> tuple[Plane, ...]:
        """The named planes of an observation, in order."""
        return self.layout.planes

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
            ValueError: says in one sentence what is wrong with a game that cannot be used, such as
                a function that cannot be compiled.
        """
        return self.spec.load(self.layout)

    def load_rules(self) -> None:
        """Load `rules` now, which may compile them.

        Raises:
            ValueError: see `rules`.
        """
        _ = self.rules

    @property
    def encoded_options(self) -> StateArray:
        """The options as compiled code sees them, int64, in the order of the spec; a new array."""
        return np.array(self._option_words, np.int64)

    @functools.cached_property
    def _option_words(self) -> tuple[int, ...]:
        values = [option.encode(self.options[option.name]) for option in self.spec.options]
        return tuple(word for words in values for word in words)

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
            seed: determines all chance events, the set-up included; None takes entropy from the
                system.
            outcome: the outcomes of chance in the set-up, see `State.apply`; None draws them.

        Raises:
            ValueError: these outcomes are not possible.
        """
        from tzaar_envs.core.state import State
        from tzaar_envs.jit.rng import new_generator

        words = np.zeros(self.rules.state_size, np.int64)
        state = State.trusted(self, words, new_generator(seed))
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
        return State.trusted(self, words, new_generator(seed))

    def checked_player(self, player: Any) -> int:
        """Return the number of a player as an int.

        Raises:
            TypeError: it is not an integer.
            ValueError: the game has no such player.
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

        The notation decides whether a position can occur: its text must be accepted, and read as
        the same words. Words after the first `Rules.key_size` need not be the same: they follow
        from the others, or are history.

        Raises:
            ValueError: another shape or type, or words that no position of the game has.
        """
        array = np.asarray(positions)
        count = len(array) if array.ndim == 2 else 0
        checked = array_of("positions", array, np.int64, (count, self.rules.state_size))
        for row, words in enumerate(checked):
            if reason := self._why_impossible(words):
                raise ValueError(f"position {row} cannot occur in {self.name}: {reason}")
        return checked

    def _why_impossible(self, words: StateArray) -> str | None:
        rules = self.rules
        try:
            text = rules.format_position(words)
            read = rules.parse_position(text, self.encoded_options)
        except (ValueError, LookupError, OverflowError) as error:
            return str(error)
        differ = words != read
        if rules.key_size:
            differ[rules.key_size :] = False
        if rules.log_length:
            differ[rules.log_length] = False  # `format_position` has checked it
        if not differ.any():
            return None
        word = int(differ.argmax())
        return f"word {word} is {words[word]}, but {read[word]} in {text!r}"

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
        return _rebuild, (self.spec, dict(self.options))


def _rebuild(spec: GameSpec, options: dict[str, Any]) -> Game:
    return Game(spec, **options)


ActionValues: TypeAlias = Callable[[Game, NDArray[np.int64], RngState], NDArray[np.float64]]
"""From a game, `n` positions and a generator for chance to float64 `(n, num_actions)`.

The greater the better for the player to move; minus infinity where an action is not legal. Values
are on the scale of returns: points are divided by the `score_unit` of the game's spec.
"""
