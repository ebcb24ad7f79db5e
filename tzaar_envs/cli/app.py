"""The application: its commands and the options that all of them share."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

from cyclopts import App, Group, Parameter

from tzaar_envs.command_line import HELP_FLAGS, PROGRAM, TRACEBACK_VARIABLE, new_app, run_app
from tzaar_envs.version import __version__

# In the order of the help; each is imported once it is called.
COMMANDS = {
    "list": "games:list_games",
    "info": "games:info",
    "rules": "games:rules",
    "serve": "play:serve",
    "play": "play:play",
    "watch": "play:watch",
    "replay": "play:replay",
    "evaluate": "matches:evaluate",
    "tournament": "matches:tournament",
    "rate": "matches:rate",
    "dataset": "matches:dataset",
    "engine": "matches:engine",
    "card": "policies:card",
    "measure": "policies:measure",
    "export": "policies:export",
    "benchmark": "benchmark:benchmark",
    "train": "train:train",
    "sweep": "sweep:sweep",
    "check": "check:check",
    "new-game": "new_game:new_game",
}
_COMPLETION = "--install-completion"
_COMMON = Group("Common options", sort_key=3)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        words: What follows the name of the program; None for those that it was called with.
    """
    given = sys.argv[1:] if words is None else list(words)
    run_app(make_app(given[:1] in ([_COMPLETION], ["__complete"])).meta, given)


def make_app(completion: bool = False) -> App:
    """Return the application.

    Args:
        completion: Whether to complete words. `train` then shows the options of its default
            algorithm; elsewhere it hands its words to the algorithm that they name.
    """
    app = new_app(
        PROGRAM,
        help="Modern board games as PettingZoo environments: look, play, evaluate, train.",
        version=f"{PROGRAM} {__version__}",
    )
    for order, (name, place) in enumerate(COMMANDS.items()):
        if name == "train" and completion:
            from tzaar_envs.cli.train import default_command

            app.command(default_command(), name=name, sort_key=order)
            continue
        flags = () if name == "train" else HELP_FLAGS  # an algorithm has a help of its own
        app.command(f"tzaar_envs.cli.{place}", name=name, sort_key=order, help_flags=flags)
    for flag in ("--help", "--version"):
        app[flag].group = _COMMON
    app.register_install_completion_command(
        _COMPLETION, group=_COMMON, help="Install completion for this shell."
    )

    @app.meta.default
    def with_common_options(
        *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
        traceback: Annotated[
            bool,
            Parameter(
                group=_COMMON, env_var=TRACEBACK_VARIABLE, help="Show where an error comes from."
            ),
        ] = False,
    ) -> None:
        if traceback:
            os.environ[TRACEBACK_VARIABLE] = "1"
        if not words or words[0].startswith("-"):  # the help says what each command does
            for name in COMMANDS:
                app[name]
        app(words)

    app.meta.help_flags = ()  # the help of commands is theirs
    return app
