"""Markdown documents: their parts, and how they are shown in the terminal and as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, TableDataElement
from rich.text import Text


def plain(text: str) -> str:
    """Return text as one line in which nothing is Markdown or HTML."""
    return re.sub(r"([\\`*_<\[&~#|])", r"\\\1", " ".join(text.split()))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table of plain text; the first `left` columns are text, all others numbers."""
    marks = ["---" if number < left else "---:" for number in range(len(columns))]
    lines = [[*map(plain, columns)], marks, *([*map(plain, row)] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shell(*commands: str) -> str:
    """Return a block of shell commands."""
    return "\n".join(["```sh", *commands, "```"])


def for_terminal(document: str) -> Markdown:
    """Return a Markdown document as a rich renderable."""
    return _TerminalMarkdown(document)


def to_html(document: str, title: str) -> str:
    """Return a Markdown document as one HTML page that needs no other file.

    Args:
        document: Markdown; HTML in it is shown as text.
        title: Title of the page.
    """
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(document)
    return _PAGE.format(title=escape(title), body=body)


class _Cell(TableDataElement):
    """A cell that folds long names instead of cutting them off."""

    def __init__(self, *arguments: str, **keywords: str) -> None:
        super().__init__(*arguments, **keywords)  # type: ignore[arg-type]
        self.content.overflow = "fold"


class _Commands(CodeBlock):
    """Commands without colours and margins, to be copied."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(str(self.text).rstrip(), overflow="fold")


class _TerminalMarkdown(Markdown):
    elements = Markdown.elements | {"td_open": _Cell, "th_open": _Cell, "fence": _Commands}


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
[style*=right] {{ font-variant-numeric: tabular-nums; }}
pre {{ white-space: pre-wrap; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #181818; color: #ddd; }} }}
</style>
</head>
<body>
{body}</body>
</html>
"""
