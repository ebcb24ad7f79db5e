"""What all command lines of the suite share: their look, and errors as one clear sentence.

The program `tzaar-envs` and the training scripts are applications of cyclopts; `new_app` makes one,
and `run_app` runs it.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)
from cyclopts.validators import Number
from rich.console import Console
from rich.text import Text

from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.system.extras import missing_extra

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

PROGRAM = "tzaar-envs"
HELP_FLAGS = ("--help", "-h")
TRACEBACK_VARIABLE = "TZAAR_ENVS_TRACEBACK"
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
EXIT_PIPE_CLOSED = 141  # 128 + SIGPIPE

# What the library raises for wrong input; anything else is a bug and keeps its traceback.
_ERRORS = (ValueError, OSError, ModuleNotFoundError, ForfeitError)
_KINDS: dict[type | None, str] = {int: "a whole number", float: "a number"}


def new_app(name: str, **settings: Any) -> App:
    """Return an application with the look that all commands share.

    Args:
        name: Name of the program.
        **settings: Further settings of the application, see `cyclopts.App`.
    """
    return App(
        name=name,
        help_flags=HELP_FLAGS,
        help_format="markdown",  # lets the lines of docstrings flow
        group_commands=Group("Commands", sort_key=0),
        group_arguments=Group("Arguments", sort_key=1),
        group_parameters=Group("Options", sort_key=2),
        default_parameter=Parameter(negative=(), show_default=_shown_default),
        exit_on_error=False,
        print_error=False,
        result_action="return_none",
        **settings,
    )


def _shown_default(value: Any) -> str | None:
    """Return a default as the help shows it; None where there is nothing to show."""
    if value is None or value is False or value in ("", ()):
        return None
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def run_app(app: App, words: Sequence[str] | None = None) -> None:
    """Run an application; what goes wrong becomes one line and the exit status of the process.

    Args:
        app: The application.
        words: What follows the name of the program; None for those that it was called with.

    Raises:
        SystemExit: The user or the library has refused something, or the work was interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter must not end a game.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(sys.argv[1:] if words is None else list(words))
        sys.stdout.flush()
    except CycloptsError as error:
        # `train` runs an application of its own, which knows no chain of commands.
        chain = error.command_chain
        command = [PROGRAM, *chain] if chain else (error.app or app).name
        print_error(f"{_usage_sentence(error)} (see {' '.join(command)} --help)")
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


def print_error(text: str) -> None:
    """Print a sentence to the standard error."""
    line = Text.assemble(("error:", "bold red"), f" {text}")
    Console(stderr=True, soft_wrap=True).print(line, highlight=False)


def sentence_of(error: BaseException) -> str:
    """Return an error of the library as one sentence for people."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        extra = _extra_of(error.name.partition(".")[0])
        if extra:
            return str(missing_extra(extra, "this", error.name))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _extra_of(module: str) -> str | None:
    """Return the extra that installs a module, read from the package's own metadata."""
    for requirement in importlib.metadata.requires(PROGRAM) or ():
        package, _, marker = requirement.partition(";")
        extra = re.search(r"extra == [\"']([^\"']+)", marker)
        name = re.match(r"[\w-]+", package)
        if extra and extra[1] != "all" and name and name[0].replace("-", "_") == module:
            return extra[1]
    return None


def _usage_sentence(error: CycloptsError) -> str:
    """Return what was given that does not fit the command, and what is allowed."""
    name = error.argument.name.rstrip(".") if error.argument else ""
    match error:
        case CoercionError(token=token, argument=argument) if token and argument:
            if choices := argument.get_choices(force=True):
                return f"{name}: {token.value!r} is not one of {', '.join(map(repr, choices))}"
            return f"{name}: {token.value!r} is not {_KINDS.get(error.target_type, 'allowed')}"
        case ValidationError(argument=argument) if argument:
            reason = error.exception_message.rstrip(".")
            return f"{name}={argument.value} is not allowed: {reason[:1].lower()}{reason[1:]}"
        case MissingArgumentError(keyword=keyword):
            given = keyword or (error.argument and error.argument.tokens)
            return f"{keyword or name} needs a value" if given else f"{name} is missing"
        case RepeatArgumentError(token=token):
            return f"{token.keyword} is given more than once"
        case UnusedCliTokensError():
            return f"there are too many arguments: {' '.join(error.unused_tokens or ())}"
        case UnknownOptionError(token=token, argument_collection=arguments):
            given = token.keyword or token.value
            option = given.lstrip("-").replace("-", "_")
            if option in _options_of_games():
                return f"there is no option {given}: write -o {option}=VALUE for that of a game"
            return f"there is no option {given}{hint(given, *(one.names for one in arguments))}"
        case UnknownCommandError(unused_tokens=[given, *_], app=app) if app:
            return f"there is no command {given!r}{hint(given, app)}"
    error.verbose = False
    return str(error).rstrip(".")


def hint(given: str, *names: Iterable[str]) -> str:
    """Return a question that suggests the name that was meant; empty where none is similar."""
    close = difflib.get_close_matches(given, [name for some in names for name in some], n=1)
    return f": did you mean {close[0]!r}?" if close else ""


def _options_of_games() -> set[str]:
    from tzaar_envs.registry import find_spec, list_games

    return {option.name for name in list_games() for option in find_spec(name).options}


def complete_game(_: CompletionContext) -> Mapping[str, str]:
    """Return the games with their titles."""
    from tzaar_envs.registry import find_spec, list_games

    return {name: find_spec(name).title for name in list_games()}


def _refuse_nan(_: Any, value: float | None) -> None:
    if value != value:
        raise ValueError("use a number")


def number(
    help: str | None = None,
    low: float | None = None,
    high: float | None = None,
    *,
    above: float | None = None,
) -> Parameter:
    """Return an option that takes a number.

    Args:
        help: Text of the help; None where the docstring of the command has it.
        low: Lowest number that is allowed.
        high: Highest number that is allowed.
        above: What the number must exceed.
    """
    told: dict[str, Any] = {} if help is None else {"help": help}
    return Parameter(**told, validator=(Number(gte=low, lte=high, gt=above), _refuse_nan))


Count = Annotated[int, number(low=1)]
"""A whole number, 1 or more."""

FilePath = Annotated[Path | None, Parameter(metavar="FILE")]
GameName = Annotated[
    str,
    Parameter(
        name="GAME", help="Name of the game, see `tzaar-envs list`.", completer=complete_game
    ),
]
GameOptions = Annotated[
    tuple[str, ...],
    Parameter(
        name=("--option", "-o"),
        metavar="NAME=VALUE",
        help="Option of the game, see `tzaar-envs info GAME`; can be repeated.",
    ),
]
