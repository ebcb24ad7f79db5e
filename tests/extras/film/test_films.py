"""Films that need ffmpeg: MP4s of games, and recordings by Gymnasium and SB3."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import imageio_ffmpeg
import pytest
from recorded import short_record

from tzaar_envs.replay import PlayedGame, write_replay
from tzaar_envs.replay.film import FilmStyle


def size_and_seconds(path: Path) -> tuple[tuple[int, int], float]:
    """Return the size and the duration of a film."""
    facts = next(imageio_ffmpeg.read_frames(str(path)))
    return facts["size"], facts["duration"]


def test_an_mp4_shows_every_position(tmp_path: Path) -> None:
    played = PlayedGame(short_record("turm_und_waechter"))
    path = write_replay(tmp_path / "game.mp4", played, FilmStyle("light", 200, 0.5))
    (width, _), seconds = size_and_seconds(path)
    assert width == 200
    assert seconds == pytest.approx(0.5 * (played.plies + 4), abs=0.2)
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.mp4"]


def test_gymnasium_records_videos(tmp_path: Path) -> None:
    env = gymnasium.wrappers.RecordVideo(
        gymnasium.make("tzaar_envs/TwentyOne-v0", render_mode="rgb_array", render_size=160),
        str(tmp_path),
        episode_trigger=lambda episode: True,
    )
    _, info = env.reset(seed=1)
    frames, is_over = 1, False
    while not is_over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        frames, is_over = frames + 1, terminated or truncated
    env.close()
    [film] = tmp_path.glob("*.mp4")
    (width, _), seconds = size_and_seconds(film)
    assert width == 160
    assert seconds == pytest.approx(frames / env.metadata["render_fps"], rel=0.2)
