"""The ways in which things are copied."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda it: pickle.loads(pickle.dumps(it)),
}
in_every_way = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
