"""Command lines of the training scripts."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from cyclopts import App, CycloptsError

from tzaar_envs.arguments.from_dataclass import command_from_dataclass, run_command
from tzaar_envs.command_line import HELP_FLAGS
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
    """Return the command of a script, with the defaults tuned for the run that the words describe.

    Args:
        settings: the dataclass of its arguments.
        train: the body of the command.
        words: the words that the command will be called with.
        others: parameters of the command that the script does not get.
    """
    try:
        told = _told(settings, words, others)
        suited = settings.for_game(told.game, from_scratch=told.from_scratch)
    except (CycloptsError, ValueError):
        return command_from_dataclass(settings, train, None, others)  # it reports what is wrong
    defaults = {field.name: getattr(suited, field.name) for field in dataclasses.fields(settings)}
    unsaid = {"game": "", "from_scratch": False}
    return command_from_dataclass(settings, train, defaults | unsaid, others)


def _told(
    settings: type[Settings], words: Sequence[str], others: Sequence[inspect.Parameter]
) -> Settings:
    """Return what the words say, with general defaults.

    Raises:
        CycloptsError: a word does not fit the command.
    """
    read: list[Settings] = []
    app = App(help_flags=(), version_flags=())
    app.default(command_from_dataclass(settings, read.append, None, others))
    command, bound, *_ = app.parse_known_args([word for word in words if word not in HELP_FLAGS])
    command(*bound.args, **bound.kwargs)
    return read[0]
