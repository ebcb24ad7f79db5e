"""Films, folders of pictures, text."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image
from recorded import record_of, short_record, whole_record

from tzaar_envs.replay import PlayedGame, game_text, write_replay
from tzaar_envs.replay.film import FilmStyle, frames, scenes


@pytest.fixture(scope="module")
def played() -> PlayedGame:
    return PlayedGame(short_record("turm_und_waechter"))


def test_a_gif_shows_every_position(played: PlayedGame, tmp_path: Path) -> None:
    path = write_replay(tmp_path / "game.gif", played, FilmStyle("dark", 121, 0.3))
    with Image.open(path) as film:
        assert film.n_frames == played.plies + 1
        assert film.width == 120
        durations = []
        for at in range(film.n_frames):
            film.seek(at)
            durations.append(film.info["duration"])
    assert durations == [300] * played.plies + [1200]
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.gif"]


def test_a_folder_holds_every_position(played: PlayedGame, tmp_path: Path) -> None:
    write_replay(tmp_path / "game", played)
    names = sorted(path.name for path in (tmp_path / "game").iterdir())
    assert names == [f"{ply:03}.svg" for ply in range(played.plies + 1)]
    with pytest.raises(FileExistsError):
        write_replay(tmp_path / "game", played)


def test_pictures_of_a_film_have_one_size(played: PlayedGame) -> None:
    shapes = {frame.shape for frame in frames(scenes(played), FilmStyle(width=100))}
    assert len(shapes) == 1
    assert all(side % 2 == 0 for side in next(iter(shapes))[:2])
    # Without values there is no curve below the board.
    without = PlayedGame(record_of("twenty_one", {}, 10**9, False))
    for each in (played, without):
        assert len({(scene.width, scene.height) for scene in scenes(each)}) == 1


def test_captions_name_moves_and_result() -> None:
    played = PlayedGame(whole_record())
    captions = [[*scene.texts()][-1].text for scene in scenes(played)]
    assert captions[0] == played.title
    assert captions[1] == f"1/{played.plies} Player 0: {played.record.actions[0]}, random opening"
    assert captions[-1].endswith(played.result)


def test_the_text_shows_every_position(played: PlayedGame) -> None:
    parts = [*game_text(played)]
    assert len(parts) == played.plies + 3
    assert parts[0].startswith("Turm & Wächter: Red (mcts:simulations=8) - Blue (random)")
    for ply, (state, part) in enumerate(zip(played.positions, parts[1:], strict=False)):
        assert state.draw(colour=False) in part
        assert ply == 0 or played.record.actions[ply - 1] in part
    assert "1,234 nodes" in "\n".join(parts)
    assert parts[-1] == f"The game was left after {played.plies} moves."


def test_an_mp4_without_its_extra_is_one_sentence(
    played: PlayedGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ModuleNotFoundError, match=r"an MP4 needs the extra 'film'"):
        write_replay(tmp_path / "game.mp4", played)
    assert not [*tmp_path.iterdir()]
