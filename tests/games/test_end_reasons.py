"""Why a game ended: a code and a sentence, in random games and in picked positions."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from small_games.adding import ADDING
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import MOVE_CAP, OVER
from tzaar_envs.core.state import State


def visible_types(text: str, side: str) -> set[str]:
    """Return the types that a side shows on a board of Tzaar."""
    letters = "ZRT" if side == "White" else "zrt"
    return {letter.upper() for letter in text.split()[0] if letter in letters}


def explains_tzaar(state: State, code: str) -> bool:
    loser = state.game.layout.seat_names[int(state.returns().argmin())]
    types = {"no_tzaar": "Z", "no_tzarra": "R", "no_tott": "T"}
    missing = {"Z", "R", "T"} - visible_types(str(state), loser)
    return missing == {types[code]} if code in types else missing == set()


def explains_turm_und_waechter(state: State, code: str) -> bool:
    board, _, occurrences, plies = str(state).split()
    ranks = board.split("/")
    cases = {
        "guard": "RG" not in board or "BG" not in board,
        "castle": ranks[0].startswith("3BG") or ranks[-1].startswith("3RG"),
        "no_move": bool(state.returns().any()),
        "repetition": occurrences == "3",
        "move_cap": plies == "500",
    }
    return next(case for case, holds in cases.items() if holds) == code


def explains_black_elephant(state: State, code: str) -> bool:
    board, _, areas, *_, clock = str(state).split()
    idle, passes, plies = map(int, clock.split(":"))
    in_play = [
        any(f"{seat}{facing}" in board for facing in "nesw") or areas.split("/")[seat] != "0.0"
        for seat in range(2)
    ]
    cases = {
        "logs": "l" not in board and "*" not in board,
        "elephants": not all(in_play),
        "passes": passes == 2,
        "no_progress": idle == 60,
        "move_cap": plies == 500,
    }
    return next(case for case, holds in cases.items() if holds) == code


EXPLAINS: dict[str, Callable[[State, str], bool]] = {
    "tzaar": explains_tzaar,
    "turm_und_waechter": explains_turm_und_waechter,
    "black_elephant": explains_black_elephant,
    "twenty_one": lambda state, code: code == "last_row",
    "zatre": lambda state, code: code == "empty_bag",
}


@every_game
def test_random_games(game: Game) -> None:
    codes = {reason.code for reason in game.spec.end_reasons} | {MOVE_CAP.code}
    for seed in range(10):
        state, choices = game.new_state(seed), random.Random(seed)
        while not state.is_terminal:
            assert state.end_code is None
            assert state.end_reason is None
            state.apply(int(choices.choice(state.legal_actions())))
        assert state.end_code in codes
        assert EXPLAINS[game.name](state, state.end_code), f"{state.end_code}: {state}"
        assert (state.end_code == MOVE_CAP.code) == state.is_truncated
        assert state.end_reason is not None
        assert state.end_reason.endswith(".")
        assert "{" not in state.end_reason
        read = game.parse(str(state))
        assert (read.end_code, read.end_reason) == (state.end_code, state.end_reason)


@every_game
def test_codes_are_unique_identifiers(game: Game) -> None:
    reasons = [*game.spec.end_reasons, OVER, MOVE_CAP]
    assert len({reason.code for reason in reasons}) == len(reasons)
    assert all(reason.code.isidentifier() and reason.code.islower() for reason in reasons)


SHUFFLE = "A7-A6-1 G1-G2-1 A6-A7-1 G2-G1-1"
TURM_UND_WAECHTER = [
    ("3RG3/3BG3/7/7/7/7/r16 r 1 9", "D7-D6-1", "guard", "Red captured the guard of Blue."),
    ("3RG3/3BG3/7/7/7/7/r16 b 1 9", "D6-D7-1", "guard", "Blue captured the guard of Red."),
    ("r76/7/7/7/7/3RG3/6BG r 1 9", "D2-D1-1", "castle", "The guard of Red reached the castle of"),
    ("3r2BG2/7/7/7/7/3b13/RG6 b 1 9", "E7-D7-1", "castle", "The guard of Blue reached the"),
    ("4r2b1BG/5r2b1/6r2/7/7/RG6/7 r 1 9", "A2-A1-1", "no_move", "Blue has no legal move."),
    ("RG6/7/7/7/7/7/6BG r 2 9", SHUFFLE, "repetition", "The position occurred for the third time."),
    ("RG6/7/7/7/7/7/6BG r 2 496", SHUFFLE, "repetition", "The position occurred for the third"),
    ("RG6/7/7/7/7/7/6BG r 1 499", "A7-A6-1", "move_cap", "The limit of 500 moves ended the game."),
]


def tzaar_position(stacks: str, rest: str) -> str:
    """Return the notation of stacks like `E4Z2`, black ones with small letters."""
    placed = {stack[:2]: stack[2] + stack[3:].replace("1", "") for stack in stacks.split()}
    files = []
    for letter, length in zip("ABCDEFGHI", (5, 6, 7, 8, 8, 8, 7, 6, 5), strict=True):
        files.append(",".join(placed.pop(f"{letter}{n}", ".") for n in _points(letter, length)))
    assert not placed
    return f"{'/'.join(files)} {rest} -"


def _points(letter: str, length: int) -> list[int]:
    """Return the numbers of the points of a file; E5 is the hole."""
    return [n for n in range(1, 10) if n != 5] if letter == "E" else [*range(1, length + 1)]


Z9 = "B4T2 I5Z1 I1R1 A1t1 B1r1 A2z1 B2t1"
Z10 = "B2T2 C3Z1 I1R1 A1t1 B1r1 A2z1"
TZAAR = [
    (tzaar_position("C2Z1 C4T1 F3R1 C6t1 F6z1 H2r1 A1t1", "w 1"), "C4xF6", "no_tzaar", "Black has"),
    (tzaar_position("D2R3 F2Z1 G7T1 D5r3 H1z1 G4t1 B1t1", "w 1"), "D2xD5", "no_tzarra", "Black"),
    (tzaar_position(Z9, "w 1"), "B4xB2 B2xA1", "no_tott", "Black has no visible Tott left."),
    (tzaar_position(Z9, "w 1"), "B4xB2 pass", "no_capture", "Black cannot capture."),
    (tzaar_position(Z10, "w 2"), "B2+C3", "no_tzaar", "White has no visible Tzaar left."),
]


def elephants(fields: dict[str, str], held: str, clock: str, seat: str = "0") -> str:
    """Return the notation of a position of Black Elephant."""
    board = {"G7": "#"} | fields
    ranks = [
        ",".join(board.get(f"{file}{rank}", ".") for file in "ABCDEFG") for rank in range(7, 0, -1)
    ]
    return f"{'/'.join(ranks)} {seat} 0.0/0.0 {held} 0/0 0/0 0/0 D4/D4 {clock}"


TWO = {"C3": "0e", "A6": "1n", "F6": "l"}
BLACK_ELEPHANT = [
    (elephants({"B3": "0e", "A6": "1n", "C3": "l"}, "5/8", "0:0:9"), "B3>C3", "logs", "No beige"),
    (
        elephants({"C4": "0e", "A6": "1n", "F6": "l"}, "4/1", "0:0:9"),
        "C4>D4",
        "elephants",
        "A player",
    ),
    (elephants(TWO, "1/2", "59:0:99"), "C3>C2", "no_progress", "The last 60 actions brought no"),
    (elephants(TWO, "1/2", "59:0:499"), "C3>C2", "no_progress", "The last 60 actions brought no"),
    (elephants(TWO, "1/2", "7:0:499"), "C3>C2", "move_cap", "The limit of 500 moves ended the"),
    (elephants(TWO, "1/2", "5:2:99", "-"), "", "passes", "Both players passed."),
    (elephants(TWO, "1/2", "5:1:99", "-"), "", "over", "The game is over."),
]
PICKED = [
    (name, *case)
    for name, cases in (
        ("turm_und_waechter", TURM_UND_WAECHTER),
        ("tzaar", TZAAR),
        ("black_elephant", BLACK_ELEPHANT),
    )
    for case in cases
]


@pytest.mark.parametrize(("name", "position", "moves", "code", "sentence"), PICKED)
def test_picked_positions(name: str, position: str, moves: str, code: str, sentence: str) -> None:
    state = tzaar_envs.load_game(name).parse(position)
    for move in moves.split():
        assert state.end_code is None
        state.apply(state.parse_action(move))
    assert state.end_code == code
    assert state.end_reason is not None
    assert state.end_reason.startswith(sentence)


def test_a_position_of_zatre_may_be_over_with_tiles_in_the_bag() -> None:
    game = tzaar_envs.load_game("zatre")
    fields = str(game.new_state(1)).split()
    state = game.parse(" ".join([fields[0], "-", "-/-", "-", "-", *fields[5:]]))
    assert (state.end_code, state.end_reason) == ("over", "The game is over.")


def test_a_game_that_declares_nothing() -> None:
    state = ADDING.new_state(1)
    assert state.end_code is None
    while not state.is_terminal:
        state.apply(2)
    assert (state.end_code, state.end_reason) == ("over", "The game is over.")


@every_game
def test_the_documentation_lists_the_codes(game: Game) -> None:
    page = Path(__file__).parents[2] / "docs" / "records.md"
    line = next(
        line
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.casefold().startswith(f"| {game.spec.title} |".casefold())
    )
    assert re.findall(r"`(\w+)`", line) == [reason.code for reason in game.spec.end_reasons]
