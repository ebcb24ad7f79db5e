"""What is compiled for callers in compiled code, and what for callers in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import function_table

SOURCES = """
def scaled(number, factor):
    return number * factor


def total(number):
    return scaled(number, 2) + scaled(number, 3) + scaled(number, number)
"""

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


class Process:
    """The functions above, decorated as a new process does it."""

    def __init__(self) -> None:
        names: dict[str, Any] = {"__name__": __name__}
        exec(SOURCES, names)
        self.scaled: Any = compiled(names["scaled"])
        names["scaled"] = self.scaled
        self.total: Any = compiled(names["total"])

    @property
    def misses(self) -> tuple[int, int]:
        """How often `scaled` and `total` were compiled."""
        return tuple(sum(each.stats.cache_misses.values()) for each in (self.scaled, self.total))


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Process]]:
    """Start a process, with a cache in `tmp_path / "cache"`."""
    monkeypatch.setattr("tzaar_envs.jit.compile._source_folder", lambda function: tmp_path)
    monkeypatch.setattr("tzaar_envs.jit.compile._cache_folder", lambda source: tmp_path / "cache")
    return Process


def test_constants_are_compiled_once(process: Callable[[], Process]) -> None:
    first = process()
    assert first.total(5) == 50
    assert first.misses == (1, 1)
    again = process()
    assert (again.total(5), again.misses) == (50, (0, 0))


def test_python_may_call_what_was_compiled_for_compiled_code(
    process: Callable[[], Process],
) -> None:
    """It gets an entry point then, which a later process loads for both callers."""
    first = process()
    first.total(5)
    assert first.scaled(4, 5) == 20
    assert first.total(6) == 66
    assert first.misses == (2, 1)
    later = process()
    assert (later.scaled(4, 5), later.total(5), later.misses) == (20, 50, (0, 0))


def test_compiled_code_may_call_what_was_compiled_for_python(
    process: Callable[[], Process],
) -> None:
    first = process()
    assert (first.scaled(4, 5), first.total(5), first.misses) == (20, 50, (1, 1))


def test_a_table_gets_the_address_of_what_was_compiled_for_compiled_code(
    process: Callable[[], Process],
) -> None:
    first = process()
    first.total(5)
    table = function_table([first.scaled], [numba.int64(numba.int64, numba.int64)])
    assert all(table)
    assert len(set(table.tolist())) == 2
