"""Copies of environments and wrappers."""

from __future__ import annotations

import copy
from typing import TypeVar

T = TypeVar("T")


def whole_copy(env: T) -> T:
    """Return a copy that shares no game with the original, for use as `__copy__`.

    The shallow copy of Python would share the game, but not what is remembered about it.
    """
    return copy.deepcopy(env)
