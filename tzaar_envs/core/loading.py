"""Loading of a game from its files: rules, symmetries, and the paths of its data."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules
    from tzaar_envs.core.layout import Layout
    from tzaar_envs.core.symmetry import Symmetry

_MISSING = object()


class StandardFiles(TypedDict):
    """The arguments of a `GameSpec` that follow from where the game's files are."""

    load: Callable[[Layout], Rules]
    symmetries: Callable[[Layout], tuple[Symmetry, ...]] | None
    ratings: Path
    reference: Path


def standard_files(package: str) -> StandardFiles:
    """Return the arguments of a `GameSpec` for a game whose files have the standard names.

    Args:
        package: the `__name__` of the package, or of the only module, that holds the game; see
            `load_standard_files`. Its folder may hold `ratings.json` and `reference.safetensors`,
            and, in a package, `symmetries.py`.
    """
    folder = _folder(package)
    has_symmetries = _has_file(package, "symmetries") or hasattr(sys.modules[package], "symmetries")
    return {
        "load": functools.partial(load_standard_files, package),
        "symmetries": functools.partial(load_symmetries, package) if has_symmetries else None,
        "ratings": folder / "ratings.json",
        "reference": folder / "reference.safetensors",
    }


def load_standard_files(package: str, layout: Layout) -> Rules:
    """Return the rules of a game, from the names that its modules define.

    A package has the files below, or fewer: what is not in its own file is looked for in
    `rules.py`, then in `__init__.py`. A game can also be a single module. What is not defined at
    all has the default.

    | file           | name                            | default                                   |
    |----------------|---------------------------------|-------------------------------------------|
    | `board.py`     | `STATE_SIZE`                    | required                                  |
    |                | `KEY_SIZE`, `LOG_LENGTH`        | 0: all words tell positions apart         |
    |                | `FIELDS`                        | one field of all words, see `core.fields` |
    | `rules.py`     | `reset`, `legal`, `apply`       | required                                  |
    |                | `scores`                        | `returns`                                 |
    |                | `returns`                       | from `scores`: the highest score wins     |
    |                | `determinize`                   | nothing is hidden                         |
    |                | `acting`                        | one player acts at a time                 |
    |                | `end_code`                      | untold: `over`, or `move_cap`             |
    |                | `begin`                         | nothing follows from `FIELDS`             |
    | `notation.py`  | `format_position`,              | from `FIELDS` and `begin`, see            |
    |                | `parse_position`                | `core.defaults.DefaultNotation`           |
    |                | `format_action`, `parse_action` | from the layout's action blocks           |
    | `features.py`  | `observe`                       | required                                  |
    | `baselines.py` | `evaluate`                      | 0 while the game runs, then the return    |
    | `render.py`    | `draw`                          | the fields; required with `determinize`   |
    | `scene.py`     | `scene`                         | the fields; required with `determinize`   |
    |                | `trace`                         | cells and block names of the layout       |

    The signatures of the compiled functions are those of `core.kernel`.

    Args:
        package: the name of the package or module, as it is imported.
        layout: the layout of the game.

    Raises:
        ValueError: something that is required is missing.
    """
    from tzaar_envs.core.default_scene import DefaultScene
    from tzaar_envs.core.defaults import DefaultNotation, neutral_evaluation, returns_from_scores
    from tzaar_envs.core.fields import all_words
    from tzaar_envs.core.kernel import HEADER, Rules, nothing_hidden, seat_acts, untold_end

    def find(file: str, name: str, default: Any = _MISSING) -> Any:
        found = _find(package, file, name, default)
        if found is _MISSING:
            raise ValueError(f"the game in {package!r} does not define {name!r}, which is required")
        return found

    folder = _folder(package)
    state_size, reset = find("board", "STATE_SIZE"), find("rules", "reset")
    scores, returns = find("rules", "scores", None), find("rules", "returns", None)
    if returns is None:
        if scores is None:
            raise ValueError(f"the game in {package!r} defines neither 'returns' nor 'scores'")
        returns = returns_from_scores(scores, package, folder)
    determinize = find("rules", "determinize", None)
    fields = find("board", "FIELDS", None) or all_words(HEADER, state_size)
    begin = find("rules", "begin", None)
    text = DefaultNotation(layout, fields, state_size, reset, returns, begin)
    picture = DefaultScene(layout, fields, returns)
    players = len(layout.seat_names)
    evaluate = find("baselines", "evaluate", None)
    return Rules(
        state_size=state_size,
        reset=reset,
        legal=find("rules", "legal"),
        apply=find("rules", "apply"),
        observe=find("features", "observe"),
        returns=returns,
        evaluate=evaluate or neutral_evaluation(returns, players, package, folder),
        scores=scores or returns,
        format_position=find("notation", "format_position", text.format_position),
        parse_position=find("notation", "parse_position", text.parse_position),
        format_action=find("notation", "format_action", text.format_action),
        parse_action=find("notation", "parse_action", text.parse_action),
        # The default drawings show everything.
        draw=find("render", "draw", _MISSING if determinize else text.draw),
        determinize=determinize or nothing_hidden,
        acting=find("rules", "acting", seat_acts),
        end_code=find("rules", "end_code", untold_end),
        scene=find("scene", "scene", _MISSING if determinize else picture.scene),
        trace=find("scene", "trace", picture.trace),
        key_size=find("board", "KEY_SIZE", 0),
        log_length=find("board", "LOG_LENGTH", 0),
    )


def load_symmetries(package: str, layout: Layout) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game, the identity first: `symmetries` of its `symmetries.py`.

    Args:
        package: the name of the package or module, as it is imported.
        layout: the layout of the game.
    """
    found: tuple[Symmetry, ...] = _find(package, "symmetries", "symmetries", None)(layout)
    return found


def _folder(package: str) -> Path:
    file = sys.modules[package].__file__
    assert file is not None  # a game is not a namespace package
    return Path(file).resolve().parent


def _has_file(package: str, file: str) -> bool:
    is_package = hasattr(sys.modules[package], "__path__")
    return is_package and importlib.util.find_spec(f"{package}.{file}") is not None


def _find(package: str, file: str, name: str, default: Any) -> Any:
    """Return what a game defines under a name, the default if nothing."""
    whole = importlib.import_module(package)
    files = [each for each in (file, "rules") if _has_file(package, each)]
    for module in (*(importlib.import_module(f"{package}.{each}") for each in files), whole):
        if hasattr(module, name):
            return getattr(module, name)
    return default
