"""Scenes as pixels.

An SVG of a whole board takes a rasteriser some tens of milliseconds, and from one position to the
next nearly everything stays. So each shape of a scene is drawn once, alone, as a tile with
transparency, and a picture is put together from tiles.
"""

from __future__ import annotations

import functools
import io
import math
import weakref
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.render.scene import Box, Item, Scene, box_of
from tzaar_envs.render.svg import SvgWriter, Theme, find_theme
from tzaar_envs.system.extras import require_extra

DEFAULT_WIDTH = 480
MOST = 16
"""So many pictures are shown of a batch, the first ones."""
_MOST_TILES = 4096


def to_pixels(
    scene: Scene, theme: str | Theme = "light", width: int = DEFAULT_WIDTH
) -> NDArray[np.uint8]:
    """Return a scene as uint8 `(height, width, 3)`; the height is even, as films need it.

    Args:
        scene: The scene.
        theme: A theme, or its name.
        width: Width in pixels.

    Raises:
        ValueError: There is no theme with this name.
        ModuleNotFoundError: The extra `render` is not installed.
    """
    height = 2 * max(1, round(width * scene.height / scene.width / 2))
    return _canvas(find_theme(theme), width, height, scene.width, scene.height).draw(scene)


class Canvas:
    """Pictures of one size, with the tiles that they were put together from.

    Args:
        theme: The colours.
        width: Width in pixels.
        height: Height in pixels.
        right: The width of the scenes.
        bottom: The height of the scenes.
    """

    def __init__(self, theme: Theme, width: int, height: int, right: float, bottom: float) -> None:
        self._writer = SvgWriter(theme)
        self._width, self._height = width, height
        self._scale = min(width / right, height / bottom)
        self._left = (width - right * self._scale) / 2
        self._top = (height - bottom * self._scale) / 2
        self._page = theme["page"]
        # What Pillow pastes for a text: an image, where, and its mask; nothing if it is invisible.
        self._tiles: dict[str, tuple[Any, ...]] = {}
        self._ground: tuple[tuple[Item, ...], Any] | None = None

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Return a picture, uint8 `(height, width, 3)`."""
        frame = self._ground_of(scene).copy()
        for layer in (scene.under, scene.pieces, scene.over):
            for item in layer:
                if tile := self._tile_of(item):
                    frame.paste(*tile)
        return np.array(frame)

    def _ground_of(self, scene: Scene) -> Any:
        """Return the picture of the board alone; games have few, and keep them."""
        if self._ground is None or self._ground[0] is not scene.ground:
            frame = _libraries()[1].new("RGB", (self._width, self._height), self._page)
            text = "".join(self._writer.write(item) for item in scene.ground)
            if tile := self._tile(text, (0, 0, scene.width, scene.height)):
                frame.paste(*tile)
            self._ground = scene.ground, frame
        return self._ground[1]

    def _tile_of(self, item: Item) -> tuple[Any, ...]:
        text = self._writer.write(item)
        if text not in self._tiles:
            if len(self._tiles) >= _MOST_TILES:
                self._tiles.clear()
            self._tiles[text] = self._tile(text, box_of(item))
        return self._tiles[text]

    def _tile(self, text: str, box: Box) -> tuple[Any, ...]:
        """Draw elements of SVG, which do not reach beyond a box of the scene; see `_tiles`."""
        scale = self._scale
        left = max(0, math.floor(box[0] * scale + self._left) - 1)
        top = max(0, math.floor(box[1] * scale + self._top) - 1)
        right = min(self._width, math.ceil(box[2] * scale + self._left) + 1)
        bottom = min(self._height, math.ceil(box[3] * scale + self._top) + 1)
        if right <= left or bottom <= top or "<" not in text:
            return ()
        x, y = (left - self._left) / scale, (top - self._top) / scale
        w, h = (right - left) / scale, (bottom - top) / scale
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{right - left}" '
            f'height="{bottom - top}" viewBox="{x:.6f} {y:.6f} {w:.6f} {h:.6f}">{text}</svg>'
        )
        image = rasterise(svg)
        visible = image.getbbox()
        if visible is None:
            return ()
        image = image.crop(visible)
        return image, (left + visible[0], top + visible[1]), image


_canvas = functools.lru_cache(maxsize=8)(Canvas)


def rasterise(svg: str) -> Any:
    """Return an SVG of fixed size as an image of Pillow, with transparency.

    Raises:
        ModuleNotFoundError: The extra `render` is not installed.
    """
    draw, image = _libraries()
    png = draw(svg_string=svg, skip_system_fonts=True)
    return image.open(io.BytesIO(png)).convert("RGBA")


@functools.cache
def _libraries() -> tuple[Any, Any]:
    require_extra("render", "a picture as pixels", "resvg_py", "PIL.Image")
    import resvg_py
    from PIL import Image

    return resvg_py.svg_to_bytes, Image


def tiled(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return pictures of one size in a grid that is about as wide as high.

    Args:
        pictures: uint8 `(height, width, 3)`, one or more.
    """
    columns = math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    height, width = pictures[0].shape[:2]
    grid = np.zeros((rows * columns, height, width, 3), np.uint8)
    grid[: len(pictures)] = pictures
    in_rows = grid.reshape(rows, columns, height, width, 3).swapaxes(1, 2)
    return in_rows.reshape(rows * height, columns * width, 3)


