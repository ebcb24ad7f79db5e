"""Options: the keyword arguments of games, environments, agents and searches."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class UnknownOptionError(ValueError, TypeError):
    """An option or keyword argument that does not exist.

    It is a TypeError too, as Python raises it for a keyword that a function does not have: some
    libraries try keywords, and do without those that raise one.
    """


@dataclass(frozen=True)
class Option:
    """One keyword argument of a game or of an environment.

    An option that holds data as text has an `encoder`.

    Attributes:
        name: the keyword.
        type: `int`, `float`, `bool` or `str`; options of games are not floats.
        default: the value if none is given.
        description: one phrase.
        choices: the allowed values; empty if all values of the type from `minimum` to `maximum`
            are allowed.
        minimum: the least allowed number.
        maximum: the greatest allowed number.
        encoder: from a text to the integers that compiled code sees, always the same number of
            them; raises a ValueError that says why the text is not allowed. None: the value is one
            integer.
        syntax: the texts that an `encoder` accepts, in words.
        examples: allowed values besides the default, for tests, where they cannot be listed.
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
        """Read a value from text, as given on the command line."""
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

        A choice becomes its index, a bool 0 or 1.
        """
        if self.encoder is not None:
            return self.encoder(value)
        return (self.choices.index(value) if self.choices else int(value),)


def resolve_options(
    options: Iterable[Option], given: Mapping[str, Any], owner: str
) -> dict[str, Any]:
    """Return the value of every option, given as data or default.

    Raises:
        UnknownOptionError: an unknown name; lists the known ones.
        ValueError: a value that is not allowed.
    """
    return _resolve(options, given, f"{owner} has no option", ())


def resolve_keywords(
    options: Iterable[Option], given: Mapping[str, Any], owner: str, others: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the value of every option, given as keyword argument or default.

    Args:
        options: what can be given.
        given: the keyword arguments.
        owner: what the error calls the thing that has the options.
        others: names of further keyword arguments, which the error lists too.

    Raises:
        UnknownOptionError: an unknown name; lists the known ones.
        ValueError: a value that is not allowed.
    """
    return _resolve(options, given, f"{owner} got an unexpected keyword argument", others)


def _resolve(
    options: Iterable[Option], given: Mapping[str, Any], complaint: str, others: Iterable[str]
) -> dict[str, Any]:
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            listed = [*others, *known]
            close = difflib.get_close_matches(name, listed, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            listing = f"its options are {', '.join(listed)}" if listed else "it has no options"
            raise UnknownOptionError(f"{complaint} {name!r}: {hint}{listing}")
    return {name: option.check(given.get(name, option.default)) for name, option in known.items()}
