"""Commands from dataclasses: each field is an option, so its help is written once.

A field may have any type that cyclopts reads, `Annotated` with a `Parameter` or not: `int`, `str`,
`bool`, `Path`, a `Literal`, one of these `| None`, or `tuple[str, ...]`, an option that can be
repeated. Its metadata may hold `help`, and `argument=True`, which makes it an argument without a
name.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter

from tzaar_envs.command_line import new_app, run_app

T = TypeVar("T")


def command_from_dataclass(
    cls: type[T],
    function: Callable[[T], None],
    defaults: Mapping[str, Any] | None = None,
    others: Sequence[inspect.Parameter] = (),
) -> Callable[..., None]:
    """Return a command for cyclopts that fills the dataclass and calls the function with it.

    Args:
        cls: the dataclass of the arguments.
        function: the body of the command; its docstring is the command's help.
        defaults: the defaults that differ from those of the fields.
        others: keyword-only parameters that the command takes but the function does not.

    Raises:
        TypeError: `cls` is not a dataclass.
    """
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"command_from_dataclass takes a dataclass, not {cls!r}")
    hints = typing.get_type_hints(cls, include_extras=True)
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
    parameters = [
        _parameter(field, hints[name], (defaults or {}).get(name, _default(field)))
        for name, field in fields.items()
    ]

    def command(*args: Any, **options: Any) -> None:
        given = signature.bind(*args, **options)
        given.apply_defaults()
        function(cls(**{name: given.arguments[name] for name in fields}))

    # Positional parameters come first, as in any signature.
    signature = inspect.Signature(sorted([*others, *parameters], key=lambda entry: entry.kind))
    command.__name__ = function.__name__
    command.__doc__ = function.__doc__
    command.__annotations__ = {entry.name: entry.annotation for entry in [*others, *parameters]}
    command.__signature__ = signature  # type: ignore[attr-defined]
    return command


def _parameter(field: dataclasses.Field[Any], hint: Any, default: Any) -> inspect.Parameter:
    """Return a field as a parameter that cyclopts reads."""
    settings = {"help": field.metadata["help"]} if "help" in field.metadata else {}
    parameter = Parameter(validator=_refuse_nan if hint is float else (), **settings)
    positional = field.metadata.get("argument")
    return inspect.Parameter(
        field.name,
        inspect.Parameter.POSITIONAL_ONLY if positional else inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[hint, parameter],
    )


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default


def _refuse_nan(_: Any, value: float) -> None:
    if value != value:
        raise ValueError("use a number")


def run_command(command: Callable[..., None], words: Sequence[str] | None = None) -> None:
    """Run a command as a program of its own, and exit.

    Args:
        command: a function that cyclopts reads.
        words: what follows the name of the program; None for those that it was called with.
    """
    app = new_app(Path(sys.argv[0]).name)
    app.default(command)
    run_app(app, words)
