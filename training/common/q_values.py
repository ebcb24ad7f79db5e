"""Action values from a policy network, for scripts that learn Q values.

The value head gives the value of a position, the logits how much worse an action is than the best
legal one (the dueling form of Wang et al., 2016, equation 8, with the maximum over the legal
actions):

    Q(s, a) = V(s) + SCALE * (logit(s, a) - max_b logit(s, b))          a, b legal in s

So a saved policy is an ordinary one: its likeliest legal action is the greedy one, its value is
that of greedy play, and to draw from it, as snapshots do, is to draw from the softmax of Q with
temperature `SCALE`. A warm start serves both heads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

SCALE = 0.1  # difference in value of two actions of which one is e times as likely
NO_VALUE = -1e8  # of illegal actions; not -inf, since 0 * -inf is NaN


def q_values(
    network: Callable[[Tensor], tuple[Tensor, Tensor]], observations: Tensor, masks: Tensor
) -> Tensor:
    """Return the values of all actions, float32 `(B, num_actions)`: `NO_VALUE` of illegal ones.

    Args:
        network: a `PolicyNetwork`, or a function like it.
        observations: int8 `(B, *observation_shape)`.
        masks: bool `(B, num_actions)`; a row without legal actions has no values.
    """
    logits, values = network(observations)
    legal = logits.masked_fill(~masks, NO_VALUE)
    losses = SCALE * (legal - legal.amax(dim=1, keepdim=True))
    return (values + losses).masked_fill(~masks, NO_VALUE)


def random_legal(masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a uniformly random legal action of each row, int64 `(B,)`.

    Args:
        masks: bool `(B, num_actions)`, with a legal action in each row.
        rng: source of randomness.
    """
    drawn = rng.integers(masks.sum(axis=1))
    return (masks.cumsum(axis=1) <= drawn[:, None]).sum(axis=1)
