"""The kinds of networks: a residual one (`network`) and a sparse one (`sparse`).

Both map observations to logits and values in the same way. What differs is what they cost: a
residual network looks at every cell of the board, a sparse one only at what is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from tzaar_envs.core.game import Game
from tzaar_envs.networks.network import NetworkShape, PolicyNetwork
from tzaar_envs.networks.sparse.network import SparseNetwork
from tzaar_envs.networks.sparse.shape import SparseShape

AnyShape: TypeAlias = NetworkShape | SparseShape
AnyNetwork: TypeAlias = PolicyNetwork | SparseNetwork


def shape_of(values: Mapping[str, Any]) -> AnyShape:
    """Return the shape that `dataclasses.asdict` has turned into plain values.

    Raises:
        ValueError: there is no such shape; says why.
    """
    match values.get("kind", "residual"):
        case "residual":
            return msgspec.convert(values, NetworkShape)
        case "sparse":
            return msgspec.convert(values, SparseShape)
        case kind:
            raise ValueError(f"its network is of the unknown kind {kind!r}")


def network_of(shape: AnyShape, game: Game | None = None) -> AnyNetwork:
    """Return an untrained network.

    Args:
        shape: says the kind too.
        game: the game, for how it is turned; None if nothing is turned, or a file says how.
    """
    if isinstance(shape, SparseShape):
        return SparseNetwork(shape, game)
    return PolicyNetwork(shape, game)
