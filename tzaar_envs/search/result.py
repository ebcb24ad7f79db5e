"""Search results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SearchResult:
    """What a search found out about one position, the same for every kind of search.

    Two results are equal if they differ in nothing but the time they took.

    Attributes:
        action: the action to play.
        value: the expected return of the player to move, -1 to 1; the exact one if `proven`.
        values: the expected return of every player.
        proven: whether the values are exact, since the search has reached the end of the game.
        depth: in plies. Alpha-beta: the last iteration that was finished, 0 if none was. Tree
            search: the deepest leaf.
        nodes: alpha-beta: how many positions were reached by playing an action, leaves included.
            Tree search: the size of the tree.
        principal_variation: the best action of each player in turn, beginning with `action`; tree
            search follows the most visited outcome where chance comes with an action.
        simulations: how many simulations a tree search has run; 0 for other searches.
        visits: how many simulations took each action, by action, without those that none took;
            empty for other searches than tree search.
        seconds: how long the search took; positions that were searched together share the time
            evenly.
    """

    action: int
    value: float
    values: tuple[float, ...]
    proven: bool
    depth: int
    nodes: int
    principal_variation: tuple[int, ...]
    simulations: int = 0
    visits: Mapping[int, int] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)
