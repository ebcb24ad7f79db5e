"""Calls for each row of a vector environment, as `SyncVectorEnv` of Gymnasium has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch


_NOTHING = object()


class RowCalls:
    """Methods and attributes of single games, for code that was written for `SyncVectorEnv`.

    The rows are no environments. So two methods can be called: `action_masks`, and `render` with
    `render_mode="rgb_array"`; every other name is an attribute, which all rows share.

    Attributes:
        num_envs: the number of rows.
        batch: the games and their arrays.
    """

    num_envs: int
    batch: Batch

    def action_masks(self) -> NDArray[np.bool_]:
        """Return bool `(num_envs, num_actions)`, the legal actions of whoever has to act."""
        return self.batch.copied_masks().view(np.bool_)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return what a method returns for each row, or the value of an attribute as often.

        Raises:
            AttributeError: the rows have neither a method nor an attribute of this name.
        """
        if name == "action_masks":
            return tuple(self.action_masks())
        if name == "render":
            pictures = self.render()  # type: ignore[attr-defined]
            return (None,) * self.num_envs if pictures is None else tuple(pictures)
        found = _NOTHING if name.startswith("_") else getattr(self, name, _NOTHING)
        if found is _NOTHING or callable(found):
            raise AttributeError(
                f"the rows have no method or attribute {name!r}: the methods are action_masks and "
                "render"
            )
        return (found,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute for each row, see `call`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Refuse: the rows have no attributes of their own.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{name!r} of single rows cannot be set")
