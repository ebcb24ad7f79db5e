"""What a run has learnt: its last evaluation beside its first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tzaar_envs.arena.ratings import wilson


def learning_report(evaluations: Sequence[Mapping[str, Any]], beginning: str) -> str:
    """Return a table of scores before and after reinforcement learning, and what it shows.

    Args:
        evaluations: records with `steps` and `results`: for each baseline and seat the numbers of
            wins, draws and losses.
        beginning: what the policy of the first one is, such as `after the warm start`.
    """
    first, last = evaluations[0], evaluations[-1]
    width = max(len(name) for name in last["results"])
    lines = [f"{'against':{width}}   {beginning} -> after {last['steps']:,} steps"]
    has_learnt = False
    for name, by_seat in last["results"].items():
        before, (_, highest) = _score(first["results"][name])
        after, (lowest, _) = _score(by_seat)
        has_learnt |= lowest > highest
        lines.append(f"{name:{width}}   {before:.0%} -> {after:.0%}")
    if not has_learnt:
        lines.append(
            "Reinforcement learning added nothing that these games show: no score rose by more "
            "than chance explains."
        )
    return "\n".join(lines)


def _score(by_seat: Sequence[Sequence[int]]) -> tuple[float, tuple[float, float]]:
    """Return the points per game, and their 95 % interval."""
    games = sum(map(sum, by_seat))
    points = sum(wins + draws / 2 for wins, draws, _ in by_seat)
    return points / max(1, games), wilson(points, games)
