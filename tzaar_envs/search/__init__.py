"""Search algorithms, written once and compiled once for all games.

| module                   | idea                                                                |
|--------------------------|---------------------------------------------------------------------|
| `mcts.py`                | `Mcts`: Monte Carlo tree search of positions, for all games         |
| `simulation.py`          | a simulation: down the tree, expand and value the leaf, back up     |
| `tree.py`                | nodes and edges in arrays: selection, backup, proofs                |
| `chance.py`              | outcomes of chance that simulations share                           |
| `batched.py`             | many tree searches with one call of an evaluator for all leaves     |
| `gumbel.py`              | root actions compared by sequential halving, for few simulations    |
| `afterstates.py`         | one ply: the values of the positions after each action; luck        |
| `self_play.py`           | `SelfPlay`: whole games of a network against itself                 |
| `alphabeta.py`           | `AlphaBeta`, for two players without chance or hidden information   |
| `alphabeta_iteration.py` | one iteration of it: principal variation search to a depth          |
| `transposition.py`       | the transposition table of alpha-beta                               |
| `leaf_network.py`        | networks that compiled searches evaluate at their leaves            |
| `result.py`              | `SearchResult`: what a search found out about a position            |
| `control.py`             | budgets, limits, reports and a stop for a search that is running    |
| `options.py`             | the options of tree search                                          |
"""
