"""Simulations of Monte Carlo tree search: down the tree, value the leaf, back up.

Positions are not kept in the tree: every simulation plays its actions from the root. What is hidden
from the searching seat is drawn again for each simulation, and so are the outcomes of chance.

Hidden hands are drawn by their probability. Choices that others have made at the same time have
none: players choose well, not at random. So of several determinizations that one is kept which the
evaluations of those who have chosen rate highest. A search with playouts, which knows no
evaluation, keeps any.
"""

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core import kernel as k
from tzaar_envs.jit.arrays import Observation, RngState, StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed
from tzaar_envs.jit.rng import below
from tzaar_envs.search import tree as t
from tzaar_envs.search.afterstates import mean_value_after, value_for
from tzaar_envs.search.chance import run_of, set_luck
from tzaar_envs.search.leaf_network import WORTH_ANCHORING, anchor_of, predict_of
from tzaar_envs.search.result import SearchResults

DETERMINIZATIONS = 16  # in games in which players choose at the same time

_SALTS = 1 << 30
_EVALUATIONS = 16  # of all actions of a node that involve chance, so of two actions 8 outcomes each
_MOST_OUTCOMES = 8
_SHARPNESS = 4.0  # of the priors: an action that is better by 1 is e**4 times as likely
_NETWORK_SHARPNESS = 30.0  # its values are probabilities to win, which differ less


# --- simulations ----------------------------------------------------------------------------------


@compiled(nogil=True)
def simulate(search: t.TreeSearch, root: int, words: StateArray, simulations: int) -> int:
    """Run simulations from a node whose position is `words`, return how many were run.

    They are fewer when the value is proven, or when the tree has no room for another one.
    """
    search, words = borrowed(search), borrowed(words)
    tree, settings = search.tree, search.settings
    num_actions = search.scratch.actions.size
    done = 0
    while (
        done < simulations
        and not tree.nodes[root].proven
        and has_room(tree, settings, num_actions, 1)
    ):
        if settings.leaf == t.NETWORK and tree.nodes[root].visits == 0:
            predict_root(search, root, words)
        elif tree.nodes[root].first_edge == t.NONE and not settings.hidden:
            search.path.state[:] = words
            expand(search, root, search.path.state)
        else:
            descend(search, root, words, t.NONE)
            value_leaf(search)
            t.back_up(tree, search.path)
            done += 1
    return done


@compiled
def predict_root(search: t.TreeSearch, root: int, words: StateArray) -> None:
    """Give a root edges with the priors of a network; its value counts as the root's first."""
    set_out(search, root, words)
    expand(search, root, search.path.state)
    t.back_up(search.tree, search.path)


@compiled
def set_out(search: t.TreeSearch, root: int, words: StateArray) -> None:
    """Make a root the leaf of the path, in a position that its seat cannot tell from `words`."""
    path, scratch = search.path, search.scratch
    path.state[:] = words
    if search.settings.hidden:
        determinizations, seats = search.settings.determinizations, path.values.size
        imagine(
            search.functions, determinizations, seats, words, path.state, scratch.trial, search.rng
        )
    path.depth[0] = 0
    path.nodes[0] = root
    path.seats[0] = words[k.SEAT]


@compiled
def has_room(tree: t.Tree, settings: t.SearchSettings, num_actions: int, searches: int) -> bool:
    """Whether the tree has room for one simulation of each search.

    A simulation adds one node, and the actions of one; with hidden information, those of every node
    on its path.
    """
    listed = tree.used[t.DEEPEST] + 2 if settings.hidden else 1
    return (
        tree.used[t.NODES] + searches <= tree.nodes.size
        and tree.used[t.EDGES] + searches * listed * num_actions <= tree.edges.size
    )


