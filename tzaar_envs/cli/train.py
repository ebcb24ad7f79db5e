"""The command `train`: its options come from the training script that `--algo` names."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter

from tzaar_envs.arguments.parameters import GameName
from tzaar_envs.training.common.algorithms import ALGORITHMS

_DEFAULT = next(iter(ALGORITHMS))
_LISTING = "\n".join(f"{entry.name}: {entry.description}." for entry in ALGORITHMS.values())
_CHOICE = Parameter(choices=tuple(ALGORITHMS), show_choices=False)


def train(game: GameName | None = None, /) -> None:
    """Train a policy with MaskablePPO, or with another algorithm (`--algo`).

    Only describes the command, in the list of commands and for completion of the game; the command
    that runs is made by `load_train_command`.
    """


def load_train_command(words: Sequence[str]) -> Callable[..., None]:
    """Return the command of the training script that the words choose.

    Args:
        words: what follows `train` on the command line.

    Raises:
        ValueError: the run to resume has an algorithm that does not exist.
    """
    from tzaar_envs.training.common.command import training_command

    name = _chosen_algorithm(words)
    script = importlib.import_module(ALGORITHMS[name].module)
    text = f"Training algorithm; the options of {name} are shown here.\n{_LISTING}"
    algo = inspect.Parameter(
        "algo",
        inspect.Parameter.KEYWORD_ONLY,
        default=_DEFAULT,
        annotation=Annotated[str, Parameter(help=text), _CHOICE],
    )
    return training_command(script.Arguments, script.train, words, [algo])


def _chosen_algorithm(words: Sequence[str]) -> str:
    """Return the value of `--algo`, else the algorithm of the run to resume, else the default."""

    def choose(
        *_: Annotated[str, Parameter(allow_leading_hyphen=True)],
        algo: Annotated[str | None, _CHOICE] = None,
        resume: Path | None = None,
    ) -> str:
        return algo or (resume and _algorithm_of_run(resume)) or _DEFAULT

    app = App(help_flags=(), version_flags=())
    app.default(choose)
    try:
        command, bound, *_ = app.parse_known_args(list(words))
    except CycloptsError:
        return _DEFAULT  # the command itself reports what is wrong
    name: str = command(*bound.args, **bound.kwargs)
    return name


def _algorithm_of_run(folder: Path) -> str | None:
    """Return the algorithm of a run; None if it cannot be read, which the script then reports.

    Raises:
        ValueError: there is no such algorithm.
    """
    try:
        name = json.loads((folder / "config.json").read_text(encoding="utf-8"))["algorithm"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    if not isinstance(name, str) or name not in ALGORITHMS:
        allowed = ", ".join(map(repr, ALGORITHMS))
        raise ValueError(
            f"algorithm of the run in {str(folder)!r}: {name!r} is not one of {allowed}"
        )
    return name
