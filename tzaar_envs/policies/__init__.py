"""Trained policies.

| file              | idea                                                              |
|-------------------|-------------------------------------------------------------------|
| `network.py`      | `PolicyNetwork`: a trunk, a policy head and a value head          |
| `board_layers.py` | layers for observations that are planes of a board                |
| `flat_layers.py`  | layers for observations that are vectors                          |
| `card.py`         | what a policy is, and whether it fits a game                      |
| `file.py`         | saving and loading                                                |
| `evaluator.py`    | a network as the evaluator of a tree search                       |
| `onnx_export.py`  | export to ONNX                                                    |
| `onnx.py`         | exported policies, run without PyTorch                            |
"""
