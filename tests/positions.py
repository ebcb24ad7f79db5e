"""Hypothesis strategies for odd positions of each game, as notation text.

Most can be read, some cannot: that both implementations agree on this is part of the tests.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import strategies as st
from reference import turm_und_waechter as turm
from reference import tzaar

from tzaar_envs.core.game import Game

# --- Turm & Wächter ------------------------------------------------------------------------------

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


def turm_positions(game: Game) -> st.SearchStrategy[str]:
    return st.one_of(turm_scattered(), turm_boxed_in(), turm_near_the_castle())


# --- Tzaar ---------------------------------------------------------------------------------------


def _tzaar_text(stacks: dict[str, str], side: str, phase: str, reserve: str) -> str:
    board = "/".join(
        ",".join(stacks.get(point, ".") for point in points)
        for points in tzaar.POINTS_OF_FILE.values()
    )
    return f"{board} {side} {phase} {reserve}"


HEIGHTS = st.sampled_from([1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 7, 12, 28])


@st.composite
def tzaar_lonely(draw: st.DrawFn) -> str:
    """One stack of each kind: most of them see no other stack, or only their own colour's."""
    stacks = [stack + draw(st.sampled_from(["", "2"])) for stack in "ZRTzrt"]
    points = draw(st.permutations(tzaar.POINTS))[: len(stacks)]
    side, phase = draw(st.sampled_from("wb")), draw(st.sampled_from("12"))
    return _tzaar_text(dict(zip(points, stacks, strict=True)), side, phase, "-")


@st.composite
def tzaar_sparse(draw: st.DrawFn) -> str:
    """Few stacks, some of them tall; often a colour has all three types."""
    stacks = []
    for letters in ("ZRT", "zrt"):
        if draw(st.integers(0, 4)):
            stacks += list(letters)
        stacks += draw(st.lists(st.sampled_from(letters), max_size=6))
    points = draw(
        st.lists(
            st.sampled_from(tzaar.POINTS), min_size=len(stacks), max_size=len(stacks), unique=True
        )
    )
    texts = [
        stack + (str(height) if height > 1 else "")
        for stack, height in ((stack, draw(HEIGHTS)) for stack in stacks)
    ]
    side, phase = draw(st.sampled_from("wb")), draw(st.sampled_from(["open", "1", "2"]))
    return _tzaar_text(dict(zip(points, texts, strict=True)), side, phase, "-")


@st.composite
def tzaar_crowded(draw: st.DrawFn) -> str:
    """Up to all 60 pieces dealt at random, as before the opening turn."""
    pieces = ["Z"] * 6 + ["R"] * 9 + ["T"] * 15 + ["z"] * 6 + ["r"] * 9 + ["t"] * 15
    dealer = random.Random(draw(st.integers(0, 2**32)))
    dealer.shuffle(pieces)
    taken = pieces[: draw(st.integers(10, 60))]
    points = dealer.sample(tzaar.POINTS, len(taken))
    side, phase = draw(st.sampled_from(["w open", "w 1", "b 1", "w 2", "b 2"])).split()
    return _tzaar_text(dict(zip(points, taken, strict=True)), side, phase, "-")


@st.composite
def tzaar_placing(draw: st.DrawFn) -> str:
    """A moment of the placement phase of the tournament set-up."""
    dealer = random.Random(draw(st.integers(0, 2**32)))
    placed = draw(st.integers(0, 60))
    stacks: list[str] = []
    reserves = []
    for letters, number in (("ZRT", (placed + 1) // 2), ("zrt", placed // 2)):
        pieces = [letters[0]] * 6 + [letters[1]] * 9 + [letters[2]] * 15
        dealer.shuffle(pieces)
        stacks += pieces[:number]
        reserves.append(".".join(str(pieces[number:].count(letter)) for letter in letters))
    points = dealer.sample(tzaar.POINTS, len(stacks))
    side = "b" if placed % 2 else "w"
    return _tzaar_text(dict(zip(points, stacks, strict=True)), side, "place", "/".join(reserves))


def tzaar_positions(game: Game) -> st.SearchStrategy[str]:
    common = st.one_of(tzaar_sparse(), tzaar_lonely(), tzaar_crowded())
    if game.options["setup"] == "tournament":
        return st.one_of(common, tzaar_placing())
    return common


# --- All games -----------------------------------------------------------------------------------

_POSITIONS: dict[str, Callable[[Game], st.SearchStrategy[str]]] = {
    "turm_und_waechter": turm_positions,
    "tzaar": tzaar_positions,
}


def positions(game: Game) -> st.SearchStrategy[str]:
    """Return odd positions of a game."""
    return _POSITIONS[game.name](game)


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str], alphabet: str) -> str:
    """Return a text with a few characters or whole parts changed, doubled or lost."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        to = min(len(text), at + draw(st.integers(0, 3)))
        put = draw(st.one_of(st.text(alphabet, max_size=3), st.text(max_size=2)))
        text = draw(
            st.sampled_from(
                [text[:at] + put + text[to:], text[:to] + text[at:], text[:at], text[at:]]
            )
        )
    return text
