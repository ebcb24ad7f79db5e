"""Plots of ratings with their intervals, drawn by matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from tzaar_envs.arena.ratings import Ratings
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.terminal import printable


def draw_ratings(path: Path, ratings: Ratings, title: str) -> None:
    """Write a PNG file with one point and its interval for each agent, whole or not at all."""
    write_atomically(path, _draw(ratings, title, "png"))


def ratings_svg(ratings: Ratings, title: str) -> str:
    """Return the same plot as an SVG element."""
    text = _draw(ratings, title, "svg").decode()
    return text[text.index("<svg") :]


def _draw(ratings: Ratings, title: str, file_format: str) -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    order = ratings.order[::-1]  # the best on top
    rows = range(len(order))
    content = io.BytesIO()
    # Text stays text, and the same ratings give the same file.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "ratings", "text.parse_math": False}
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(8, 1.2 + 0.4 * len(order)), layout="constrained")
        axes = figure.add_subplot()
        intervals = [ratings.half_width(agent) for agent in order]
        axes.errorbar(ratings.elo[order], rows, xerr=intervals, fmt="o", capsize=3)
        axes.set_yticks(rows, [printable(ratings.agents[agent]) for agent in order])
        axes.set(xlabel="Elo, with 95 % intervals", title=title)
        axes.grid(axis="x", alpha=0.3)
        metadata = {"Date": None} if file_format == "svg" else None
        figure.savefig(content, format=file_format, dpi=120, metadata=metadata)
    return content.getvalue()
