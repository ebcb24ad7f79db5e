"""Twenty One, Steffen Benndorf and Reinhard Staupe, 2017."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from tzaar_envs.core.game import standard_files
from tzaar_envs.core.layout import ActionBlock, Layout, Plane
from tzaar_envs.core.spec import (
    Baseline,
    ChanceMode,
    Dynamics,
    EndReason,
    GameSpec,
    Information,
    Option,
)
from tzaar_envs.rulebook import page_path

MOST_PLAYERS = 6
MOST_LEAD = 24  # points, of an observation
SCORE_UNIT = 25.0  # points: twice a typical lead at the end of a game between greedy players

_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_COLOURS = "0 yellow, 1 blue, 2 white, 3 green, 4 black, 5 red"

# The standard sheets with their rows' colours upside down.
_OTHER_SHEETS = "/".join(
    (
        "K6W5Y4R3G2B1,G5Y5K4B3R2W1,W5R4B4K3Y2G1,B5G4R3Y3W2K1,Y5B4W3G2K2R1",
        "B6K5W4Y3R2G1,W5G5Y4K3B2R1,G5W4R4B3K2Y1,K5B4G3R3Y2W1,R5Y4B3W2G2K1",
        "G6B5K4W3Y2R1,R5W5G4Y3K2B1,Y5G4W4R3B2K1,W5K4B3G3R2Y1,K5R4Y3B2W2G1",
        "R6G5B4K3W2Y1,B5R5W4G3Y2K1,K5Y4G4W3R2B1,Y5W4K3B3G2R1,G5K4R3Y2B2W1",
        "Y6R5G4B3K2W1,K5B5R4W3G2Y1,B5K4Y4G3W2R1,R5Y4W3K3B2G1,W5G4K3R2Y2B1",
        "W6Y5R4G3B2K1,Y5K5B4R3W2G1,R5B4K4Y3G2W1,G5R4Y3W3K2B1,B5W4G3K2R2Y1",
    )
)


def _encode_sheets(text: str) -> tuple[int, ...]:
    """Return the 30 rows of six sheets as integers, see `board.encode_sheets`."""
    from tzaar_envs.games.twenty_one.board import encode_sheets

    return encode_sheets(text)


def common_planes(players: int) -> tuple[Plane, ...]:
    """Return the numbers that are there once; only two of them depend on the players."""
    return (
        Plane("roll_phase", "1 while the active seat is to keep or reroll"),
        Plane("fill_phase", "1 while the seats choose what to enter or strike"),
        Plane(
            "active",
            "number k is 1 if the seat k places after the observer in turn order is active (0: the "
            "observer itself); when the game is over, that of the last turn",
            count=players,
        ),
        Plane(
            "to_decide",
            "number k is 1 if the seat k places after the observer is asked next, in the parallel "
            "environment the first of those who choose at once; zeros when the game is over",
            count=players,
        ),
        Plane(
            "dice",
            f"number 6 * colour + value - 1 is 1 if the die of the colour ({_COLOURS}) shows the "
            "value; when the game is over, the last roll",
            count=36,
        ),
        Plane(
            "numbers",
            "the printed numbers, the same on all sheets: row by row from the top, in each from "
            "the left",
            high=6,
            count=30,
        ),
        Plane("chosen", "1 if the observer has already chosen in this turn"),
        Plane(
            "chosen_positions",
            "the positions of the current row, from the left, that this choice enters; zeros for a "
            "strike, and without a choice",
            count=6,
        ),
    )


# Numbers of a seat's current row: name, description, greatest value, how many.
_ROW_NUMBERS = (
    ("number", "the printed numbers of {row}, from the left", 6, 6),
    (
        "colour",
        "number 6 * position + colour is 1 if {row} has the colour at the position (0 to 5 from "
        "the left)",
        *(1, 36),
    ),
    ("free", "1 where {row} is free", 1, 6),
    ("value", "the values entered in {row}, 0 where there is none", 6, 6),
    ("hit", "1 where the value entered in {row} equals the printed number", 1, 6),
    ("hits", "number h is 1 if {row} has h hits so far", 1, 7),
    (
        "row_points",
        "the sum of the values entered in {row} and the bonus for its hits so far",
        *(57, 1),
    ),
    ("die", "the value of the die that has the colour of each position of {row}", 6, 6),
    (
        "fits",
        "1 where {row} is free and that die is smaller than or equal to the printed number",
        *(1, 6),
    ),
    ("exact", "1 where {row} is free and that die is equal to the printed number", 1, 6),
)


def sheet_planes(name: str, whose: str) -> Iterator[Plane]:
    """Yield the numbers of one seat, as they are before the choices of this turn."""
    yield Plane(
        f"{name}_row",
        f"number r is 1 if the current row of {whose} is the one with index r (0 the top); zeros "
        "if all rows are complete",
        count=5,
    )
    yield Plane(f"{name}_free_fields", f"the free fields on the whole sheet of {whose}", high=30)
    yield Plane(
        f"{name}_row_scores",
        "the points of each complete row, bonus included, from the top; when the game is over, "
        "also those of the incomplete current row; 0 for all other rows",
        high=57,
        count=5,
    )
    yield Plane(
        f"{name}_colours",
        f"the printed colours of the sheet of {whose} ({_COLOURS}): row by row from the top, in "
        "each from the left",
        high=5,
        count=30,
    )
    for part, description, high, count in _ROW_NUMBERS:
        what = description.format(row=f"the current row of {whose}")
        nothing = "zeros" if count > 1 else "0"
        yield Plane(f"{name}_{part}", f"{what}; {nothing} if all rows are complete", high, count)


def lead_planes(name: str, whose: str) -> Iterator[Plane]:
    """Yield the numbers that compare the points of another seat with the observer's."""
    points = "the points of all rows, bonuses so far included, by which"
    present = f"before the choices of this turn, at most {MOST_LEAD}; 0 if it is not"
    entered = f"if both enter all dice that fit, at most {MOST_LEAD}; 0 if it is not"
    for ending, when in (("", present), ("_if_entered", entered)):
        for part, place in (("lead", "ahead of"), ("deficit", "behind")):
            description = f"{points} {whose} is {place} the observer {when}"
            yield Plane(f"{name}_{part}{ending}", description, high=MOST_LEAD)


