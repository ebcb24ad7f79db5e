"""Sparse networks, which compiled code evaluates itself in less than a microsecond.

| file          | idea                                                                          |
|---------------|-------------------------------------------------------------------------------|
| `shape.py`    | `SparseShape`: which numbers of an observation are inputs, and how            |
| `lines.py`    | lines of sight between pieces as inputs                                       |
| `network.py`  | `SparseNetwork`: the network in PyTorch                                       |
| `memory.py`   | the arrays of a network as compiled code sees them                            |
| `kernel.py`   | the network in compiled code, updated from what changed                       |
| `compiled.py` | `CompiledNetwork`: a network's weights in compiled code, for searches         |
| `samples.py`  | positions of self-play as samples of learning                                 |
| `symmetry.py` | images of samples by the symmetries of a game                                 |
| `gradient.py` | the gradient of the losses, in compiled code                                  |
| `learner.py`  | `Learner`: gradient steps by Adam                                             |

An observation has few numbers that are not zero. So the first layer is a table with a row for each
of them, and its output the sum of the rows of those that are there. From one position to the next
few of them change, so the sum is updated by the rows of these alone (NNUE: Nasu, 2018). The layers
after it are small.
"""
