"""The notebook in the documentation; `tests/extras/notebook` runs it."""

import json
from itertools import chain

from make_notebook import NOTEBOOK


def test_the_notebook_has_outputs() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    outputs = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(outputs), "run python docs/tools/make_notebook.py"
    data = [each.get("data", {}) for each in chain.from_iterable(outputs)]
    assert sum("image/svg+xml" in each for each in data) >= 2
    assert sum("text/html" in each for each in data) >= 2
    assert NOTEBOOK.stat().st_size < 400_000
