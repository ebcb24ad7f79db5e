"""What a Monte Carlo tree search reads and writes, and what it does with nodes and edges.

The tree holds nodes and edges in one set of arrays. A node is what the searching seat knows after
some actions; an edge is an action there. Several searches can share the arrays, each with a root of
its own.

Where nothing is hidden and the action involves no chance, an edge has one child. Otherwise each
outcome has a child of its own, identified by its *infoset key*: a number computed from everything
that the searching seat sees then.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.jit.arrays import Observation, RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.rng import below
from tzaar_envs.search.leaf_network import LeafNetwork

NONE = -1  # no node, no edge
DETERMINISTIC = 0  # infoset key of a child without chance and with nothing hidden

NODES, EDGES, DEEPEST = 0, 1, 2  # words of `Tree.used`

PLAYOUT, EVALUATION, LOOKAHEAD, NETWORK, NETWORK_LOOKAHEAD = range(5)  # how leaves are valued
LOOKING_AHEAD = (LOOKAHEAD, NETWORK_LOOKAHEAD)

WIN = 1.0  # no return is greater

_FACTOR_BITS = 40  # so that an infoset key stays within 63 bits

_NODE = np.dtype(
    [
        ("infoset_key", np.int64),  # distinguishes it from its siblings
        ("sibling", np.int64),  # the next child of the same edge
        ("first_edge", np.int64),  # `NONE` until the actions are listed
        ("visits", np.int64),  # simulations that came here
        ("salt", np.int64),  # of a root: whose luck it has, see `chance`; 0: not drawn yet
        ("proven", np.int64),  # 1 if the value is known exactly (MCTS-Solver), else 0
    ]
)
_EDGE = np.dtype(
    [
        ("action", np.int64),
        ("next_edge", np.int64),  # the next one of the same node
        ("child", np.int64),  # the node that it leads to, or the first of them
        ("visits", np.int64),  # simulations that took it
        ("availability", np.int64),  # simulations that could have; counted if something is hidden
        ("value_sum", np.float64),  # the sum of their values for the seat that acts
        ("prior", np.float64),  # its probability before any simulation
        ("heuristic_value", np.float64),  # its value for that seat one ply later: `look_ahead`
        ("proven_value", np.float64),  # its exact value for that seat; NaN if unproven
    ]
)


class SearchSettings(NamedTuple):
    """The parameters of a search that compiled code reads.

    Attributes:
        puct: Select by PUCT, otherwise by UCT.
        exploration: The weight of the exploration term.
        leaf: Way of valuing leaves: `PLAYOUT`, `EVALUATION`, `LOOKAHEAD`, `NETWORK` or
            `NETWORK_LOOKAHEAD`. An evaluator called from Python takes the place of the
            `EVALUATION`.
        hidden: The game has hidden information.
        determinizations: Number of positions that are drawn where something is hidden, see
            `simulation.imagine`.
        runs: Number of outcomes that an action has at first, see `chance`; 0: new ones in each
            simulation.
    """

    puct: bool
    exploration: float
    leaf: int
    hidden: bool
    determinizations: int = 1
    runs: int = 0


class Tree(NamedTuple):
    """Room for `N` nodes and `E` edges in a game of `S` seats.

    The fields of nodes and edges are in records, since every array that a compiled function takes
    as an argument costs it some 15 nanoseconds.

    Attributes:
        used: int64 `(3,)`, the numbers of nodes and edges, and the depth of the deepest leaf.
        nodes: Records `(N,)`, see `_NODE`.
        edges: Records `(E,)`, see `_EDGE`.
        value_sums: float64 `(N, S)`, the sum of the values of a node's simulations for each seat.
        proven_values: float64 `(N, S)`, the values of proven nodes.
    """

    used: NDArray[np.int64]
    nodes: Any
    edges: Any
    value_sums: NDArray[np.float64]
    proven_values: NDArray[np.float64]


class SearchPath(NamedTuple):
    """The path of a simulation from the root to its leaf.

    Attributes:
        depth: int64 `(1,)`, how many edges it has.
        nodes: int64 `(max_plies + 1,)`.
        seats: int64 `(max_plies + 1,)`, which seat acts at each node.
        edges: int64 `(max_plies + 1,)`, the edge that was taken at each node but the last.
        state: int64 `(state_size,)`, the position at the leaf.
        values: float64 `(seats,)`, the value of the leaf for each seat.
    """

    depth: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seats: NDArray[np.int64]
    edges: NDArray[np.int64]
    state: StateArray
    values: NDArray[np.float64]


class Scratch(NamedTuple):
    """Arrays that simulations share; only stamps, `playout_moves` and `factors` outlive one.

    Attributes:
        actions: int64 `(num_actions,)`.
        priors: float64 `(num_actions,)`.
        trial: int64 `(state_size,)`.
        available: int64 `(num_actions,)`, the stamp of the last node where an action was legal.
        stamp: int64 `(1,)`, the last one used.
        playout_moves: int64 `(1,)`, how many actions playouts have played.
        observation: int8, flat.
        factors: int64, a random factor for each number of an observation.
        luck: uint64 `(1,)`, a generator, see `chance`.
        returns: float64 `(seats,)`.
    """

    actions: StateArray
    priors: NDArray[np.float64]
    trial: StateArray
    available: StateArray
    stamp: NDArray[np.int64]
    playout_moves: NDArray[np.int64]
    observation: Observation
    factors: NDArray[np.int64]
    luck: RngState
    returns: NDArray[np.float64]


class TreeSearch(NamedTuple):
    """The data that a search reads and writes.

    Attributes:
        functions: The game's.
        network: Values leaves, if the settings say so.
        settings: Parameters of the search.
        tree: The tree.
        path: Path of the present simulation.
        scratch: Working memory.
        rng: Generator for chance events, hidden information and playouts.
    """

    functions: FunctionTable
    network: LeafNetwork
    settings: SearchSettings
    tree: Tree
    path: SearchPath
    scratch: Scratch
    rng: RngState


def new_tree(nodes: int, edges: int, seats: int) -> Tree:
    """Return an empty tree with room for this many nodes and edges."""
    return Tree(
        used=np.zeros(3, np.int64),
        nodes=np.empty(nodes, _NODE).view(np.recarray),
        edges=np.empty(edges, _EDGE).view(np.recarray),
        value_sums=np.empty((nodes, seats)),
        proven_values=np.empty((nodes, seats)),
    )


def enlarged(tree: Tree) -> Tree:
    """Return a copy with twice as much room for nodes or for edges, whichever are fuller.

    Room that is not used is never touched, so it takes no memory.
    """
    nodes, edges, _ = tree.used.tolist()
    room, seats = tree.value_sums.shape
    if nodes * tree.edges.size >= edges * room:
        larger = new_tree(2 * room, tree.edges.size, seats)
    else:
        larger = new_tree(room, 2 * tree.edges.size, seats)
    larger.used[:] = tree.used
    larger.edges[:edges] = tree.edges[:edges]
    larger.nodes[:nodes] = tree.nodes[:nodes]
    larger.value_sums[:nodes] = tree.value_sums[:nodes]
    larger.proven_values[:nodes] = tree.proven_values[:nodes]
    return larger


def new_path(game: Game, *rows: int) -> SearchPath:
    """Return room for a path, or for one in each of so many rows."""
    longest = game.max_plies + 1
    return SearchPath(
        depth=np.zeros((*rows, 1), np.int64),
        nodes=np.empty((*rows, longest), np.int64),
        seats=np.empty((*rows, longest), np.int64),
        edges=np.empty((*rows, longest), np.int64),
        state=np.zeros((*rows, game.rules.state_size), np.int64),
        values=np.zeros((*rows, game.num_players)),
    )


def new_search(
    game: Game,
    network: LeafNetwork,
    settings: SearchSettings,
    nodes: int,
    edges: int,
    rng: RngState,
) -> TreeSearch:
    """Return a search with an empty tree that has room for this many nodes and edges."""
    size = math.prod(game.observation_shape)
    return TreeSearch(
        functions=game.rules.functions,
        network=network,
        settings=settings,
        tree=new_tree(nodes, edges, game.num_players),
        path=new_path(game),
        scratch=Scratch(
            actions=np.empty(game.num_actions, np.int64),
            priors=np.empty(game.num_actions),
            trial=np.empty(game.rules.state_size, np.int64),
            available=np.zeros(game.num_actions, np.int64),
            stamp=np.zeros(1, np.int64),
            playout_moves=np.zeros(1, np.int64),
            observation=np.zeros(size, np.int8),
            factors=np.random.Generator(np.random.PCG64(0)).integers(1 << _FACTOR_BITS, size=size),
            luck=np.zeros(1, np.uint64),
            returns=np.zeros(game.num_players),
        ),
        rng=rng,
    )


# --- nodes and edges ------------------------------------------------------------------------------


@compiled
def plant(tree: Tree) -> None:
    """Remove all nodes and edges, and add a root, which is node 0."""
    tree.used[:] = 0
    add_node(tree, DETERMINISTIC)


@compiled
def add_node(tree: Tree, infoset_key: int) -> int:
    """Add a node without visits, return its number."""
    node = tree.used[NODES]
    tree.used[NODES] = node + 1
    tree.nodes[node].infoset_key = infoset_key
    tree.nodes[node].sibling = NONE
    tree.nodes[node].first_edge = NONE
    tree.nodes[node].visits = 0
    tree.nodes[node].salt = 0
    tree.value_sums[node] = 0.0
    tree.nodes[node].proven = 0
    return node


@compiled
def add_edges(tree: Tree, node: int, actions: StateArray, prior: float, rng: RngState) -> None:
    """Add actions, int64 `(n,)`, to those of a node, in random order, which decides ties.

    The array is shuffled.
    """
    for index in range(actions.size):
        other = index + below(rng, actions.size - index)
        actions[index], actions[other] = actions[other], actions[index]
        edge = tree.used[EDGES]
        tree.used[EDGES] = edge + 1
        tree.edges[edge].action = actions[index]
        tree.edges[edge].next_edge = tree.nodes[node].first_edge
        tree.nodes[node].first_edge = edge
        tree.edges[edge].child = NONE
        tree.edges[edge].visits = 0
        tree.edges[edge].availability = 0
        tree.edges[edge].value_sum = 0.0
        tree.edges[edge].prior = prior
        tree.edges[edge].heuristic_value = 0.0
        tree.edges[edge].proven_value = np.nan


@compiled
def child_with(tree: Tree, edge: int, infoset_key: int) -> int:
    """Return the child of an edge that has this infoset key, a new one if there is none."""
    child = tree.edges[edge].child
    while child != NONE and tree.nodes[child].infoset_key != infoset_key:
        child = tree.nodes[child].sibling
    if child == NONE:
        child = add_node(tree, infoset_key)
        tree.nodes[child].sibling = tree.edges[edge].child
        tree.edges[edge].child = child
    return child


@compiled
def normalize_priors(tree: Tree, node: int) -> None:
    """Scale the priors of a node's edges to the sum 1; if all are 0, make them equal."""
    total = 0.0
    count = 0
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        total += tree.edges[edge].prior
        count += 1
        edge = tree.edges[edge].next_edge
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if total > 0.0:
            tree.edges[edge].prior /= total
        else:
            tree.edges[edge].prior = 1.0 / count
        edge = tree.edges[edge].next_edge


