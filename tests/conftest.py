"""Settings of the whole test suite."""

import os

import pytest
from hypothesis import settings

# Small networks on several threads mostly wait for each other; read when PyTorch is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Its assertions are to say what they have compared, as those of the tests do.
pytest.register_assert_rewrite("training_runs")

# The same examples in every run, and no time limits: a busy machine must not fail a test.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("suite")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests unless `-m` says which tests to run."""
    if config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
