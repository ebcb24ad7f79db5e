# ruff: noqa: E501 - the texts are as long as the lines of the code
"""Faults planted in search, agents and training."""

from fault import Fault

FAULTS = (
    # Search.
    Fault(
        "mcts-one-sided",
        "mcts",
        "search/",
        (
            (
                "tree.edges[edge].total += values[seat]",
                "tree.edges[edge].total += values[path.seats[0]]",
            ),
            (
                "tree.edges[edge].value_sum += values[seat]",
                "tree.edges[edge].value_sum += values[path.seats[0]]",
            ),
        ),
        "all seats are thought to play for the searching one",
    ),
    Fault(
        "mcts-proves-too-much",
        "mcts",
        "search/",
        (
            (
                "if not all_known and tree.edges[best].known < WIN:",
                "if tree.edges[best].known < -WIN:",
            ),
            (
                "(not all_proven and tree.edges[best].proven_value < WIN):",
                "tree.edges[best].proven_value < -WIN:",
            ),
        ),
        "one losing action proves a loss",
    ),
    Fault(
        "mcts-cheats",
        "mcts",
        "search/",
        (("k.determinize_of(functions)(state, searcher, rng)", "rng[0] = rng[0]"),),
        "the search looks at what is hidden",
    ),
    Fault(
        "mcts-merges-chance",
        "mcts",
        "search/",
        (
            ("if settings.hidden or luck[0] != before:", "if settings.hidden:"),
            ("if settings.hidden or rng[0] != before:", "if settings.hidden:"),
        ),
        "all outcomes of chance share one node, which may become proven",
    ),
    Fault(
        "mcts-plays-the-rarest",
        "mcts",
        "search/",
        (("return rank, visits, value_sum,", "return rank, -visits, value_sum,"),),
        "the least visited action is played",
    ),
    Fault(
        "mcts-ignores-proofs",
        "mcts",
        "search/",
        (("rank = int(proven_value == WIN) - int(proven_value == -WIN)", "rank = 0"),),
        "a proven win is not preferred to the most visited action",
    ),
    Fault(
        "mcts-no-exploration",
        "mcts",
        "search/",
        (("score = mean + settings.exploration * bonus", "score = mean"),),
        "PUCT does not explore",
    ),
    Fault(
        "mcts-wild-prior",
        "mcts",
        "search/",
        (("tree.edges[edge].prior /= total", "tree.edges[edge].prior /= 1.0"),),
        "priors do not add up to 1",
    ),
    Fault(
        "alphabeta-sign",
        "alphabeta",
        "search/",
        (
            (
                "return value if tree[ply + 1, STATE + SEAT] == tree[ply, STATE + SEAT] else -value",
                "return -value",
            ),
            (
                "return value if stack[ply + 1, STATE + SEAT] == stack[ply, STATE + SEAT] else -value",
                "return -value",
            ),
        ),
        "the sign changes with every ply, also within a turn of two actions",
    ),
    Fault(
        "alphabeta-table-depth",
        "alphabeta",
        "search/",
        (("known.depth >= remaining", "known.depth >= remaining - 1"),),
        "entries of the table are used although they are too shallow",
    ),
    Fault(
        "alphabeta-any-bound",
        "alphabeta",
        "search/",
        (
            (
                "settled |= bound == UPPER and value <= tree[ply, ALPHA]",
                "settled |= bound == UPPER",
            ),
            ("bound == tt.UPPER and value <= stack[ply, ALPHA]", "bound == tt.UPPER"),
        ),
        "an upper bound is taken for the value",
    ),
    Fault(
        "alphabeta-slow-mate",
        "alphabeta",
        "search/",
        (
            (
                "        value += ply\n    elif value < -UNIT:\n        value -= ply\n    store(",
                "        value += 0\n    store(",
            ),
            ("shifted(value, ply),\n        bound", "value,\n        bound"),
        ),
        "the table forgets how far a sure win is from a position",
    ),
    Fault(
        "alphabeta-any-win",
        "alphabeta",
        "search/",
        (("return int(value) * (WIN - ply - 1)", "return int(value) * WIN"),),
        "a late win is as good as an early one",
    ),
    Fault(
        "alphabeta-old-searches",
        "alphabeta",
        "search/",
        (
            (
                "if table[index].key == key and table[index].search == search:",
                "if table[index].key == key:",
            ),
        ),
        "earlier searches influence later ones",
    ),
    Fault(
        "greedy-cheats",
        "agents",
        "search/afterstates.py",
        (
            (
                "k.determinize_of(functions)(state, state[k.SEAT], rng)",
                "rng[0] = rng[0]",
            ),
        ),
        "greedy looks at what is hidden",
    ),
    Fault(
        "greedy-network-cheats",
        "agents",
        "search/afterstates.py",
        (("k.determinize_of(search.functions)(position, seat, rng)", "pass"),),
        "greedy with a network looks at what is hidden",
    ),
    Fault(
        "greedy-network-other-seat",
        "agents",
        "search/afterstates.py",
        (("search.values[index, state[k.SEAT]]", "search.values[index, 1 - state[k.SEAT]]"),),
        "greedy with a network takes the value for the next player",
    ),
    Fault(
        "greedy-network-next-view",
        "agents",
        "search/afterstates.py",
        (("observer = seat if hidden else state[k.SEAT]", "observer = state[k.SEAT]"),),
        "greedy with a network values a position as the next player sees it",
    ),
    Fault(
        "greedy-network-half-a-move",
        "agents",
        "search/afterstates.py",
        (("if returns[seat] > best[seat]:", "if reply == 0:"),),
        "greedy with a network takes the first of the actions after its own for the best one",
    ),
    Fault(
        "policy-ignores-masks",
        "agents",
        "agents/policies.py",
        (
            (
                "np.where(masks, self.logits(observations, masks), -np.inf)",
                "np.asarray(self.logits(observations, masks), np.float64)",
            ),
        ),
        "a policy plays illegal actions",
    ),
)
