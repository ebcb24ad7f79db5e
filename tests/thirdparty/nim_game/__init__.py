"""Nim, a game with options and a notation of its own, as a package outside of the suite."""

from collections.abc import Mapping
from typing import Any

from tzaar_envs.authoring import (
    ActionBlock,
    ChanceMode,
    GameSpec,
    Layout,
    Option,
    Plane,
    standard_files,
)

MOST_TAKEN = 3


def _layout(options: Mapping[str, Any]) -> Layout:
    heaps = options["heaps"]
    return Layout(
        seat_names=("First", "Second"),
        board_shape=(),
        planes=(
            Plane("observer", "1 for the first seat, 2 for the second", high=2),
            Plane("to_act", "1 if the observer is to act"),
            *(Plane(f"heap_{heap}", "the matches of a heap", high=9) for heap in range(heaps)),
        ),
        actions=(
            ActionBlock(
                "take", "heap * 3 + matches - 1", planes=MOST_TAKEN * heaps, on_board=False
            ),
        ),
        max_plies=9 * heaps,
    )


SPEC = GameSpec(
    name="nim",
    version=3,
    title="Nim",
    summary="Take up to three matches of a heap; the last match decides.",
    options=(
        Option("heaps", int, 3, "how many heaps there are", minimum=1, maximum=5),
        Option("misere", bool, False, "the last match loses instead of winning"),
    ),
    layout=_layout,
    chance_mode=ChanceMode.SETUP,
    **standard_files(__name__),
)


def register() -> GameSpec:
    """Return the spec; an entry point may also be a function."""
    return SPEC
