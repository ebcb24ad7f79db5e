"""Run the notebook `docs/notebooks/first_steps.ipynb` and write its outputs.

`python docs/tools/make_notebook.py` runs its cells; it needs the extra `notebook`. Edit the cells
in Jupyter or in the file. `tests/extras/notebook` runs them too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "first_steps.ipynb"


def run() -> dict[str, Any]:
    """Return the notebook with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            # The compiler reports its progress on the standard error stream.
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    nbformat.validate(notebook)
    return notebook


if __name__ == "__main__":
    import nbformat as library

    NOTEBOOK.write_text(library.writes(run()) + "\n", encoding="utf-8")
    print(f"wrote {NOTEBOOK}, {NOTEBOOK.stat().st_size / 1000:.0f} kB")
