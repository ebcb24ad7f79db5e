"""Films that need ffmpeg: MP4s of games, and recordings by Gymnasium and SB3."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import imageio_ffmpeg
import numpy as np
import pytest
from recorded import short_record

import tzaar_envs
from tzaar_envs.envs.rendering import FPS
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


def test_gymnasium_records_videos_of_vector_environments(tmp_path: Path) -> None:
    envs = gymnasium.wrappers.vector.RecordVideo(
        tzaar_envs.make_vec("tzaar_v0", num_envs=4, render_mode="rgb_array", render_size=100),
        str(tmp_path),
        step_trigger=lambda step: step == 0,
        video_length=6,
    )
    envs.reset(seed=1)
    for _ in range(8):
        envs.step(envs.unwrapped.sample_actions())
    envs.close()
    [film] = tmp_path.glob("*.mp4")
    assert size_and_seconds(film) == ((200, 220), pytest.approx(3, abs=0.6))


@pytest.mark.parametrize("own", [True, False])
def test_stable_baselines3_records_videos(tmp_path: Path, own: bool) -> None:
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecVideoRecorder

    from tzaar_envs.wrappers import SingleAgentVecEnv

    if own:
        envs = SingleAgentVecEnv(tzaar_envs.load_game("tzaar"), ["random"], 2, seed=1)
    else:
        options = {"render_mode": "rgb_array"}
        envs = make_vec_env("tzaar_envs/Tzaar-v0", n_envs=2, seed=1, env_kwargs=options)
    recorder = VecVideoRecorder(envs, str(tmp_path), lambda step: step == 0, video_length=6)
    recorder.reset()
    for _ in range(8):
        masks = np.stack(envs.env_method("action_masks"))
        recorder.step(masks.argmax(axis=1))
    recorder.close()
    [film] = tmp_path.glob("*.mp4")
    (width, height), seconds = size_and_seconds(film)
    assert (width, height) == (480, 2 * 532)
    assert seconds == pytest.approx(6 / FPS, abs=0.6)
