"""Odd positions of Turm & Wächter, as notation text."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st
from reference import turm_und_waechter as turm

from tzaar_envs.core.game import Game

TURM_FIELDS = [turm.Field(file, rank) for rank in range(7) for file in range(7)]
OCCURRENCES = st.integers(1, 3)
PLIES = st.one_of(st.integers(495, 500), st.integers(0, 500))


def _turm_text(figures: dict[turm.Field, str], side: str, occurrences: int, plies: int) -> str:
    ranks = [
        "".join(figures.get(turm.Field(file, rank), "1") for file in range(7))
        for rank in reversed(range(7))
    ]
    return f"{'/'.join(ranks)} {side} {occurrences} {plies}"


@st.composite
def turm_scattered(draw: st.DrawFn) -> str:
    """Figures anywhere: few or many, flat or tall, with or without guards."""
    figures = []
    for side in "rb":
        if draw(st.integers(0, 9)):
            figures.append(f"{side.upper()}G")
        left = 7
        for height in draw(st.lists(st.integers(1, 7), max_size=7)):
            if height <= left:
                figures.append(f"{side}{height}")
                left -= height
    fields = draw(
        st.lists(
            st.sampled_from(TURM_FIELDS),
            min_size=len(figures),
            max_size=len(figures),
            unique=True,
        )
    )
    side = draw(st.sampled_from("rb"))
    return _turm_text(dict(zip(fields, figures, strict=True)), side, draw(OCCURRENCES), draw(PLIES))


@st.composite
def turm_boxed_in(draw: st.DrawFn) -> str:
    """A guard in a corner behind two own stones, and enemy towers around them, tall or flat."""
    own, enemy = draw(st.permutations("rb"))
    file = draw(st.sampled_from([0, 6]))
    rank = draw(st.sampled_from([0, 6]))
    inwards = 1 if file == 0 else -1
    away = 1 if rank == 0 else -1
    flat = draw(st.integers(0, 3))  # one of the three towers may be flat enough to be taken
    heights = [1 if index == flat else 2 for index in range(3)]
    enemy_guard = draw(st.sampled_from(TURM_FIELDS))
    figures = {
        enemy_guard: f"{enemy.upper()}G",
        turm.Field(file, rank): f"{own.upper()}G",
        turm.Field(file + inwards, rank): f"{own}1",
        turm.Field(file, rank + away): f"{own}1",
        turm.Field(file + 2 * inwards, rank): f"{enemy}{heights[0]}",
        turm.Field(file + inwards, rank + away): f"{enemy}{heights[1]}",
        turm.Field(file, rank + 2 * away): f"{enemy}{heights[2]}",
    }
    return _turm_text(figures, draw(st.sampled_from("rb")), draw(OCCURRENCES), draw(PLIES))


@st.composite
def turm_near_the_castle(draw: st.DrawFn) -> str:
    """Each guard on or near the castle that it wants to reach, or on its own."""
    fields = st.sampled_from(
        [turm.Field(file, rank) for file in (2, 3, 4) for rank in (0, 1, 5, 6)]
    )
    castles = st.sampled_from(list(turm.CASTLE.values()))
    figures = {draw(fields): draw(st.sampled_from(["r2", "b2", "r1", "b1"]))}
    for guard in ("RG", "BG"):
        figures[draw(st.one_of(fields, castles))] = guard
    return _turm_text(figures, draw(st.sampled_from("rb")), draw(OCCURRENCES), draw(PLIES))


def positions(game: Game) -> st.SearchStrategy[str]:
    return st.one_of(turm_scattered(), turm_boxed_in(), turm_near_the_castle())


def turm_figures(reference: turm.Reference) -> set[str]:
    return set(re.findall("RG|BG|[rb][1-7]", str(reference)))


def reference_can_move(reference: turm.Reference) -> bool:
    return any(reference._moves())


RARE: dict[str, Callable[[turm.Reference], bool]] = {
    "no legal move": lambda reference: (
        "BG" in turm_figures(reference)
        and str(reference).split()[1] == "r"
        and reference.returns() == [-1.0, 1.0]
        and not reference_can_move(reference)
    ),
    "third occurrence": lambda reference: (
        reference.is_terminal and not reference.is_truncated and reference.returns() == [0.0, 0.0]
    ),
    "move cap": lambda reference: reference.is_truncated,
    "one ply before the cap": lambda reference: (
        not reference.is_terminal and str(reference).endswith(" 499")
    ),
    "six stones together": lambda reference: any(
        reference.action_name(action).endswith("-6") for action in reference.legal_actions()
    ),
    "seven stones": lambda reference: (
        not reference.is_terminal and bool({"r7", "b7"} & turm_figures(reference))
    ),
    "a guard on the enemy castle": lambda reference: (
        reference.is_terminal and str(reference).split()[0].split("/")[6].startswith("3RG")
    ),
    "a captured guard": lambda reference: "RG" not in turm_figures(reference),
}
