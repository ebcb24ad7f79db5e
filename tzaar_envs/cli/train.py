"""The command `train`: its options come from the training script that `--algo` names."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tzaar_envs.command_line import PROGRAM, new_app
from tzaar_envs.training.common.algorithms import ALGORITHMS

_DEFAULT = next(iter(ALGORITHMS))
_LISTING = "\n".join(f"{entry.name}: {entry.description}." for entry in ALGORITHMS.values())
_CHOICE = Parameter(choices=tuple(ALGORITHMS), show_choices=False)


def train(
    *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    algo: Annotated[str | None, _CHOICE] = None,
    resume: Path | None = None,
) -> None:
    """Train a policy with MaskablePPO, or with another algorithm (`--algo`)."""
    name = algo or (resume and algorithm_of_run(resume)) or _DEFAULT
    given = [*words] if resume is None else [*words, f"--resume={resume}"]
    app = new_app(f"{PROGRAM} train")
    app.default(_command_of(name, given))
    app([*given, f"--algo={name}"])


def default_command() -> Callable[..., None]:
    """Return the command of the default algorithm, whose words a shell can complete."""
    return _command_of(_DEFAULT, ())


def _command_of(name: str, words: Sequence[str]) -> Callable[..., None]:
    from tzaar_envs.training.common.command import training_command

    script = importlib.import_module(ALGORITHMS[name].module)
    text = f"Training algorithm; the options of {name} are shown here.\n{_LISTING}"
    algo = inspect.Parameter(
        "algo",
        inspect.Parameter.KEYWORD_ONLY,
        default=_DEFAULT,
        annotation=Annotated[str, Parameter(help=text), _CHOICE],
    )
    return training_command(script.Arguments, script.train, words, [algo])


def algorithm_of_run(folder: Path) -> str | None:
    """Return the algorithm of a run; None if it cannot be read, which the script then reports.

    Raises:
        ValueError: There is no such algorithm.
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
