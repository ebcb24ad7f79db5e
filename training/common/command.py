"""Command lines of the training scripts."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import typer

from tzaar_envs.cli.arguments import command_from_dataclass
from tzaar_envs.training.common.settings import Settings

S = TypeVar("S", bound=Settings)


def main(settings: type[S], train: Callable[[S], None]) -> None:
    """Run a script from the command line."""
    training_command(settings, train, sys.argv[1:])(prog_name=Path(sys.argv[0]).name)


def training_command(
    settings: type[S], train: Callable[[S], None], words: Sequence[str], epilog: str = ""
) -> Any:
    """Return the command of a script, with the defaults that suit the game that the words name.

    Args:
        settings: the dataclass of its arguments.
        train: what it does.
        words: what the command will be called with.
        epilog: the end of its help.
    """
    plain = _command(settings, train, epilog)
    game = plain.make_context("train", list(words), resilient_parsing=True).params["game"]
    try:
        suited = settings.for_game(game) if game else settings()
    except ValueError:
        return plain  # the command itself says what is wrong with the name
    defaults = {
        entry.name: getattr(suited, entry.name)
        for entry in dataclasses.fields(settings)
        if entry.name != "game"
    }
    return _command(settings, train, epilog, defaults)


def _command(
    settings: type[S],
    train: Callable[[S], None],
    epilog: str,
    defaults: dict[str, Any] | None = None,
) -> Any:
    single = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    single.command("train", epilog=epilog)(command_from_dataclass(settings, train, defaults))
    return typer.main.get_command(single)
