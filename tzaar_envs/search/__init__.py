"""Search, written once and compiled once for all games.

| file            | idea                                                                   |
|-----------------|------------------------------------------------------------------------|
| `mcts.py`       | `Mcts`, Monte Carlo tree search of many positions                      |
| `options.py`    | its parameters                                                         |
| `budget.py`     | how long a search may go on                                            |
| `result.py`     | what it finds                                                          |
| `tree.py`       | nodes and edges in arrays                                              |
| `selection.py`  | UCT, PUCT, and the choice in the end                                   |
| `simulation.py` | down the tree, value the leaf, and back                                |
| `lookahead.py`  | one ply over the evaluation function at every new node                 |
| `lockstep.py`   | many searches whose leaves one evaluator values together               |
| `reuse.py`      | going on with the tree of an earlier search                            |
| `alphabeta.py`  | `AlphaBeta`, for two seats without chance and hidden information       |
| `path.py`       | its nodes, from the root to where it is                                |
| `ordering.py`   | which action it tries first                                            |
| `transposition.py`, `hashing.py` | what it remembers of positions, and their keys        |
"""
