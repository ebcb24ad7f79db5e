"""Monte Carlo tree search.

| file            | idea                                                       |
|-----------------|------------------------------------------------------------|
| `search.py`     | `Mcts`: searches one position, or many                     |
| `tree.py`       | nodes and edges in arrays                                  |
| `selection.py`  | UCT, PUCT, and the choice of the final action              |
| `simulation.py` | one simulation: selection, expansion, evaluation, backup   |
| `lookahead.py`  | one ply over the evaluation function at every new node     |
| `batched.py`    | many searches whose leaves one evaluator values together   |
| `reuse.py`      | keeping the subtree of an earlier search                   |
"""
