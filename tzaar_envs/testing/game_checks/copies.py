"""Copies and pickles of positions go on like the original, and independently of it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

from tzaar_envs.core.state import State
from tzaar_envs.testing.finding import sentence_of
from tzaar_envs.testing.game_checks.moment import Moment

_WAYS: dict[str, Callable[[State], State]] = {
    "a clone": State.clone,
    "a deep copy": copy.deepcopy,
    "a pickled copy": lambda state: pickle.loads(pickle.dumps(state)),
}


def copies_go_on_alike(moment: Moment) -> str | None:
    """The same action leads a copy to the same position, and leaves the original alone."""
    state = moment.state
    before = state.words.tolist()
    action = moment.any_action()
    for way, made in _WAYS.items():
        try:
            copied, other = made(state), state.clone()
        except Exception as error:
            return f"making {way} {sentence_of(error)}"
        if copied != state or copied.words.tolist() != before:
            return f"{way} differs from the position"
        if action is not None:
            copied.apply(action)
            other.apply(action)
            if copied.words.tolist() != other.words.tolist():
                return f"{way} goes on differently after action {action}"
    if state.words.tolist() != before:
        return "a copy that goes on changes the original"
    return None
