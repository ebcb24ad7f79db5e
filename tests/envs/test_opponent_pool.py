"""The pool of opponents: who is met how often, and nobody changes within a game."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.agent import AgentObservation
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.core.state import State
from tzaar_envs.envs.opponents import RECENT_GAMES, OpponentPool
from tzaar_envs.envs.single_agent import SingleAgentEnv, SingleAgentVectorEnv

GAME = tzaar_envs.load_game("tzaar")
AfterStep: TypeAlias = Callable[[NDArray[np.bool_]], None]


class Learner(Agent):
    """Plays the first legal action, and notes its version in the row that it plays in."""

    name = "learner"
    game = GAME
    version = 0

    def __init__(self) -> None:
        self.noted: list[set[int]] = [set() for _ in range(4)]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Learner":
        learner = Learner()
        learner.noted, learner.version = self.noted, self.version
        return learner

    def seed(self, seed: int | Sequence[int] | None) -> None:
        pass

    def act(self, position: State | AgentObservation) -> int:
        self.noted[0].add(self.version)
        assert isinstance(position, State)
        return int(position.legal_actions()[0])

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        for row in rows:
            self.noted[row].add(self.version)
        return batch.masks[rows].argmax(axis=1)


def play_one(pool: OpponentPool, after_step: AfterStep) -> None:
    env = SingleAgentEnv(GAME, pool)
    for _ in range(12):
        _, info = env.reset()
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            over = terminated or truncated
            after_step(np.array([over]))


def play_many(pool: OpponentPool, after_step: AfterStep) -> None:
    env = gymnasium.make_vec("tzaar_envs/Tzaar-v0", num_envs=4, opponent=pool)
    assert env.unwrapped.pool is pool  # type: ignore[attr-defined]
    _, infos = env.reset()
    for _ in range(150):
        _, _, terminated, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        after_step(terminated | truncated)


@pytest.mark.parametrize("play", [play_one, play_many])
def test_an_opponent_never_changes_within_a_game(play: Callable[..., None]) -> None:
    learner = Learner()
    pool = OpponentPool(GAME, "random", snapshot_share=1, max_snapshots=2, seed=1)
    pool.add_snapshot(learner)
    met: list[int] = []

    def after_step(over: NDArray[np.bool_]) -> None:
        for row in over.nonzero()[0]:
            (version,) = learner.noted[row]
            met.append(version)
            learner.noted[row].clear()
        learner.version += 1
        pool.add_snapshot(learner)
        pool.replace(["random", "greedy"])

    play(pool, after_step)
    assert len(met) > 8
    assert len(set(met)) > 4


def test_results_of_games_reach_the_pool() -> None:
    pool = OpponentPool(GAME, {"random": 3, "elo:990": 1}, seed=1)
    weak, strong = pool.baselines
    play_many(pool, lambda over: None)
    assert len(pool.results[weak]) > len(pool.results[strong]) > 0
    assert not any(pool.results[strong])
    seats = [pool.draw_seats(0)[1] for _ in range(400)]
    assert {own for own, _ in seats} == {None}
    assert 250 < [other for _, other in seats].count(weak) < 350


@dataclass(frozen=True)
class Alike(Agent):
    """An agent that equals every other one of its class."""

    lock: object = field(default_factory=threading.Lock, compare=False)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        pass

    def act(self, position: State | AgentObservation) -> int:
        assert isinstance(position, State)
        return int(position.legal_actions()[0])


def test_agents_are_told_apart_and_need_no_copies() -> None:
    one, other = Alike(), Alike()
    pool = OpponentPool(GAME, [one, other])
    pool.record([None, one], True)
    assert pool.win_rate(one) > pool.win_rate(other)
    with pytest.raises(ValueError, match="Alike is not in the pool"):
        pool.win_rate(Alike())
    env = gymnasium.make("tzaar_envs/Tzaar-v0", opponent=pool)
    env.reset(seed=1)


def test_a_shared_victory_is_won_whatever_is_rewarded() -> None:
    game = tzaar_envs.load_game("twenty_one", players=3)
    wins = []
    for reward in ("outcome", "score"):
        pool = OpponentPool(game, "random", seed=1)
        env = SingleAgentVectorEnv(game, pool, num_envs=64, reward=reward)
        sampler, (_, infos) = ActionSampler(1), env.reset(seed=1)
        for _ in range(300):
            *_, infos = env.step(sampler.sample(infos["action_mask"]))
        wins.append([*pool.results[pool.baselines[0]]])
    assert len(wins[0]) == RECENT_GAMES
    assert wins[0] == wins[1]


def test_hard_snapshots_and_the_newest_are_met_more_often() -> None:
    pool = OpponentPool(GAME, "random", snapshot_share=0.8, hardness=2, max_snapshots=3, seed=1)
    assert pool.probabilities().tolist() == [1.0]
    for _ in range(4):
        pool.add_snapshot(make_agent("greedy", GAME))
    assert pool.probabilities() == pytest.approx([0.2, *[0.8 / 3] * 3])
    easy, even, unknown = pool.snapshots
    for number in range(2 * RECENT_GAMES):
        pool.record([None, easy], True)
        pool.record([even, None], number % 2 == 0)
    assert (pool.win_rate(even), pool.win_rate(unknown)) == (0.5, 0.5)
    assert pool.win_rate(easy) == pytest.approx(1, abs=0.01)
    assert pool.probabilities() == pytest.approx([0.2, 0.0, 0.4, 0.4], abs=1e-3)
    pool.latest_share = 0.5
    assert pool.probabilities() == pytest.approx([0.2, 0.0, 0.2, 0.6], abs=1e-3)
    pool.hardness = 0
    assert pool.probabilities() == pytest.approx([0.2, 0.4 / 3, 0.4 / 3, 0.4 / 3 + 0.4])


def test_a_pool_with_a_seed_seeds_its_agents() -> None:
    agents = [make_agent("random", GAME) for _ in range(2)]
    for agent in agents:
        OpponentPool(GAME, agent, seed=1)
    first, second = ([agent.act(GAME.new_state(0)) for _ in range(9)] for agent in agents)
    assert first == second
