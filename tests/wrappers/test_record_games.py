"""Files that hold every game of an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aec import quiet, turns
from variants import every_game, make_env

import tzaar_envs
from tzaar_envs.arena.records import read_games
from tzaar_envs.core.game import Game
from tzaar_envs.wrappers.record_games import RecordGames
from tzaar_envs.wrappers.symmetries import RandomSymmetry
from tzaar_envs.wrappers.views import mask_location

pytestmark = quiet


@every_game
def test_games_are_played_again(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "new" / "games.jsonl"
    env = RecordGames(make_env(game), path)
    ends = []
    for seed in range(3):
        for _ in turns(env, seed):
            pass
        ends.append(env.unwrapped.game_state)
        assert len([*read_games(path)]) == seed + 1  # it is there before the next game
    for seed, (record, end) in enumerate(zip(read_games(path), ends, strict=True)):
        assert record.seed == seed
        assert record.load_game() == game
        assert record.position == str(game.new_state(seed))
        positions = record.check()
        assert str(positions[-1]) == str(end)
        assert len(positions) == len(record.actions) + 1
        assert record.returns == end.returns().tolist()
        assert record.scores == end.scores().tolist()
        assert record.truncated == end.is_truncated
        assert record.end == end.end_code
        assert record.forfeit is None


def test_the_moves_are_those_of_the_game_and_not_of_a_view(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    env = mask_location(RandomSymmetry(RecordGames(tzaar_envs.make("tzaar"), path)), "sb3")
    env.reset(seed=4)
    for _ in env.agent_iter():
        mask = env.action_masks()
        env.step(int(mask.nonzero()[0][0]) if mask.any() else None)
    (record,) = read_games(path)
    assert str(record.check()[-1]) == str(env.unwrapped.game_state)


def play(env: Any, plies: int) -> None:
    for _ in range(plies):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))


def test_games_that_are_left(tmp_path: Path) -> None:
    """A reset or a close adds a game as it stands; one without moves is no game."""
    path = tmp_path / "games.jsonl"
    env = RecordGames(tzaar_envs.make("twenty_one"), path)
    env.reset(seed=np.int64(1))
    play(env, 7)
    left = env.unwrapped.game_state
    with pytest.raises(ValueError, match="nonsense"):
        env.reset(options={"position": "nonsense"})  # the game goes on
    env.reset()
    env.reset()
    play(env, 3)
    env.close()
    env.close()
    first, second = read_games(path)
    assert (first.seed, second.seed) == (1, None)
    assert (first.plies, second.plies) == (7, 3)
    assert first.returns is None
    assert first.scores == left.scores().tolist()
    assert str(first.check()[-1]) == str(left)


def test_illegal_action(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    env = RecordGames(tzaar_envs.make("tzaar"), path)
    env.reset(seed=1)
    play(env, 4)
    illegal = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    env.step(illegal)
    (record,) = read_games(path)
    assert (record.forfeit, record.culprit) == ("illegal action", 0)
    assert record.error is not None
    assert record.error.startswith(f"action {illegal} is not among the")
    assert record.returns is None
    assert len(record.check()) == 5
    env.reset()
    assert len([*read_games(path)]) == 1
