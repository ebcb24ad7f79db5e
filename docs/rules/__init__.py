"""The rulebook: the rules of each game for people, one Markdown page per game.

This folder, `docs/rules`, is imported and installed as `tzaar_envs.rulebook`. A page begins with
how one wins. Its sections are numbered, and the code cites these numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^(#{2,3}) (\d+(?:\.\d+)?)\.? (.+)$")
_COMMENT = re.compile(r"<!--.*?-->\n*", re.DOTALL)
_LEGEND, _MOVES = "Legend", "Moves"


def page_path(game: str) -> Path:
    """Return the file with the rules of a game of the suite."""
    return Path(__file__).resolve().parent / f"{game}.md"


@dataclass(frozen=True)
class Section:
    """A numbered section of a page.

    Attributes:
        number: For instance `3` or `3.2`.
        title: The heading without its number.
        text: Markdown, with the heading and with all subsections.
    """

    number: str
    title: str
    text: str


class RulesPage:
    """The rules of a game.

    Args:
        text: Markdown: a title, a paragraph that says how one wins, numbered sections.

    Attributes:
        text: As given, without comments.
        sections: All sections and subsections, in order.
    """

    def __init__(self, text: str) -> None:
        self.text = _COMMENT.sub("", text)
        self.sections = tuple(_sections(self.text))

    @classmethod
    def read(cls, path: Path) -> RulesPage:
        """Read a page.

        Raises:
            OSError: There is no such file.
        """
        return cls(path.read_text(encoding="utf-8-sig"))

    @property
    def goal(self) -> str:
        """How one wins: the first paragraph, on one line."""
        paragraph = self.text.split("\n\n")[1]
        return " ".join(paragraph.replace("*", "").split())

    @property
    def minute(self) -> str:
        """The rules in a few sentences, on one line; empty if the page has none."""
        paragraphs = self.text.split("\n\n")
        found = next((each for each in paragraphs if each.startswith("**In a minute.**")), "")
        return " ".join(found.replace("*", "").split())

    @property
    def legend(self) -> Section | None:
        """The section that explains how the board is drawn."""
        return self._titled(_LEGEND)

    @property
    def moves(self) -> Section | None:
        """The section that explains the notation of moves."""
        return self._titled(_MOVES)

    def _titled(self, title: str) -> Section | None:
        return next((each for each in self.sections if each.title == title), None)

    def find(self, wanted: str) -> Section:
        """Return the section with a number such as `3.2`, or with a word of its title.

        Raises:
            ValueError: There is none; lists the sections.
        """
        word = wanted.strip().rstrip(".").casefold()
        for section in self.sections:
            if word == section.number:
                return section
        for section in self.sections:
            if word and word in section.title.casefold():
                return section
        titles = "; ".join(f"{section.number} {section.title}" for section in self.sections)
        raise ValueError(
            f"the rules have no section {wanted!r}: use a number or a word of a title: {titles}"
        )

    def contents(self) -> str:
        """Return the numbers and titles of all sections, a line for each."""
        return "\n".join(
            f"{'  ' * each.number.count('.')}{each.number} {each.title}" for each in self.sections
        )


def _sections(text: str) -> list[Section]:
    lines = text.splitlines()
    heads = [(at, match) for at, line in enumerate(lines) if (match := _HEADING.match(line))]
    found = []
    for index, (start, match) in enumerate(heads):
        level = len(match[1])
        ends = (at for at, other in heads[index + 1 :] if len(other[1]) <= level)
        body = "\n".join(lines[start : next(ends, len(lines))]).strip()
        found.append(Section(match[2], match[3], body))
    return found
