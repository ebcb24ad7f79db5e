"""Turm & Wächter (Guard & Towers), Christoph Endres, 2000."""

from collections.abc import Mapping
from typing import Any

from tzaar_envs.core.game import standard_files
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.spec import EndReason, GameSpec
from tzaar_envs.rulebook import page_path

PLANES = (
    Plane("own_guard", "the observer's guard"),
    Plane("enemy_guard", "the enemy guard"),
    *(Plane(f"own_tower_{h}", f"own towers of height {h}") for h in range(1, 8)),
    *(Plane(f"enemy_tower_{h}", f"enemy towers of height {h}") for h in range(1, 8)),
    Plane("own_castle", "the castle where the observer's guard started"),
    Plane("enemy_castle", "the castle that the observer's guard wants to reach"),
    Plane("to_move", "everywhere 1 if the observer is to move"),
    Plane("occurrences", "everywhere the number of earlier occurrences of this position", high=2),
    Plane("plies_div_4", "everywhere the plies played, divided by 4 and rounded down", high=125),
    Plane("plies_mod_4", "everywhere the remainder of that division", high=3),
)


def _layout(options: Mapping[str, Any]) -> Layout:
    return Layout(
        seat_names=("Red", "Blue"),
        board_shape=(7, 7),
        planes=PLANES,
        actions=(
            ActionBlock(
                "move",
                "plane = direction * 6 + stones - 1 (direction 0 N, 1 E, 2 S, 3 W; a guard counts "
                "as 1 stone), cell = the start (A1 0, B1 1, ... G7 48)",
                planes=24,
            ),
        ),
        max_plies=500,
    )


SPEC = GameSpec(
    name="turm_und_waechter",
    version=0,
    title="Turm & Wächter",
    summary="Take the enemy guard, or walk your own onto the enemy castle; 7 x 7 fields.",
    options=(),
    layout=_layout,
    end_reasons=(
        EndReason("guard", "{winner} captured the guard of {loser}."),
        EndReason("castle", "The guard of {winner} reached the castle of {loser}."),
        EndReason("no_move", "{loser} has no legal move."),
        EndReason("repetition", "The position occurred for the third time."),
    ),
    ladder=(
        "random",
        "greedy",
        "alphabeta:depth=2",
        "reference",
        "alphabeta:depth=4",
        "alphabeta:depth=6",
        "alphabeta:depth=5,policy=reference",
        "mcts:ms=100,policy=reference",
        "alphabeta:ms=100,policy=reference",
    ),
    rules_page=page_path("turm_und_waechter"),
    **standard_files(__name__),
)
