"""The application: its commands and the options that all of them share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

from cyclopts import App, Group, Parameter

import tzaar_envs
from tzaar_envs.arguments.errors import PROGRAM, TRACEBACK_VARIABLE, call, reported_errors
from tzaar_envs.arguments.parameters import new_app
from tzaar_envs.cli.benchmark.command import benchmark
from tzaar_envs.cli.check import check
from tzaar_envs.cli.dataset import dataset
from tzaar_envs.cli.engine import engine
from tzaar_envs.cli.evaluate import evaluate
from tzaar_envs.cli.exploit import exploit
from tzaar_envs.cli.games import info, list_command
from tzaar_envs.cli.new_game.command import new_game
from tzaar_envs.cli.play import play
from tzaar_envs.cli.policies import card_command, export, measure
from tzaar_envs.cli.replay import replay
from tzaar_envs.cli.rules import rules
from tzaar_envs.cli.serve import serve
from tzaar_envs.cli.sweep import sweep
from tzaar_envs.cli.tournament import rate_command, tournament
from tzaar_envs.cli.train import load_train_command, train
from tzaar_envs.cli.watch import watch

# In the order of the help.
COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_command,
    "info": info,
    "rules": rules,
    "serve": serve,
    "play": play,
    "watch": watch,
    "replay": replay,
    "evaluate": evaluate,
    "tournament": tournament,
    "rate": rate_command,
    "dataset": dataset,
    "engine": engine,
    "card": card_command,
    "measure": measure,
    "export": export,
    "benchmark": benchmark,
    "train": train,
    "sweep": sweep,
    "exploit": exploit,
    "check": check,
    "new-game": new_game,
}
# Arguments that may be left out, which cyclopts calls [ARGS].
_OPTIONAL = {
    "rules": "GAME [SECTION]",
    "play": "[GAME]",
    "dataset": "GAME [AGENT...]",
    "benchmark": "[GAME...]",
    "train": "[GAME]",
    "sweep": "[GAME]",
    "exploit": "[GAME AGENT]",
    "new-game": "NAME [FOLDER]",
}
_COMPLETION = "--install-completion"
_COMMON = Group("Common options", sort_key=3)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        words: what follows the name of the program; None for those that it was called with.
    """
    given = sys.argv[1:] if words is None else list(words)
    with reported_errors(PROGRAM):
        call(make_app(given).meta, given)


def make_app(words: Sequence[str]) -> App:
    """Return the application, with the options of `train` that the words call for."""
    app = new_app(
        PROGRAM,
        help="Modern board games as PettingZoo environments: look, play, evaluate, train.",
        version=f"{PROGRAM} {tzaar_envs.__version__}",
    )
    commands = dict(COMMANDS)
    if _first_name(words) == "train" or _COMPLETION in words:
        after = words[words.index("train") + 1 :] if "train" in words else ()
        commands["train"] = load_train_command(after)
    for order, (name, command) in enumerate(commands.items()):
        usage = (
            f"Usage: {PROGRAM} {name} [OPTIONS] {_OPTIONAL[name]}" if name in _OPTIONAL else None
        )
        app.command(command, name=name, sort_key=order, usage=usage)
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
        app(words)

    return app


def _first_name(words: Sequence[str]) -> str | None:
    return next((word for word in words if not word.startswith("-")), None)
