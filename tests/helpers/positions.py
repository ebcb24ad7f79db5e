"""Hypothesis strategies for odd positions of each game, as notation text.

Most can be read, some cannot: that both implementations agree on this is part of the tests. What
stands in `odd_positions/<game>.py`: `positions`, the strategy; `GARBLED`, picked texts; and `RARE`,
predicates on reference positions that prove that the strategy reaches the rare rules.
"""

from __future__ import annotations

import importlib
from typing import Any

from hypothesis import strategies as st

from tzaar_envs.core.game import Game


def odd_positions(game: Game) -> Any:
    """Return the module that knows odd positions of a game."""
    return importlib.import_module(f"odd_positions.{game.name}")


def positions(game: Game) -> st.SearchStrategy[str]:
    """Return odd positions of a game."""
    found: st.SearchStrategy[str] = odd_positions(game).positions(game)
    return found


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
