"""The parameters of searches, for people and for text forms."""

from tzaar_envs.core.options import Option

LEAVES = ("playout", "evaluation", "lookahead")
"""In the order of `selection.PLAYOUT` and so on."""

MCTS_OPTIONS = (
    Option("simulations", int, 400, "simulations for each move", minimum=1, maximum=10**8),
    Option(
        "ms",
        int,
        0,
        "milliseconds for each move in place of `simulations`; 0: not by time",
        minimum=0,
        maximum=10**8,
    ),
    Option(
        "leaf",
        str,
        "lookahead",
        "what values a leaf: a random playout, the evaluation function, or that one ply later",
        choices=LEAVES,
    ),
    Option("rule", str, "puct", "how a simulation selects actions", choices=("uct", "puct")),
    Option("exploration", float, 0.5, "weight of the exploration term", minimum=0, maximum=1000),
    Option("threads", int, 1, "threads that share the positions of a call", minimum=1, maximum=256),
    Option(
        "reuse",
        bool,
        False,
        "go on with the tree of the last search if that was of one position of the same game; not "
        "with hidden information",
    ),
)

ALPHABETA_OPTIONS = (
    Option("depth", int, 3, "plies to look ahead", minimum=1, maximum=64),
    Option(
        "ms", int, 0, "milliseconds for each move in place of `depth`; 0: not by time", minimum=0
    ),
)
