"""Search, written once and compiled once for all games.

| place        | idea                                                          |
|--------------|---------------------------------------------------------------|
| `mcts/`      | Monte Carlo tree search, for all games                        |
| `alphabeta/` | alpha-beta, for two players without chance and hidden information |
| `options.py` | the parameters of both                                        |
| `budget.py`  | how long a search may take                                    |
| `result.py`  | what a search found                                           |
"""
