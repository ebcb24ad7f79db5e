"""A tree search of one position that goes on as long as somebody looks at it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tzaar_envs.core.state import State
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.search.budget import Budget
from tzaar_envs.search.leaf_network import no_network
from tzaar_envs.search.mcts.results import new_results, read_tree
from tzaar_envs.search.mcts.search import Mcts
from tzaar_envs.search.mcts.simulation import simulate
from tzaar_envs.search.mcts.tree import (
    DEEPEST,
    DETERMINISTIC,
    NODES,
    NONE,
    add_node,
    enlarged,
    new_tree,
)
from tzaar_envs.search.mcts.workspace import new_path, new_scratch
from tzaar_envs.search.result import SearchResult

_FIRST_ROOM = 1024
_UNLIMITED = 2**62


@dataclass(frozen=True)
class ActionReport:
    """What a search found about one action.

    Attributes:
        visits: how many simulations took it.
        value: the expected return of the player to move; None if no simulation took it.
    """

    visits: int
    value: float | None


class GrowingSearch:
    """A tree search of one position, in steps.

    Args:
        state: the position; its game is not over.
        seed: fixes the playouts.
        **options: see `search.options.MCTS_OPTIONS`; budget, threads and `reuse` do not matter.

    Raises:
        ValueError: the game is over, or an option is not allowed.
    """

    def __init__(self, state: State, seed: int = 0, **options: Any) -> None:
        if state.is_terminal:
            raise ValueError("there is no legal action: the game is over")
        self._state = state.clone()
        self._settings = Mcts(state.game, **options).settings
        self._words = state.words
        self._rng = new_generator(seed)
        actions, players = state.game.num_actions, state.game.num_players
        self._tree = new_tree(_FIRST_ROOM, 4 * actions, players)
        self._tree.used[:] = 0
        add_node(self._tree, DETERMINISTIC)
        self._path, self._scratch = new_path(state.game), new_scratch(state.game)
        self._simulations, self._seconds = 0, 0.0

    @property
    def simulations(self) -> int:
        """How many simulations were run so far."""
        return self._simulations

    @property
    def is_proven(self) -> bool:
        """Whether the value is exact, so that more simulations find nothing."""
        return bool(self._tree.nodes[0].proven)

    def advance(self, seconds: float, most: int = _UNLIMITED) -> None:
        """Search on for a time.

        Args:
            seconds: the time.
            most: stop after so many simulations of all steps together.
        """
        budget, functions = Budget(0, seconds), self._state.game.rules.functions
        done = 0
        with first_compilation("mcts", simulate):
            while not self.is_proven and self._simulations < most:
                wanted = min(budget.next_chunk(done), most - self._simulations)
                if not wanted:
                    break
                run = simulate(
                    functions, no_network(), self._settings, self._tree, 0, self._words, wanted,
                    self._path, self._scratch, self._rng,
                )  # fmt: skip
                done += run
                self._simulations += run
                if run < wanted and not self.is_proven:
                    self._tree = enlarged(self._tree)
        self._seconds += budget.elapsed

    def result(self) -> SearchResult:
        """Return what was found so far; at least one simulation must have been run."""
        state = self._state
        player = np.array([state.current_player], np.int64)
        results = new_results(player, state.game.num_actions, state.game.num_players)
        read_tree(results, 0, self._tree, 0, self._path.nodes)
        results.simulations[0] = self._simulations
        results.nodes[0] = self._tree.used[NODES]
        results.depths[0] = self._tree.used[DEEPEST]
        results.seconds[0] = self._seconds
        return results[0]

    def actions(self) -> dict[int, ActionReport]:
        """Return what was found about each action that was listed, the most visited first."""
        found: dict[int, ActionReport] = {}
        edge = int(self._tree.nodes[0].first_edge)
        while edge != NONE:
            row = self._tree.edges[edge]
            visits, value = int(row.visits), None
            if not math.isnan(row.proven_value):
                value = float(row.proven_value)
            elif visits:
                value = min(max(float(row.value_sum) / visits, -1.0), 1.0)
            found[int(row.action)] = ActionReport(visits, value)
            edge = int(row.next_edge)
        return dict(sorted(found.items(), key=lambda entry: -entry[1].visits))
