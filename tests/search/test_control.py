"""Limits of a single search."""

from typing import Any

import pytest

from tzaar_envs.search.control import SearchLimits


@pytest.mark.parametrize(
    "limits",
    [
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"seconds": "1"},
        {"nodes": -1},
        {"nodes": 0.5},  # no search would ever end
        {"nodes": None},
        {"depth": -1},
        {"depth": 1.5},
    ],
)
def test_impossible_limits_are_refused(limits: dict[str, Any]) -> None:
    name = next(iter(limits))
    with pytest.raises(ValueError, match=rf"^{name}=.* is not allowed: use an? \w+, 0 or more$"):
        SearchLimits(**limits)
