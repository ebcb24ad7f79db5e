"""Search results, and principal variations in notation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.state import State


@dataclass(frozen=True)
class SearchResult:
    """The result of a search of one position, the same for every kind of search.

    Two results are equal if they differ in nothing but the time they took.

    Attributes:
        action: The action to play.
        value: The expected return of the player to move, -1 to 1; the exact one if `proven`.
        values: The expected return of every player.
        proven: Whether the values are exact, since the search has reached the end of the game.
        depth: Depth in plies. Alpha-beta: the last iteration that was finished, 0 if none was. Tree
            search: the deepest leaf.
        nodes: Alpha-beta: how many positions were reached by playing an action, leaves included.
            Tree search: the size of the tree.
        principal_variation: The best action of each player in turn, beginning with `action`; tree
            search follows the most visited outcome where chance comes with an action.
        simulations: The simulations that a tree search has run; 0 for other searches.
        visits: The number of simulations that took each action, without those that none took;
            empty for other searches than tree search.
        action_values: The expected return of the player to move after each of these actions, and
            after those that are proven; empty for other searches than tree search.
        seconds: The time of the search; positions that were searched together share the time
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
    action_values: Mapping[int, float] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)


class SearchResults(Sequence[SearchResult]):
    """The results of searching `n` positions; as a sequence, a `SearchResult` for each of them.

    Attributes:
        players: int64 `(n,)`, the player to move.
        actions: int64 `(n,)`, the action to play: a proven win, else the secure one.
        visits: int64 `(n, num_actions)`, how many simulations took each action.
        action_values: float64 `(n, num_actions)`, the mean return of the player to move after each
            action, or the proven one; NaN if no simulation took it.
        values: float64 `(n, num_players)`, the mean return of each player, or the proven one.
        proven: bool `(n,)`, whether the values are exact.
        simulations: int64 `(n,)`, how many were run; fewer than allowed if the value was proven.
        playout_moves: int64 `(n,)`, how many actions the playouts have played.
        nodes: int64 `(n,)`, the size of the tree.
        depths: int64 `(n,)`, the depth of the deepest leaf, in plies.
        seconds: float64 `(n,)`, how long each search took; an equal share of the time where
            positions were searched together.
        principal_variations: For each position the best actions in turn, see `SearchResult`.

    Args:
        players: int64 `(n,)`, the player to move in each position.
        num_actions: Number of actions of the game.
        num_players: Number of players of the game.
    """

    def __init__(self, players: NDArray[np.int64], num_actions: int, num_players: int) -> None:
        count = len(players)
        self.players = players
        self.actions = np.zeros(count, np.int64)
        self.visits = np.zeros((count, num_actions), np.int64)
        self.action_values = np.full((count, num_actions), np.nan)
        self.values = np.zeros((count, num_players))
        self.proven = np.zeros(count, np.bool_)
        self.simulations = np.zeros(count, np.int64)
        self.playout_moves = np.zeros(count, np.int64)
        self.nodes = np.zeros(count, np.int64)
        self.depths = np.zeros(count, np.int64)
        self.seconds = np.zeros(count)
        self.principal_variations: list[tuple[int, ...]] = [()] * count

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.actions)

    def __getitem__(self, row: int) -> SearchResult:  # type: ignore[override]
        """Return the result of one position."""
        # The values of an evaluator, and so their means, can exceed the range of returns.
        values = self.values[row].clip(-1.0, 1.0)
        visited = self.visits[row].nonzero()[0]
        valued = np.isfinite(self.action_values[row]).nonzero()[0]
        action_values = self.action_values[row, valued].clip(-1.0, 1.0)
        return SearchResult(
            action=int(self.actions[row]),
            value=float(values[self.players[row]]),
            values=tuple(values.tolist()),
            proven=bool(self.proven[row]),
            depth=int(self.depths[row]),
            nodes=int(self.nodes[row]),
            principal_variation=self.principal_variations[row],
            simulations=int(self.simulations[row]),
            visits=dict(zip(visited.tolist(), self.visits[row, visited].tolist(), strict=True)),
            action_values=dict(zip(valued.tolist(), action_values.tolist(), strict=True)),
            seconds=float(self.seconds[row]),
        )


def variation_names(state: State, actions: Iterable[int]) -> list[str]:
    """Return a variation in notation, as far as it does not depend on chance.

    Args:
        state: The position in which it begins.
        actions: Actions of each player in turn.
    """
    names: list[str] = []
    position = state.clone()
    for action in actions:
        # The search may have assumed another chance outcome, or other hidden information.
        if (names and position.last_outcome) or not position.is_legal(action):
            break
        names.append(position.action_name(action))
        position.apply(action)
    return names
