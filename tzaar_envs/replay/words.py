"""What a search found, in words for people."""

from __future__ import annotations

from collections.abc import Iterator

from tzaar_envs.arena.records import MoveData
from tzaar_envs.system.terminal import printable


def value_text(value: float) -> str:
    """Return an expected result, for instance `+0.31`."""
    return f"{round(value, 2) + 0.0:+.2f}"  # never -0.00


def search_facts(data: MoveData) -> Iterator[str]:
    """Yield what a search reported, each fact as one phrase."""
    if data.value is not None:
        proven = " (proven)" if data.proven else ""
        yield f"value {value_text(data.value)}{proven}"
    if data.depth:
        yield f"depth {data.depth}"
    if data.nodes:
        yield f"{data.nodes:,} node{'s' if data.nodes > 1 else ''}"
    if data.seconds is not None:
        yield f"{data.seconds:.2f} s"


def search_text(data: MoveData | None) -> str:
    """Return the facts and the expected line in one line; empty without a search."""
    if data is None:
        return ""
    facts = ", ".join(search_facts(data))
    line = printable(" ".join(data.line))
    return f"{facts}; expects {line}" if facts and line else facts or line
