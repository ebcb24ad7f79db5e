"""Wrap the paragraphs of Markdown pages at 100 columns: `python docs/tools/wrap.py PAGE ...`.

Tables, headings, code and HTML stay as they are; code spans and link texts are not broken.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

WIDTH = 100

_KEPT = ("|", "#", "<", "![")  # beginnings of lines that are not text
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+")
_UNBROKEN = re.compile(r"`[^`]*`|\[[^\]]*\]")
_NO_BREAK = "\0"


def wrapped(text: str) -> str:
    """Return a page with its paragraphs and list items wrapped."""
    lines: list[str] = []
    paragraph: list[str] = []
    in_code = False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        in_code ^= fence
        indented = line.startswith("    ") and not paragraph
        is_text = bool(line.strip()) and not (
            in_code or fence or indented or line.startswith(_KEPT)
        )
        if not is_text or _ITEM.match(line):
            lines += _filled(paragraph)
            paragraph = []
        if is_text:
            paragraph.append(line)
        else:
            lines.append(line)
    return "\n".join([*lines, *_filled(paragraph)])


def _filled(paragraph: list[str]) -> Iterator[str]:
    """Yield the lines of a wrapped paragraph."""
    if not paragraph:
        return
    item = _ITEM.match(paragraph[0])
    text = " ".join([paragraph[0].rstrip(), *(line.strip() for line in paragraph[1:])])
    text = _UNBROKEN.sub(lambda found: found.group().replace(" ", _NO_BREAK), text)
    for line in textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=" " * len(item.group()) if item else "",
        break_long_words=False,
        break_on_hyphens=False,
    ):
        yield line.replace(_NO_BREAK, " ")


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(wrapped(page.read_text(encoding="utf-8")), encoding="utf-8")
