"""The command `train`: its options come from the training script that `--algo` names."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tzaar_envs.command_line import PROGRAM, GameName, GameOptions, new_app
from tzaar_envs.training import ALGORITHMS, arguments_of, script_of

if TYPE_CHECKING:
    from tzaar_envs.training.common.settings import Settings

_DEFAULT = next(iter(ALGORITHMS))
_LISTING = "\n\n".join(f"{name}: {entry.description}." for name, entry in ALGORITHMS.items())
_CHOICE = Parameter(choices=tuple(ALGORITHMS), show_choices=False)


def train(
    *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    algo: Annotated[str | None, _CHOICE] = None,
    resume: Path | None = None,
) -> None:
    """Train a policy with MaskablePPO, or with another algorithm (`--algo`)."""
    name = algo or _DEFAULT
    if resume is not None and algo is None:
        from tzaar_envs.training.common.run import RunFolder

        name = str(RunFolder(resume).read_config().get("algorithm"))
    app = new_app(f"{PROGRAM} train")
    app.default(command_of(name, _game_among(words)))
    app([*words, f"--algo={name}", *([f"--resume={resume}"] if resume else [])])


def command_of(name: str = _DEFAULT, game: str | None = None) -> Callable[..., None]:
    """Return the command of a training script, whose options are the fields of its settings.

    Args:
        name: The name of the script.
        game: The game whose defaults the options have; None for those of the script.
    """
    script = script_of(name)
    kind: type[Settings] = arguments_of(name)

    def command(
        game: str = "", /, *, option: tuple[str, ...] = (), algo: str = "", settings: Any = None
    ) -> None:
        """Train a policy with MaskablePPO, or with another algorithm (`--algo`)."""
        arguments = kind(**vars(settings or tuned()))
        script.train(dataclasses.replace(arguments, game=game, option=option))

    tuned = _with_defaults(kind, {} if game is None else kind.tuned(game))
    text = f"Training algorithm; the options of {name} are shown here.\n\n{_LISTING}"
    command.__annotations__ = {
        "game": GameName,
        "option": GameOptions,
        "algo": Annotated[str, Parameter(help=text, show_default=lambda _: _DEFAULT), _CHOICE],
        "settings": Annotated[tuned | None, Parameter(name="*", help="Settings of the script.")],
    }
    return command


def _with_defaults(kind: type[Settings], defaults: dict[str, Any]) -> type[Settings]:
    """Return a dataclass of settings with other defaults, and with its annotations evaluated."""
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = [
        (field.name, hints[field.name], defaults.get(field.name, field.default))
        for field in dataclasses.fields(kind)
    ]
    own = {"__module__": kind.__module__}
    return dataclasses.make_dataclass(
        kind.__name__, fields, bases=(kind,), namespace=own, kw_only=True
    )


def _game_among(words: tuple[str, ...]) -> str | None:
    """Return the first of the words that is the name of a game."""
    from tzaar_envs.registry import find_spec

    for word in words:
        try:
            return find_spec(word).name
        except ValueError:
            continue
    return None


def train_words(
    game: str, algorithm: str, settings: Mapping[str, Any], options: Sequence[str] = ()
) -> list[str]:
    """Return the words behind `tzaar-envs` that train with these settings of the script."""
    words = ["train", game, "--algo", algorithm]
    for text in options:
        words += ["--option", text]
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not False:
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    return words
