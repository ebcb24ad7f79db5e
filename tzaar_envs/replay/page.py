"""A game as one HTML page that needs no other file and no network.

Pictures make most of it, and are much alike: compressed, a page has about a fifth of the size.
"""

from __future__ import annotations

import base64
import hashlib
import string
import zlib
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from tzaar_envs.render.svg import style_sheet
from tzaar_envs.replay.curve import caption, colours, curve
from tzaar_envs.replay.played_game import PlayedGame
from tzaar_envs.replay.shapes import pictures
from tzaar_envs.replay.words import search_facts, value_text

_FOLDER = Path(__file__).parent
_MOST_VISITS = 8  # actions of a search that the page lists


def game_page(played: PlayedGame) -> str:
    """Return the page of a game."""
    script = _read("page.js")
    data = zlib.compress(msgspec.json.encode(page_data(played)), 9)
    roles = colours(played)
    reports = [data for data in map(played.data, range(played.plies)) if data is not None]
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
        players="".join(_player(played, seat, role) for seat, role in enumerate(roles)),
        moves="".join(_move(played, ply, roles) for ply in range(1, played.plies + 1)),
        curve=_curve(played),
        has_visits="" if any(data.visits for data in reports) else " hidden",
        has_searches="" if reports else " hidden",
        data=base64.b64encode(data).decode(),
    )


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _chip(role: str) -> str:
    style = f"background:var(--tz-{role});border-color:var(--tz-{role}_deep,var(--tz-ink))"
    return f'<i class="chip" style="{style}"></i>'


def _player(played: PlayedGame, seat: int, role: str) -> str:
    record = played.record
    score = ""
    if played.game.spec.score_unit is not None and record.scores is not None:
        score = f" <b>{record.scores[seat]:g}</b>"
    elif record.returns is not None:
        won = record.returns[seat]
        score = f" <b>{'won' if won > 0 else 'lost' if won < 0 else 'draw'}</b>"
    agent = f' <span class="agent">{escape(played.agent(seat))}</span>'
    return f"<li>{_chip(role)}{escape(played.seats[seat])}{agent}{score}</li>"


def _move(played: PlayedGame, ply: int, roles: list[str]) -> str:
    seat, data = played.players[ply - 1], played.data(ply - 1)
    opening = ply <= played.record.opening
    value = "" if data is None or data.value is None else value_text(data.value)
    label = f"{ply}, {played.seats[seat]}: {played.moves[ply - 1]}"
    label += ", random opening" if opening else ""
    label += f", value {value}" if value else ""
    return (
        f'<li><button type="button" data-ply="{ply}" aria-label="{escape(label)}"'
        f'{" class=opening" if opening else ""}><span class="number">{ply}</span>'
        f"{_chip(roles[seat])}<span>{escape(played.moves[ply - 1])}</span>"
        f'<span class="number">{value}</span></button></li>'
    )


def _curve(played: PlayedGame) -> str:
    if not (drawn := curve(played)):
        return ""
    words = escape(caption(played))
    return (
        f'<figure class="curve"><figcaption>{words}</figcaption>'
        f'<div class="axis"><span>+1</span><span>0</span><span>-1</span></div>{drawn}</figure>'
    )


def page_data(played: PlayedGame) -> dict[str, Any]:
    """Return what the script of the page reads: pictures, moves, players, result."""
    moves = []
    for ply, (seat, name) in enumerate(zip(played.players, played.moves, strict=True)):
        moves.append({"seat": seat, "name": name, "search": _search(played, ply)})
    return pictures(played) | {
        "moves": moves,
        "opening": played.record.opening,
        "sides": [played.side(seat) for seat in range(len(played.seats))],
        "end": f"{played.result} {played.reason}".strip(),
    }


def _search(played: PlayedGame, ply: int) -> dict[str, Any] | None:
    """Return what the search before a move found; the most visited actions only."""
    data = played.data(ply)
    if data is None:
        return None
    total = sum(data.visits.values()) or 1
    most = sorted(data.visits.items(), key=lambda entry: -entry[1])
    return {
        "facts": [*search_facts(data)],
        "line": data.line,
        "visits": [[name, count, round(100 * count / total, 1)] for name, count in most][
            :_MOST_VISITS
        ],
        "others": max(0, len(most) - _MOST_VISITS),
    }
