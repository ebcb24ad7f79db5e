"""Sparse networks, which compiled code evaluates itself in less than a microsecond.

Their shapes are in `networks.shapes`, PyTorch's part is in `networks.network`.

| file               | idea                                                                      |
|--------------------|---------------------------------------------------------------------------|
| `lines.py`         | lines of sight between pieces, or patterns of cells, as inputs            |
| `layout.py`        | the arrays of a network as compiled code sees them                        |
| `kernel.py`        | the network in compiled code, updated from what changed                   |
| `line_changes.py`  | which rows of lines and patterns change with a cell                       |
| `compiled.py`      | `CompiledNetwork` for searches, `SparsePolicy` for observations           |
| `replay_buffer.py` | positions of self-play as samples of learning                             |
| `learner.py`       | `Learner`: gradients and steps of Adam, in compiled code                  |

An observation has few numbers that are not zero. So the first layer, the feature transformer, is a
table with a row for each of them; its accumulator is the sum of the active features' rows.
From one position to the next few of them change, so it is updated by the rows of these alone (NNUE:
Nasu, 2018). The layers after it are small.
"""
