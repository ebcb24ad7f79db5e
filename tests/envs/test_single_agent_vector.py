"""The single-agent view of many games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from variants import every_game

import tzaar_envs
from tzaar_envs import make_vec
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.envs.single_agent import SingleAgentEnv, SingleAgentVectorEnv


@every_game
@pytest.mark.parametrize("opponent", ["random", "greedy", ["random", "greedy"]])
def test_one_row_is_the_single_environment(game: Game, opponent: str | list[str]) -> None:
    name = game.spec.env_id
    many = make_vec(name, opponent=opponent, autoreset="same_step", **game.options)
    single = SingleAgentEnv(game, opponent)
    observations, infos = many.reset(seed=7)
    observation, info = single.reset(seed=7)
    sampler = ActionSampler(3)
    ends = 0
    for _ in range(2 * game.max_plies):
        np.testing.assert_array_equal(observations[0], observation)
        np.testing.assert_array_equal(infos["action_mask"][0], info["action_mask"])
        assert infos["seat"][0] == info["seat"]
        actions = sampler.sample(infos["action_mask"])
        observations, rewards, terminated, truncated, infos = many.step(actions)
        observation, reward, over, cut, info = single.step(actions[0])
        assert (rewards[0], terminated[0], truncated[0]) == (reward, over, cut)
        if over or cut:
            ends += 1
            np.testing.assert_array_equal(infos["final_obs"][0], observation)
            assert infos["scores"][0].tolist() == info["scores"].tolist()
            assert infos["rewards"][0].tolist() == info["returns"].tolist()
            final = infos["final_info"]
            assert infos["_final_info"].tolist() == [True]
            assert final["seat"][0] == info["seat"]
            assert final["scores"][0].tolist() == info["scores"].tolist()
            np.testing.assert_array_equal(final["action_mask"][0], info["action_mask"])
            if ends == 2:
                break
            observation, info = single.reset()
    assert ends == 2


@every_game
@pytest.mark.parametrize(("autoreset", "num_threads"), [("next_step", 2), ("disabled", 1)])
@pytest.mark.usefixtures("shared_rows")
def test_games_go_on_after_their_end(game: Game, autoreset: str, num_threads: int) -> None:
    env = SingleAgentVectorEnv(
        game, num_envs=6, num_threads=num_threads, autoreset=autoreset, seed=1
    )
    observations, infos = env.reset()
    sampler = ActionSampler(0)
    over = np.zeros(6, np.bool_)
    ends = 0
    for _ in range(2 * game.max_plies):
        assert env.observation_space.contains(observations)
        before = over
        actions = sampler.sample(infos["action_mask"])
        observations, rewards, terminated, truncated, infos = env.step(actions)
        over = terminated | truncated
        assert not (over & before).any()
        assert not rewards[~over].any()
        np.testing.assert_array_equal(infos["action_mask"].any(axis=1), ~over)
        if over.any():
            ends += int(over.sum())
            rows = np.arange(6)[over]
            np.testing.assert_array_equal(
                rewards[over], infos["rewards"][rows, infos["seat"][rows]]
            )
            if autoreset == "disabled":
                observations, infos = env.reset(options={"reset_mask": over})
                over = np.zeros(6, np.bool_)
        if ends > 6:
            break
    assert ends > 6
    env.close()


def test_policies_answer_for_the_whole_batch() -> None:
    torch = pytest.importorskip("torch")
    from tzaar_envs.networks.network import PolicyNetwork
    from tzaar_envs.networks.shapes import NetworkShape

    game = tzaar_envs.load_game("tzaar")
    torch.manual_seed(0)
    asked = []

    class Counting(PolicyAgent):
        def act_rows(self, batch: Any, rows: Any) -> Any:
            asked.append(len(rows))
            return super().act_rows(batch, rows)

    agent = Counting(game, PolicyNetwork(NetworkShape.for_game(game, width=4, blocks=0)))
    env = SingleAgentVectorEnv(game, agent, num_envs=16, seed=0)
    _, infos = env.reset()
    for _ in range(5):
        *_, infos = env.step(infos["action_mask"].argmax(axis=1))
    assert max(asked) >= 5  # Half of the seats are drawn to move second.


def test_the_seed_of_any_row_is_one_of_seats_and_opponents() -> None:
    env = SingleAgentVectorEnv("tzaar", num_envs=2)
    assert len({tuple(env.reset(seed=[None, 5])[1]["seat"]) for _ in range(8)}) == 1
    assert env.np_random_seed == 5


def test_after_an_error_of_an_opponent_all_games_must_start_anew() -> None:
    from tzaar_envs.agents.agent import RandomAgent

    class Sulky(RandomAgent):
        sulks = False

        def act_rows(self, batch: Any, rows: Any) -> Any:
            if self.sulks:
                raise RuntimeError("no more")
            return super().act_rows(batch, rows)

    opponent = Sulky(tzaar_envs.load_game("tzaar"))
    env = SingleAgentVectorEnv("tzaar", opponent, seat=0, num_envs=2)
    _, infos = env.reset(seed=0)
    opponent.sulks = True
    with pytest.raises(RuntimeError, match="no more"):
        env.step(infos["action_mask"].argmax(axis=1))
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"reset\(\) all games first"):
        env.step(infos["action_mask"].argmax(axis=1))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.reset(options={"reset_mask": np.array([True, False])})
    opponent.sulks = False
    _, infos = env.reset()
    env.step(infos["action_mask"].argmax(axis=1))
