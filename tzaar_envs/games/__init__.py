"""The games: one folder each, the same files in the same order.

| file           | idea                                                                    |
|----------------|-------------------------------------------------------------------------|
| `__init__.py`  | `SPEC`, the declarative record                                          |
| `board.py`     | the board's geometry and the layout of the state array                  |
| `rules.py`     | `reset`, `legal`, `apply`, `returns` and, where the game has points,    |
|                | hidden information or simultaneous choices, `scores`, `determinize`,    |
|                | `acting`: the rules, compiled                                           |
| `notation.py`  | positions and actions as text                                           |
| `features.py`  | the observation: its named planes and `observe`                         |
| `baselines.py` | `evaluate`, the evaluation function that `greedy` plays by              |
| `render.py`    | `draw`, the board for a terminal                                        |

Three games have a `symmetries.py`, the tables of their boards' symmetries. `weights.json` holds the
tuned weights of an evaluation function, `ratings.json` what the agents of the game's ladder have
reached. Twenty One has three more: `sheets.py`, the printed sheets as data, and the baselines
`optimal_solo.py` and `expectimax.py`; Zatre has the baseline `turn_search.py`.
"""