class Window:
    """A window on the screen, opened with the first picture.

    Pygame has one window, which all windows of the process share: each shows its own pictures in
    it. Their owners go on undisturbed after a person has closed it: no further picture is shown.
    After anybody else has closed it, the next picture opens it again. A copy of a window, also a
    pickled one, is closed, so that copies of an environment show nothing.

    Attributes:
        is_closed: Whether it has been closed, by a person or by `close`.

    Args:
        title: The text on its frame.
    """

    _open: ClassVar[weakref.WeakSet[Window]] = weakref.WeakSet()

    def __init__(self, title: str) -> None:
        self._title = title
        self._clock: Any = None
        self.is_closed = False

    def show(self, pixels: NDArray[np.uint8], fps: float) -> None:
        """Show a picture, at most so many in a second.

        Args:
            pixels: uint8 `(height, width, 3)`.
            fps: Pictures in a second; 0: without waiting.

        Raises:
            ModuleNotFoundError: The extra `render` is not installed.
            RuntimeError: There is no screen, and never was.
        """
        if self.is_closed:
            return
        pygame = import_pygame()
        height, width = pixels.shape[:2]
        try:
            pygame.display.init()  # does nothing unless it is the first or somebody has quit
            if self._clock is None:
                self._clock = pygame.time.Clock()
            elif pygame.event.get(pygame.QUIT):
                for window in list(self._open):
                    window.close()
                return
            surface = pygame.display.get_surface()
            if surface is None or surface.get_size() != (width, height):
                surface = pygame.display.set_mode((width, height))
            self._open.add(self)
            pygame.display.set_caption(self._title)
            pygame.surfarray.blit_array(surface, pixels.swapaxes(0, 1))
            pygame.display.flip()
        except pygame.error as error:
            was_open = self in self._open
            self.close()
            if was_open:  # the move is played, and games need no screen
                return
            raise RuntimeError(
                f"no window can be opened ({error}): use render_mode='rgb_array' or 'ansi' without "
                "a screen"
            ) from None
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window for good."""
        self.is_closed = True
        if self in self._open:
            self._open.remove(self)
            if not self._open:
                import_pygame().display.quit()

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self._title,), {"is_closed": True}


def import_pygame() -> Any:
    """Return the module `pygame`, imported without a greeting.

    Raises:
        ModuleNotFoundError: The extra `render` is not installed.
    """
    import os

    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    require_extra("render", "a window", "pygame")
    import pygame

    return pygame
