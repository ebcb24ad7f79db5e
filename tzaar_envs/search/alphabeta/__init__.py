"""Alpha-beta search for two players without chance or hidden information.

| file               | idea                                                    |
|--------------------|---------------------------------------------------------|
| `search.py`        | `AlphaBeta`: iterative deepening within a budget        |
| `iteration.py`     | one iteration: principal variation search to a depth    |
| `node.py`          | opening a node, playing its actions, storing it         |
| `stack.py`         | the array of the nodes from the root to the current one |
| `values.py`        | values as integers, forced wins by their distance       |
| `ordering.py`      | which action is tried first                             |
| `transposition.py` | the transposition table                                 |
| `hashing.py`       | keys of positions                                       |
| `self_play.py`     | whole games of a network against itself                 |
"""
