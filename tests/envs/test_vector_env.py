"""Many games in one vector environment are the games of as many single environments."""

from __future__ import annotations

import logging
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from variants import every_game, make_env

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
from tzaar_envs.envs.vector import VectorGameEnv

MODES = ("next_step", "same_step", "disabled")
every_mode = pytest.mark.parametrize("autoreset", MODES)


def make_vec(game: Game, **options: Any) -> VectorGameEnv:
    return VectorGameEnv(game.spec, **options, **game.options)


def seen(env: GameEnv) -> dict[str, np.ndarray]:
    return env.observe(env.agent_selection)


class Twins:
    """A vector environment and as many single ones, in step with each other."""

    def __init__(self, game: Game, num_envs: int, seed: int, **options: Any) -> None:
        self.autoreset = options["autoreset"]
        self.many = make_vec(game, num_envs=num_envs, seed=seed, **options)
        shared = {name: options[name] for name in ("illegal", "reward") if name in options}
        self.singles = [make_env(game, **shared) for _ in range(num_envs)]
        self.over = np.zeros(num_envs, np.bool_)
        self.ends = 0
        self.observations, self.infos = self.many.reset()
        for row, env in enumerate(self.singles):
            env.reset(seed=seed + row)
        self.check()

    def check(self) -> None:
        """Compare what both show of the games that run."""
        for row, env in enumerate(self.singles):
            if self.over[row]:
                assert self.infos["player"][row] == -1
                assert not self.infos["action_mask"][row].any()
                continue
            expected = seen(env)
            np.testing.assert_array_equal(self.observations[row], expected["observation"])
            np.testing.assert_array_equal(self.infos["action_mask"][row], expected["action_mask"])
            assert env.agent_selection == f"player_{self.infos['player'][row]}"

    def step(self, actions: np.ndarray) -> None:
        """Play on both and compare everything."""
        self.observations, rewards, terminated, truncated, self.infos = self.many.step(actions)
        for row, env in enumerate(self.singles):
            if self.over[row]:
                env.reset()
                self.over[row] = False
                assert (rewards[row], terminated[row], truncated[row]) == (0.0, False, False)
                assert not self.infos["rewards"][row].any()
                continue
            mover = env.agent_selection
            env.step(int(actions[row]))
            assert rewards[row] == env.rewards[mover]
            assert self.infos["rewards"][row].tolist() == list(env.rewards.values())
            assert terminated[row] == env.terminations[mover]
            assert truncated[row] == env.truncations[mover]
            assert self.infos["_scores"][row] == (terminated[row] != truncated[row])
            assert self.infos["_scores"][row] or not self.infos["scores"][row].any()
            if terminated[row] or truncated[row]:
                self.end(row, env)
        self.check()

    def end(self, row: int, env: GameEnv) -> None:
        self.ends += 1
        if "score" in env.infos["player_0"]:
            scores = [env.infos[agent]["score"] for agent in env.possible_agents]
            assert self.infos["scores"][row].tolist() == scores
        if self.autoreset == "same_step":
            assert self.infos["_final_obs"][row]
            last = env.observe(f"player_{env.game_state.words[SEAT]}")["observation"]
            np.testing.assert_array_equal(self.infos["final_obs"][row], last)
            env.reset()
        elif self.autoreset == "next_step":
            self.over[row] = True
        else:
            env.reset()
            mask = np.arange(self.many.num_envs) == row
            self.observations, infos = self.many.reset(options={"reset_mask": mask})
            self.infos |= {name: infos[name] for name in ("action_mask", "player")}


@every_game
@pytest.mark.parametrize(
    ("autoreset", "num_threads"), [("next_step", 1), ("same_step", 2), ("disabled", 1)]
)
@pytest.mark.usefixtures("shared_rows")
def test_rows_are_single_environments(game: Game, autoreset: str, num_threads: int) -> None:
    assert_rows_are_single_environments(game, autoreset, num_envs=4, num_threads=num_threads)


def assert_rows_are_single_environments(
    game: Game, autoreset: str, num_envs: int, num_threads: int
) -> None:
    twins = Twins(game, num_envs, 5, num_threads=num_threads, autoreset=autoreset)
    sampler = ActionSampler(1)
    for _ in range(4 * game.max_plies):
        twins.step(sampler.sample(twins.infos["action_mask"]))
        if twins.ends >= 3:
            break
    assert twins.ends >= 3
    twins.many.close()


@every_mode
def test_illegal_action_ends_its_game(autoreset: str) -> None:
    game = tzaar_envs.load_game("twenty_one", players=3)
    twins = Twins(game, 4, 2, autoreset=autoreset)
    sampler = ActionSampler(3)
    for step in range(60):
        actions = sampler.sample(twins.infos["action_mask"])
        if step % 10 == 9 and not twins.over[1]:
            actions[1] = twins.infos["action_mask"][1].argmin()
        twins.step(actions)
    assert twins.ends > 4


def test_illegal_actions_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    env = make_vec(tzaar_envs.load_game("tzaar"), num_envs=2, num_threads=2)
    assert env.num_threads == 2
    _, infos = env.reset(seed=1)
    with caplog.at_level(logging.WARNING):
        *_, infos = env.step(infos["action_mask"].argmin(axis=1))
    assert not infos["_scores"].any()
    assert any("Illegal move made" in record.message for record in caplog.records)


