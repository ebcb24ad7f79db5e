"""The notebook in the documentation, run by a real kernel."""

from __future__ import annotations

import json
from typing import Any

from make_notebook import NOTEBOOK, run


def outputs(notebook: Any) -> list[Any]:
    return [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_runs_and_shows_what_it_says() -> None:
    written = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    found = json.loads(json.dumps(run()))
    for new, old in zip(outputs(found), outputs(written), strict=True):
        assert [each["output_type"] for each in new] == [each["output_type"] for each in old]
        texts = ["".join(each["text"]) for each in new if "text" in each]
        assert texts == ["".join(each["text"]) for each in old if "text" in each]
