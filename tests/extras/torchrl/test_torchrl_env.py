"""The games in TorchRL as one batched environment."""

from typing import Any

import numpy as np
import pytest
import torch
from tensordict import TensorDict
from torchrl.envs import ActionMask, TransformedEnv
from torchrl.envs.utils import check_env_specs

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.wrappers.torchrl_env import TorchRLVectorEnv

GAMES = [tzaar_envs.load_game(name) for name in tzaar_envs.list_games()]
GAMES.append(tzaar_envs.load_game("twenty_one", players=3, deal="random"))
every_game = pytest.mark.parametrize("game", GAMES, ids=str)


@pytest.mark.parametrize(
    "options",
    [{}, {"dtype": np.float32}, {"illegal": "terminate"}, {"reward": "score"}],
    ids=str,
)
@every_game
def test_the_environment_keeps_what_its_specs_promise(game: Game, options: dict[str, Any]) -> None:
    env = TorchRLVectorEnv(game, 3, seed=0, **options)
    assert env.batch_size == (3,)
    assert env.action_spec.space.n == game.num_actions
    check_env_specs(env, break_when_any_done="both")
    check_env_specs(env, seed=1)
    env.close()


@every_game
def test_games_are_those_of_make_vec(game: Game) -> None:
    torch.manual_seed(0)
    env = TorchRLVectorEnv(game, 4, seed=5)
    steps = 2 * game.max_plies if game.max_plies < 100 else 130
    played = env.rollout(steps, break_when_any_done=False)
    assert played.batch_size == (4, steps)
    vec = tzaar_envs.make_vec(
        game.spec.env_id,
        num_envs=4,
        seed=5,
        autoreset="same_step",
        illegal="raise",
        **game.options,
    )
    observations, infos = vec.reset()
    for step in range(steps):
        now = played[:, step]
        assert np.array_equal(now["observation"], observations)
        assert np.array_equal(now["action_mask"], infos["action_mask"])
        assert np.array_equal(now["player"], infos["player"])
        observations, rewards, terminated, truncated, infos = vec.step(now["action"].numpy())
        after = now["next"]
        assert np.array_equal(after["reward"][:, 0], rewards.astype(np.float32))
        assert np.array_equal(after["rewards"], infos["rewards"].astype(np.float32))
        assert np.array_equal(after["terminated"][:, 0], terminated)
        assert np.array_equal(after["truncated"][:, 0], truncated)
        assert np.array_equal(after["done"][:, 0], terminated | truncated)
        over = after["done"][:, 0]
        assert (after["player"][over] == -1).all()
        assert after["action_mask"][over].all()
    if game.max_plies <= steps:
        assert played["next", "done"].any()
    env.close()


def test_seeds_and_illegal_actions() -> None:
    game = tzaar_envs.load_game("tzaar")
    env = TorchRLVectorEnv(game, 2)
    env.set_seed(7)
    first = env.reset()["observation"].clone()
    assert not torch.equal(env.reset()["observation"], first)  # the stream goes on
    env.set_seed(7)
    position = env.reset()
    assert torch.equal(position["observation"], first)
    illegal = (~position["action_mask"]).int().argmax(dim=1)
    with pytest.raises(ValueError, match="is not legal in position"):
        env.step(position.set("action", illegal))
    env.close()


def test_the_masks_of_torchrl_work() -> None:
    env = TransformedEnv(TorchRLVectorEnv("twenty_one", 2, seed=1), ActionMask())
    played = env.rollout(60, break_when_any_done=False)
    legal = played["action_mask"].gather(-1, played["action"][..., None])
    assert legal.all()


def test_each_game_is_seeded_at_its_own_reset() -> None:
    env, other = (TorchRLVectorEnv("tzaar", 2, seed=seed) for seed in (1, 2))
    for each in (env, other):
        each.reset()
        each.set_seed(7)
        for row in range(2):
            chosen = torch.zeros(2, 1, dtype=torch.bool)
            chosen[row] = True
            seen = each.reset(TensorDict({"_reset": chosen}, [2]))
        each.seen = seen["observation"]
    assert torch.equal(env.seen, other.seen)
