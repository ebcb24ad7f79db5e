"""Trained policies.

| file              | idea                                                              |
|-------------------|-------------------------------------------------------------------|
| `network.py`      | `PolicyNetwork`: a trunk, a policy head and a value head          |
| `board_layers.py` | layers for observations that are planes of a board                |
| `flat_layers.py`  | layers for observations that are vectors                          |
| `turning.py`      | positions as the other player would see them                      |
| `card.py`         | what a policy is, and whether it fits a game                      |
| `file.py`         | saving and loading                                                |
| `sparse/`         | sparse networks, evaluated by compiled code                       |
| `kinds.py`        | networks of either kind, by their shapes                          |
| `evaluator.py`    | networks as evaluators of searches                                |
| `onnx_export.py`  | export to ONNX                                                    |
| `onnx.py`         | exported policies, run without PyTorch                            |
"""
