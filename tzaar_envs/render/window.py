"""A window that shows pictures, for the render mode `human` (needs the extra `render`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.system.extras import require_extra


class Window:
    """A window on the screen, opened with the first picture.

    Its owner goes on undisturbed after a person has closed it: no further picture is shown. A copy
    of a window, also a pickled one, is closed, so that copies of an environment show nothing.

    Attributes:
        is_closed: whether it has been closed, by a person or by `close`.

    Args:
        title: the text on its frame.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._screen: Any = None
        self._clock: Any = None
        self.is_closed = False

    def show(self, pixels: NDArray[np.uint8], fps: float) -> None:
        """Show a picture, at most so many in a second.

        Args:
            pixels: uint8 `(height, width, 3)`.
            fps: pictures in a second; 0: without waiting.

        Raises:
            ModuleNotFoundError: the extra `render` is not installed.
            RuntimeError: there is no screen.
        """
        if self.is_closed:
            return
        pygame = import_pygame()
        height, width = pixels.shape[:2]
        try:
            if self._screen is None:
                pygame.display.init()
                self._clock = pygame.time.Clock()
            if self._screen is None or self._screen.get_size() != (width, height):
                self._screen = pygame.display.set_mode((width, height))
                pygame.display.set_caption(self._title)
            for event in pygame.event.get():
                if event.type == pygame.QUIT:
                    self.close()
                    return
            pygame.surfarray.blit_array(self._screen, pixels.swapaxes(0, 1))
            pygame.display.flip()
        except pygame.error as error:
            self.close()
            raise RuntimeError(
                f"no window can be opened ({error}): use render_mode='rgb_array' or 'ansi' without "
                "a screen"
            ) from None
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window for good."""
        if self._screen is not None:
            import_pygame().display.quit()
            self._screen = None
        self.is_closed = True

    def __reduce__(self) -> tuple[Any, ...]:
        return _closed, (self._title,)


def _closed(title: str) -> Window:
    window = Window(title)
    window.close()
    return window


def import_pygame() -> Any:
    """Return the module `pygame`, imported without a greeting.

    Raises:
        ModuleNotFoundError: the extra `render` is not installed.
    """
    import os

    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    require_extra("render", "a window", "pygame")
    import pygame

    return pygame
