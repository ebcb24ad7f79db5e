"""Monte Carlo tree search.

| file            | idea                                                                     |
|-----------------|--------------------------------------------------------------------------|
| `search.py`     | `Mcts`: searches one position, or many                                   |
| `results.py`    | `SearchResults`: what it found, one row for each position                |
| `simulation.py` | one simulation: down the tree, value the leaf, back up                   |
| `selection.py`  | UCT, PUCT, and the choice of the final action                            |
| `expansion.py`  | the edges of a node                                                      |
| `beliefs.py`    | what the searching seat believes about that which it cannot see          |
| `luck.py`       | outcomes of chance that simulations share                                |
| `lookahead.py`  | one ply ahead with the evaluation function, at every new node            |
| `leaves.py`     | the value of a leaf                                                      |
| `gumbel.py`     | root actions drawn and compared by sequential halving, for few visits    |
| `self_play.py`  | whole games of a network against itself, by Gumbel search                |
| `backup.py`     | the way back to the root, and what it proves                             |
| `priors.py`     | priors as probabilities, noise at the root                               |
| `answers.py`    | what an evaluator answers, checked                                       |
| `batched.py`    | many searches at once, with one call of an evaluator for all leaves      |
| `rounds.py`     | a few simulations of each of them, compiled                              |
| `reuse.py`      | keeping the subtree of an earlier search                                 |
| `tree.py`       | nodes and edges in arrays                                                |
| `workspace.py`  | the arrays that a simulation writes to                                   |
"""
