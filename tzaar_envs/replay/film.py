"""A game as GIF, MP4, or a folder of SVGs."""

from __future__ import annotations

import io
import itertools
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.render.pixels import to_pixels
from tzaar_envs.render.scene import Scene, Text
from tzaar_envs.render.svg import to_svg
from tzaar_envs.replay.played_game import PlayedGame, move_text
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import write_atomically

_CAPTION = 34.0  # height of the line of text below a picture
_COLOURS = 128  # of a GIF
_FPS = 10  # of an MP4; players do not like films with fewer
_LAST = 4  # how many times as long the last position is shown


@dataclass(frozen=True)
class FilmStyle:
    """The style of a film.

    Attributes:
        theme: `"light"` or `"dark"`.
        width: Width of its pictures, in pixels.
        seconds: Seconds for each position.
    """

    theme: str = "light"
    width: int = 480
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if not 0.1 <= self.seconds <= 60:
            raise ValueError(f"seconds={self.seconds:g} is not allowed: use 0.1 to 60")
        if not 64 <= self.width <= 4096:
            raise ValueError(f"width={self.width} is not allowed: use 64 to 4096")


def scenes(played: PlayedGame) -> Iterator[Scene]:
    """Yield the pictures of a film, all of one size: positions with last move, values, caption."""
    for ply in range(played.plies + 1):
        words = move_text(played, ply) if ply else played.title
        if ply == played.plies and played.record.returns is not None:
            words = f"{words}. {played.result}" if ply else played.result
        scene = played.scene(ply, values=True)
        y = scene.height + _CAPTION / 2 - 3
        caption = Text(scene.width / 2, y, words, 15, "ink", room=scene.width - 24)
        yield replace(scene, height=scene.height + _CAPTION, over=(*scene.over, caption))


def frames(pictures: Iterable[Scene], style: FilmStyle) -> Iterator[NDArray[np.uint8]]:
    """Yield pictures as uint8 `(height, width, 3)`.

    Raises:
        ModuleNotFoundError: The extra `render` is not installed.
    """
    width = style.width - style.width % 2
    for scene in pictures:
        yield to_pixels(scene, style.theme, width)


def write_svgs(folder: Path, played: PlayedGame, style: FilmStyle) -> None:
    """Write each position as an SVG file, `000.svg` and so on, into a new folder.

    Raises:
        OSError: The folder exists, or cannot be written.
    """
    folder.mkdir(parents=True)
    try:
        for ply, scene in enumerate(scenes(played)):
            svg = to_svg(scene, style.theme, style.width)
            write_atomically(folder / f"{ply:03}.svg", svg)
    except BaseException:  # Ctrl-C, for instance: a part would look like the whole
        shutil.rmtree(folder)
        raise


def write_gif(path: Path, played: PlayedGame, style: FilmStyle) -> None:
    """Write an animated picture.

    Raises:
        ModuleNotFoundError: The extra `render` is not installed.
        OSError: The file cannot be written.
    """
    require_extra("render", "a GIF", "PIL.Image", "resvg_py")
    from PIL import Image

    # With one palette for all, what stays on the board has the same colours and takes no room.
    film = [*scenes(played)]
    sample = np.concatenate([*frames((film[0], film[len(film) // 2], film[-1]), style)])
    palette = Image.fromarray(sample).quantize(_COLOURS)
    pictures = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames(film, style)
    ]
    duration = round(1000 * style.seconds)
    durations = [duration] * (len(pictures) - 1) + [_LAST * duration]
    content = io.BytesIO()
    pictures[0].save(
        content,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=durations,
        loop=0,
    )
    write_atomically(path, content.getvalue())


def write_mp4(path: Path, played: PlayedGame, style: FilmStyle) -> None:
    """Write a film in H.264.

    Raises:
        ModuleNotFoundError: The extra `film` is not installed.
        OSError: The file cannot be written.
    """
    require_extra("film", "an MP4", "imageio_ffmpeg", "PIL.Image", "resvg_py")
    import imageio_ffmpeg

    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        pictures = frames(scenes(played), style)
        first = next(pictures)
        size = first.shape[1], first.shape[0]
        writer = imageio_ffmpeg.write_frames(str(film), size, fps=_FPS, macro_block_size=2)
        writer.send(None)
        shown = 0
        for number, frame in enumerate(itertools.chain([first], pictures)):
            until = number + (_LAST if number == played.plies else 1)
            end = max(shown + 1, round(until * style.seconds * _FPS))  # no rounding adds up
            for _ in range(shown, end):
                writer.send(np.ascontiguousarray(frame))
            shown = end
        writer.close()
        write_atomically(path, film.read_bytes())
