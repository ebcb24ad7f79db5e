"""Nim as another package would add it to the suite: the tests install it beside the suite."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.options import Option
from tzaar_envs.core.spec import GameSpec

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules

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


def _load() -> "Rules":
    from nim_game import notation, rules
    from tzaar_envs.core.kernel import Rules

    return Rules(
        state_size=rules.STATE_SIZE,
        reset=rules.reset,
        legal=rules.legal,
        apply=rules.apply,
        observe=rules.observe,
        returns=rules.returns,
        evaluate=rules.evaluate,
        scores=rules.returns,
        format_position=notation.format_position,
        parse_position=notation.parse_position,
        format_action=notation.format_action,
        parse_action=notation.parse_action,
        draw=notation.draw,
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
    load=_load,
    chance=True,
)


def register() -> GameSpec:
    """Return the record, as an entry point may."""
    return SPEC
