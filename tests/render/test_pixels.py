"""Pixels and windows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from variants import every_game, find_game

from tzaar_envs.core.game import Game
from tzaar_envs.render import pixels as module
from tzaar_envs.render.pixels import Window, import_pygame, rasterise, to_pixels
from tzaar_envs.render.svg import to_html, to_svg


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    opened = Window("test")
    yield opened
    opened.close()


@every_game
def test_tiles_make_the_same_picture_as_the_whole_svg(game: Game) -> None:
    state = game.new_state(seed=1)
    for _ in range(12):
        state.apply(int(state.legal_actions()[0]))
    scene = state.scene(legal=True)
    shape = scene.height / scene.width
    width = next(width for width in range(240, 300) if round(width * shape) % 2 == 0)
    whole = np.asarray(rasterise(to_svg(scene, "light", width)))[..., :3].astype(int)
    tiles = to_pixels(scene, "light", width).astype(int)
    assert tiles.shape == whole.shape
    difference = np.abs(tiles - whole)
    assert difference.mean() < 1
    assert (difference.max(axis=2) > 40).mean() < 0.01


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    module._libraries.cache_clear()
    try:
        with pytest.raises(ModuleNotFoundError, match=r'pip install "tzaar-envs\[render\]"'):
            rasterise("<svg/>")
    finally:
        module._libraries.cache_clear()


def test_a_window_shows_pictures_until_it_is_closed(window: Window) -> None:
    pygame = import_pygame()
    picture = np.zeros((40, 60, 3), np.uint8)
    picture[:, :, 0] = 200
    window.show(picture, fps=0)
    surface = pygame.display.get_surface()
    assert surface.get_size() == (60, 40)
    assert surface.get_at((5, 5))[:3] == (200, 0, 0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(picture, fps=0)
    assert window.is_closed
    window.show(picture, fps=0)
    window.close()


def test_windows_share_the_one_of_pygame(window: Window) -> None:
    pygame = import_pygame()
    other = Window("other")
    small, large = np.zeros((20, 20, 3), np.uint8), np.full((40, 60, 3), 200, np.uint8)
    for _ in range(2):
        for each, picture in ((window, small), (other, large)):
            each.show(picture, fps=0)
            surface = pygame.display.get_surface()
            assert surface.get_size() == picture.shape[1::-1]
            assert surface.get_at((5, 5))[0] == picture[5, 5, 0]
    other.close()
    window.show(small, fps=0)
    assert pygame.display.get_caption()[0] == "test"
    third = Window("third")
    third.show(large, fps=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    third.show(large, fps=0)
    assert third.is_closed
    assert window.is_closed
    assert pygame.display.get_surface() is None


def test_keys_are_left_to_whoever_waits_for_them(window: Window) -> None:
    pygame = import_pygame()
    picture = np.zeros((20, 20, 3), np.uint8)
    window.show(picture, fps=0)
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=ord("a")))
    window.show(picture, fps=0)
    assert [event.key for event in pygame.event.get(pygame.KEYDOWN)] == [ord("a")]


def test_without_a_screen_the_error_says_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    import_pygame().display.quit()
    with pytest.raises(RuntimeError, match="no window can be opened"):
        Window("test").show(np.zeros((20, 20, 3), np.uint8), fps=0)


def test_a_page_of_pictures_has_one_style_sheet() -> None:
    scene = find_game("tzaar").new_state(seed=0).scene()
    page = to_html([scene, scene], "two <games>")
    assert page.count("<svg") == 2
    assert page.count("<style>") == 1
    assert "two &lt;games&gt;" in page
