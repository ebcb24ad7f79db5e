"""Self-play by Gumbel search in compiled code: whole games of a network against itself."""

from __future__ import annotations

import math

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, returns_of
from tzaar_envs.core.validation import integer
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.leaf_network import CompiledEvaluator, LeafNetwork
from tzaar_envs.search.mcts.gumbel import Gumbel, RootEdges, new_root_edges, search_by_gumbel
from tzaar_envs.search.mcts.selection import NETWORK, Settings
from tzaar_envs.search.mcts.tree import DETERMINISTIC, Tree, add_node, clear, new_tree
from tzaar_envs.search.mcts.workspace import Scratch, SearchPath, new_path, new_scratch
from tzaar_envs.search.self_play import (
    Play,
    Records,
    SelfPlay,
    add_afterstate,
    drawn_action,
    end_game,
    open_game,
)

_MOST = 1_000_000  # simulations, or actions
_DEPTH_WITH_HIDDEN = 64  # actions may be listed again at so many nodes of a path


@compiled(nogil=True)
def play_game(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    gumbel: Gumbel,
    play: Play,
    options: StateArray,
    tree: Tree,
    path: SearchPath,
    scratch: Scratch,
    candidates: RootEdges,
    state: StateArray,
    rng: RngState,
    records: Records,
    stop: StateArray,
) -> None:
    """Play a whole game, and add its positions to the records; unless `stop` changes from 0."""
    apply = apply_of(functions)
    first = place = records.counts[0]
    open_game(functions, options, play, state, scratch.actions, rng)
    while state[STATUS] == RUNNING:
        clear(tree)
        add_node(tree, DETERMINISTIC)
        seat = state[SEAT]
        records.states[place] = state
        records.observers[place] = seat
        count = search_by_gumbel(
            functions, network, settings, gumbel, tree, 0, state, path, scratch, candidates,
            records.values[place], rng, stop,
        )  # fmt: skip
        if stop[0]:
            return
        start = records.first_action[place]
        for index in range(count):
            records.actions[start + index] = tree.edges[candidates.edges[index]].action
            records.policy[start + index] = candidates.policy[index]
        records.first_action[place + 1] = start + count
        apply(state, drawn_action(records, place, play, rng), rng)
        place += 1
        if settings.hidden:
            place = add_afterstate(records, place, state, seat)
    returns_of(functions)(state, path.values)
    end_game(records, first, place, play.trace, path.values)


def _checked_gumbel(given: Gumbel) -> Gumbel:
    simulations = integer("simulations", given.simulations)
    considered = integer("considered", given.considered)
    if not (1 <= simulations <= _MOST and 1 <= considered <= _MOST):
        raise ValueError(f"{given} is not allowed: use 1 to {_MOST:,} simulations and actions")
    offset, scale = float(given.visit_offset), float(given.value_scale)
    if not (0 <= offset < math.inf and 0 <= scale < math.inf):
        raise ValueError(f"{given} is not allowed: use 0 or more for the weights of values")
    return Gumbel(simulations, considered, offset, scale)


class GumbelSelfPlay(SelfPlay):
    """Plays games of a network against itself, in one thread.

    Args:
        game: the game.
        evaluator: the network.
        gumbel: how to search.
        play: how to play.
        exploration: of PUCT, below the root.
        positions: how many a call of `play` returns, at least.

    Raises:
        TypeError: a number of another type.
        ValueError: a network of another game, or a number that is not allowed.
    """

    def __init__(
        self,
        game: Game,
        evaluator: CompiledEvaluator,
        gumbel: Gumbel,
        play: Play,
        exploration: float = 1.0,
        positions: int = 2000,
    ) -> None:
        super().__init__(game, evaluator, play, positions)
        gumbel = _checked_gumbel(gumbel)
        exploration = float(exploration)
        if not 0 <= exploration < math.inf:
            raise ValueError(f"exploration={exploration} is not allowed: use 0 or more")
        self._gumbel = gumbel
        hidden = game.spec.hidden_information
        self._settings = Settings(True, exploration, NETWORK, hidden)
        listed = gumbel.simulations + (_DEPTH_WITH_HIDDEN if hidden else 2)
        self._tree = new_tree(gumbel.simulations + 2, listed * game.num_actions, game.num_players)
        self._path, self._scratch = new_path(game), new_scratch(game)
        self._candidates = new_root_edges(game.num_actions)

    def _play_game(self, network: LeafNetwork, state: StateArray, rng: RngState) -> None:
        play_game(
            self.game.rules.functions,
            network,
            self._settings,
            self._gumbel,
            self._play,
            self.game.encoded_options,
            self._tree,
            self._path,
            self._scratch,
            self._candidates,
            state,
            rng,
            self._records,
            self._stop,
        )
