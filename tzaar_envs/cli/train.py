"""`tzaar-envs train`: its options come from the training script that `--algo` names."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from tzaar_envs.cli.arguments import choice_reader


def train() -> None:
    """Train a policy, with MaskablePPO or what `--algo` names (needs the extra sb3)."""
    # Only for the list of commands: `load_train_command` makes the one that is run.


def load_train_command(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that a training script describes, and the words for it."""
    from tzaar_envs.training.common.algorithms import ALGORITHMS
    from tzaar_envs.training.common.command import training_command

    chosen, words = _take_word("--algo", words)
    resumed, _ = _take_word("--resume", words)
    name = chosen
    if name is None and resumed:
        name = _algorithm_of_run(Path(resumed))
    if name is None:
        name = next(iter(ALGORITHMS))
    choice_reader("--algo", tuple(ALGORITHMS))(name)
    script = importlib.import_module(ALGORITHMS[name].module)
    others = "\n\n".join(
        f"--algo {algorithm.name}: {algorithm.description}" for algorithm in ALGORITHMS.values()
    )
    epilog = f"These are the options of --algo {name}. There are\n\n{others}"
    return training_command(script.Arguments, script.train, words, epilog), words


def _take_word(flag: str, words: list[str]) -> tuple[str | None, list[str]]:
    """Return what follows a flag, None without it, and the other words."""
    for index, word in enumerate(words):
        found, equals, value = word.partition("=")
        if found == flag:
            after = index + 1 if equals else index + 2
            given = value if equals else "".join(words[index + 1 : after])
            return given, words[:index] + words[after:]
    return None, words


def _algorithm_of_run(folder: Path) -> str | None:
    """Return which script has made a run; None if that cannot be read, the script says why."""
    import json

    try:
        name = json.loads((folder / "config.json").read_text(encoding="utf-8"))["algorithm"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return name if isinstance(name, str) else None
