"""The declarative spec of a game, which registry, spaces, command line, docs and tests read.

Nothing here needs the compiled rules, so importing a spec is cheap.
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
    """A scripted agent for one game, in addition to those that every game has.

    Attributes:
        name: the name of the agent, for instance `optimal-solo`.
        description: one sentence for people.
        entry_point: its `ActionValues` as `module:function`, imported at first use.
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
        version: increases with any change of behaviour.
        title: the name that is displayed.
        summary: one sentence about the game.
        options: the game's keyword arguments.
        layout: from the values of the options to the layout.
        load: imports the rules for a layout, which may compile them; see `core.loading`, whose
            `standard_files` gives this and the other arguments that depend on the game's files.
        chance: the rules draw something at random, in the set-up or in play.
        chance_in_play: they do so in play, with actions.
        hidden_information: a player cannot see everything; the rules then have `determinize`.
        simultaneous: several players choose at the same time; the rules then have `acting`.
        score_unit: in a game with points, the lead in points that is a reward of 1 with
            `reward="score"`; the rules then have `scores`. None in a game without points.
        end_reasons: the ways in which the game ends, apart from `OVER` and `MOVE_CAP`; the rules
            then have `end_code`.
        symmetries: from the layout to all symmetries, the identity first; see `core.symmetry`. None
            if there is only the identity.
        baselines: scripted agents for this game alone.
        ladder: agents, as text, of the game's published ladder, from the weakest to the strongest.
        ratings: the file with their ratings, which need not exist, as `docs/tools/make_ladders.py`
            writes it; or None.
        reference: the file of the game's trained network, which need not exist, see
            `policies.file`; or None.
        reference_agent: what the agent `reference` stands for, as text.
        rules_page: the file with the rules for people, see `rulebook.RulesPage`; or None.
    """

    name: str
    version: int
    title: str
    summary: str
    options: tuple[Option, ...]
    layout: Callable[[Mapping[str, Any]], Layout]
    load: Callable[[Layout], Rules]
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
    reference_agent: str = "greedy:policy=reference"
    rules_page: Path | None = None

    @property
    def is_deterministic(self) -> bool:
        """Whether the player to act knows the position after every action."""
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
            # resolve_options refuses an unknown name and lists the known ones.
            values[name] = known[name].parse(value) if name in known else value
        return resolve_options(self.options, values, self.name)
