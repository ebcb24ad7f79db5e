"""A document of headings, sentences and tables: for the terminal, as Markdown and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text


@dataclass(frozen=True)
class Table:
    """Plain text in rows.

    Attributes:
        columns: the headings.
        rows: as many cells each.
        left: how many columns are aligned to the left; all others are numbers.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it: a table, commands to copy, sentences."""

    heading: str
    table: Table | None = None
    sentences: Sequence[str] = ()
    commands: Sequence[str] = ()


@dataclass(frozen=True)
class Document:
    """A title and its sections."""

    title: str
    sections: Sequence[Section]


def for_terminal(document: Document) -> Group:
    """Return the document, to be printed with rich."""
    parts: list[RenderableType] = [Text(document.title, "bold")]
    for section in document.sections:
        parts += [Text(), Text(section.heading, "bold underline")]
        if section.table is not None:
            table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
            for number, column in enumerate(section.table.columns):
                is_text = number < section.table.left
                table.add_column(
                    Text(column), justify="left" if is_text else "right", overflow="fold"
                )
            for row in section.table.rows:
                table.add_row(*map(Text, row))  # an agent's name may look like rich markup
            parts.append(table)
        parts += map(Text, (*section.commands, *section.sentences))
    return Group(*parts)


def to_markdown(document: Document) -> str:
    """Return the document as Markdown."""
    lines = [f"# {_plain(document.title)}"]
    for section in document.sections:
        lines += ["", f"## {_plain(section.heading)}"]
        if section.table is not None:
            table = section.table
            marks = ["---" if n < table.left else "---:" for n in range(len(table.columns))]
            lines += ["", _markdown_row(table.columns), _markdown_row(marks)]
            lines += map(_markdown_row, table.rows)
        if section.commands:
            lines += ["", "```sh", *section.commands, "```"]
        for sentence in section.sentences:
            lines += ["", _plain(sentence)]
    return "\n".join(lines) + "\n"


def to_html(document: Document, figure: str = "") -> str:
    """Return the document as one HTML page that needs no other file.

    Args:
        document: what to show.
        figure: an SVG element, put below the title.
    """
    body = [f"<h1>{escape(document.title)}</h1>", figure]
    for section in document.sections:
        body.append(f"<h2>{escape(section.heading)}</h2>")
        if section.table is not None:
            body.append(_html_table(section.table))
        body += [f"<pre>{escape(command)}</pre>" for command in section.commands]
        body += [f"<p>{escape(sentence)}</p>" for sentence in section.sentences]
    return _PAGE.format(title=escape(document.title), body="\n".join(filter(None, body)))


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ padding: .2em .8em; border-bottom: 1px solid #8886; text-align: left; }}
pre {{ white-space: pre-wrap; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #181818; color: #ddd; }} }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def _html_table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        parts = (
            f"<{tag}{'' if number < table.left else ' class=number'}>{escape(cell)}</{tag}>"
            for number, cell in enumerate(cells)
        )
        return f"<tr>{''.join(parts)}</tr>"

    rows = [row(table.columns, "th"), *(row(cells, "td") for cells in table.rows)]
    return "<table>\n" + "\n".join(rows) + "\n</table>"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_plain(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _plain(text: str) -> str:
    """Return text in which nothing is read as Markdown or HTML."""
    for letter in "\\`*_<[":
        text = text.replace(letter, "\\" + letter)
    return text
