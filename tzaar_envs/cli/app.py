"""The application: its commands, and errors as one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from cyclopts import App, CycloptsError, Group, Parameter
from rich.console import Console
from rich.text import Text

from tzaar_envs.cli.common import PROGRAM
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.system.extras import sentence_of
from tzaar_envs.system.interrupts import end_as_by_ctrl_c, exit_status
from tzaar_envs.version import __version__

# What the library raises for wrong input; anything else is a bug and keeps its traceback.
_ERRORS = (ValueError, OSError, ModuleNotFoundError, ForfeitError)

# In the order of the help: where a command is, which is imported once it is called, and what the
# help of the program says of it.
COMMANDS = {
    "list": ("games:list_games", "List the games."),
    "info": ("games:info", "Describe a game: options, actions, observation, agents."),
    "rules": ("games:rules", "Show the rules of a game, or one section of them."),
    "serve": ("play:serve", "Play, analyse and replay the games in a browser."),
    "play": ("play:play", "Play a game against an agent in the terminal."),
    "watch": ("play:watch", "Watch agents play against each other."),
    "replay": ("play:replay", "Turn a recorded game into a page, a film or pictures."),
    "evaluate": ("matches:evaluate", "Play a match between agents."),
    "tournament": ("matches:tournament", "Play every combination of agents, and rate the agents."),
    "rate": ("matches:rate", "Rate the agents from results files of `tournament`."),
    "dataset": ("matches:dataset", "Write games as a dataset for RL libraries."),
    "engine": ("matches:engine", "Let other programs ask an agent for moves."),
    "card": ("policies:card", "Show the card of a saved policy."),
    "measure": ("policies:measure", "Play a saved policy against baselines."),
    "export": ("policies:export", "Write a saved policy in the ONNX format."),
    "benchmark": ("benchmark:benchmark", "Measure the speed of the games on this machine."),
    "train": ("training:train_command", "Train a policy with MaskablePPO or another algorithm."),
    "sweep": ("training:sweep", "Search for the training settings that learn fastest."),
    "check": ("games:check", "Check a game, or any PettingZoo environment."),
    "new-game": ("games:new_game", "Write the package of a new game."),
}
_COMPLETION = "--install-completion"
_COMMON = Group("Common options", sort_key=3)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line; what goes wrong becomes one line and the exit status of the process.

    Args:
        words: The words after the name of the program; None: those that it was called with.

    Raises:
        SystemExit: The user or the library has refused something, or the work was interrupted.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed, as `>&-` does
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        # A terminal that lacks a letter must not end a game.
        if hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="backslashreplace")
    end_as_by_ctrl_c()
    status = _run([*map(_with_home, sys.argv[1:] if words is None else words)])
    try:
        sys.stdout.flush()
    except OSError:  # what could not be written, Python would try again as it exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if status:
        sys.exit(status)


def _with_home(word: str) -> str:
    """Return a word with the home folder for `~`, also in `--json=~/FILE`, as no shell does."""
    flag, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    return f"{flag}{equals}{os.path.expanduser(value)}"


def _run(words: Sequence[str]) -> int:
    """Run a command and return the exit status."""
    try:
        app = make_app(words)
        app(words)
        sys.stdout.flush()
        return 0
    except CycloptsError as error:
        error.verbose = False
        sentence = f"{error} See {' '.join([PROGRAM, *(error.command_chain or ())])} --help"
    except KeyboardInterrupt:
        return exit_status()
    except BrokenPipeError:  # the reader of the output, such as `head`, has gone
        return 1
    except _ERRORS as error:
        if os.environ.get("TZAAR_ENVS_TRACEBACK"):
            raise
        sentence = sentence_of(error)
    line = Text.assemble(("error:", "bold red"), f" {sentence}")
    Console(stderr=True, soft_wrap=True).print(line, highlight=False)
    return 2


def _shown_default(value: Any) -> str | None:
    """Return a default as the help shows it; None where there is nothing to show."""
    if value is None or value is False or value in ("", ()):
        return None
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def make_app(words: Sequence[str] = ()) -> App:
    """Return the application.

    Args:
        words: Command line. An option, such as `--help`, lists the commands with their summaries
            and imports none. `train` has the options of the algorithm that the words name, and to
            complete words, those of its default.
    """
    first = words[0] if words else "--help"
    app = App(
        name=PROGRAM,
        help="Modern board games as PettingZoo environments: look, play, evaluate, train.",
        version=f"{PROGRAM} {__version__}",
        help_flags=("--help", "-h"),
        help_format="markdown",  # lets the lines of docstrings flow
        group_commands=Group("Commands", sort_key=0),
        group_arguments=Group("Arguments", sort_key=1),
        group_parameters=Group("Options", sort_key=2),
        default_parameter=Parameter(negative=(), show_default=_shown_default),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_none",
    )
    for order, (name, (place, summary)) in enumerate(COMMANDS.items()):
        if name == "train" and first in ("train", _COMPLETION, "__complete"):
            from tzaar_envs.cli.training import train_command

            app.command(train_command(words[1:]), name=name, sort_key=order)
            continue
        app.command(
            f"tzaar_envs.cli.{place}",
            name=name,
            sort_key=order,
            help=summary if first.startswith("-") else None,  # else it is the docstring
        )
    for flag in ("--help", "--version"):
        app[flag].group = _COMMON
    app.register_install_completion_command(
        _COMPLETION, group=_COMMON, help="Install completion for this shell."
    )
    return app
