"""Environments' pictures of positions: as text, as pixels, or in a window."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.batch import Batch
from tzaar_envs.core.state import State
from tzaar_envs.render.pixels import MOST, Window, tiled, to_pixels

FPS = 2
"""Positions per second in windows and films."""


class LastActions:
    """The last action in each game of a batch, with the position before it, for pictures alone.

    Args:
        batch: The games.
        rows: The first so many of them are looked at.
    """

    def __init__(self, batch: Batch, rows: int) -> None:
        self._batch = batch
        self._rows = rows
        self._known: dict[int, tuple[State, int]] = {}

    @contextlib.contextmanager
    def played(self, actions: NDArray[np.int64], rows: NDArray[np.bool_]) -> Iterator[None]:
        """Remember the actions that are played in this context, unless it raises an error.

        Args:
            actions: int64 `(num_envs,)`; illegal ones are not remembered.
            rows: bool `(num_envs,)`, where they are played.
        """
        before = {row: self._batch.state(row) for row in rows[: self._rows].nonzero()[0].tolist()}
        yield
        for row, state in before.items():
            action = int(actions[row])
            if state.is_legal(action):
                self._known[row] = state, action

    def forget(self, rows: NDArray[np.bool_]) -> None:
        """Forget the last actions of rows, bool `(num_envs,)`, in which new games start."""
        for row in rows.nonzero()[0].tolist():
            self._known.pop(row, None)

    def __getitem__(self, row: int) -> tuple[State, int] | None:
        return self._known.get(row)

    def pictures(self) -> list[NDArray[np.uint8]]:
        """Return pixels of the rows, uint8 `(height, width, 3)` each, everything shown."""
        states = map(self._batch.state, range(self._rows))
        return [to_pixels(state.scene(last=self[row])) for row, state in enumerate(states)]


class Renderer:
    """The display of an environment's positions.

    Attributes:
        mode: None, `"ansi"`, `"rgb_array"` or `"human"`.
        draws: Whether it draws pictures, which show the last action.

    Args:
        title: The text on the window's frame.
        options: A value for `render_mode`, `render_size` and `render_theme`.
    """

    def __init__(self, title: str, options: Mapping[str, Any]) -> None:
        self.mode: str | None = options["render_mode"]
        self.draws = self.mode in ("rgb_array", "human")
        self._width: int = options["render_size"]
        self._theme: str = options["render_theme"]
        self._window = Window(title)

    def show(
        self,
        states: Sequence[State],
        viewer: int | None,
        lasts: Sequence[tuple[State, int] | None],
    ) -> str | NDArray[np.uint8] | None:
        """Return text or pixels, show a window, or warn that there is no mode.

        Args:
            states: One position, or several that a window shows in a grid.
            viewer: Player whose view is shown; None: everything.
            lasts: Position before the last action of each of them, and that action.

        Returns:
            `"ansi"`: text. `"rgb_array"`: uint8 `(height, width, 3)`. Else None.
        """
        if self.mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode: make the environment with "
                "render_mode='ansi', 'rgb_array' or 'human'"
            )
            return None
        if self.mode == "ansi":
            return states[0].draw(viewer=viewer)
        if self.mode == "rgb_array":
            return self.pixels(states[0], viewer, lasts[0])
        if not self._window.is_closed:
            shown = zip(states[:MOST], lasts[:MOST], strict=True)
            pictures = [self.pixels(state, viewer, last) for state, last in shown]
            self._window.show(tiled(pictures), FPS)
        return None

    def pixels(
        self, state: State, viewer: int | None = None, last: tuple[State, int] | None = None
    ) -> NDArray[np.uint8]:
        """Return a picture, uint8 `(height, width, 3)`."""
        scene = state.scene(viewer, last=last)
        return to_pixels(scene, self._theme, self._width)

    def close(self) -> None:
        """Close the window."""
        self._window.close()
