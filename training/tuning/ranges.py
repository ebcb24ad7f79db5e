"""Ranges of training settings, as `tzaar-envs sweep` searches them.

A range is a text: `LOW..HIGH` are all numbers between, `A,B,C` are these values, and a single value
is a setting that does not change. A range that spans a factor of ten is searched on a logarithmic
scale.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tzaar_envs.training.common.settings import Settings

Value = bool | int | float | str

OWN = ("game", "option", "folder", "resume", "seed", "minutes", "evaluate_every", "final_games")
"""Settings that a sweep gives to its runs itself."""

_LOGARITHMIC = 10  # factor


@dataclasses.dataclass(frozen=True)
class Numbers:
    """All numbers from `low` to `high`: whole ones if both are."""

    low: float
    high: float

    @property
    def is_logarithmic(self) -> bool:
        """Whether each factor counts as much as the next."""
        return 0 < self.low * _LOGARITHMIC <= self.high

    @property
    def ends(self) -> tuple[float, ...]:
        """The values that are farthest out."""
        return self.low, self.high

    def holds(self, value: Value) -> bool:
        """Whether a value is one of them."""
        return not isinstance(value, str) and self.low <= value <= self.high


@dataclasses.dataclass(frozen=True)
class Choices:
    """Some values."""

    values: tuple[Value, ...]

    @property
    def ends(self) -> tuple[Value, ...]:
        """The values that are farthest out: all of them."""
        return self.values

    def holds(self, value: Value) -> bool:
        """Whether a value is one of them."""
        return value in self.values


Range = Numbers | Choices


def _around(factor: float) -> Callable[[float], str]:
    return lambda default: f"{default / factor:g}..{default * factor:g}" if default else "0"


def _doublings(default: int) -> str:
    values = sorted({max(1, default // 4), max(1, default // 2), default, default * 2, default * 4})
    return ",".join(map(str, values))


def _between(low: float, high: float) -> Callable[[float], str]:
    return lambda default: f"{min(low, default):g}..{max(high, default):g}"


# By the setting, whatever the script; of the default that suits the game.
_DEFAULTS: Mapping[str, Callable[[Any], str]] = {
    "learning_rate": _around(4),
    "batch_size": _doublings,
    "passes": _around(3),
    "epochs": _between(1, 6),
    "num_envs": _doublings,
    "rollout": _doublings,
    "round": _doublings,
    "width": _doublings,
    "gamma": _between(0.95, 1),
    "gae_lambda": _between(0.8, 1),
    "trace": _between(0.7, 1),
    "randomness": _between(0.01, 0.3),
    "opening": _between(0, 24),
    "clip_range": _between(0.1, 0.4),
    "entropy": _around(4),
    "gradient_steps": _doublings,
    "temperature": _around(4),
    "policy_weight": _around(4),
    "value_weight": _around(4),
}


def default_ranges(settings: Settings) -> dict[str, str]:
    """Return the ranges that are searched where none are given, by the names of the settings."""
    names = [entry.name for entry in dataclasses.fields(settings)]
    return {name: _DEFAULTS[name](getattr(settings, name)) for name in names if name in _DEFAULTS}


def parse_range(settings: Settings, name: str, text: str) -> Range:
    """Return the range of a setting.

    Args:
        settings: of the runs; they say what the setting is.
        name: of the setting.
        text: the range.

    Raises:
        ValueError: there is no such setting, or the range is not allowed.
    """
    kinds = {entry.name: type(getattr(settings, entry.name)) for entry in _searchable(settings)}
    if name not in kinds:
        raise ValueError(
            f"{name!r} is no setting that a sweep of --algo {settings.algorithm} can search: use "
            f"{', '.join(kinds)}"
        )
    low, dots, high = text.partition("..")
    try:
        if dots and kinds[name] in (int, float):
            numbers = Numbers(_parse(kinds[name], low), _parse(kinds[name], high))
            if not numbers.low < numbers.high:
                raise ValueError("the first number must be the smaller one")
            found: Range = numbers
        else:
            found = Choices(tuple(_parse(kinds[name], each) for each in text.split(",")))
        for value in found.ends:
            changed: dict[str, Any] = {name: value}
            dataclasses.replace(settings, **changed).check()
    except ValueError as error:
        raise ValueError(f"the range {name}={text} is not allowed: {error}") from error
    return found


def _searchable(settings: Settings) -> Iterable[dataclasses.Field[Any]]:
    for entry in dataclasses.fields(settings):
        value = getattr(settings, entry.name)
        if entry.name not in OWN and not isinstance(value, Path | tuple | None):
            yield entry


def _parse(kind: type, text: str) -> Any:
    text = text.strip()
    if kind is bool:
        if text not in ("true", "false"):
            raise ValueError(f"{text!r} is not true or false")
        return text == "true"
    try:
        return kind(text)
    except ValueError:
        words = {int: "a whole number", float: "a number"}[kind]
        raise ValueError(f"{text!r} is not {words}") from None


def as_words(values: Mapping[str, Value]) -> list[str]:
    """Return settings as words of `tzaar-envs train`."""
    words: list[str] = []
    for name, value in values.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not False:
            words += [flag, f"{value:.4g}" if isinstance(value, float) else str(value)]
    return words
