"""Marks on scenes of any game: last action, legal actions, probabilities, values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tzaar_envs.render import scene as s
from tzaar_envs.render.glyphs import text_width

VALUE_HEIGHT = 40.0  # by which a bar of values makes a picture higher
_LABELS = 4  # how many of the greatest weights are written
_LEAST_LABEL = 0.02  # of the sum
_LABEL = 0.0205  # the height of its digits, as a share of the width of the picture
_BAR, _BAR_TEXT = 26.0, 15.0  # the height of the bar of values, and of the text in it


def with_last(scene: s.Scene, trace: s.Trace) -> s.Scene:
    """Return the scene with a mark for the action that came last."""
    under: list[s.Item] = [_patch(stop, "last", 0.5) for stop in trace.marked]
    over: list[s.Item] = [_outline(stop, "last", 3) for stop in trace.marked[-1:]]
    if trace.arrow:
        over = [_arrow(trace, "last", 5, 0.85)]
    return replace(scene, under=scene.under + tuple(under), over=scene.over + tuple(over))


def with_legal(scene: s.Scene, traces: Iterable[s.Trace]) -> s.Scene:
    """Return the scene with a mark for each action that can be chosen."""
    over: dict[tuple[str, ...], s.Item] = {}
    for trace in traces:
        if trace.arrow:
            over.setdefault(_ids(trace), _arrow(trace, "legal", 3.2, 0.6))
        else:
            for stop in trace.marked:
                over.setdefault((stop.id,), _outline(stop, "legal", 3, inset=2))
    return replace(scene, over=scene.over + tuple(over.values()))


def with_heat(scene: s.Scene, traces: Sequence[s.Trace], weights: Sequence[float]) -> s.Scene:
    """Return the scene with a mark for each action, the stronger the greater its weight.

    Args:
        scene: The scene.
        traces: Traces of the actions.
        weights: Weight of each action, 0 or more: probabilities of a policy, or visits.
    """
    total = math.fsum(weights)
    if total <= 0:
        return scene
    arrows: dict[tuple[str, ...], tuple[s.Trace, float]] = {}
    places: dict[str, tuple[s.Stop, float]] = {}
    for trace, weight in zip(traces, weights, strict=True):
        share = weight / total
        if trace.arrow:
            known = arrows.get(_ids(trace), (trace, 0.0))[1]
            arrows[_ids(trace)] = trace, known + share
        else:
            for stop in trace.marked:
                places[stop.id] = stop, places.get(stop.id, (stop, 0.0))[1] + share
    under: list[s.Item] = []
    over: list[s.Item] = []
    labels: list[tuple[float, list[tuple[float, float]]]] = []
    greatest = max([share for _, share in (*arrows.values(), *places.values())], default=1.0)
    for stop, share in places.values():
        strength = share / greatest
        under.append(_patch(stop, "heat", 0.12 + 0.7 * strength))
        over.append(_outline(stop, "heat", 1 + 2.5 * strength))
        below = stop.h or stop.r
        labels.append((share, [(stop.x, stop.y), (stop.x, stop.y + below)]))
    for trace, share in sorted(arrows.values(), key=lambda entry: entry[1]):
        strength = share / greatest
        over.append(_arrow(trace, "heat", 2 + 6 * strength, 0.3 + 0.6 * strength))
        start, end = trace.stops[0], trace.stops[-1]
        across, down = end.x - start.x, end.y - start.y
        along = [(start.x + at * across, start.y + at * down) for at in (0.5, 0.4, 0.6, 0.3, 0.7)]
        labels.append((share, along))
    marked = replace(scene, under=scene.under + tuple(under), over=scene.over + tuple(over))
    return _labelled(marked, labels)


def _labelled(scene: s.Scene, labels: list[tuple[float, list[tuple[float, float]]]]) -> s.Scene:
    """Return the scene with the greatest shares in percent, where no text is in the way."""
    taken = [s.box_of(text) for text in scene.texts()]
    over: list[s.Item] = []
    for share, places in sorted(labels, key=lambda entry: -entry[0])[:_LABELS]:
        text = f"{100 * share:.0f}%"
        for x, y in places if share >= _LEAST_LABEL else ():
            words = s.Text(x, y, text, _LABEL * scene.width, fill="page", bold=True)
            left, top, right, bottom = s.box_of(words)
            left, top, right, bottom = box = (left - 4, top - 3, right + 4, bottom + 3)
            if not any(overlap(box, other) for other in taken):
                taken.append(box)
                over += [s.Rect(left, top, right - left, bottom - top, "heat", r=5), words]
                break
    return replace(scene, over=scene.over + tuple(over))


def with_values(scene: s.Scene, values: Sequence[float]) -> s.Scene:
    """Return the scene with a bar below that is shared by the players' chances.

    Args:
        scene: The scene.
        values: The expected return of every player, -1 to 1.
    """
    margin, y = 14.0, scene.height + 2
    chances = [max(0.0, (value + 1) / 2) for value in values]
    total = sum(chances) or 1.0
    left, room = margin, scene.width - 2 * margin
    over: list[s.Item] = []
    for side, chance in zip(scene.sides, chances, strict=True):
        width = room * chance / total
        over.append(s.Rect(left, y, width, _BAR, side.fill))
        percent = f"{100 * chance / total:.0f}%"
        for words in (f"{side.name} {percent}", percent):
            if text_width(words, _BAR_TEXT) < width - 10:
                ink = "yellow_ink" if side.fill == "gold" else f"{side.fill}_ink"
                at = left + width / 2, y + _BAR / 2
                over.append(s.Text(*at, words, _BAR_TEXT, ink, bold=True))
                break
        left += width
    over.append(s.Rect(margin, y, room, _BAR, stroke="faint", width=1.5))
    return replace(scene, height=scene.height + VALUE_HEIGHT, over=scene.over + tuple(over))


def overlap(one: s.Box, other: s.Box) -> bool:
    """Return whether two rectangles have an area in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _ids(trace: s.Trace) -> tuple[str, ...]:
    return tuple(stop.id for stop in trace.stops)