@compiled
def set_priors(tree: Tree, node: int, priors: NDArray[np.float64]) -> None:
    """Give the edges of a node the priors of their actions, float64 `(num_actions,)`, scaled."""
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        tree.edges[edge].prior = priors[tree.edges[edge].action]
        edge = tree.edges[edge].next_edge
    normalize_priors(tree, node)


# --- the choice of an edge ------------------------------------------------------------------------


@compiled
def select(
    tree: Tree, node: int, seat: int, settings: SearchSettings, available: StateArray, stamp: int
) -> int:
    """Return the edge that a simulation takes.

    UCT (Kocsis and Szepesvári, 2006): mean + c sqrt(ln N / n); an action without visits comes
    first. PUCT (Silver et al., 2017): mean + c prior sqrt(N) / (1 + n), where the mean of an action
    without visits is that of the node. One that looks ahead counts the heuristic value as one
    more visit. A proven action counts its exact value and needs no exploration.

    With hidden information only the actions of the position at hand can be taken, and N is the
    number of simulations in which the action was available (Cowling, Powley and Whitehouse, 2012).

    Args:
        tree: The tree.
        node: Node with edges, at least one of them available.
        seat: Seat to act.
        settings: Parameters, see `SearchSettings`.
        available: int64 `(num_actions,)`, `stamp` for each action that is legal; read only if
            something is hidden.
        stamp: Number that marks the legal actions in `available`.
    """
    node_visits = max(tree.nodes[node].visits, 1)
    node_mean = tree.value_sums[node, seat] / node_visits
    log_visits = np.log(node_visits)
    root_visits = np.sqrt(node_visits)
    best = NONE
    best_score = -np.inf
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if settings.hidden:
            if available[tree.edges[edge].action] != stamp:
                edge = tree.edges[edge].next_edge
                continue
            tree.edges[edge].availability += 1
            log_visits = np.log(tree.edges[edge].availability)
            root_visits = np.sqrt(tree.edges[edge].availability)
        edge_visits = tree.edges[edge].visits
        if not np.isnan(tree.edges[edge].proven_value):
            score = tree.edges[edge].proven_value
        else:
            visits = edge_visits
            value_sum = tree.edges[edge].value_sum
            if settings.leaf in LOOKING_AHEAD:
                visits += 1
                value_sum += tree.edges[edge].heuristic_value
            if settings.puct:
                mean = value_sum / visits if visits > 0 else node_mean
                bonus = tree.edges[edge].prior * root_visits / (1 + edge_visits)
                score = mean + settings.exploration * bonus
            elif visits > 0:
                score = value_sum / visits + settings.exploration * np.sqrt(log_visits / visits)
            else:
                score = np.inf
        if best == NONE or score > best_score:  # the first one also if its score is NaN
            best = edge
            best_score = score
            if score == np.inf and not settings.hidden:
                break
        edge = tree.edges[edge].next_edge
    return best


