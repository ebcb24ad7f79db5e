"""The declarative record of a game: what registry, spaces, command line, docs and tests read.

Nothing in here needs the compiled rules, so a record costs nothing to import.
"""

from __future__ import annotations

import difflib
import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tzaar_envs.core.arrays import Randomness
    from tzaar_envs.core.game import Game
    from tzaar_envs.core.kernel import Implementation
    from tzaar_envs.core.symmetry import Symmetry


@dataclass(frozen=True)
class Option:
    """One keyword argument of a game or of an environment.

    An option that carries data, as text, has an `encoder`.

    Attributes:
        name: the keyword.
        type: `int`, `float`, `bool` or `str`; options of games are no floats.
        default: the value where none is given.
        meaning: one sentence for people.
        choices: the allowed values; empty if any value of the type from `minimum` to `maximum` is.
        minimum: the least allowed number.
        maximum: the greatest allowed number.
        encoder: from a text to the integers that compiled code sees, always equally many; raises a
            ValueError that says why the text is not allowed. None: the value is one integer.
        syntax: what an `encoder` reads, for people.
        examples: further values than the default, where they cannot be listed; they are tested.
    """

    name: str
    type: type[int] | type[float] | type[bool] | type[str]
    default: Any
    meaning: str
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    encoder: Callable[[str], tuple[int, ...]] | None = None
    syntax: str = ""
    examples: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values, for people."""
        if self.syntax:
            return self.syntax
        if self.choices:
            return ", ".join(repr(choice) for choice in self.choices)
        if self.type is bool:
            return "True, False"
        if self.minimum is not None and self.maximum is not None:
            return f"{self.minimum} to {self.maximum}"
        if self.minimum is not None:
            return f"{self.minimum} or more"
        if self.maximum is not None:
            return f"{self.maximum} or less"
        return f"any {self.type.__name__}"

    def check(self, value: Any) -> Any:
        """Return the value if it is allowed, else raise a ValueError that names what is."""
        if self.choices:
            in_range = any(isinstance(value, type(c)) and value == c for c in self.choices)
        elif self.type is float:
            in_range = isinstance(value, int | float) and math.isfinite(value)
        else:
            in_range = isinstance(value, self.type)
        if in_range and self.minimum is not None and value < self.minimum:
            in_range = False
        if in_range and self.maximum is not None and value > self.maximum:
            in_range = False
        if not in_range or (isinstance(value, bool) and self.type is not bool):
            raise ValueError(f"option {self.name}={value!r} is not allowed: use {self.allowed}")
        if self.encoder is not None:
            try:
                self.encoder(value)
            except ValueError as error:
                raise ValueError(
                    f"option {self.name}={value!r} is not allowed: {error}; use {self.allowed}"
                ) from None
        return value

    def parse(self, text: str) -> Any:
        """Read a value from text, as the command line gives it."""
        if self.type is bool:
            words = {"true": True, "false": False}
            return self.check(words.get(text.lower(), text))
        if self.type in (int, float):
            try:
                number = self.type(text)
            except ValueError:
                return self.check(text)
            return self.check(number)
        return self.check(text)

    def encode(self, value: Any) -> tuple[int, ...]:
        """Return the value as the integers that compiled code sees: one, unless it has an encoder.

        A choice is seen as its index, a bool as 0 or 1.
        """
        if self.encoder is not None:
            return self.encoder(value)
        return (self.choices.index(value) if self.choices else int(value),)


def resolve_options(
    options: Iterable[Option], given: Mapping[str, Any], owner: str
) -> dict[str, Any]:
    """Return a value for every option, given or default.

    Raises:
        ValueError: an unknown name (with the known ones) or a value that is not allowed.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            listing = f"its options are {', '.join(known)}" if known else "it has no options"
            raise ValueError(f"{owner} has no option {name!r}: {hint}{listing}")
    return {name: option.check(given.get(name, option.default)) for name, option in known.items()}


@dataclass(frozen=True)
class Plane:
    """One plane of an observation (or one number of a flat one), or several of a kind.

    Attributes:
        name: unique within the game.
        meaning: one sentence for people, from the observer's view.
        high: the greatest value; the least is 0.
        count: how many consecutive planes (or numbers) it stands for.
    """

    name: str
    meaning: str
    high: int = 1
    count: int = 1


@dataclass(frozen=True)
class ActionBlock:
    """Consecutive actions of one kind.

    Attributes:
        name: unique within the game.
        meaning: how an action follows from its index within the block.
        planes: the number of actions, or of planes of them if `on_board`.
        on_board: each plane holds one action per cell of the board, in the order of the cells.
    """

    name: str
    meaning: str
    planes: int
    on_board: bool = True


@dataclass(frozen=True)
class Layout:
    """The sizes of a game with given options.

    Attributes:
        seat_names: what the rules call the seats, in turn order.
        board_shape: rows and columns of an observation plane; empty for a flat observation.
        planes: the observation's planes (or numbers) in order.
        actions: the action numbering: the blocks follow each other from 0.
        max_plies: no game is longer.
    """

    seat_names: tuple[str, ...]
    board_shape: tuple[int, ...]
    planes: tuple[Plane, ...]
    actions: tuple[ActionBlock, ...]
    max_plies: int

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The shape of one seat's observation: planes first, or a flat vector without a board."""
        return (sum(plane.count for plane in self.planes), *self.board_shape)

    @property
    def plane_highs(self) -> tuple[int, ...]:
        """The greatest value of every single plane (or number) of an observation."""
        return tuple(plane.high for plane in self.planes for _ in range(plane.count))

    def numbered_planes(self) -> Iterator[tuple[str, Plane]]:
        """Yield the planes with their numbers as text: `7`, or `7-12` if there are several."""
        first = 0
        for plane in self.planes:
            last = first + plane.count - 1
            yield f"{first}-{last}" if plane.count > 1 else str(first), plane
            first = last + 1

    def block_size(self, block: ActionBlock) -> int:
        """Return the number of actions in a block."""
        return block.planes * math.prod(self.board_shape) if block.on_board else block.planes

    @property
    def num_actions(self) -> int:
        """The number of actions, legal or not."""
        return sum(self.block_size(block) for block in self.actions)


