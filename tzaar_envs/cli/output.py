"""Output of the commands: tables, sections, progress."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

_PIPE_WIDTH = 100


def new_console() -> Console:
    """Return the console for tables, which are wider in a file or a pipe."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console


def has_colours() -> bool:
    """Whether the output shows colours."""
    console = Console()
    return console.color_system is not None and not console.no_color


def working(text: str = "Loading the rules; they are compiled at the first use") -> Status:
    """Return a context that shows on a terminal that something takes a while."""
    return Console(stderr=True).status(Text(text))


def table_of(
    columns: Sequence[str] | None, rows: Iterable[Sequence[str]], right: Sequence[str] = ()
) -> Table:
    """Return a table of plain text; nothing in it is read as markup."""
    rows = list(rows)
    table = Table(box=None, pad_edge=False, show_header=columns is not None, header_style="bold")
    for column in [""] * len(rows[0]) if columns is None else columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def print_section(
    console: Console, title: str, columns: Sequence[str] | None, rows: Iterable[Sequence[str]]
) -> None:
    """Print a table under a heading."""
    console.print()
    console.print(Text(title, "bold underline"))
    console.print(table_of(columns, rows))


def shape_text(shape: Iterable[int]) -> str:
    """Return a shape in words, for instance `21 x 9 x 9`."""
    return " x ".join(str(size) for size in shape)


def assignments(values: Mapping[str, Any]) -> str:
    """Return `name=value, …`."""
    return ", ".join(f"{name}={value}" for name, value in values.items())
