"""The notebook in the documentation; `tests/extras/notebook` runs it."""

import json
from itertools import chain

from make_notebook import CELLS, NOTEBOOK


def test_the_notebook_has_the_cells_of_its_script_and_their_outputs() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    advice = "run python docs/tools/make_notebook.py"
    assert sources == [source for pair in CELLS for source in pair], advice
    outputs = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(outputs), advice
    data = [each.get("data", {}) for each in chain.from_iterable(outputs)]
    assert sum("image/svg+xml" in each for each in data) >= 2
    assert sum("text/html" in each for each in data) >= 2
    assert NOTEBOOK.stat().st_size < 400_000
