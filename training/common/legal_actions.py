"""Legal actions of a batch, packed: tens of numbers a position, of which a mask has a thousand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tzaar_envs.networks.network import ILLEGAL_LOGIT


class LegalActions(NamedTuple):
    """The legal actions of a batch, packed, since they are far fewer than all actions.

    Attributes:
        actions: Int64 `(B, most)`, ascending in each row and padded with 0.
        present: Which columns are not padding, bool `(B, most)`.
    """

    actions: Tensor
    present: Tensor

    @classmethod
    def of(cls, masks: NDArray[np.bool_]) -> LegalActions:
        """Pack masks, bool `(B, num_actions)`, with a legal action in each row."""
        rows, actions = masks.nonzero()
        counts = np.bincount(rows, minlength=len(masks))
        columns = np.arange(len(rows)) - np.repeat(counts.cumsum() - counts, counts)
        packed = np.zeros((len(masks), counts.max()), np.int64)
        packed[rows, columns] = actions
        present = np.arange(counts.max()) < counts[:, None]
        return cls(torch.from_numpy(packed), torch.from_numpy(present))

    def log_policy(self, logits: Tensor) -> Tensor:
        """Return the log probabilities of the packed actions, `(B, most)`.

        The other actions have no probability and no gradient.

        Args:
            logits: Logits of the network, `(B, num_actions)`.
        """
        packed = logits.gather(1, self.actions).masked_fill(~self.present, ILLEGAL_LOGIT)
        return packed.log_softmax(dim=1)


def draw(log_probabilities: Tensor, generator: torch.Generator) -> Tensor:
    """Draw a column for each row of `log_policy`, int64 `(B, 1)`; never one of probability 0.

    Args:
        log_probabilities: Float32 `(B, most)`.
        generator: Source of randomness.
    """
    # The first column whose cumulative sum exceeds a random number: torch.multinomial takes ten
    # times as long. The factor keeps rounding from reaching the whole sum, past the last column.
    sums = log_probabilities.exp().cumsum(dim=1)
    drawn = torch.rand(len(sums), 1, generator=generator) * sums[:, -1:] * (1 - 1e-6)
    return torch.searchsorted(sums, drawn, right=True)
