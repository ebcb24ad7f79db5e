"""Fixtures of the tests of single games."""

import pytest
from implementations import CompiledRules, ReferenceRules, Rules


@pytest.fixture(params=["reference", "compiled"])
def rules(request: pytest.FixtureRequest) -> Rules:
    """The rules of the game that the test's folder is named after, in both implementations."""
    name = request.path.parent.name
    return ReferenceRules(name) if request.param == "reference" else CompiledRules(name)
