"""The batch of single-agent games for Stable-Baselines3."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from small_games.agents import Lowest
from variants import every_game

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.envs.base import final_rewards
from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv


def random_actions(env: SingleAgentVecEnv, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(env)])


@every_game
def test_games_go_on_after_their_end(game: Game) -> None:
    env = SingleAgentVecEnv(game, ["random", "greedy"], 6, seed=1)
    rng = np.random.default_rng(1)
    observations = env.reset()
    assert is_masking_supported(env)
    finished = 0
    for _ in range(2 * game.max_plies):  # enough for two games at each of the six tables
        if finished > 10:
            break
        assert observations.shape == (6, *game.observation_shape)
        assert all(env.observation_space.contains(row) for row in observations)
        observations, rewards, dones, infos = env.step(random_actions(env, rng))
        assert get_action_masks(env).any(axis=1).all()
        for reward, done, info in zip(rewards, dones, infos, strict=True):
            assert done == ("terminal_observation" in info)
            assert done or reward == 0.0
            if done:
                finished += 1
                assert info["episode"]["r"] == reward
                assert len(info["opponents"]) == game.num_players - 1
                assert set(info["opponents"]) <= {"random", "greedy"}
                assert env.observation_space.contains(info["terminal_observation"])
    assert finished > 10


@pytest.mark.parametrize(("name", "players"), [("zatre", 3), ("twenty_one", 6)])
@pytest.mark.parametrize("reward", ["outcome", "score"])
def test_the_reward_is_that_of_the_learners_seat(name: str, players: int, reward: str) -> None:
    game = tzaar_envs.load_game(name, players=players)
    rng = np.random.default_rng(2)
    env = SingleAgentVecEnv(game, [Lowest(game)], 8, seed=1, reward=reward)
    env.reset()
    seats = set()
    for _ in range(3 * game.max_plies):
        foreseen = [(seat, env.games.batch.state(row)) for row, seat in enumerate(env.games.seats)]
        actions = random_actions(env, rng)
        _, rewards, dones, _ = env.step(actions)
        for index in np.flatnonzero(dones):
            seat, state = foreseen[index]
            state.apply(int(actions[index]))
            while not state.is_terminal:
                state.apply(int(state.legal_actions()[0]))
            assert rewards[index] == pytest.approx(final_rewards(state, reward)[seat])
            seats.add(seat)
        if len(seats) == players:
            break
    assert seats == set(range(players))


@pytest.mark.parametrize("seed", [None, 9])
@pytest.mark.parametrize("name", ["tzaar", "zatre", "twenty_one"])
def test_a_reset_goes_on_with_what_is_drawn_until_there_is_a_new_seed(
    name: str, seed: int | None
) -> None:
    env = SingleAgentVecEnv(name, num_envs=4, seat=0, seed=seed)
    first, second = env.reset(), env.reset()
    assert not (first == second).all()
    for _ in range(2):
        env.seed(9)
        again = env.reset(), env.reset()
        assert (again[0] == first).all() == (seed is not None)
        assert (again[1] == second).all() == (seed is not None)


def test_games_start_once_from_the_positions_that_options_name() -> None:
    env = SingleAgentVecEnv("tzaar", num_envs=3, seat=0, seed=1)
    texts = [str(env.game.new_state(seed)) for seed in (5, 6)]
    env.set_options([{"position": texts[0]}, {}, {"position": texts[1]}])
    env.reset()
    starts = [str(env.games.batch.state(row)) for row in range(3)]
    assert [starts[0], starts[2]] == texts
    env.reset()
    assert not {str(env.games.batch.state(row)) for row in range(3)} & set(texts)
    env.set_options({"position": "nonsense"})
    with pytest.raises(ValueError, match="nonsense"):
        env.reset()
    env.set_options({"positon": texts[0]})
    with pytest.raises(ValueError, match="did you mean 'position'"):
        env.reset()


def test_several_positions_with_shaping() -> None:
    env = SingleAgentVecEnv("twenty_one", num_envs=2, seed=1, shaping=1.0)
    for call in (env.get_images, lambda: env.step(np.zeros(2, np.int64))):
        with pytest.raises(ResetNeeded, match="needs to be called before"):
            call()
    env.set_options([{"position": str(env.game.new_state(seed))} for seed in (1, 2)])
    env.reset()
    env.step(random_actions(env, np.random.default_rng(1)))


def test_a_seed_waits_for_the_next_reset() -> None:
    def start(steps: int) -> np.ndarray:
        env = SingleAgentVecEnv("tzaar", "greedy", 3, seed=1)
        env.reset()
        env.seed(5)
        for _ in range(steps):
            env.step(random_actions(env, np.random.default_rng(1)))
        return env.reset()

    np.testing.assert_array_equal(start(0), start(3))


def test_what_the_rules_give_after_a_move_cap_is_the_whole_return() -> None:
    env = SingleAgentVecEnv("turm_und_waechter", seat=0, seed=0, draw=-0.5)
    env.set_options({"position": "RG5r1/7/7/7/7/7/b15BG r 1 499"})
    env.reset()
    _, rewards, dones, infos = env.step(random_actions(env, np.random.default_rng(0)))
    assert (rewards[0], dones[0]) == (-0.5, True)
    assert "TimeLimit.truncated" not in infos[0]  # else SB3 adds the value of the last position


@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_shaping_telescopes(gamma: float) -> None:
    """Over a whole game the discounted shaping rewards add up to minus the first evaluation."""
    game = tzaar_envs.load_game("tzaar")
    weight = 0.5
    env = SingleAgentVecEnv(game, ["random"], 1, seat=0, seed=4, shaping=weight, gamma=gamma)
    rng = np.random.default_rng(4)
    env.reset()
    for _ in range(5):
        first = env.games.batch.state(0).evaluate(0)
        total, factor, done = 0.0, 1.0, False
        while not done:
            _, rewards, dones, infos = env.step(random_actions(env, rng))
            done = bool(dones[0])
            total += factor * float(rewards[0])
            last_factor, factor = factor, factor * gamma
        outcome = last_factor * infos[0]["episode"]["r"]
        assert total - outcome == pytest.approx(-weight * first, abs=1e-5)


def test_only_masks_can_be_asked_of_the_games() -> None:
    env = SingleAgentVecEnv(tzaar_envs.load_game("tzaar"), ["random"], 2, seed=0)
    env.reset()
    with pytest.raises(AttributeError, match="no method 'close_window', only 'action_masks'"):
        env.env_method("close_window")
    with pytest.raises(AttributeError, match="cannot be set"):
        env.set_attr("seat", 1)
