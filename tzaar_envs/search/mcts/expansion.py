"""The edges of a node: its legal actions."""

from tzaar_envs.core.kernel import legal_of
from tzaar_envs.jit.arrays import RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.search.leaf_network import LeafNetwork
from tzaar_envs.search.mcts.lookahead import look_ahead
from tzaar_envs.search.mcts.selection import LOOKING_AHEAD, Settings
from tzaar_envs.search.mcts.tree import NONE, Tree, add_edges
from tzaar_envs.search.mcts.workspace import Scratch


@compiled
def list_actions(
    functions: FunctionTable,
    network: LeafNetwork,
    settings: Settings,
    tree: Tree,
    node: int,
    state: StateArray,
    scratch: Scratch,
    rng: RngState,
) -> int:
    """Stamp the legal actions as available, and add those that the node does not have yet.

    A search that looks ahead values those, which may prove the node. Returns how many were added.
    """
    actions = scratch.actions
    available = scratch.available
    count = legal_of(functions)(state, actions)
    missing = scratch.stamp[0] + 1
    stamp = missing + 1
    scratch.stamp[0] = stamp
    for index in range(count):
        available[actions[index]] = missing
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if available[tree.edges[edge].action] == missing:
            available[tree.edges[edge].action] = stamp
        edge = tree.edges[edge].next_edge
    added = 0
    for index in range(count):
        if available[actions[index]] == missing:
            available[actions[index]] = stamp
            actions[added] = actions[index]
            added += 1
    add_edges(tree, node, actions[:added], 1.0 / count, rng)
    if settings.leaf in LOOKING_AHEAD and added > 0:
        look_ahead(functions, network, settings, tree, node, added, state, scratch, rng)
    return added
