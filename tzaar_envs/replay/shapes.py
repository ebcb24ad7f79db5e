"""The pictures of a whole game, with each shape written once."""

from __future__ import annotations

from collections.abc import Iterable

from tzaar_envs.render.shapes import Item, Rect
from tzaar_envs.render.svg import SvgWriter
from tzaar_envs.replay.played_game import PlayedGame


class ShapeTable:
    """Pictures as lists of numbers of shapes; the colours are CSS variables.

    Attributes:
        parts: each different shape as SVG.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._writer = SvgWriter(None)

    def add(self, items: Iterable[Item]) -> list[int]:
        """Return the numbers of shapes."""
        return [self._number(self._writer.write(item)) for item in items]

    def _number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self.parts))
        if number == len(self.parts):
            self.parts.append(text)
        return number


def pictures(played: PlayedGame) -> dict[str, object]:
    """Return the pictures of a game as data for the page.

    Returns:
        `size`: width and height. `parts`: shapes as SVG. `ground`: the numbers of the lowest
        shapes of all pictures. `frames`: for each position its `title`, the shapes `below` and
        `above`, and, if the agents' search tried actions there, `marks`: what marks them goes on
        top of each of these layers.
    """
    table = ShapeTable()
    first = played.scene(0)
    page = Rect(0, 0, first.width, first.height, fill="page")
    ground = table.add((page, *first.ground))
    frames = []
    for ply in range(played.plies + 1):
        scene = played.scene(ply)
        own_ground = () if scene.ground == first.ground else scene.ground
        frame: dict[str, object] = {
            "title": scene.title,
            "below": table.add((*own_ground, *scene.under)),
            "above": table.add((*scene.pieces, *scene.over)),
        }
        data = played.data(ply)
        if data is not None and data.visits:
            marked = played.scene(ply, visits=True)
            frame["marks"] = [
                table.add(marked.under[len(scene.under) :]),
                table.add(marked.over[len(scene.over) :]),
            ]
        frames.append(frame)
    return {
        "size": [first.width, first.height],
        "parts": table.parts,
        "ground": ground,
        "frames": frames,
    }
