"""Search algorithms, written once and compiled once for all games.

| place             | idea                                                              |
|-------------------|-------------------------------------------------------------------|
| `mcts/`           | Monte Carlo tree search, for all games                            |
| `alphabeta.py`    | alpha-beta, for two players without chance or hidden information  |
| `leaf_network.py` | networks that compiled searches evaluate at their leaves          |
| `result.py`       | `SearchResult`: what a search found out about a position          |
| `options.py`      | the parameters of both                                            |
| `budget.py`       | the limit of a search: simulations or time                        |
| `control.py`      | limits, reports and a stop for a search that is running           |
| `variation.py`    | principal variations in notation                                  |
"""
