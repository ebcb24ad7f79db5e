"""Trained policies.

| file           | idea                                                                          |
|----------------|-------------------------------------------------------------------------------|
| `network.py`   | `PolicyNetwork`, the residual network, and networks of either kind            |
| `sparse/`      | sparse networks, evaluated by compiled code                                   |
| `turning.py`   | positions as the other player would see them                                  |
| `card.py`      | what a policy is, and whether it fits a game                                  |
| `file.py`      | policies by name, saved, loaded, exported to ONNX                             |
| `onnx.py`      | exported policies, run without PyTorch                                        |
| `evaluator.py` | networks as evaluators of searches                                            |
"""
