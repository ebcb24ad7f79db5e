"""What the page offers: the games with their options and agents, and their rules."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec, Option
from tzaar_envs.registry import find_spec, list_games
from tzaar_envs.rulebook import RulesPage
from tzaar_envs.web.seats import SeatRules

_PICTURE = re.compile(r'<img src="(pictures/\w+\.svg)"[^>]*alt="([^"]*)"[^>]*>')
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_SIZE = re.compile(r'(<svg[^>]*?) width="\d+" height="\d+"')
_INLINE_STYLE = re.compile(r' style="[^"]*"')  # of columns; the page's policy forbids it
_HEADING = re.compile(r"<h([23])>(\d+(?:\.\d+)?)\.? ")


def games(seats: SeatRules) -> list[dict[str, Any]]:
    """Return what the page has to know of every game before it is loaded."""
    return [_game(find_spec(name), seats) for name in list_games()]


def _game(spec: GameSpec, seats: SeatRules) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "summary": spec.summary,
        "goal": _page(spec.rules_page).goal if spec.rules_page is not None else "",
        "options": [_option(option) for option in spec.options],
        "players": _players(spec),
        "hidden": spec.hidden_information,
        "agents": seats.listing(spec),
        "alphabeta": spec.is_deterministic,
        "rules": spec.rules_page is not None,
        "picture": bool(first_picture(spec)),
    }


def _option(option: Option) -> dict[str, Any]:
    kinds = {bool: "bool", int: "int", float: "float", str: "text"}
    return {
        "name": option.name,
        "kind": "choice" if option.choices else kinds[option.type],
        "value": option.default,
        "about": option.description,
        "choices": list(option.choices),
        "least": option.minimum,
        "most": option.maximum,
        "allowed": option.allowed,
    }


def _players(spec: GameSpec) -> dict[str, list[str]]:
    """Return the names of the players, by the value of the option that changes how many they are.

    The key is empty for the defaults.
    """
    found = {"": list(Game(spec).layout.seat_names)}
    for option in spec.options:
        if option.name == "players":
            values = option.choices or range(int(option.minimum or 1), int(option.maximum or 1) + 1)
            for value in values:
                found[str(value)] = list(Game(spec, players=value).layout.seat_names)
    return found


@cache
def _page(path: Path) -> RulesPage:
    return RulesPage.read(path)


def first_picture(spec: GameSpec) -> str:
    """Return the first picture of the rules as SVG in the colours of the page; empty without."""
    if spec.rules_page is None:
        return ""
    found = _PICTURE.search(_page(spec.rules_page).text)
    return _drawn(spec.rules_page.parent, found) if found else ""


def rules(spec: GameSpec) -> str:
    """Return the rules as HTML, with pictures and contents; empty if the game has none.

    The text is that of an installed package, so it is trusted as its code is.
    """
    if spec.rules_page is None:
        return ""
    page = _page(spec.rules_page)
    folder = spec.rules_page.parent
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(page.text)
    body = _PICTURE.sub(lambda found: _drawn(folder, found), body)
    body = _INLINE_STYLE.sub("", body)
    body = _HEADING.sub(r'<h\1 id="rules-\2">\2 ', body)
    contents = "".join(
        f'<li><a href="#rules-{each.number}">{html.escape(f"{each.number} {each.title}")}</a></li>'
        for each in page.sections
        if "." not in each.number
    )
    notation = page.moves
    anchor = f' data-notation="rules-{notation.number}"' if notation else ""
    return f"<article{anchor}><nav aria-label='Contents'><ul>{contents}</ul></nav>{body}</article>"


def _drawn(folder: Path, found: re.Match[str]) -> str:
    """Return a picture of the rules in place of the element that names its file."""
    path = folder / found[1]
    if not path.is_file():
        return html.escape(found[2])
    return _SIZE.sub(r"\1", _STYLE.sub("", path.read_text(encoding="utf-8")), count=1)
