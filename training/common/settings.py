"""What every training script can be told, and how the settings of a script are checked.

A script has a dataclass of settings that extends `Settings`. Each field is made by `setting`, which
keeps its help text and its limits, so that command line and checks follow from the fields alone.
Settings that suit one game better are in `training/defaults/GAME.json`: those under
`every` for all scripts, those under the name of an algorithm for that one.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from tzaar_envs.core.game import Game
from tzaar_envs.registry import find_spec, load_game

Range = Literal["any", "positive", "not negative", "fraction"]
_RANGES: dict[Range, tuple[str, float, float]] = {
    "positive": ("more than 0", 0, float("inf")),
    "not negative": ("0 or more", 0, float("inf")),
    "fraction": ("more than 0, at most 1", 0, 1),
}


def setting(text: str, default: Any, allowed: Range = "any", **metadata: Any) -> Any:
    """Return a field with a help text.

    Args:
        text: the help.
        default: the value where none is given.
        allowed: the range of a number.
        **metadata: see `tzaar_envs.cli.arguments`.
    """
    return field(default=default, metadata={"help": text, "allowed": allowed, **metadata})


@dataclass
class Settings:
    """What every script can be told; the defaults train any game in minutes on two cores."""

    algorithm: ClassVar[str]  # its name in `tzaar-envs train --algo`

    game: str = setting("the game, see `tzaar-envs list`", "", argument=True)
    option: tuple[str, ...] = setting("a game option, name=value; can be repeated", (), short="-o")
    folder: Path | None = setting("where the results go [default: runs/GAME-ALGO-TIME]", None)
    resume: Path | None = setting("go on with the run in this folder; nothing else is needed", None)
    seed: int = setting("fixes weights, opponents and games", 0, "not negative")

    minutes: float = setting(
        "stop training after this many minutes, 0 for no limit", 8.0, "not negative"
    )
    steps: int = setting("stop training after this many steps", 50_000_000, "positive")

    imitation: int = setting(
        "positions of the head start by imitation, 0 for none", 150_000, "not negative"
    )
    teacher: str = setting("the agent that is imitated", "greedy")
    imitation_passes: int = setting("how often the head start goes through them", 2, "positive")

    width: int = setting("channels of the network", 32, "positive")
    blocks: int = setting("residual blocks of the network", 1, "not negative")
    threads: int = setting("threads of PyTorch, 0 for all cores", 0, "not negative")

    evaluate_every: float = setting("minutes between evaluations", 1.0, "positive")
    evaluation_games: int = setting("games per baseline and seat in each of them", 50, "positive")
    final_games: int = setting("games per baseline and seat at the end", 250, "positive")
    opening_plies: int = setting(
        "random plies before each of these games, so that they differ", 2, "not negative"
    )

    @classmethod
    def for_game(cls, game: str, **changes: Any) -> Self:
        """Return the settings for a game: the tuned ones, the defaults elsewhere, then `changes`.

        Raises:
            ValueError: there is no such game.
        """
        return cls(**{"game": game, **tuned_defaults(cls.algorithm, game), **changes})

    def check(self) -> None:
        """Refuse what is out of range.

        Raises:
            ValueError: names the setting, its value and what is allowed.
        """
        for entry in dataclasses.fields(self):
            allowed = entry.metadata.get("allowed", "any")
            if allowed == "any":
                continue
            words, low, high = _RANGES[allowed]
            value = getattr(self, entry.name)
            if not low <= value <= high or (value == low and allowed != "not negative"):
                raise ValueError(f"{entry.name}={value} is not allowed: use {words}")

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: there is no such game, or an option is not allowed.
        """
        if not self.game:
            raise ValueError("which game? give its name, or a folder to --resume")
        spec = find_spec(self.game)
        return load_game(spec.name, **spec.parse_options(self.option))

    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        values = dataclasses.asdict(self)
        return {
            name: str(value) if isinstance(value, Path) else value for name, value in values.items()
        }

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """Return the settings that `as_json` has written.

        Raises:
            ValueError: these are not the settings of this script.
        """
        entries = dataclasses.fields(cls)
        if not isinstance(values, dict) or set(values) != {entry.name for entry in entries}:
            raise ValueError(f"not the settings of --algo {cls.algorithm} of this version")
        for entry in entries:
            value = values[entry.name]
            numeric = isinstance(entry.default, int | float)
            if numeric and not isinstance(value, int | float):
                raise ValueError(f"{entry.name}={value!r} is no number")
        settings = cls(**{**values, "option": tuple(values["option"])})
        settings.check()
        return settings


@cache
def _defaults_of(game: str) -> Mapping[str, Mapping[str, Any]]:
    path = Path(__file__).parents[1] / "defaults" / f"{game}.json"
    if not path.exists():
        return {}
    content: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return content


def tuned_defaults(algorithm: str, game: str) -> Mapping[str, Any]:
    """Return the settings that suit a game better than the defaults of an algorithm.

    Raises:
        ValueError: there is no such game.
    """
    content = _defaults_of(find_spec(game).name)
    return {**content.get("every", {}), **content.get(algorithm, {})}
