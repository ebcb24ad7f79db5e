"""A game as one HTML page that needs no other file and no network.

Pictures make most of it, and are much alike: each shape is written once, and the page compresses
them to about a fifth of the size.
"""

from __future__ import annotations

import base64
import hashlib
import string
import zlib
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from tzaar_envs.render.scene import Item, Rect
from tzaar_envs.render.svg import SvgWriter, style_sheet
from tzaar_envs.replay.played_game import PlayedGame, seat_colours
from tzaar_envs.replay.text import search_facts, value_text

_FOLDER = Path(__file__).parent
_MAX_VISITS = 8  # actions of a search that the page lists
_MIDDLE, _REACH = 50.0, 46.0  # of the evaluation curve, in 100 units of height


def game_page(played: PlayedGame) -> str:
    """Return the page of a game."""
    script = _read("page.js")
    moves = [
        {"seat": seat, "name": name, "search": _search(played, ply)}
        for ply, (seat, name) in enumerate(zip(played.players, played.moves, strict=True))
    ]
    data = _pictures(played) | {
        "moves": moves,
        "opening": played.record.opening,
        "sides": played.sides,
        "end": f"{played.result} {played.reason}".strip(),
    }
    colours = seat_colours(played.scene(0), len(played.seats))
    reports = [found for found in map(played.data, range(played.plies)) if found is not None]
    return string.Template(_read("page.html")).substitute(
        title=escape(played.title),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=style_sheet() + _read("page.css"),
        script=script,
        game=escape(played.game.spec.title),
        result=escape(played.result),
        reason=escape(played.reason),
        setting=escape(played.setting),
        plies=played.plies,
        players="".join(_player(played, seat, colour) for seat, colour in enumerate(colours)),
        moves="".join(_move(played, ply, colours) for ply in range(1, played.plies + 1)),
        curve=_curve(played, colours),
        has_visits="" if any(found.visits for found in reports) else " hidden",
        has_searches="" if reports else " hidden",
        data=base64.b64encode(zlib.compress(msgspec.json.encode(data), 9)).decode(),
    )


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _chip(colour: str) -> str:
    style = f"background:var(--tz-{colour});border-color:var(--tz-{colour}_deep,var(--tz-ink))"
    return f'<i class="chip" style="{style}"></i>'


def _player(played: PlayedGame, seat: int, colour: str) -> str:
    record = played.record
    score = ""
    if played.game.spec.score_unit is not None and record.scores is not None:
        score = f" <b>{record.scores[seat]:g}</b>"
    elif record.returns is not None:
        won = record.returns[seat]
        score = f" <b>{'won' if won > 0 else 'lost' if won < 0 else 'draw'}</b>"
    agent = f' <span class="agent">{escape(played.agents[seat])}</span>'
    return f"<li>{_chip(colour)}{escape(played.seats[seat])}{agent}{score}</li>"


def _move(played: PlayedGame, ply: int, colours: list[str]) -> str:
    seat, data = played.players[ply - 1], played.data(ply - 1)
    opening = ply <= played.record.opening
    value = "" if data is None or data.value is None else value_text(data.value)
    label = f"{ply}, {played.seats[seat]}: {played.moves[ply - 1]}"
    label += ", random opening" if opening else ""
    label += f", value {value}" if value else ""
    return (
        f'<li><button type="button" data-ply="{ply}" aria-label="{escape(label)}"'
        f'{" class=opening" if opening else ""}><span class="number">{ply}</span>'
        f"{_chip(colours[seat])}<span>{escape(played.moves[ply - 1])}</span>"
        f'<span class="number">{value}</span></button></li>'
    )


# --- The evaluation curve -------------------------------------------------------------------------


