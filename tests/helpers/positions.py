"""Hypothesis strategies for odd positions of each game, as notation text.

Most can be read, some cannot: that both implementations agree on this is part of the tests. What
stands in `odd_positions/<game>.py`: `positions`, the strategy, and `RARE`, predicates on reference
positions that prove that the strategy reaches the rare rules. `garbled.toml` has picked texts.
"""

from __future__ import annotations

import importlib
import random
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


# Digits, spaces and letters that Python takes for others, or that end a text.
_UNUSUAL = "\0\n\t\u00a0\u00b2\u00bd\u0131\u0661\u07c1\u1e9e\u2003\u4e00\uff11\U0001d7d8"


def garbled(dealer: random.Random, text: str, alphabet: str) -> str:
    """Return a text with a few characters or whole parts changed, doubled or lost."""
    for _ in range(dealer.randint(1, 3)):
        at = dealer.randint(0, len(text))
        to = min(len(text), at + dealer.randint(0, 3))
        characters = dealer.choice([alphabet, alphabet, _UNUSUAL])
        put = "".join(dealer.choices(characters, k=dealer.randint(0, 3)))
        changed = text[:at] + put + text[to:]
        text = dealer.choice([changed, changed, text[:to] + text[at:], text[:at], text[at:]])
    return text