@every_game
@pytest.mark.usefixtures("shared_rows")
def test_sampled_actions_are_legal_and_follow_from_the_seed(game: Game) -> None:
    histories = []
    for num_envs, num_threads, seed in ((6, 1, 7), (6, 2, 7), (3, 1, 7), (6, 1, 8)):
        env = make_vec(game, num_envs=num_envs, num_threads=num_threads)
        _, infos = env.reset(seed=seed)
        over = np.zeros(num_envs, np.bool_)
        history = []
        for _ in range(2 * game.max_plies if game.max_plies < 150 else 150):
            actions = env.sample_actions()
            assert (over | (infos["action_mask"][np.arange(num_envs), actions] == 1)).all()
            history.append(actions[:3])
            _, _, terminated, truncated, infos = env.step(actions)
            over = terminated | truncated
        histories.append(np.array(history))
        env.close()
    one, threads, fewer, other = histories
    np.testing.assert_array_equal(one, threads)
    np.testing.assert_array_equal(one, fewer)
    assert (one != other).any()


def test_copies_stay_and_views_change() -> None:
    for copies in (True, False):
        env = tzaar_envs.make_vec("twenty_one", 3, seed=0, copy=copies)
        observations, infos = env.reset()
        handed_out = [observations, infos["action_mask"], infos["player"]]
        before = [array.copy() for array in handed_out]
        for _ in range(2):
            observations, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
        kept = [(a == b).all() for a, b in zip(handed_out, before, strict=True)]
        assert all(kept) if copies else not any(kept)
        assert np.shares_memory(observations, env.batch.observations) != copies


def test_it_is_a_vector_environment_of_gymnasium() -> None:
    env = tzaar_envs.make_vec("zatre", num_envs=6, players=3, autoreset=AutoresetMode.SAME_STEP)
    assert isinstance(env, VectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, infos = env.reset(seed=1)
    assert observations.shape == (6, *env.game.observation_shape)
    assert env.observation_space.contains(observations)
    assert env.single_observation_space.contains(observations[0])
    assert env.action_space.contains(infos["action_mask"].argmax(axis=1))
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=1)
    for _ in range(300):
        *_, infos = wrapped.step(infos["action_mask"].argmax(axis=1))
        if "episode" in infos:
            break
    assert "episode" in infos


def test_rows_have_seeds_of_their_own_and_start_where_they_are_told() -> None:
    many, single = tzaar_envs.make_vec("zatre", num_envs=3), tzaar_envs.make("zatre")
    observations, _ = many.reset(seed=[5, 3, 5])
    for row, seed in enumerate([5, 3, 5]):
        single.reset(seed=seed)
        np.testing.assert_array_equal(observations[row], single.last()[0]["observation"])
    single.step(int(single.infos[single.agent_selection]["action_mask"].argmax()))
    position = str(single.game_state)
    observations, _ = many.reset(options={"position": position})
    assert {str(many.batch.state(row)) for row in range(3)} == {position}
    np.testing.assert_array_equal(observations[2], single.last()[0]["observation"])
    assert many._repr_html_().count("<svg") == 3 * single._repr_html_().count("<svg") == 3


def test_only_selected_rows_start_anew() -> None:
    env = tzaar_envs.make_vec("tzaar", 4, seed=0, autoreset="disabled")
    with pytest.raises(ValueError, match="have not been started yet"):
        env.reset(options={"reset_mask": np.array([True, False, False, False])})
    _, infos = env.reset()
    env.step(infos["action_mask"].argmax(axis=1))
    before = env.batch.states.copy()
    env.reset(seed=9, options={"reset_mask": np.array([False, True, False, True])})
    changed = (env.batch.states != before).any(axis=1)
    assert changed.tolist() == [False, True, False, True]
    assert str(env.batch.state(3)) == str(env.game.new_state(12))
    for mask in (np.zeros(4, np.bool_), np.ones(3, np.bool_), np.ones(4, np.int8)):
        with pytest.raises(ValueError, match="use a bool array of shape"):
            env.reset(options={"reset_mask": mask})


def test_finished_game_is_not_played_on_without_autoreset() -> None:
    env = tzaar_envs.make_vec("tzaar", 2, seed=0, autoreset="disabled")
    _, infos = env.reset()
    ended = np.zeros(2, np.bool_)
    while not ended.any():
        *_, terminated, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        ended = terminated | truncated
    with pytest.raises(AssertionError, match=f"the game of row {ended.argmax()} is over"):
        env.step(np.zeros(2, np.int64))


@pytest.mark.parametrize("autoreset", ["next_step", "disabled"])
@pytest.mark.parametrize("kind", [VectorGameEnv, SingleAgentVectorEnv])
def test_infos_have_the_same_keys_in_every_step(kind: Any, autoreset: str) -> None:
    game = tzaar_envs.load_game("twenty_one")
    env = kind(game.spec if kind is VectorGameEnv else game, num_envs=2, autoreset=autoreset)
    _, infos = env.reset(seed=1)
    first = {name: (array.shape, array.dtype) for name, array in infos.items()}
    ends = 0
    while ends < 2:
        *_, terminated, truncated, infos = env.step(env.action_masks().argmax(axis=1))
        assert {name: (array.shape, array.dtype) for name, array in infos.items()} == first
        if (over := terminated | truncated).any():
            ends += 1
            if autoreset == "disabled":
                env.reset(options={"reset_mask": over})
