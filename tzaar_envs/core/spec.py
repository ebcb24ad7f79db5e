"""The declarative spec of a game, which registry, spaces, command line, docs and tests read.

Nothing here needs the compiled rules, so importing a spec is cheap.
"""

from __future__ import annotations

import contextlib
import difflib
import enum
import json
import math
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tzaar_envs.core.errors import UnknownOptionError
from tzaar_envs.core.layout import Layout, Symmetry
from tzaar_envs.core.validation import plain

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules


@dataclass(frozen=True)
class Option:
    """One keyword argument of a game or of an environment.

    An option that holds data as text has an `encoder`.

    Attributes:
        name: The keyword.
        type: `int`, `float`, `bool` or `str`; options of games are not floats.
        default: The value if none is given.
        description: One phrase.
        choices: The allowed values; empty if all values of the type from `minimum` to `maximum`
            are allowed.
        minimum: The least allowed number.
        maximum: The greatest allowed number.
        encoder: Function from a text to the integers that compiled code sees, always the same
            number of them; raises a ValueError that says why the text is not allowed. None: the
            value is one integer.
        syntax: The texts that an `encoder` accepts, in words.
        examples: Allowed values besides the default, for tests, where they cannot be listed.
    """

    name: str
    type: type[int] | type[float] | type[bool] | type[str]
    default: Any
    description: str
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    encoder: Callable[[str], tuple[int, ...]] | None = None
    syntax: str = ""
    examples: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
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
        """Return the value if it is allowed, else raise a ValueError that names what is.

        A NumPy number stands for the number of Python.
        """
        value = plain(value)
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
        if self.encoder is not None and value != self.default:
            try:
                self.encoder(value)
            except ValueError as error:
                raise ValueError(
                    f"option {self.name}={value!r} is not allowed: {error}; use {self.allowed}"
                ) from None
        return value

    def parse(self, text: str) -> Any:
        """Read a value from text, as given on the command line."""
        if self.type is bool:
            words = {"true": True, "false": False}
            return self.check(words.get(text.lower(), text))
        value: Any = text
        if self.type in (int, float):
            with contextlib.suppress(ValueError):
                value = float(text)
                if self.type is int and value.is_integer():
                    value = int(value)  # such as 1e3
                value = self.type(text)  # which rounds no long integer
        return self.check(value)

    def encode(self, value: Any) -> tuple[int, ...]:
        """Return the value as the integers that compiled code sees: one, unless it has an encoder.

        A choice becomes its index, a bool 0 or 1.
        """
        if self.encoder is not None:
            return self.encoder(value)
        return (self.choices.index(value) if self.choices else int(value),)


