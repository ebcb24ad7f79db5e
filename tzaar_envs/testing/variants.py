"""Variants of a game: the default options, then each other value of each option alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tzaar_envs.core.spec import Option


def values_of(option: Option) -> list[Any]:
    """Return all values of an option; where that cannot be, the default and telling others."""
    if option.choices:
        return list(option.choices)
    if option.type is bool:
        return [False, True]
    if option.type is str:
        return [option.default, *option.examples]
    numbers = {option.minimum, option.default, option.maximum} - {None}
    return sorted(numbers)


def variants(options: Iterable[Option]) -> Iterator[dict[str, Any]]:
    """Yield the defaults, then each other value of each option alone."""
    options = list(options)
    defaults = {option.name: option.default for option in options}
    yield defaults
    for option in options:
        for value in values_of(option):
            if value != option.default:
                yield defaults | {option.name: value}
