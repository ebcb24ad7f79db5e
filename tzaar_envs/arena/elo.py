"""The Elo scale: 400 points are ten times the odds.

Source: A. E. Elo, The Rating of Chessplayers, Past and Present (1978).
"""

import math

ELO_PER_NAT = 400 / math.log(10)
"""Elo points per unit of the natural logarithm of the odds."""


def expected_score(difference: float) -> float:
    """Return the expected score, 0 .. 1, against an agent rated lower by this difference."""
    return 1 / (1 + 10 ** (-difference / 400))
