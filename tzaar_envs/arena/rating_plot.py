"""Ratings with their intervals as a picture: an SVG element, or a PNG file (needs matplotlib)."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path

from tzaar_envs.arena.ratings import Ratings
from tzaar_envs.system.files import write_atomically

_SCALE, _ROW, _LETTER, _MARGIN = 420, 28, 8, 24  # pixels


def ratings_svg(ratings: Ratings) -> str:
    """Return an SVG element with one line for each agent, the best first."""
    halves = [ratings.half_width(agent) for agent in ratings.order]
    values = [float(ratings.elo[agent]) for agent in ratings.order]
    low = min(value - half for value, half in zip(values, halves, strict=True))
    high = max(value + half for value, half in zip(values, halves, strict=True))
    labels = _LETTER * max(map(len, ratings.agents))
    width = labels + _SCALE + 2 * _MARGIN
    scale = _SCALE / max(high - low, 1.0)

    def x(elo: float) -> str:
        return f"{labels + _MARGIN + (elo - low) * scale:.1f}"

    height = _ROW * (len(values) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="Ratings in Elo with 95 % intervals" width="100%" '
        'font-family="sans-serif" font-size="14" fill="currentColor" stroke="currentColor">'
    ]
    for row, agent in enumerate(ratings.order):
        y = _ROW * row + _ROW / 2
        value, half = values[row], halves[row]
        parts += [
            f'<text x="0" y="{y + 5}" stroke="none">{escape(ratings.agents[agent])}</text>',
            f'<line x1="{x(value - half)}" x2="{x(value + half)}" y1="{y}" y2="{y}"/>',
            f'<circle cx="{x(value)}" cy="{y}" r="4"><title>{value:+.0f} ± {half:.0f}</title>'
            "</circle>",
        ]
    for anchor, elo in (("start", low), ("end", high)):
        parts.append(
            f'<text x="{x(elo)}" y="{height - 8}" text-anchor="{anchor}" stroke="none">'
            f"{elo:+.0f} Elo</text>"
        )
    return "\n".join([*parts, "</svg>"])


def draw_ratings(path: Path, ratings: Ratings, title: str) -> None:
    """Draw one point with its interval for each agent; the file appears whole or not at all."""
    from matplotlib.figure import Figure

    order = ratings.order[::-1]  # the best on top
    figure = Figure(figsize=(8, 1.2 + 0.4 * len(order)), layout="constrained")
    axes = figure.add_subplot()
    axes.errorbar(
        [ratings.elo[agent] for agent in order],
        [*range(len(order))],
        xerr=[ratings.half_width(agent) for agent in order],
        fmt="o",
        capsize=3,
    )
    axes.set_yticks([*range(len(order))], [ratings.agents[agent] for agent in order])
    axes.set_xlabel("Elo, with 95 % intervals")
    axes.set_title(title)
    axes.grid(axis="x", alpha=0.3)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    write_atomically(path, content.getvalue())
