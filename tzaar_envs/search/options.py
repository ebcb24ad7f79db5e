"""The options of tree search, for help texts and agent texts."""

from tzaar_envs.core.spec import Option

LEAVES = ("playout", "evaluation", "lookahead")
"""The values of the option `leaf`, in the order of the constants in `search.tree`."""

MCTS_OPTIONS = (
    Option("simulations", int, 400, "simulations per move", minimum=1, maximum=10**8),
    Option(
        "ms",
        int,
        0,
        "milliseconds per move, in place of `simulations`; 0: no time limit",
        minimum=0,
        maximum=10**8,
    ),
    Option(
        "leaf",
        str,
        "lookahead",
        "how a leaf is valued: random playout, evaluation function, or evaluation one ply later",
        choices=LEAVES,
    ),
    Option(
        "rule", str, "puct", "formula by which simulations select actions", choices=("uct", "puct")
    ),
    Option(
        "priors",
        str,
        "policy",
        "where a sparse network's priors of actions come from: its policy, or the values that it "
        "gives to the positions after them, which then value leaves as well",
        choices=("policy", "values"),
    ),
    Option("exploration", float, 0.5, "weight of the exploration term", minimum=0, maximum=1000),
    Option(
        "threads",
        int,
        1,
        "threads that share the positions of a call, unless a residual network values them",
        minimum=1,
        maximum=256,
    ),
)
