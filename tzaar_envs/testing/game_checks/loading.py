"""Loading: the functions can be compiled, and stay within their arrays.

The game is loaded in a process of its own, since code that writes outside of an array can end it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numba

from tzaar_envs.core.spec import GameSpec
from tzaar_envs.testing import child


def loading_problems(spec: GameSpec, variants: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield why the game cannot be loaded with some options."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return
    try:
        answers, failure = child.run(child.Task(spec, tuple(variants)))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        yield f"the spec cannot be sent to another process, as tournaments do: {error}"
        return
    errors = {answer["error"]: None for answer in answers if "error" in answer}
    yield from errors
    if failure and not errors:
        yield f"a process that loads the game {failure}"
