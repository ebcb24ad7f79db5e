"""What hosts and engines must agree on: the version, commands and their parts."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from tzaar_envs.search.control import SearchLimits

VERSION = 1
LONGEST_LINE = 2**20  # bytes

LEGAL = "legal"
OBSERVATION = "observation"
FEATURES = {
    LEGAL: "the host sends the legal moves before every search",
    OBSERVATION: "the host sends the observation of the player to move before every search",
}
"""What an engine can ask for."""

EMPTY = "<empty>"
"""The value of an option of text that is empty, as in UCI."""

_LARGEST = {"movetime": 10**9, "nodes": 2**62, "depth": 10**6}


class Go(NamedTuple):
    """The parameters of the command `go`.

    Attributes:
        limits: None: the engine's own.
        is_infinite: whether to search until `stop`.
    """

    limits: SearchLimits | None
    is_infinite: bool


def parse_go(text: str) -> Go:
    """Return what follows the word `go`.

    Raises:
        ValueError: says which part is wrong, and what is allowed.
    """
    words = deque(text.split())
    given: dict[str, int] = {}
    is_infinite = False
    while words:
        word = words.popleft()
        if word == "infinite":
            is_infinite = True
            continue
        if word not in _LARGEST:
            raise ValueError(f"go has no parameter {word!r}: use {', '.join(_LARGEST)} or infinite")
        if word in given:
            raise ValueError(f"go: {word} is given twice")
        number = words.popleft() if words else ""
        if not (number.isascii() and number.isdigit()) or not 0 < len(number) < 20:
            raise ValueError(f"go: {word} {number!r} is not a whole number from 1")
        if not 1 <= int(number) <= _LARGEST[word]:
            raise ValueError(f"go: {word} {number} is not a number from 1 to {_LARGEST[word]}")
        given[word] = int(number)
    if is_infinite and given:
        raise ValueError("go: infinite cannot be given with a limit")
    if not given and not is_infinite:
        return Go(None, False)
    limits = SearchLimits(
        given.get("movetime", 0) / 1000, given.get("nodes", 0), given.get("depth", 0)
    )
    return Go(limits, is_infinite)


def format_go(limits: SearchLimits) -> str:
    """Return the command `go`; without limits the engine uses its own."""
    milliseconds = math.ceil(limits.seconds * 1000)
    given = {"movetime": milliseconds, "nodes": limits.nodes, "depth": limits.depth}
    return " ".join(["go", *(f"{name} {value}" for name, value in given.items() if value)])


def format_game(env_id: str, options: Mapping[str, object]) -> str:
    """Return the command `game`."""
    return " ".join(["game", env_id, *(f"{name}={value}" for name, value in options.items())])


def format_value(value: object) -> str:
    """Return the value of an option in one or more words."""
    return str(value) or EMPTY


def format_setoption(name: str, value: str) -> str:
    """Return the command `setoption`."""
    return f"setoption name {name} value {format_value(value)}"


def parse_setoption(text: str) -> tuple[str, str]:
    """Return name and value from what follows the word `setoption`.

    Raises:
        ValueError: it is not `name NAME value VALUE`.
    """
    begin, _, rest = text.partition(" ")
    name, separator, value = rest.partition(" value ")
    if begin != "name" or not separator or not name.strip():
        raise ValueError(
            f"setoption {text!r} is not allowed: use setoption name NAME value VALUE, with the "
            f"value {EMPTY} for an empty text"
        )
    value = value.strip()
    return name.strip(), "" if value == EMPTY else value


def one_line(text: str) -> str:
    """Return a text as one line."""
    return " ".join(text.split())