def points(played: PlayedGame) -> list[list[tuple[int, float]]]:
    """Return for every player the positions, by number, and values that its searches reported.

    With two players all values are those of the first one; with more, each player's own.
    """
    signs = [1, -1] if len(played.seats) == 2 else [1] * len(played.seats)
    found: list[list[tuple[int, float]]] = [[] for _ in played.seats]
    for ply, seat in enumerate(played.players):
        data = played.data(ply)
        if data is not None and data.value is not None:
            found[seat].append((ply, data.value * signs[seat]))
    if played.record.returns is not None:
        for line, result, sign in zip(found, played.record.returns, signs, strict=True):
            if line:
                line.append((played.plies, result * sign))
    return found


def _curve(played: PlayedGame, colours: list[str]) -> str:
    """Draw the agents' expectations as an SVG that stretches to any width; empty without."""
    found = points(played)
    if not any(found):
        return ""
    whose = "its own result"
    if len(played.seats) == 2:
        whose = f"the result of {played.seats[0]}"
    caption = escape(f"What each agent expected as {whose}")
    lines = []
    for line, colour in zip(found, colours, strict=True):
        if line:
            heights = (f"{ply} {_MIDDLE - _REACH * value:.1f}" for ply, value in line)
            d = "M" + "L".join(heights) + "h0"
            lines += [
                f'<path class="edge" d="{d}" stroke="var(--tz-{colour}_deep,var(--tz-ink))"/>',
                f'<path class="value" d="{d}" stroke="var(--tz-{colour})"/>',
            ]
    width = max(1, played.plies)
    return (
        f'<figure class="curve"><figcaption>{caption}</figcaption>'
        '<div class="axis"><span>+1</span><span>0</span><span>-1</span></div>'
        f'<svg id="curve" viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{caption}, from -1 to 1; the values are in the list of moves">'
        f'<path class="zero" d="M0 {_MIDDLE:g}H{width}"/>{"".join(lines)}'
        '<path id="cursor" d="M0 0V100"/></svg></figure>'
    )


# --- What the script of the page reads ------------------------------------------------------------


def _search(played: PlayedGame, ply: int) -> dict[str, Any] | None:
    """Return the findings of the search before a move; the most visited actions only."""
    data = played.data(ply)
    if data is None:
        return None
    total = sum(data.visits.values()) or 1
    most = sorted(data.visits.items(), key=lambda entry: -entry[1])
    return {
        "facts": [*search_facts(data)],
        "line": data.line,
        "visits": [[name, count, round(100 * count / total, 1)] for name, count in most][
            :_MAX_VISITS
        ],
        "others": max(0, len(most) - _MAX_VISITS),
    }


def _pictures(played: PlayedGame) -> dict[str, Any]:
    """Return the pictures of a game as lists of numbers of shapes.

    Returns:
        `size`: Width and height. `parts`: Each different shape as SVG, with CSS variables as
        colours. `ground`: The numbers of the lowest shapes of all pictures. `frames`: For each
        position its `title`, the shapes `below` and `above`, and, if the agents' search tried
        actions there, `marks`: what marks them goes on top of each of these layers.
    """
    writer, numbers = SvgWriter(None), dict[str, int]()

    def add(items: Iterable[Item]) -> list[int]:
        return [numbers.setdefault(writer.write(item), len(numbers)) for item in items]

    first = played.scene(0)
    ground = add((Rect(0, 0, first.width, first.height, fill="page"), *first.ground))
    frames = []
    for ply in range(played.plies + 1):
        scene = played.scene(ply)
        own_ground = () if scene.ground == first.ground else scene.ground
        frame: dict[str, object] = {
            "title": scene.title,
            "below": add((*own_ground, *scene.under)),
            "above": add((*scene.pieces, *scene.over)),
        }
        data = played.data(ply)
        if data is not None and data.visits:
            marked = played.scene(ply, visits=True)
            marks = marked.under[len(scene.under) :], marked.over[len(scene.over) :]
            frame["marks"] = [*map(add, marks)]
        frames.append(frame)
    size = [first.width, first.height]
    return {"size": size, "parts": [*numbers], "ground": ground, "frames": frames}
