"""Odd positions of Tzaar, as notation text."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import strategies as st
from reference.tzaar import Reference
from reference.tzaar_board import POINTS, POINTS_OF_FILE

from tzaar_envs.core.game import Game


def _tzaar_text(stacks: dict[str, str], side: str, phase: str, reserve: str) -> str:
    board = "/".join(
        ",".join(stacks.get(point, ".") for point in points) for points in POINTS_OF_FILE.values()
    )
    return f"{board} {side} {phase} {reserve}"


HEIGHTS = st.sampled_from([1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 7, 12, 28])


@st.composite
def tzaar_lonely(draw: st.DrawFn) -> str:
    """One stack of each kind: most of them see no other stack, or only their own colour's."""
    stacks = [stack + draw(st.sampled_from(["", "2"])) for stack in "ZRTzrt"]
    points = draw(st.permutations(POINTS))[: len(stacks)]
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
        st.lists(st.sampled_from(POINTS), min_size=len(stacks), max_size=len(stacks), unique=True)
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
    points = dealer.sample(POINTS, len(taken))
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
    points = dealer.sample(POINTS, len(stacks))
    side = "b" if placed % 2 else "w"
    return _tzaar_text(dict(zip(points, stacks, strict=True)), side, "place", "/".join(reserves))


def positions(game: Game) -> st.SearchStrategy[str]:
    common = st.one_of(tzaar_sparse(), tzaar_lonely(), tzaar_crowded())
    if game.options["setup"] == "tournament":
        return st.one_of(common, tzaar_placing())
    return common


RARE: dict[str, Callable[[Reference], bool]] = {
    "a type is lacking": lambda reference: reference.is_terminal and reference.phase == "2",
    "no capture": lambda reference: (
        reference.is_terminal and set("ZRTzrt") <= set(str(reference).split()[0])
    ),
    "no capture, but a stacking": lambda reference: (
        reference.phase == "2"
        and not reference.is_terminal
        and not reference._can_capture()
        and len(reference.legal_actions()) > 1
    ),
    "a tall stack in play": lambda reference: (
        not reference.is_terminal and any(s.height > 9 for s in reference.board.values())
    ),
    "more than 59 stacks": lambda reference: len(reference.board) == 60,
    "beside the hole": lambda reference: (
        not reference.is_terminal and {"E4", "E6", "D4", "F5"} <= set(reference.board)
    ),
}
