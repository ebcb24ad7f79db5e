"""Tzaar, Kris Burm, 2007."""

from collections.abc import Mapping
from typing import Any

from tzaar_envs.core.game import standard_files
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.spec import ChanceMode, EndReason, GameSpec, Option
from tzaar_envs.rulebook import page_path

TYPES = ("tzaar", "tzarra", "tott")
PIECES = (6, 9, 15)  # of each colour

PLANES = (
    Plane("points", "the 60 points of the board"),
    *(Plane(f"own_{kind}", f"own stacks with a {kind} on top") for kind in TYPES),
    *(Plane(f"enemy_{kind}", f"enemy stacks with a {kind} on top") for kind in TYPES),
    Plane("own_height", "the heights of the own stacks", high=30),
    Plane("enemy_height", "the heights of the enemy stacks", high=30),
    *(Plane(f"own_height_{h}", f"own stacks of height {h} or more") for h in range(2, 6)),
    *(Plane(f"enemy_height_{h}", f"enemy stacks of height {h} or more") for h in range(2, 6)),
    Plane("to_act", "everywhere 1 if the observer is to act"),
    Plane("opening", "everywhere 1 in White's opening turn"),
    Plane("action_1", "everywhere 1 before the first action of any later turn"),
    Plane("action_2", "everywhere 1 before the second action of a turn"),
)
RESERVE_PLANES = tuple(
    Plane(
        f"{owner}_reserve_{kind}", f"everywhere the {owner} {kind}s still to be placed", high=high
    )
    for owner in ("own", "enemy")
    for kind, high in zip(TYPES, PIECES, strict=True)
)

MOVE = ActionBlock(
    "move",
    "plane = direction 0 N, 1 NE, 2 SE, 3 S, 4 SW, 5 NW; cell = the start, 9 * j + i on the "
    "skewed grid; a capture if the target is an enemy stack, else a stacking",
    planes=6,
)
PASS = ActionBlock("pass", "do not use the second action of a turn", planes=1, on_board=False)
PLACE = ActionBlock("place", "plane = 0 Tzaar, 1 Tzarra, 2 Tott; cell = the target", planes=3)


def _layout(options: Mapping[str, Any]) -> Layout:
    placement = options["setup"] == "tournament"
    return Layout(
        seat_names=("White", "Black"),
        board_shape=(9, 9),
        planes=PLANES + (RESERVE_PLANES if placement else ()),
        actions=(MOVE, PASS, PLACE) if placement else (MOVE, PASS),
        max_plies=169 if placement else 109,
    )


SPEC = GameSpec(
    name="tzaar",
    version=0,
    title="Tzaar",
    summary="Capture, then capture again or grow; keep all three types of pieces in play.",
    options=(
        Option(
            "setup",
            str,
            "random",
            "how the pieces are set up: dealt at random, in the official fixed positions, or "
            "placed by the players in turn",
            choices=("random", "fixed", "tournament"),
        ),
    ),
    layout=_layout,
    end_reasons=(
        EndReason("no_tzaar", "{loser} has no visible Tzaar left."),
        EndReason("no_tzarra", "{loser} has no visible Tzarra left."),
        EndReason("no_tott", "{loser} has no visible Tott left."),
        EndReason("no_capture", "{loser} cannot capture."),
    ),
    chance_mode=ChanceMode.SETUP,
    ladder=(
        "random",
        "greedy",
        "alphabeta:depth=2",
        "reference",
        "alphabeta:depth=4",
        "mcts:simulations=4000,policy=reference",
        "mcts:ms=100,policy=reference",
        "alphabeta:ms=100,policy=reference",
    ),
    rules_page=page_path("tzaar"),
    **standard_files(__name__),
)
