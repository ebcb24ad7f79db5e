"""Running means of values that a training loop computes, such as losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class Means:
    """Means of named values over the gradient steps of an update."""

    def __init__(self) -> None:
        self._sums: dict[str, Tensor | float] = {}
        self._count = 0

    def add(self, **values: Tensor | float) -> None:
        """Add the values of one gradient step: numbers, or tensors without dimensions."""
        for name, value in values.items():
            plain = value if isinstance(value, int | float) else value.detach()
            self._sums[name] = self._sums.get(name, 0.0) + plain
        self._count += 1

    def metrics(self) -> dict[str, float]:
        """Return the means for the log, none if nothing was added."""
        return {f"train/{name}": float(total) / self._count for name, total in self._sums.items()}
