"""Named numbers for compiled code: the place of each name in a sequence."""

from collections import namedtuple
from collections.abc import Iterable
from typing import Any

from tzaar_envs.core.layout import Plane


def numbered(names: Iterable[str]) -> Any:
    """Return a named tuple in which each name has its place, from 0.

    Compiled code reads the fields of such a tuple, held in a module constant, as constants.
    """
    names = tuple(names)
    return namedtuple("Numbered", names)(*range(len(names)))


def plane_numbers(planes: Iterable[Plane], prefix: str = "") -> Any:
    """Return a named tuple: for each plane's name the number of its first plane.

    Args:
        planes: consecutive planes (or numbers) of an observation, the first of which gets 0.
        prefix: what the names begin with and the tuple's fields leave out.
    """
    firsts = {}
    first = 0
    for plane in planes:
        firsts[plane.name.removeprefix(prefix)] = first
        first += plane.count
    return namedtuple("PlaneNumbers", firsts)(**firsts)
