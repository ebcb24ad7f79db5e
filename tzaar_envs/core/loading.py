"""Loading of a game's rules, symmetries and baselines from the modules that hold them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules
    from tzaar_envs.core.layout import Layout
    from tzaar_envs.core.symmetry import Symmetry


def load_standard_files(package: str) -> Rules:
    """Return the code of a game that has the same files as the games of the suite.

    Args:
        package: the name of its folder as it is imported; see `tzaar_envs.games` for the files.
    """
    from tzaar_envs.core.kernel import Rules, nothing_hidden, seat_acts, untold_end

    def module(name: str) -> Any:
        return importlib.import_module(f"{package}.{name}")

    rules, notation = module("rules"), module("notation")
    return Rules(
        state_size=module("board").STATE_SIZE,
        reset=rules.reset,
        legal=rules.legal,
        apply=rules.apply,
        observe=module("features").observe,
        returns=rules.returns,
        evaluate=module("baselines").evaluate,
        scores=getattr(rules, "scores", rules.returns),
        format_position=notation.format_position,
        parse_position=notation.parse_position,
        format_action=notation.format_action,
        parse_action=notation.parse_action,
        draw=module("render").draw,
        determinize=getattr(rules, "determinize", nothing_hidden),
        acting=getattr(rules, "acting", seat_acts),
        end_code=getattr(rules, "end_code", untold_end),
        key_size=getattr(module("board"), "KEY_SIZE", 0),
        log_length=getattr(module("board"), "LOG_LENGTH", 0),
    )


def load_symmetries(package: str, layout: Layout) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game that has a file `symmetries.py`, the identity first.

    Args:
        package: the name of its folder as it is imported.
        layout: the sizes of the game.
    """
    found: tuple[Symmetry, ...]
    found = importlib.import_module(f"{package}.symmetries").symmetries(layout)
    return found
