"""Pictures and windows of the environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.play import play as play_in_window
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.core.state import State
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.single_agent import SingleAgentEnv
from tzaar_envs.render.pixels import import_pygame, to_pixels

GAMES = tzaar_envs.list_games()


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("tzaar_envs.envs.rendering.FPS", 0)  # without waiting


def make(name: str = "tzaar", **options: Any) -> GameEnv:
    env = tzaar_envs.make(f"{name}_v0", **options)
    env.reset(seed=1)
    return env


def play(env: GameEnv, plies: int) -> None:
    for _ in range(plies):
        env.step(int(env.game_state.legal_actions()[0]))


@pytest.mark.parametrize("name", GAMES)
def test_pixels_of_all_positions_have_one_size(name: str) -> None:
    env = make(name, render_mode="rgb_array", render_size=200)
    first = env.render()
    play(env, 3)
    second = env.render()
    for picture in (first, second):
        assert isinstance(picture, np.ndarray)
        assert picture.dtype == np.uint8
        assert picture.shape[1:] == (200, 3)
        assert picture.shape == first.shape
    assert (first != second).any()


def test_size_and_theme() -> None:
    env = make(render_mode="rgb_array", render_size=320, render_theme="dark")
    assert env.render().shape == (354, 320, 3)
    assert env.render()[0, 0].tolist() == [0x14, 0x17, 0x1C]


def test_pictures_show_the_last_action() -> None:
    env = make(render_mode="rgb_array")
    before = env.game_state
    play(env, 1)
    shown = env.render()
    without = to_pixels(env.game_state.scene(), "light", 480)
    with_last = to_pixels(
        env.game_state.scene(last=(before, int(before.legal_actions()[0]))), "light", 480
    )
    assert (shown != without).any()
    np.testing.assert_array_equal(shown, with_last)


def plain(state: State) -> NDArray[np.uint8]:
    """Return the picture of a position without a last action."""
    return to_pixels(state.scene(), "light", 480)


def test_single_agent_pictures_show_the_last_action_of_the_opponent() -> None:
    env = SingleAgentEnv("turm_und_waechter", render_mode="rgb_array", seat=1)
    _, info = env.reset(seed=1)
    start = tzaar_envs.load_game("turm_und_waechter").new_state()
    [opening] = [
        action
        for action in start.legal_actions().tolist()
        if successor(start, action) == env.game_state
    ]
    expected = to_pixels(env.game_state.scene(last=(start, opening)), "light", 480)
    np.testing.assert_array_equal(env.render(), expected)
    env.step(int(info["action_mask"].argmax()))
    assert (env.render() != plain(env.game_state)).any()
    env.reset(seed=1)
    np.testing.assert_array_equal(env.render(), expected)


def successor(state: State, action: int) -> State:
    after = state.clone()
    after.apply(action)
    return after


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_vector_pictures_show_the_last_action_of_each_row(autoreset: str) -> None:
    env = tzaar_envs.make_vec(
        "tzaar_v0", num_envs=2, render_mode="rgb_array", autoreset=autoreset, setup="fixed"
    )
    env.reset(seed=1)
    for row, picture in enumerate(env.render()):
        np.testing.assert_array_equal(picture, plain(env.batch.state(row)))
    before = [env.batch.state(row) for row in (0, 1)]
    actions = env.sample_actions()
    env.step(actions)
    for row, picture in enumerate(env.render()):
        last = before[row], int(actions[row])
        expected = to_pixels(env.batch.state(row).scene(last=last), "light", 480)
        np.testing.assert_array_equal(picture, expected)
    over = np.zeros(2, bool)
    while not over.any():
        _, _, terminated, truncated, _ = env.step(env.sample_actions())
        over = terminated | truncated
    if autoreset == "next_step":
        env.step(env.sample_actions())
    row = int(over.argmax())
    np.testing.assert_array_equal(env.render()[row], plain(env.batch.state(row)))


def test_a_window_opens_at_reset_and_follows_the_game() -> None:
    env = make(render_mode="human")
    pygame = import_pygame()
    surface = pygame.display.get_surface()
    before = pygame.surfarray.array3d(surface)
    play(env, 1)
    assert (pygame.surfarray.array3d(surface) != before).any()
    assert env.render() is None
    env.close()
    assert pygame.display.get_surface() is None
    play(env, 1)
    env.close()


def test_a_viewer_sees_only_the_own_hand() -> None:
    env = SingleAgentEnv("zatre", render_mode="rgb_array", seat=0, viewer="player_1")
    env.reset(seed=3)
    state = env.game_state
    np.testing.assert_array_equal(env.render(), to_pixels(state.scene(1), "light", 480))
    assert (env.render() != to_pixels(state.scene(), "light", 480)).any()


def test_people_play_with_keys_in_the_window_of_gymnasium() -> None:
    pygame = import_pygame()
    env = gymnasium.make("tzaar_envs/TurmUndWaechter-v0", render_mode="rgb_array", seat=0)
    _, info = env.reset(seed=1)
    chosen = int(info["action_mask"].argmax())
    played = []

    def callback(*step: Any) -> None:
        played.append(step)
        pygame.event.post(pygame.event.Event(pygame.QUIT))

    pygame.display.init()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=ord("a")))
    play_in_window(
        env, keys_to_action={"a": chosen}, wait_on_player=True, callback=callback, fps=60, seed=1
    )
    [(_, _, action, _, terminated, truncated, _)] = played
    assert (action, terminated, truncated) == (chosen, False, False)


def test_repr_says_what_an_environment_is() -> None:
    env = tzaar_envs.make("tzaar_v0", setup="fixed")
    assert repr(env) == "<GameEnv tzaar_v0, setup='fixed': not started>"
    env.reset(seed=1)
    assert repr(env) == "<GameEnv tzaar_v0, setup='fixed': White to act>"
    vector = tzaar_envs.make_vec("zatre_v0", num_envs=7, players=3)
    assert repr(vector) == "<VectorGameEnv zatre_v0, players=3: 7 games>"
    vector.close()
    assert repr(SingleAgentEnv("tzaar")) == "<SingleAgentEnv tzaar_v0: not started>"
