"""Command lines of the training scripts."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from cyclopts import App, CycloptsError

from tzaar_envs.arguments.from_dataclass import command_from_dataclass, run_command
from tzaar_envs.arguments.parameters import HELP_FLAGS
from tzaar_envs.training.common.settings import Settings

S = TypeVar("S", bound=Settings)


def main(settings: type[S], train: Callable[[S], None]) -> None:
    """Run a script from the command line."""
    run_command(training_command(settings, train, sys.argv[1:]))


def training_command(
    settings: type[S],
    train: Callable[[S], None],
    words: Sequence[str],
    others: Sequence[inspect.Parameter] = (),
) -> Callable[..., None]:
    """Return the command of a script, with the defaults tuned for the game that the words name.

    Args:
        settings: the dataclass of its arguments.
        train: the body of the command.
        words: the words that the command will be called with.
        others: parameters of the command that the script does not get.
    """
    try:
        suited = settings.for_game(_game_of(settings, words, others))
    except (CycloptsError, ValueError):
        return command_from_dataclass(settings, train, None, others)  # it reports what is wrong
    defaults = {field.name: getattr(suited, field.name) for field in dataclasses.fields(settings)}
    return command_from_dataclass(settings, train, defaults | {"game": ""}, others)


def _game_of(
    settings: type[Settings], words: Sequence[str], others: Sequence[inspect.Parameter]
) -> str:
    """Return the game that the words name.

    Raises:
        CycloptsError: a word does not fit the command.
    """
    read: list[Settings] = []
    app = App(help_flags=(), version_flags=())
    app.default(command_from_dataclass(settings, read.append, None, others))
    command, bound, *_ = app.parse_known_args([word for word in words if word not in HELP_FLAGS])
    command(*bound.args, **bound.kwargs)
    return read[0].game
