"""Command lines from dataclasses: every field becomes an option, so that its help stands once.

A field may be `int`, `float`, `str`, `bool`, `Path`, a `Literal` of texts, one of these `| None`,
or `tuple[str, ...]`, an option that can be repeated. Its metadata may hold `help`, a sentence for
people; `argument=True`, which makes it an argument without a name; and `short`, such as `"-o"`.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape

T = TypeVar("T")

_PLAIN = (str, bool, Path)
_METAVARS = {int: "N", float: "NUMBER"}


def number_reader(
    flag: str, kind: type[int] | type[float], minimum: float | None = None
) -> Callable[[Any], Any]:
    """Return a `parser` for typer whose error names what was given and what is allowed."""
    words = "a whole number" if kind is int else "a number"
    words += "" if minimum is None else f" of {minimum} or more"

    def read(text: Any) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if math.isnan(value) or (minimum is not None and value < minimum):
            raise typer.BadParameter(f"{text!r} is not {words}.", param_hint=flag)
        return value

    return read


def choice_reader(flag: str, choices: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return a `parser` for typer that takes one of some texts."""

    def read(text: Any) -> Any:
        if text not in choices:
            listing = ", ".join(repr(choice) for choice in choices)
            raise typer.BadParameter(f"{text!r} is not one of {listing}.", param_hint=flag)
        return text

    return read


def command_from_dataclass(
    cls: type[T], function: Callable[[T], None], defaults: Mapping[str, Any] | None = None
) -> Callable[..., None]:
    """Return a function for `typer.Typer.command` that fills the dataclass and passes it on.

    Args:
        cls: the dataclass of the arguments.
        function: what the command does; its docstring is the command's help.
        defaults: of the command, where they differ from those of the fields.

    Raises:
        TypeError: `cls` is no dataclass, or a field has a type that no option can have.
    """
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"command_from_dataclass takes a dataclass, not {cls!r}")
    hints = typing.get_type_hints(cls)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    given = defaults or {}
    parameters = [
        _parameter(field, hints[field.name], given.get(field.name, _default(field)))
        for field in fields
    ]

    def command(**values: Any) -> None:
        function(cls(**{name: _plain_value(value) for name, value in values.items()}))

    command.__name__ = function.__name__
    # The sections of a docstring, such as `Raises:`, are for programmers.
    command.__doc__ = re.split(r"\n+\w+:\n", inspect.getdoc(function) or "", maxsplit=1)[0]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _parameter(field: dataclasses.Field[Any], hint: Any, default: Any) -> inspect.Parameter:
    """Return the field as typer reads parameters."""
    inner, optional = _without_none(hint)
    flag = f"--{field.name.replace('_', '-')}"
    # In plain text `[x]` is no markup.
    settings: dict[str, Any] = {"help": escape(field.metadata.get("help", ""))}
    shown = inner
    if inner in (int, float):
        settings |= {"parser": number_reader(flag, inner), "metavar": _METAVARS[inner]}
    elif typing.get_origin(inner) is typing.Literal:
        choices = typing.get_args(inner)
        if not all(isinstance(choice, str) for choice in choices):
            raise _unusable(field, hint)
        settings |= {"parser": choice_reader(flag, choices), "metavar": "|".join(choices)}
        shown = str
    elif typing.get_origin(inner) is tuple and not optional:
        if typing.get_args(inner) != (str, ...):
            raise _unusable(field, hint)
        shown = list[str]
        default = default if default is inspect.Parameter.empty else list(default)
    elif inner not in _PLAIN:
        raise _unusable(field, hint)
    if field.metadata.get("argument"):
        description: Any = typer.Argument(**({"metavar": field.name.upper()} | settings))
    elif short := field.metadata.get("short"):
        description = typer.Option(flag, short, **settings)
    else:
        description = typer.Option(**settings)
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[shown | None if optional else shown, description],
    )


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return inspect.Parameter.empty


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return `X` of `X | None`, and whether None was there."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = typing.get_args(hint)
        rest = [part for part in parts if part is not type(None)]
        if len(rest) == 1 and len(parts) == 2:
            return rest[0], True
    return hint, False


def _plain_value(value: Any) -> Any:
    """Return what typer hands over as the dataclass has it."""
    return tuple(value) if isinstance(value, list) else value


def _unusable(field: dataclasses.Field[Any], hint: Any) -> TypeError:
    return TypeError(
        f"field {field.name!r} of type {hint!r} cannot be an option: use int, float, str, bool, "
        "Path, a Literal of texts, one of these | None, or tuple[str, ...]"
    )