@compiled
def descend(search: t.TreeSearch, root: int, words: StateArray, first: int) -> None:
    """Play from the root to a node that is new or proven, or that ends the game.

    The simulation begins with the edge `first`; with `NONE` the root's is selected as any other.
    """
    functions, settings, tree = search.functions, search.settings, search.tree
    path, scratch, rng = search.path, search.scratch, search.rng
    state = path.state
    state[:] = words
    searcher = words[k.SEAT]
    if settings.hidden:
        seats = path.values.size
        imagine(functions, settings.determinizations, seats, words, state, scratch.trial, rng)
    shares_luck = settings.runs > 0
    luck = scratch.luck if shares_luck else rng
    if shares_luck and tree.nodes[root].salt == 0:
        tree.nodes[root].salt = 1 + below(rng, _SALTS)
    apply = k.apply_of(functions)
    node = root
    depth = 0
    while True:
        path.nodes[depth] = node
        path.seats[depth] = state[k.SEAT]
        is_new = depth > 0 and tree.nodes[node].visits == 0
        if is_new or tree.nodes[node].proven or state[k.STATUS] != k.RUNNING:
            break
        if settings.hidden or tree.nodes[node].first_edge == t.NONE:
            added = list_actions(functions, tree, node, state, scratch, rng)
            if added > 0 and settings.leaf in t.LOOKING_AHEAD:
                look_ahead(search, node, added, state)
            elif added > 0 and settings.leaf == t.NETWORK:
                predict_actions(search, node, state)
        if depth == 0 and first != t.NONE:
            edge = first
        else:
            edge = t.select(
                tree, node, state[k.SEAT], settings, scratch.available, scratch.stamp[0]
            )
        path.edges[depth] = edge
        if shares_luck:
            run = run_of(tree.edges[edge].visits, settings.runs)
            set_luck(luck, tree.nodes[root].salt, run, depth)
        before = luck[0]
        apply(state, tree.edges[edge].action, luck)
        infoset_key = t.DETERMINISTIC
        if settings.hidden or luck[0] != before:
            infoset_key = infoset_key_of(
                functions, state, searcher, scratch.observation, scratch.factors
            )
        node = t.child_with(tree, edge, infoset_key)
        depth += 1
    path.depth[0] = depth
    tree.used[t.DEEPEST] = max(tree.used[t.DEEPEST], depth)


@compiled
def infoset_key_of(
    functions: FunctionTable,
    state: StateArray,
    searcher: int,
    observation: Observation,
    factors: NDArray[np.int64],
) -> int:
    """Return a number computed from the searching seat's observation; it is not `DETERMINISTIC`.

    Two different observations have the same one with a probability of about 2**-40.
    """
    k.observe_of(functions)(state, searcher, observation)
    infoset_key = 1
    for index in range(factors.size):
        infoset_key += observation[index] * factors[index]
    return infoset_key


@compiled
def imagine(
    functions: FunctionTable,
    determinizations: int,
    seats: int,
    words: StateArray,
    state: StateArray,
    trial: StateArray,
    rng: RngState,
) -> None:
    """Write a position that the seat to act cannot tell from another one.

    Args:
        functions: The game's.
        determinizations: How many such positions are drawn, to write the one that is rated highest
            for the other seats, by the sum of their evaluations.
        seats: The number of seats of the game.
        words: The position; what is hidden in it has no influence.
        state: The position to write.
        trial: Working memory, int64 `(state_size,)`.
        rng: Generator of the draws.
    """
    searcher = words[k.SEAT]
    before = rng[0]
    state[:] = words
    k.determinize_of(functions)(state, searcher, rng)
    if determinizations == 1 or rng[0] == before:  # nothing is hidden
        return
    trial[:] = state
    greatest = -np.inf
    for draw in range(determinizations):
        if draw > 0:
            trial[:] = words
            k.determinize_of(functions)(trial, searcher, rng)
        value = 0.0
        for seat in range(seats):
            if seat != searcher:
                value += k.evaluate_of(functions)(trial, seat)
        if value > greatest:
            greatest = value
            state[:] = trial


# --- expansion ------------------------------------------------------------------------------------


@compiled
def expand(search: t.TreeSearch, node: int, state: StateArray) -> None:
    """List the actions of a node without edges, and give them priors by the search's means.

    Looking ahead may prove the node; a network writes the values of the path, too.
    """
    added = list_actions(search.functions, search.tree, node, state, search.scratch, search.rng)
    if search.settings.leaf in t.LOOKING_AHEAD:
        look_ahead(search, node, added, state)
    elif search.settings.leaf == t.NETWORK:
        predict_actions(search, node, state)


@compiled
def list_actions(
    functions: FunctionTable,
    tree: t.Tree,
    node: int,
    state: StateArray,
    scratch: t.Scratch,
    rng: RngState,
) -> int:
    """Stamp the legal actions as available, and add those that the node does not have yet.

    Returns how many were added.
    """
    actions = scratch.actions
    available = scratch.available
    count = k.legal_of(functions)(state, actions)
    missing = scratch.stamp[0] + 1
    stamp = missing + 1
    scratch.stamp[0] = stamp
    for index in range(count):
        available[actions[index]] = missing
    edge = tree.nodes[node].first_edge
    while edge != t.NONE:
        if available[tree.edges[edge].action] == missing:
            available[tree.edges[edge].action] = stamp
        edge = tree.edges[edge].next_edge
    added = 0
    for index in range(count):
        if available[actions[index]] == missing:
            available[actions[index]] = stamp
            actions[added] = actions[index]
            added += 1
    t.add_edges(tree, node, actions[:added], 1.0 / count, rng)
    return added