def _patch(stop: s.Stop, fill: str, opacity: float) -> s.Item:
    """Return a filled place."""
    r, h = stop.r, stop.h or stop.r
    if stop.square:
        return s.Rect(stop.x - r, stop.y - h, 2 * r, 2 * h, fill, opacity=opacity)
    return s.Circle(stop.x, stop.y, r + 4, fill, opacity=opacity)


def _outline(stop: s.Stop, stroke: str, width: float, inset: float = 0.0) -> s.Item:
    """Return the outline of a place."""
    r, h = (half - width / 2 - inset for half in (stop.r, stop.h or stop.r))
    if stop.square:
        return s.Rect(stop.x - r, stop.y - h, 2 * r, 2 * h, stroke=stroke, width=width, r=5)
    return s.Circle(stop.x, stop.y, r + width, stroke=stroke, width=width)


def _arrow(trace: s.Trace, fill: str, width: float, opacity: float) -> s.Polygon:
    """Return an arrow from the first stop to the last, which reaches into both."""
    start, end = trace.stops[0], trace.stops[-1]
    across, down = end.x - start.x, end.y - start.y
    length = math.hypot(across, down) or 1.0
    ux, uy = across / length, down / length
    first, last = min(start.r * 0.45, length * 0.2), length - min(end.r * 0.35, length * 0.15)
    head = min(width * 2.6 + 4, (last - first) * 0.6)
    half, wide = width / 2, width * 1.3 + 2.5
    along = ((first, half), (last - head, half), (last - head, wide), (last, 0.0))
    outline = [*along, *((at, -side) for at, side in reversed(along[:-1]))]
    points = tuple(
        (
            round(start.x + ux * at - uy * side, 1),
            round(start.y + uy * at + ux * side, 1),
        )
        for at, side in outline
    )
    return s.Polygon(points, fill, "page", 1, opacity)