def resolve_options(
    options: Iterable[Option], given: Mapping[str, Any], owner: str, others: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the value of every option, given as keyword argument, as data, or default.

    Args:
        options: Options that can be given.
        given: The values by name.
        owner: Name, for errors, of what has the options.
        others: Names of further keyword arguments, which the error lists too.

    Raises:
        UnknownOptionError: An unknown name; lists the known ones.
        ValueError: A value that is not allowed.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            listed = [*others, *known]
            close = difflib.get_close_matches(name, listed, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            listing = f"its options are {', '.join(listed)}" if listed else "it has no options"
            # By Python's own words TorchRL knows a keyword that it can do without.
            note = f" (unexpected keyword argument {name!r})" if others else ""
            raise UnknownOptionError(f"{owner} has no option {name!r}: {hint}{listing}{note}")
    return {name: option.check(given.get(name, option.default)) for name, option in known.items()}


@dataclass(frozen=True)
class Baseline:
    """A scripted agent for one game, in addition to those that every game has.

    Attributes:
        name: The name of the agent, for instance `optimal-solo`.
        description: One sentence for people.
        entry_point: Its `ActionValues` as `module:function`, imported at first use.
    """

    name: str
    description: str
    entry_point: str

    def load(self) -> Any:
        """Import the baseline's code and return its `ActionValues` (see `core.game`)."""
        return pkgutil.resolve_name(self.entry_point)


@dataclass(frozen=True)
class EndReason:
    """A way in which a game ends by its rules.

    Attributes:
        code: Unique within the game, lower case with underscores.
        sentence: Sentence for people, with `{winner}` and `{loser}` for the names of the players.
    """

    code: str
    sentence: str


OVER = EndReason("over", "The game is over.")
"""Of a game that does not tell how it ended."""

MOVE_CAP = EndReason("move_cap", "The limit of {max_plies} moves ended the game.")
"""Of every game that a move cap truncated."""


class Dynamics(enum.Enum):
    """When the players act, as OpenSpiel's `GameType.Dynamics`."""

    SEQUENTIAL = "sequential"
    SIMULTANEOUS = "simultaneous"
    """Several players choose at the same time; the rules then have `acting`."""


class ChanceMode(enum.Enum):
    """When the rules draw something at random, after OpenSpiel's `GameType.ChanceMode`."""

    DETERMINISTIC = "deterministic"
    SETUP = "setup"
    """In the set-up alone."""
    STOCHASTIC = "stochastic"
    """In play, with actions; perhaps in the set-up too."""


class Information(enum.Enum):
    """What a player can see, as OpenSpiel's `GameType.Information`."""

    PERFECT = "perfect"
    IMPERFECT = "imperfect"
    """Something is hidden from a player; the rules then have `determinize`."""


@dataclass(frozen=True)
class GameSpec:
    """A game of the suite, or of a third party.

    Attributes:
        name: Lower case with underscores; the environment is `<name>_v<version>`.
        version: Increases with any change of behaviour.
        title: The name that is displayed.
        summary: One sentence about the game.
        options: The game's keyword arguments.
        layout: Function from the values of the options to the layout.
        load: Imports the rules for a layout, which may compile them; see `core.game`, whose
            `standard_files` gives this and the other arguments that depend on the game's files.
        dynamics: Whether players act in turn or choose at the same time.
        chance_mode: Whether the rules draw something at random, and when.
        information: Whether a player can see everything.
        score_unit: Lead in points, in a game with points, that is a reward of 1 with
            `reward="score"`; the rules then have `scores`. None in a game without points.
        end_reasons: The ways in which the game ends, apart from `OVER` and `MOVE_CAP`; the rules
            then have `end_code`.
        symmetries: Function from the layout to all symmetries, the identity first; None if there is
            only the identity.
        baselines: Scripted agents for this game alone.
        ladder: Agents, as text, of the game's published ladder, from the weakest to the strongest.
        ratings: The file with their ratings, which need not exist, as `docs/tools/make_ladders.py`
            writes it; or None.
        reference: The file of the game's trained network, which need not exist, see
            `networks.file`; or None.
        reference_agent: Agent that `reference` stands for, as text.
        rules_page: The file with the rules for people, see `rulebook.RulesPage`; or None.
    """

    name: str
    version: int
    title: str
    summary: str
    options: tuple[Option, ...]
    layout: Callable[[Mapping[str, Any]], Layout]
    load: Callable[[Layout], Rules]
    dynamics: Dynamics = Dynamics.SEQUENTIAL
    chance_mode: ChanceMode = ChanceMode.DETERMINISTIC
    information: Information = Information.PERFECT
    score_unit: float | None = None
    end_reasons: tuple[EndReason, ...] = ()
    symmetries: Callable[[Layout], tuple[Symmetry, ...]] | None = None
    baselines: tuple[Baseline, ...] = ()
    ladder: tuple[str, ...] = ()
    ratings: Path | None = None
    reference: Path | None = None
    reference_agent: str = "greedy:policy=reference"
    rules_page: Path | None = None

    @property
    def simultaneous(self) -> bool:
        """Whether several players choose at the same time."""
        return self.dynamics is Dynamics.SIMULTANEOUS

    @property
    def hidden_information(self) -> bool:
        """Whether something is hidden from a player."""
        return self.information is Information.IMPERFECT

    @property
    def has_chance(self) -> bool:
        """Whether the rules draw something at random, in the set-up or in play."""
        return self.chance_mode is not ChanceMode.DETERMINISTIC

    @property
    def chance_in_play(self) -> bool:
        """Whether actions involve chance."""
        return self.chance_mode is ChanceMode.STOCHASTIC

    @property
    def is_deterministic(self) -> bool:
        """Whether the player to act knows the position after every action."""
        return not (self.chance_in_play or self.hidden_information or self.simultaneous)

    @property
    def env_id(self) -> str:
        """The id of the environment, for instance `tzaar_v0`."""
        return f"{self.name}_v{self.version}"

    def published_ratings(self) -> dict[str, list[float]]:
        """Return the ratings of the game's ladder in Elo, the best agent first; {} if unknown.

        An agent has its rating, half the width of the 95 % interval, and, except for the last one,
        the same of its lead over the next agent below. The agent greedy has 1000.
        """
        if self.ratings is None or not self.ratings.exists():
            return {}
        content = json.loads(self.ratings.read_text(encoding="utf-8"))
        ratings: dict[str, list[float]] = content["ratings"]
        return ratings

    def parse_options(self, texts: Iterable[str]) -> dict[str, Any]:
        """Read options from texts such as `setup=fixed`, as the command line gives them.

        Raises:
            ValueError: A text without `=`, an unknown name, or a value that is not allowed.
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
            # resolve_options refuses an unknown name and lists the known ones.
            values[name] = known[name].parse(value) if name in known else value
        return resolve_options(self.options, values, self.name)
