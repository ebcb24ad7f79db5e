"""The application: its commands and the options that all of them share."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclopts import App, Group

from tzaar_envs.command_line import HELP_FLAGS, PROGRAM, new_app, run_app
from tzaar_envs.version import __version__

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
    "train": ("train:train", "Train a policy with MaskablePPO, or with another algorithm."),
    "sweep": ("sweep:sweep", "Search for the training settings that learn fastest."),
    "check": ("check:check", "Check a game, or any PettingZoo environment."),
    "new-game": ("new_game:new_game", "Write the package of a new game."),
}
_COMPLETION = "--install-completion"
_COMMON = Group("Common options", sort_key=3)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        words: What follows the name of the program; None for those that it was called with.
    """
    given = sys.argv[1:] if words is None else list(words)
    run_app(make_app(given[0] if given else "--help"), given)


def make_app(first: str = "") -> App:
    """Return the application.

    Args:
        first: First word of the command line. An option, such as `--help`, lists the commands with
            their summaries and imports none. To complete words, `train` has the options of its
            default algorithm; elsewhere it hands its words to the algorithm that they name.
    """
    app = new_app(
        PROGRAM,
        help="Modern board games as PettingZoo environments: look, play, evaluate, train.",
        version=f"{PROGRAM} {__version__}",
    )
    for order, (name, (place, summary)) in enumerate(COMMANDS.items()):
        if name == "train" and first in (_COMPLETION, "__complete"):
            from tzaar_envs.cli.train import command_of

            app.command(command_of(), name=name, sort_key=order)
            continue
        app.command(
            f"tzaar_envs.cli.{place}",
            name=name,
            sort_key=order,
            help=summary if first.startswith("-") else None,  # else it is the docstring
            help_flags=() if name == "train" else HELP_FLAGS,  # an algorithm has its own help
        )
    for flag in ("--help", "--version"):
        app[flag].group = _COMMON
    app.register_install_completion_command(
        _COMPLETION, group=_COMMON, help="Install completion for this shell."
    )
    return app
