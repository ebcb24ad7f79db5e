"""Several pictures side by side."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.render.scene import Scene
from tzaar_envs.render.svg import AUTO, style_sheet, to_svg

MOST = 16
"""So many pictures are shown of a batch, the first ones."""


def to_html(scenes: Sequence[Scene], caption: str, width: int = 220) -> str:
    """Return pictures in a grid as HTML, in the reader's theme.

    Args:
        scenes: the pictures.
        caption: the text above them.
        width: of each picture, in pixels.
    """
    cells = "".join(
        f'<div style="width:{width}px;max-width:100%">{to_svg(scene, AUTO, style=False)}</div>'
        for scene in scenes
    )
    return (
        f"<style>{style_sheet()}</style><div><code>{html.escape(caption)}</code></div>"
        f'<div style="display:flex;flex-wrap:wrap;gap:8px">{cells}</div>'
    )


def tiled(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return pictures of one size in a grid that is about as wide as high.

    Args:
        pictures: uint8 `(height, width, 3)`, one or more.
    """
    columns = math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    height, width = pictures[0].shape[:2]
    grid = np.zeros((rows * height, columns * width, 3), np.uint8)
    for index, picture in enumerate(pictures):
        row, column = divmod(index, columns)
        grid[row * height : (row + 1) * height, column * width : (column + 1) * width] = picture
    return grid
