"""What all command lines of the suite share: their look, and errors as one clear sentence.

The program `tzaar-envs` and the training scripts are applications of cyclopts; `new_app` makes one,
and `run_app` runs it.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, CycloptsError, Group, Parameter, UnknownOptionError
from rich.console import Console
from rich.text import Text

from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.registry import find_spec, list_games
from tzaar_envs.system.extras import missing_extra

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

PROGRAM = "tzaar-envs"
HELP_FLAGS = ("--help", "-h")
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells have it

# What the library raises for wrong input; anything else is a bug and keeps its traceback.
_ERRORS = (ValueError, OSError, ModuleNotFoundError, ForfeitError)


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


def run_app(app: App, words: Sequence[str]) -> None:
    """Run an application; what goes wrong becomes one line and the exit status of the process.

    Args:
        app: The application.
        words: What follows the name of the program.

    Raises:
        SystemExit: The user or the library has refused something, or the work was interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter must not end a game.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(words)
        sys.stdout.flush()
        return
    except CycloptsError as error:
        # `train` runs an application of its own, which knows no chain of commands.
        chain = error.command_chain
        command = [PROGRAM, *chain] if chain else (error.app or app).name
        sentence = f"{_usage_sentence(error)} See {' '.join(command)} --help"
    except KeyboardInterrupt:  # in a command that has nothing to finish or to report
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output, such as `head`, has gone. Python flushes once more as it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except _ERRORS as error:
        if os.environ.get("TZAAR_ENVS_TRACEBACK"):
            raise
        sentence = sentence_of(error)
    line = Text.assemble(("error:", "bold red"), f" {sentence}")
    Console(stderr=True, soft_wrap=True).print(line, highlight=False)
    sys.exit(EXIT_ERROR)


def sentence_of(error: BaseException) -> str:
    """Return an error of the library as one sentence for people."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        module = error.name.partition(".")[0]
        for requirement in importlib.metadata.requires(PROGRAM) or ():
            found = re.match(r"([\w-]+).*extra == [\"'](?!all)([\w-]+)", requirement)
            if found and found[1].replace("-", "_") == module:
                return str(missing_extra(found[2], "this", error.name))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())


def _usage_sentence(error: CycloptsError) -> str:
    """Return what was given that does not fit the command, and what is allowed."""
    if isinstance(error, UnknownOptionError):
        given = error.token.keyword or error.token.value
        option = given.lstrip("-").replace("-", "_")
        specs = map(find_spec, list_games())
        if any(option == known.name for spec in specs for known in spec.options):
            return f"Unknown option: {given}. Write -o {option}=VALUE for that of a game."
    error.verbose = False
    return str(error)


def complete_game(_: CompletionContext) -> Mapping[str, str]:
    """Return the games with their titles."""
    return {name: find_spec(name).title for name in list_games()}


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
