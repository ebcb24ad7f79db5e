"""The games: one folder each, the same files in the same order.

| file           | idea                                                                    |
|----------------|-------------------------------------------------------------------------|
| `__init__.py`  | `SPEC`, the declarative spec                                            |
| `board.py`     | the board's geometry and the layout of the state array                  |
| `rules.py`     | the rules, compiled: `reset`, `legal`, `apply`, `returns` or, in a game |
|                | with points, `scores`; with hidden information `determinize`, with      |
|                | simultaneous choices `acting`                                           |
| `notation.py`  | positions and actions as text                                           |
| `features.py`  | `observe`, the observation                                              |
| `baselines.py` | `evaluate`, the evaluation function that `greedy` plays by              |
| `render.py`    | `scene`, the picture and the board for a terminal; `trace`              |

Three games have a `symmetries.py`, the tables of their boards' symmetries. `weights.json` has the
tuned weights of the evaluation function, `ratings.json` the ratings of the game's ladder, and
`reference.safetensors` its trained network. Twenty One also has the baselines `optimal_solo.py`
and `expectimax.py`, Zatre `turn_search.py`. Elsewhere in a game's folder its board is `b` and its
rules are `rules`. A game needs only some of these files, see `core.game`.
"""
