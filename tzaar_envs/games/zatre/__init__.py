"""Zatre, Manfred Schüling."""

from collections.abc import Mapping
from typing import Any

from tzaar_envs.core.game import standard_files
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.spec import Baseline, ChanceMode, EndReason, GameSpec, Information, Option
from tzaar_envs.rulebook import page_path

BY_SEAT = "of each seat, the observer first, then in turn order"

BOARD_PLANES = (
    Plane("cell", "the 193 cells of the board"),
    Plane("light", "the 32 light cells"),
    Plane("start", "the start cell H8"),
    *(Plane(f"tile_{value}", f"tiles of value {value}") for value in range(1, 7)),
    Plane("placed", "cells filled in the current turn"),
    Plane("pending", "the pending cell"),
    Plane(
        "across",
        "on an empty cell, the sum of all tiles that follow it without gap to the left and to the "
        "right; 0 elsewhere",
        high=24,
    ),
    Plane(
        "down",
        "on an empty cell, the sum of all tiles that follow it without gap upwards and downwards; "
        "0 elsewhere",
        high=24,
    ),
    Plane("fitting", "the greatest value that fits on a cell, 0 if none does", high=6),
)
TILE_PLANES = (
    Plane(
        "own_hand",
        "everywhere how many tiles of value 1, of value 2, ... of value 6 the observer holds",
        high=21,
        count=6,
    ),
    Plane(
        "unseen",
        "everywhere how many tiles of value 1, of value 2, ... of value 6 are in the bag and in "
        "the other hands together",
        high=21,
        count=6,
    ),
    Plane("bag", "everywhere the number of tiles in the bag", high=121),
    Plane("last_turn", "everywhere 1 if the bag is empty"),
)


def seat_planes(players: int) -> tuple[Plane, ...]:
    """Return the planes of the single seats."""
    return (
        Plane("hand_size", f"everywhere the number of tiles {BY_SEAT}", high=121, count=players),
        Plane("to_act", f"everywhere 1 if the seat is to act: {BY_SEAT}", count=players),
        Plane(
            "total_div_4",
            "everywhere the sheet total, without a deduction for the hand, divided by 4 and "
            f"rounded down, but at most 127: {BY_SEAT}",
            high=127,
            count=players,
        ),
        Plane(
            "entries",
            "everywhere the number of entries, but at most 127, in the columns x2, 10, 11, 12: "
            f"four planes {BY_SEAT}",
            high=127,
            count=4 * players,
        ),
        Plane(
            "sheet",
            "the first 32 rows of the sheet; the cell of index 4 * (row - 1) + column, where index "
            "= 15 * board row + board column, is for column 0 (x2) 1 if there is a cross, and for "
            "the columns 1 (10), 2 (11), 3 (12) the number of lines, that is the entry divided by "
            f"1, 2, 4; 0 for an empty box and on the cells from index 128 on: {BY_SEAT}",
            high=121,
            count=players,
        ),
    )


def _layout(options: Mapping[str, Any]) -> Layout:
    players = options["players"]
    return Layout(
        seat_names=tuple(f"Player {seat}" for seat in range(players)),
        board_shape=(15, 15),
        planes=BOARD_PLANES + TILE_PLANES + seat_planes(players),
        actions=(
            ActionBlock(
                "lay",
                "plane = value of the tile - 1; cell = 15 * row + column, from the top left",
                planes=6,
            ),
        ),
        max_plies=121,
    )


SPEC = GameSpec(
    name="zatre",
    version=0,
    title="Zatre",
    summary="Lay number tiles in lines of 10, 11 or 12 and fill the score sheet row by row.",
    options=(Option("players", int, 2, "the number of players", minimum=2, maximum=4),),
    layout=_layout,
    end_reasons=(EndReason("empty_bag", "The last tile was drawn, and its turn is over."),),
    chance_mode=ChanceMode.STOCHASTIC,
    information=Information.IMPERFECT,
    score_unit=50,
    baselines=(
        Baseline(
            "turn-search",
            "the first placement of the best turn, by the game's evaluation function",
            f"{__name__}.turn_search:action_values",
        ),
    ),
    ladder=(
        "random",
        "greedy",
        "turn-search",
        "reference",
        "mcts:ms=100,priors=values,policy=reference",
    ),
    rules_page=page_path("zatre"),
    **standard_files(__name__),
)