@compiled
def best_edge(tree: Tree, node: int) -> int:
    """Return the edge to play: a proven win, else the secure one; `NONE` if there are none.

    That is the one with the greatest mean - 1 / sqrt(visits), a bound that its value probably
    exceeds (secure child: Chaslot et al., 2008): an action that simulations have found late has few
    visits yet. Ties go to more visits, then to the lower action. A proven loss is the last
    choice.
    """
    best = NONE
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if best == NONE or _merit(tree, edge) > _merit(tree, best):
            best = edge
        edge = tree.edges[edge].next_edge
    return best


@compiled
def is_loss(tree: Tree, value: float) -> bool:
    """Whether a proven value is a loss, which several seats may share."""
    return value <= -1.0 / max(1, tree.value_sums.shape[1] - 1)


@compiled
def _merit(tree: Tree, edge: int) -> tuple[int, float, int, int]:
    """Return the sort key of an edge, the most important part first."""
    bound, visits = tree.edges[edge].proven_value, tree.edges[edge].visits
    rank = int(bound == WIN) - int(is_loss(tree, bound))
    if np.isnan(bound):
        bound = tree.edges[edge].value_sum / visits - 1 / np.sqrt(visits) if visits > 0 else -np.inf
    return rank, bound, visits, -tree.edges[edge].action


