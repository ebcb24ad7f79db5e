"""The declarative spec of a game: what registry, spaces, command line, docs and tests read.

Nothing here needs the compiled rules, so importing a spec costs nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tzaar_envs.core.layout import Layout
from tzaar_envs.core.options import Option, resolve_options

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules
    from tzaar_envs.core.symmetry import Symmetry


@dataclass(frozen=True)
class Baseline:
    """A scripted player of one game, besides those that every game has.

    Attributes:
        name: what it is called wherever an agent is named, for instance `optimal-solo`.
        description: one sentence for people.
        entry_point: its `ActionValues`, as `module:function`; imported when it is first used.
    """

    name: str
    description: str
    entry_point: str

    def load(self) -> Any:
        """Import the baseline's code and return its `ActionValues` (see `core.action_values`)."""
        module, _, function = self.entry_point.partition(":")
        return getattr(importlib.import_module(module), function)


@dataclass(frozen=True)
class EndReason:
    """A way in which a game ends by its rules.

    Attributes:
        code: unique within the game, lower case with underscores.
        sentence: for people; `{winner}` and `{loser}` are replaced by the names of the players.
    """

    code: str
    sentence: str


OVER = EndReason("over", "The game is over.")
"""Of a game that does not tell how it ended."""

MOVE_CAP = EndReason("move_cap", "The limit of {max_plies} moves ended the game.")
"""Of every game that a move cap truncated."""


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
        end_reasons: the ways in which the game ends, apart from `OVER` and `MOVE_CAP`; `rules.py`
            then has `end_code`.
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
    load: Callable[[], Rules]
    chance: bool = False
    chance_in_play: bool = False
    hidden_information: bool = False
    simultaneous: bool = False
    score_unit: float | None = None
    end_reasons: tuple[EndReason, ...] = ()
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
