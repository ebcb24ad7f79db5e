"""Why a game ended: a code and a sentence, in random games and in picked positions."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

from variants import every_game

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import MOVE_CAP
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
def test_the_documentation_lists_the_codes(game: Game) -> None:
    page = Path(__file__).parents[2] / "docs" / "records.md"
    line = next(
        line
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.casefold().startswith(f"| {game.spec.title} |".casefold())
    )
    assert re.findall(r"`(\w+)`", line) == [reason.code for reason in game.spec.end_reasons]
