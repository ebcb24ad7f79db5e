"""The application: its commands, its common options, and what becomes of errors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import tzaar_envs
from tzaar_envs.cli.benchmark import benchmark
from tzaar_envs.cli.errors import DISTRIBUTION, EXIT_ERROR, print_error, sentence_of
from tzaar_envs.cli.evaluate import evaluate
from tzaar_envs.cli.games import info, list_command
from tzaar_envs.cli.play import play
from tzaar_envs.cli.policies import card_command, export, measure
from tzaar_envs.cli.tournament import rate_command, tournament
from tzaar_envs.cli.train import load_train_command, train

TRACEBACK_VARIABLE = "TZAAR_ENVS_TRACEBACK"

# What the library raises for wrong input; anything else is a bug and keeps its traceback.
_ERRORS = (ValueError, OSError, ModuleNotFoundError)
# Words that do not fit a command. Its module differs between releases of typer.
_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]


class _Commands(TyperGroup):
    """The commands: errors of the library become one line, and `train` is loaded when it is run."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; print an error of the library as one line."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output has gone, typer ends quietly
        except _USAGE_ERROR as error:
            command = getattr(getattr(error, "ctx", None), "command_path", ctx.command_path)
            text = error.format_message().rstrip(".")
            print_error(f"{text} (see {command} --help)")
            raise typer.Exit(EXIT_ERROR) from error
        except _ERRORS as error:
            if ctx.params.get("traceback"):
                raise
            print_error(sentence_of(error))
            raise typer.Exit(EXIT_ERROR) from error

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; the options of `train` come from the training script."""
        name, command, rest = super().resolve_command(ctx, args)
        if name == "train":
            command, rest = load_train_command(rest)
        return name, command, rest


app = typer.Typer(
    name="tzaar-envs",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"{DISTRIBUTION} {tzaar_envs.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option("--traceback", envvar=TRACEBACK_VARIABLE, help="Show where errors come from."),
    ] = False,
) -> None:
    """Modern board games as PettingZoo environments: look, play, evaluate, train."""


# In the order of the help.
COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_command,
    "info": info,
    "play": play,
    "evaluate": evaluate,
    "tournament": tournament,
    "rate": rate_command,
    "card": card_command,
    "measure": measure,
    "export": export,
    "benchmark": benchmark,
    "train": train,
}
for name, command in COMMANDS.items():
    app.command(name)(command)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shall not end a game.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app()
