"""Alpha-beta search for two players without chance or hidden information.

| file               | idea                                                |
|--------------------|-----------------------------------------------------|
| `search.py`        | `AlphaBeta`: iterative deepening and the search     |
| `tree.py`          | the nodes from the root to the current one          |
| `ordering.py`      | which action is tried first                         |
| `transposition.py` | the transposition table                             |
| `hashing.py`       | keys of positions                                   |
"""
