"""Errors as one sentence for people, and the exit codes."""

from __future__ import annotations

import importlib.metadata
import os
import sys
import typing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)
from rich.text import Text

from tzaar_envs.core.fault import FaultError
from tzaar_envs.system.console import SafeConsole
from tzaar_envs.system.extras import missing_extra

PROGRAM = "tzaar-envs"
TRACEBACK_VARIABLE = "TZAAR_ENVS_TRACEBACK"
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
EXIT_PIPE_CLOSED = 141  # 128 + SIGPIPE

# What the library raises for wrong input; anything else is a bug and keeps its traceback.
_ERRORS = (ValueError, OSError, ModuleNotFoundError, FaultError)
_KINDS = {int: "a whole number", float: "a number"}


@contextmanager
def reported_errors(program: str) -> Iterator[None]:
    """Report errors of the user and of the library as one line, and exit with a status for them."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter must not end a game.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        yield
        sys.stdout.flush()
    except CycloptsError as error:
        command = " ".join([program, *(error.command_chain or ())])
        print_error(f"{_usage_sentence(error)} (see {command} --help)")
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:  # in a command that has nothing to finish or to report
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output, such as `head`, has gone. Python flushes once more as it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_PIPE_CLOSED)
    except _ERRORS as error:
        if os.environ.get(TRACEBACK_VARIABLE, "0") not in ("", "0"):
            raise
        print_error(sentence_of(error))
        sys.exit(EXIT_ERROR)


def call(app: App, words: Sequence[str]) -> None:
    """Call an application, which raises its errors."""
    app(list(words), exit_on_error=False, print_error=False, result_action="return_none")


def sentence_of(error: BaseException) -> str:
    """Return an error of the library as one sentence for people."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        extra = _extra_of(error.name.partition(".")[0])
        if extra:
            return str(missing_extra(extra, "this", error.name))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _usage_sentence(error: CycloptsError) -> str:
    """Return a sentence about words that do not fit the command."""
    error.verbose = False
    name = error.argument.name.rstrip(".") if error.argument else ""
    match error:
        case CoercionError(token=token, argument=argument) if token and argument:
            if choices := argument.get_choices(force=True):
                return f"{name}: {token.value!r} is not one of {', '.join(map(repr, choices))}"
            kinds = [_KINDS[kind] for kind in (int, float) if kind in _members(argument.hint)]
            return f"{name}: {token.value!r} is not {kinds[0] if kinds else 'allowed'}"
        case ValidationError(argument=argument) if argument:
            reason = error.exception_message.rstrip(".")
            return f"{name}={argument.value} is not allowed: {reason[:1].lower()}{reason[1:]}"
        case MissingArgumentError():
            given = error.keyword or (error.argument and error.argument.tokens)
            return f"{error.keyword or name} needs a value" if given else f"{name} is missing"
        case RepeatArgumentError():
            return f"{error.token.keyword} is given more than once"
        case UnusedCliTokensError():
            return f"there are too many arguments: {' '.join(error.unused_tokens or ())}"
        case UnknownOptionError(token=token):
            text = str(error).replace("Unknown option: ", "there is no option ")
            name = (token.keyword or "").lstrip("-").replace("-", "_")
            if name in _options_of_games():
                text = f"there is no option --{name}: write -o {name}=VALUE for that of a game"
        case UnknownCommandError():
            text = str(error).partition(" Available commands:")[0]
            text = text.replace("Unknown command ", "there is no command ").replace('"', "'")
        case _:
            text = str(error)
    return text.replace(". Did you mean", ": did you mean").rstrip(".")


def _options_of_games() -> set[str]:
    from tzaar_envs.registry import find_spec, list_games

    return {option.name for name in list_games() for option in find_spec(name).options}


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the types of `int | None` and the like."""
    return typing.get_args(hint) or (hint,)


def _extra_of(module: str) -> str | None:
    """Return the extra that installs a module, read from the package's own metadata."""
    try:
        requirements = importlib.metadata.requires(PROGRAM) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for requirement in requirements:
        package, _, marker = requirement.partition(";")
        name = package.replace("-", "_").strip()
        if (
            "extra ==" in marker
            and name.startswith(module)
            and not name[len(module) :][:1].isalnum()
        ):
            extra = marker.partition("extra ==")[2].strip().strip("\"'")
            if extra != "all":
                return extra
    return None


def print_error(text: str) -> None:
    """Print a sentence to the standard error."""
    line = Text.assemble(("error:", "bold red"), f" {text}")
    SafeConsole(stderr=True, soft_wrap=True).print(line, highlight=False)
