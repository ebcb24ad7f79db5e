"""Nim as text: `4,5,9 a`, and `2-3` takes three matches of the second heap."""

import re

import numpy as np

from nim_game.rules import COUNT, HEAPS, MISERE, STATE_SIZE, update_status
from tzaar_envs.authoring import SEAT


def format_position(state: np.ndarray) -> str:
    """Return the heaps and the seat."""
    heaps = ",".join(str(matches) for matches in state[HEAPS][: state[COUNT]])
    return f"{heaps} {'ab'[state[SEAT]]}"


def parse_position(text: str, options: np.ndarray) -> np.ndarray:
    """Read the heaps and the seat."""
    found = re.fullmatch(rf"([0-9](?:,[0-9]){{{options[0] - 1}}}) ([ab])", text)
    if not found:
        raise ValueError(f"position {text!r}: expected {options[0]} heaps and a or b")
    state = np.zeros(STATE_SIZE, np.int64)
    state[COUNT], state[MISERE] = options
    state[HEAPS][: options[0]] = [int(matches) for matches in found[1].split(",")]
    state[SEAT] = "ab".index(found[2])
    update_status(state)
    return state


def format_action(state: np.ndarray, action: int) -> str:
    """Return heap and matches."""
    return f"{action // 3 + 1}-{action % 3 + 1}"


def parse_action(state: np.ndarray, text: str) -> int:
    """Read heap and matches."""
    found = re.fullmatch(r"([1-5])-([1-3])", text)
    if not found:
        raise ValueError(f"action {text!r}: expected heap and matches, such as 2-3")
    return 3 * (int(found[1]) - 1) + int(found[2]) - 1
