"""Symmetries of a game as tables of a sparse network's inputs and actions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.symmetry import Symmetry
from tzaar_envs.networks.sparse.lines import image_of_rows
from tzaar_envs.networks.sparse.shape import SparseShape


class SampleSymmetries:
    """What turns samples into their images, which are as true as they are.

    Attributes:
        rows: int32 `(symmetries, inputs)`, the row that takes the place of each row.
        actions: int32 `(symmetries, actions)`, the action that takes the place of each action.

    Args:
        game: the game.
        shape: of the network.
    """

    def __init__(self, game: Game, shape: SparseShape) -> None:
        tables = []
        for symmetry in game.symmetries:
            # A turned position is seen by player 0, who stays that player in its images.
            if shape.marker is not None and symmetry.swaps_seats:
                continue
            rows = _row_table(symmetry, shape)
            if rows is not None:
                tables.append((rows, np.argsort(symmetry.actions).astype(np.int32)))
        self.rows = np.stack([rows for rows, _ in tables])
        self.actions = np.stack([actions for _, actions in tables])


def _row_table(symmetry: Symmetry, shape: SparseShape) -> NDArray[np.int32] | None:
    """Return where each row goes, None if the network does not read the image as the position."""
    image_of = np.argsort(symmetry.observation)
    first_row, row = {}, 0
    for entry, plane in shape.entries():
        first_row[entry] = row
        row += max(1, plane.levels)
    table = np.zeros(shape.rows, np.int32)
    for entry, plane in shape.entries():
        image = int(image_of[entry])
        image_plane = shape.planes[image // shape.cells]
        if image_plane.reading == "uniform":
            image -= image % shape.cells  # all cells are the same, the first one is read
        if image_plane != plane or image not in first_row:
            return None
        for level in range(max(1, plane.levels)):
            table[first_row[entry] + level] = first_row[image] + level
    if shape.lines is not None:
        images = image_of_rows(symmetry, shape.lines, shape.board_shape)
        if images is None:
            return None
        table[shape.rows_of_entries :] = shape.rows_of_entries + images
    return table
