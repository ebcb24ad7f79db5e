"""Trained policies.

| file           | idea                                                                          |
|----------------|-------------------------------------------------------------------------------|
| `shapes.py`    | what a network is built from, and how positions are turned; without PyTorch   |
| `network.py`   | `PolicyNetwork`, the residual kind, and `SparseNetwork`, in PyTorch           |
| `sparse/`      | sparse networks, evaluated by compiled code                                   |
| `device.py`    | the device that PyTorch computes on                                           |
| `card.py`      | what a policy is, and whether it fits a game                                  |
| `file.py`      | policies by name, saved, loaded, exported to ONNX                             |
| `onnx.py`      | exported policies, run without PyTorch                                        |
| `evaluator.py` | networks as evaluators of searches                                            |
"""