@compiled
def look_ahead(search: t.TreeSearch, node: int, count: int, state: StateArray) -> None:
    """Look one ply ahead, by the evaluation function or a network.

    The value after an action is the edge's heuristic value, which counts as a first visit, and the
    softmax of these values is the prior. Where an action involves chance and there are few of them,
    it is the mean of several outcomes: the best of two actions by one roll of the dice each would
    be that with the luckier roll. A win at once proves the node.

    Args:
        search: The search; its `scratch.trial` and `scratch.returns` are written to.
        node: Node that has been given edges.
        count: Number of new edges; they are the first ones of the node.
        state: The position there.
    """
    functions, network, tree, rng = search.functions, search.network, search.tree, search.rng
    hidden, trial, returns = search.settings.hidden, search.scratch.trial, search.scratch.returns
    has_network = search.settings.leaf == t.NETWORK_LOOKAHEAD
    # Where nothing is hidden, it is mostly another seat that sees the positions to come.
    if has_network and hidden and count >= WORTH_ANCHORING:
        anchor_of(network.functions)(network.memory, functions, state, state[k.SEAT])
    outcomes = max(1, min(_MOST_OUTCOMES, _EVALUATIONS // max(1, count)))
    edge = tree.nodes[node].first_edge
    for _ in range(count):
        before = rng[0]
        action = tree.edges[edge].action
        value = mean_value_after(
            functions, network, hidden, state, action, outcomes, trial, returns, rng
        )
        tree.edges[edge].heuristic_value = value
        is_certain = rng[0] == before and not hidden
        if is_certain and trial[k.STATUS] != k.RUNNING and value == t.WIN:
            tree.edges[edge].proven_value = t.WIN
            tree.nodes[node].proven = 1
            k.returns_of(functions)(trial, tree.proven_values[node])
            return
        edge = tree.edges[edge].next_edge
    sharpness = _NETWORK_SHARPNESS if has_network else _SHARPNESS
    edge = tree.nodes[node].first_edge
    while edge != t.NONE:
        tree.edges[edge].prior = np.exp(sharpness * tree.edges[edge].heuristic_value)
        edge = tree.edges[edge].next_edge
    t.normalize_priors(tree, node)


@compiled
def most_promising_edge(tree: t.Tree, node: int) -> int:
    """Return the edge with the greatest heuristic value."""
    best = tree.nodes[node].first_edge
    edge = tree.edges[best].next_edge
    while edge != t.NONE:
        if tree.edges[edge].heuristic_value > tree.edges[best].heuristic_value:
            best = edge
        edge = tree.edges[edge].next_edge
    return best


# --- leaves ---------------------------------------------------------------------------------------


@compiled
def value_leaf(search: t.TreeSearch) -> None:
    """Write the value of the leaf for each seat; actions may be played on the position there.

    It is told by the end of the game, a playout, an evaluation, or a network.
    """
    functions, settings, tree = search.functions, search.settings, search.tree
    path, rng = search.path, search.rng
    state = path.state
    if value_finished(functions, settings, tree, path):
        return
    leaf = path.nodes[path.depth[0]]
    if settings.leaf == t.NETWORK:
        expand(search, leaf, state)
        return
    if settings.leaf in t.LOOKING_AHEAD:
        seat = state[k.SEAT]
        expand(search, leaf, state)
        if tree.nodes[leaf].proven:
            path.values[:] = tree.proven_values[leaf]
            return
        k.apply_of(functions)(state, tree.edges[most_promising_edge(tree, leaf)].action, rng)
        if settings.leaf == t.NETWORK_LOOKAHEAD:
            value_for(functions, search.network, settings.hidden, state, seat, path.values)
            return
    if settings.leaf != t.PLAYOUT:
        for seat in range(path.values.size):
            path.values[seat] = k.evaluate_of(functions)(state, seat)
    else:
        search.scratch.playout_moves[0] += play_out(functions, state, search.scratch.actions, rng)
        k.returns_of(functions)(state, path.values)


@compiled
def predict_actions(search: t.TreeSearch, node: int, state: StateArray) -> None:
    """Give the available actions of a node the priors of a network, which add up to 1.

    Writes the values of the path, too. Where something is hidden, a node has edges that are not
    available in the position at hand, whose priors are left as they are.
    """
    network, tree, scratch = search.network, search.tree, search.scratch
    actions, priors = scratch.actions, scratch.priors
    available, stamp = scratch.available, scratch.stamp[0]
    count = 0
    edge = tree.nodes[node].first_edge
    while edge != t.NONE:
        if available[tree.edges[edge].action] == stamp:
            actions[count] = tree.edges[edge].action
            count += 1
        edge = tree.edges[edge].next_edge
    predict = predict_of(network.functions)
    values = search.path.values
    predict(network.memory, search.functions, state, state[k.SEAT], actions[:count], priors, values)
    total = priors[:count].sum()
    count = 0
    edge = tree.nodes[node].first_edge
    while edge != t.NONE:
        if available[tree.edges[edge].action] == stamp:
            tree.edges[edge].prior = priors[count] / total
            count += 1
        edge = tree.edges[edge].next_edge


@compiled
def value_finished(
    functions: FunctionTable, settings: t.SearchSettings, tree: t.Tree, path: t.SearchPath
) -> bool:
    """Write the value of a leaf that is proven or ends the game; return whether it is one."""
    leaf = path.nodes[path.depth[0]]
    if tree.nodes[leaf].proven:
        path.values[:] = tree.proven_values[leaf]
        return True
    if path.state[k.STATUS] == k.RUNNING:
        return False
    k.returns_of(functions)(path.state, path.values)
    if not settings.hidden:  # otherwise the game may continue where the hidden part differs
        tree.nodes[leaf].proven = 1
        tree.proven_values[leaf] = path.values
    return True


@compiled
def play_out(
    functions: FunctionTable, state: StateArray, actions: StateArray, rng: RngState
) -> int:
    """Play random actions to the end of the game, return how many."""
    legal = k.legal_of(functions)
    apply = k.apply_of(functions)
    moves = 0
    while state[k.STATUS] == k.RUNNING:
        apply(state, actions[below(rng, legal(state, actions))], rng)
        moves += 1
    return moves


# --- results --------------------------------------------------------------------------------------


def read_tree(search: t.TreeSearch, root: int, results: SearchResults, row: int) -> None:
    """Read action, visits, values and principal variation of a search off its tree.

    Args:
        search: The search; its path is written to.
        root: Its node.
        results: Results to be filled in.
        row: Row of the results to fill in.
    """
    line, tree = search.path.nodes, search.tree
    length = _read(
        tree, root, results.visits[row], results.action_values[row], results.values[row], line
    )
    results.principal_variations[row] = tuple(line[:length].tolist())
    results.actions[row] = line[0]
    results.proven[row] = tree.nodes[root].proven


@compiled
def _read(
    tree: t.Tree,
    root: int,
    visits: StateArray,
    action_values: NDArray[np.float64],
    values: NDArray[np.float64],
    line: StateArray,
) -> int:
    """Write what is known of a root, and its principal variation; return how long that is."""
    edge = tree.nodes[root].first_edge
    while edge != t.NONE:
        action = tree.edges[edge].action
        visits[action] = tree.edges[edge].visits
        if not np.isnan(tree.edges[edge].proven_value):
            action_values[action] = tree.edges[edge].proven_value
        elif tree.edges[edge].visits > 0:
            action_values[action] = tree.edges[edge].value_sum / tree.edges[edge].visits
        edge = tree.edges[edge].next_edge
    if tree.nodes[root].proven:
        values[:] = tree.proven_values[root]
    else:
        values[:] = tree.value_sums[root] / tree.nodes[root].visits
    length = 0
    node = root
    while node != t.NONE:
        edge = t.best_edge(tree, node)
        if edge == t.NONE or (tree.edges[edge].visits == 0 and length > 0):
            break
        line[length] = tree.edges[edge].action
        length += 1
        node = _most_visited_child(tree, edge)
    return length


@compiled
def _most_visited_child(tree: t.Tree, edge: int) -> int:
    best = tree.edges[edge].child
    child = best
    while child != t.NONE:
        if tree.nodes[child].visits > tree.nodes[best].visits:
            best = child
        child = tree.nodes[child].sibling
    return best
