"""The evaluation curve: what the agents expected in the course of a game."""

from __future__ import annotations

from tzaar_envs.replay.played_game import PlayedGame

_MIDDLE, _REACH = 50.0, 46.0  # of 100 units of height
_OWN_COLOURS = ("blue", "red", "green", "yellow", "purple", "black")


def colours(played: PlayedGame) -> list[str]:
    """Return the colour role of every player."""
    sides = [side.fill for side in played.positions[0].scene().sides]
    count = len(played.seats)
    return sides if len(sides) == count else [*_OWN_COLOURS * count][:count]


def caption(played: PlayedGame) -> str:
    """Return what the curve shows."""
    if len(played.seats) == 2:
        return f"What each agent expected as the result of {played.seats[0]}"
    return "What each agent expected as its own result"


def points(played: PlayedGame) -> list[list[tuple[int, float]]]:
    """Return for every player the positions, by number, and values that its searches reported.

    With two players all values are those of the first one; with more, each player's own.
    """
    found: list[list[tuple[int, float]]] = [[] for _ in played.seats]
    for ply, seat in enumerate(played.players):
        data = played.data(ply)
        if data is not None and data.value is not None:
            found[seat].append((ply, data.value * _sign(played, seat)))
    if played.record.returns is not None:
        for seat, line in enumerate(found):
            if line:
                line.append((played.plies, played.record.returns[seat] * _sign(played, seat)))
    return found


def _sign(played: PlayedGame, seat: int) -> int:
    return -1 if len(played.seats) == 2 and seat == 1 else 1


def curve(played: PlayedGame) -> str:
    """Return the curve as an SVG element that stretches to any width; empty without values."""
    if not played.has_values:
        return ""
    width = max(1, played.plies)
    lines = []
    for line, role in zip(points(played), colours(played), strict=True):
        if line:
            d = "M" + "L".join(f"{ply} {_height(value):.1f}" for ply, value in line) + "h0"
            lines += [
                f'<path class="edge" d="{d}" stroke="var(--tz-{role}_deep,var(--tz-ink))"/>',
                f'<path class="value" d="{d}" stroke="var(--tz-{role})"/>',
            ]
    return (
        f'<svg id="curve" viewBox="0 0 {width} 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{caption(played)}, from -1 to 1; the values are in the list of moves">'
        f'<path class="zero" d="M0 {_MIDDLE:g}H{width}"/>{"".join(lines)}'
        '<path id="cursor" d="M0 0V100"/></svg>'
    )


def _height(value: float) -> float:
    return _MIDDLE - _REACH * value