def load_standard_files(package: str) -> Implementation:
    """Return the code of a game that has the same files as the games of the suite.

    Args:
        package: the name of its folder as it is imported; see `tzaar_envs.games` for the files.
    """
    from tzaar_envs.core.kernel import Implementation, nothing_hidden, seat_acts

    def module(name: str) -> Any:
        return importlib.import_module(f"{package}.{name}")

    rules, notation = module("rules"), module("notation")
    return Implementation(
        state_size=module("board").STATE_SIZE,
        reset=rules.reset,
        legal=rules.legal,
        apply=rules.apply,
        observe=module("features").observe,
        returns=rules.returns,
        evaluate=module("baselines").evaluate,
        scores=getattr(rules, "scores", rules.returns),
        format_position=notation.format_position,
        parse_position=notation.parse_position,
        format_action=notation.format_action,
        parse_action=notation.parse_action,
        draw=module("render").draw,
        determinize=getattr(rules, "determinize", nothing_hidden),
        acting=getattr(rules, "acting", seat_acts),
        key_size=getattr(module("board"), "KEY_SIZE", 0),
        log_length=getattr(module("board"), "LOG_LENGTH", 0),
    )


def load_symmetries(package: str, layout: Layout) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game that has a file `symmetries.py`, the identity first.

    Args:
        package: the name of its folder as it is imported.
        layout: the sizes of the game.
    """
    found: tuple[Symmetry, ...]
    found = importlib.import_module(f"{package}.symmetries").symmetries(layout)
    return found


ActionValues: TypeAlias = "Callable[[Game, NDArray[np.int64], Randomness], NDArray[np.float64]]"
"""From a game, `n` positions and a generator for chance to float64 `(n, num_actions)`.

The greater the better for the player to move; minus infinity where an action is not legal. Values
are on the scale of returns: points are divided by the `score_unit` of the game's record.
"""


@dataclass(frozen=True)
class Baseline:
    """A scripted player of one game, besides those that every game has.

    Attributes:
        name: what it is called wherever an agent is named, for instance `optimal-solo`.
        meaning: one sentence for people.
        load: imports its code and returns it.
    """

    name: str
    meaning: str
    load: Callable[[], ActionValues]


@dataclass(frozen=True)
class GameSpec:
    """A game of the suite, or of a third party.

    Attributes:
        name: lower case with underscores; the environment is `<name>_v<version>`.
        version: goes up with any change of behaviour.
        title: the name for people.
        summary: one sentence about the game.
        options: the game's keyword arguments.
        layout: from the values of the options to the sizes.
        load: imports the code of the game (which may compile it) and returns it; see
            `load_standard_files`.
        chance: the rules draw something at random, in the set-up or in play.
        chance_in_play: also with actions, not only in the set-up.
        hidden_information: a seat cannot see everything; `rules.py` then has `determinize`.
        simultaneous: several seats choose at the same time; `rules.py` then has `acting`.
        score_unit: in a game with points, the lead in points that is a reward of 1 with
            `reward="score"`; `rules.py` then has `scores`. None in a game without points.
        symmetries: from the sizes to all symmetries, the identity first; see `load_symmetries` and
            `core.symmetry`. None in a game without any.
        baselines: scripted players of this game alone.
        ladder: texts that name agents, from the weakest to the strongest: its published ladder.
        ratings: the file with what these have reached, see `arena.ladder`; None if there is none.
        reference: where the file of its trained policy lies or will lie, see `agents.policy_file`;
            None if there is to be none.
    """

    name: str
    version: int
    title: str
    summary: str
    options: tuple[Option, ...]
    layout: Callable[[Mapping[str, Any]], Layout]
    load: Callable[[], Implementation]
    chance: bool = False
    chance_in_play: bool = False
    hidden_information: bool = False
    simultaneous: bool = False
    score_unit: float | None = None
    symmetries: Callable[[Layout], tuple[Symmetry, ...]] | None = None
    baselines: tuple[Baseline, ...] = ()
    ladder: tuple[str, ...] = ()
    ratings: Path | None = None
    reference: Path | None = None

    @property
    def is_deterministic(self) -> bool:
        """Whether every action of a position that is seen has one outcome, known beforehand."""
        return not (self.chance_in_play or self.hidden_information or self.simultaneous)

    @property
    def env_id(self) -> str:
        """The id of the environment, for instance `tzaar_v0`."""
        return f"{self.name}_v{self.version}"

    def parse_options(self, texts: Iterable[str]) -> dict[str, Any]:
        """Read options from texts such as `setup=fixed`, as the command line gives them.

        Raises:
            ValueError: a text without `=`, an unknown name, or a value that is not allowed.
        """
        known = {option.name: option for option in self.options}
        values: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals:
                listing = ", ".join(f"{key}={option.default}" for key, option in known.items())
                raise ValueError(
                    f"option {text!r}: expected NAME=VALUE; the options of {self.name} with their "
                    f"defaults are {listing or 'none'}"
                )
            if name in values:
                raise ValueError(f"option {name} is given twice: {values[name]!r} and {value!r}")
            # An unknown name goes on to resolve_options, which lists the known ones.
            values[name] = known[name].parse(value) if name in known else value
        return resolve_options(self.options, values, self.name)
