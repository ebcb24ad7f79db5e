"""Looking one ply ahead, by the evaluation function or a network, at every node of a search.

The value after an action counts as a first visit of the action, and the softmax of these
heuristic values is the prior. Where an action involves chance and there are few of them, it is the
mean of several outcomes: the best of two actions by one roll of the dice each would be that with
the luckier roll.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, apply_of, evaluate_of, returns_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.leaf_network import WORTH_HOLDING, LeafNetwork, hold_of, judge_of
from tzaar_envs.search.mcts.priors import normalize_priors
from tzaar_envs.search.mcts.selection import NETWORK_LOOKAHEAD, Settings
from tzaar_envs.search.mcts.tree import NONE, Tree
from tzaar_envs.search.mcts.workspace import Scratch

WIN = 1.0  # no return is greater

_EVALUATIONS = 16  # of all actions of a node that involve chance, so of two actions 8 outcomes each
_MOST_OUTCOMES = 8
_SHARPNESS = 4.0  # of the priors: an action that is better by 1 is e**4 times as likely
_NETWORK_SHARPNESS = 30.0  # its values are probabilities to win, which differ less


@compiled
def look_ahead(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    tree: Tree,
    node: int,
    count: int,
    state: StateArray,
    scratch: Scratch,
    rng: RngState,
) -> None:
    """Set the heuristic values and priors of new edges; a win at once proves the node.

    Args:
        functions: of the game.
        network: values positions, if the settings say so.
        settings: see `Settings`.
        tree: the tree.
        node: a node.
        count: how many edges are new; they are the first ones of the node.
        state: the position there.
        scratch: its `trial` and `returns` are written to.
        rng: for chance events of the actions.
    """
    seat, trial = state[SEAT], scratch.trial
    # Where nothing is hidden, it is mostly another seat that sees the positions to come.
    if settings.leaf == NETWORK_LOOKAHEAD and settings.hidden and count >= WORTH_HOLDING:
        hold_of(network.functions)(network.memory, functions, state, seat)
    outcomes = min(_MOST_OUTCOMES, _EVALUATIONS // max(1, count))
    edge = tree.nodes[node].first_edge
    for _ in range(count):
        before = rng[0]
        trial[:] = state
        apply_of(functions)(trial, tree.edges[edge].action, rng)
        value = value_after(functions, network, settings, trial, seat, scratch.returns)
        is_certain = rng[0] == before and not settings.hidden
        if rng[0] != before and outcomes > 1:
            for _ in range(1, outcomes):
                trial[:] = state
                apply_of(functions)(trial, tree.edges[edge].action, rng)
                value += value_after(functions, network, settings, trial, seat, scratch.returns)
            value /= outcomes
        tree.edges[edge].heuristic_value = value
        if is_certain and trial[STATUS] != RUNNING and value == WIN:
            tree.edges[edge].proven_value = WIN
            tree.nodes[node].proven = 1
            returns_of(functions)(trial, tree.proven_values[node])
            return
        edge = tree.edges[edge].next_edge
    sharpness = _NETWORK_SHARPNESS if settings.leaf == NETWORK_LOOKAHEAD else _SHARPNESS
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        tree.edges[edge].prior = np.exp(sharpness * tree.edges[edge].heuristic_value)
        edge = tree.edges[edge].next_edge
    normalize_priors(tree, node)


@compiled
def value_after(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    position: StateArray,
    seat: int,
    returns: NDArray[np.float64],
) -> float:
    """Return what a position is worth for the seat that made it, by evaluation or network.

    Only a network writes the expected returns of all seats, float64 `(seats,)`, too.
    """
    if settings.leaf != NETWORK_LOOKAHEAD:
        return evaluate_of(functions)(position, seat)
    if position[STATUS] != RUNNING:
        returns_of(functions)(position, returns)
    else:
        # Where nothing is hidden, the network knows positions as the seat to act sees them alone.
        observer = seat if settings.hidden else position[SEAT]
        judge = judge_of(network.functions)
        judge(network.memory, functions, position, observer, position[:0], returns[:0], returns)
    return returns[seat]


@compiled
def most_promising_edge(tree: Tree, node: int) -> int:
    """Return the edge with the greatest heuristic value."""
    best = tree.nodes[node].first_edge
    edge = tree.edges[best].next_edge
    while edge != NONE:
        if tree.edges[edge].heuristic_value > tree.edges[best].heuristic_value:
            best = edge
        edge = tree.edges[edge].next_edge
    return best
