"""Problems: what is wrong in an episode, and in which turn."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """A promise that an episode breaks.

    Attributes:
        sentence: what is wrong.
        turns: how many turns lead to it.
    """

    sentence: str
    turns: int