@functools.cache
def _planes(players: int) -> tuple[Plane, ...]:
    planes = list(common_planes(players))
    planes += sheet_planes("own", "the observer")
    for place, ordinal in enumerate(_ORDINALS[: players - 1], start=1):
        whose = f"the {ordinal} seat after the observer"
        planes += sheet_planes(f"next_{place}", whose)
        planes += lead_planes(f"next_{place}", whose)
    return tuple(planes)


PLANES = _planes(MOST_PLAYERS)  # of the largest game; a smaller one has fewer seats

ACTIONS = (
    ActionBlock(
        "strike", "strike the leftmost free field of the current row", planes=1, on_board=False
    ),
    ActionBlock(
        "enter",
        "index + 1 = the sum of 2 ** position over the positions of the current row (0 to 5 from "
        "the left) where the values of the dice are entered",
        planes=63,
        on_board=False,
    ),
    ActionBlock("keep", "keep the roll", planes=1, on_board=False),
    ActionBlock("reroll", "reroll all dice that do not show 1", planes=1, on_board=False),
)


def _layout(options: Mapping[str, Any]) -> Layout:
    players = options["players"]
    return Layout(
        seat_names=tuple(f"Player {seat}" for seat in range(players)),
        board_shape=(),
        planes=_planes(players),
        actions=ACTIONS,
        max_plies=30 * (players + 1),
    )


SPEC = GameSpec(
    name="twenty_one",
    version=0,
    title="Twenty One",
    summary="Everybody fills rows with the same six dice; exact hits earn a rising bonus.",
    options=(
        Option("players", int, 2, "the number of seats", minimum=2, maximum=MOST_PLAYERS),
        Option(
            "deal",
            str,
            "fixed",
            "how sheets are dealt: sheet A to seat 0, sheet B to seat 1 and so on, or at random",
            choices=("fixed", "random"),
        ),
        Option(
            "sheets",
            str,
            "standard",
            "the six sheets A to F",
            encoder=_encode_sheets,
            syntax="'standard', or six sheets separated by '/', each of five rows separated by "
            "',', each of six fields like Y6: a colour Y, B, W, G, K or R, every one once in a "
            "row, and a number from 1 to 6 that does not rise from left to right; all sheets have "
            "the same numbers, but no two sheets are equal",
            examples=(_OTHER_SHEETS,),
        ),
    ),
    layout=_layout,
    dynamics=Dynamics.SIMULTANEOUS,
    chance_mode=ChanceMode.STOCHASTIC,
    information=Information.IMPERFECT,
    score_unit=SCORE_UNIT,
    end_reasons=(EndReason("last_row", "A player completed the last row."),),
    baselines=(
        Baseline(
            "optimal-solo",
            "the most points from each row, as if playing alone",
            f"{__name__}.optimal_solo:action_values",
        ),
        Baseline(
            "expectimax",
            "the best expected points over all future rolls, less a cost per turn",
            f"{__name__}.expectimax:action_values",
        ),
    ),
    reference_agent="policy:reference",
    ladder=(
        "random",
        "optimal-solo",
        "greedy",
        "expectimax",
        "reference",
        "mcts:ms=100,policy=reference",
    ),
    rules_page=page_path("twenty_one"),
    **standard_files(__name__),
)