# --- backup ---------------------------------------------------------------------------------------


@compiled
def back_up(tree: Tree, path: SearchPath) -> None:
    """Add the value of a simulation to all nodes and edges on its path.

    Every node sums the values of each seat (max^n: Luckhardt and Irani, 1986; in MCTS: Sturtevant,
    2008). Proven values move up as far as they prove a node (MCTS-Solver: Winands, Björnsson and
    Saito, 2008), through edges without chance.
    """
    depth = path.depth[0]
    values = path.values
    proving = tree.nodes[path.nodes[depth]].proven == 1
    for level in range(depth, -1, -1):
        node = path.nodes[level]
        if level < depth:
            edge = path.edges[level]
            seat = path.seats[level]
            child = path.nodes[level + 1]
            proving = proving and tree.nodes[child].infoset_key == DETERMINISTIC
            if proving:
                tree.edges[edge].proven_value = tree.proven_values[child, seat]
                proving = prove(tree, node)
                if proving:
                    values[:] = tree.proven_values[node]
            tree.edges[edge].visits += 1
            tree.edges[edge].value_sum += values[seat]
        tree.nodes[node].visits += 1
        for seat in range(values.size):
            tree.value_sums[node, seat] += values[seat]


@compiled
def prove(tree: Tree, node: int) -> bool:
    """Prove a node if one of its edges is a proven win, or all are proven; return whether it is."""
    best = NONE
    all_proven = True
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if np.isnan(tree.edges[edge].proven_value):
            all_proven = False
        elif best == NONE or tree.edges[edge].proven_value > tree.edges[best].proven_value:
            best = edge
        edge = tree.edges[edge].next_edge
    if best == NONE or (not all_proven and tree.edges[best].proven_value < WIN):
        return False
    tree.nodes[node].proven = 1
    tree.proven_values[node] = tree.proven_values[tree.edges[best].child]
    return True
