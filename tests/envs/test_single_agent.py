"""The Gymnasium view of every game, with opponents inside."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray
from variants import every_game

import tzaar_envs
from tzaar_envs.agents.agent import AgentObservation, RandomAgent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.opponents import OpponentPool
from tzaar_envs.envs.single_agent import SingleAgentEnv, SingleAgentVectorEnv


def play_random_game(
    env: SingleAgentEnv, seed: int
) -> tuple[list[float], bool, bool, dict[str, Any]]:
    """Return all rewards of a game of random legal actions, how it ended, and the last info."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    rewards = []
    while True:
        _, reward, terminated, truncated, info = env.step(
            rng.choice(np.flatnonzero(env.action_masks()))
        )
        rewards.append(reward)
        if terminated or truncated:
            return rewards, terminated, truncated, info


@every_game
@pytest.mark.parametrize("opponent", ["random", "greedy", ["random", "greedy"]])
def test_gymnasium_accepts_it(game: Game, opponent: str | list[str]) -> None:
    env = SingleAgentEnv(game, opponent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Not able to test alternative render modes.*")
        check_env(env, skip_render_check=True)


@every_game
def test_infos_have_the_same_keys_in_every_step(game: Game) -> None:
    env = SingleAgentEnv(game)
    _, first = env.reset(seed=1)
    last = play_random_game(env, 2)[3]
    shapes = [{name: np.shape(value) for name, value in info.items()} for info in (first, last)]
    assert shapes[0] == shapes[1]
    assert (first["illegal"], first["returns"].any(), first["scores"].any()) == (-1, False, False)


@every_game
def test_stable_baselines_accepts_it(game: Game) -> None:
    from stable_baselines3.common.env_checker import check_env as check_sb3_env

    # It takes every three-dimensional box for an image and then warns about its range.
    check_sb3_env(SingleAgentEnv(game), warn=False)


@every_game
def test_the_learner_is_always_to_act_and_only_the_end_is_rewarded(game: Game) -> None:
    for seat in range(game.num_players):
        env = SingleAgentEnv(game, "random", seat=seat)
        results = set()
        for seed in range(6 * game.num_players):
            rewards, terminated, truncated, info = play_random_game(env, seed)
            assert not any(rewards[:-1])
            assert terminated != truncated
            assert info["seat"] == seat
            assert rewards[-1] == info["returns"][seat]
            results.add(rewards[-1])
        assert {-1 / (game.num_players - 1), 1.0} <= results
        if game.num_players == 2:
            assert results <= {-1.0, 0.0, 1.0}


MANY_SEATS = pytest.mark.parametrize(
    "game",
    [tzaar_envs.load_game("zatre", players=3), tzaar_envs.load_game("twenty_one", players=6)],
    ids=["zatre", "twenty_one"],
)


@MANY_SEATS
def test_opponents_have_all_other_seats(game: Game) -> None:
    class Noting(RandomAgent):
        """Plays at random and notes for which seats it was asked."""

        def __init__(self) -> None:
            super().__init__(game)
            self.seats: set[int] = set()

        def act(self, position: State | AgentObservation) -> int:
            assert isinstance(position, State)
            self.seats.add(position.current_player)
            return super().act(position)

    for seat in range(game.num_players):
        opponent = Noting()
        env = SingleAgentEnv(game, opponent, seat=seat)
        play_random_game(env, seed=seat)
        assert opponent.seats == set(range(game.num_players)) - {seat}
    drawn = SingleAgentEnv(game)
    seats = {drawn.reset(seed=seed)[1]["seat"] for seed in range(30)}
    assert seats == set(range(game.num_players))


@MANY_SEATS
def test_points_stand_in_the_last_info(game: Game) -> None:
    unit = game.spec.score_unit
    assert unit is not None
    seat = game.num_players - 1
    env = SingleAgentEnv(game, "random", seat=seat, reward="score")
    leads = []
    for seed in range(8):
        _, info = env.reset(seed=seed)
        assert not info["scores"].any()
        assert not info["returns"].any()
        rewards, _, _, info = play_random_game(env, seed)
        scores = info["scores"]
        assert scores.shape == info["returns"].shape == (game.num_players,)
        lead = scores[seat] - max(scores[:seat])
        assert rewards[-1] == pytest.approx(lead / unit)
        assert np.sign(lead) in (0, np.sign(info["returns"][seat]))
        leads.append(lead)
    assert len(set(leads)) > 1


def test_a_loss_by_the_reply_is_rewarded_at_once() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    # Blue's guard on E6 takes the castle D7 with its next move whatever Red plays on A1.
    env = SingleAgentEnv(game, "greedy", seat=0)
    env.reset(seed=0, options={"position": "7/3BG3/7/7/7/7/r15RG r"})
    action = game.parse("7/3BG3/7/7/7/7/r15RG r").parse_action("A1-A2-1")
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["returns"].tolist() == [-1.0, 1.0]
    assert not info["action_mask"].any()
    assert env.observation_space.contains(observation)


def test_a_position_that_the_opponents_end_is_refused() -> None:
    # Red is to move and takes the castle D1 at once, so Blue would never act.
    env = SingleAgentEnv("turm_und_waechter", "greedy", seat=1)
    with pytest.raises(ValueError, match="before the learner can act"):
        env.reset(seed=0, options={"position": "BG6/7/7/7/7/3RG3/7 r"})
    drawn = SingleAgentEnv("turm_und_waechter", "greedy")
    assert drawn.reset(seed=0, options={"position": "BG6/7/7/7/7/3RG3/7 r"})[1]["seat"] == 0
    games = SingleAgentVectorEnv("turm_und_waechter", "greedy", num_envs=2, seat=1)
    with pytest.raises(ValueError, match="before the learner can act"):
        games.reset(seed=0, options={"position": "BG6/7/7/7/7/3RG3/7 r"})


class Stumbles(RandomAgent):
    """Cannot answer about several positions at once, nor about one in which 1 is legal."""

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        if len(rows) > 1 or batch.masks[rows[0], 1]:
            raise ForfeitError("crash", "it stumbles")
        return super().act_rows(batch, rows)


def test_one_position_that_an_opponent_cannot_answer_costs_one_game() -> None:
    game = tzaar_envs.load_game("tzaar")
    games = SingleAgentVectorEnv(game, Stumbles(game), num_envs=40, seat=1)
    with pytest.warns(RuntimeWarning, match="an opponent has lost its game"):
        games.reset(seed=0)
    assert (games.batch.players == 1).sum() > 0


def test_who_cannot_answer_a_move_loses_at_once() -> None:
    class Falls(RandomAgent):
        def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
            raise ForfeitError("crash", "it falls")

    game = tzaar_envs.load_game("tzaar")
    games = SingleAgentVectorEnv(game, Falls(game), num_envs=2, seat=0)
    games.reset(seed=0)
    with pytest.warns(RuntimeWarning, match="it falls"):
        _, rewards, over, _, _ = games.step(games.action_masks().argmax(axis=1))
    assert over.all()
    assert (rewards == 1).all()


def test_who_cannot_answer_loses_two_games_to_all_others_and_the_third_is_an_error() -> None:
    class Silent(RandomAgent):
        answers = False

        def act(self, position: State | AgentObservation) -> int:
            if not self.answers:
                raise ForfeitError("crash", "it is silent")
            return super().act(position)

    opponent = Silent(tzaar_envs.load_game("tzaar"))
    three = Silent(tzaar_envs.load_game("twenty_one", players=3))

    def reward(agent: Silent) -> float:
        env = SingleAgentEnv(agent.game, pools[agent], seat=0)
        env.reset(seed=0)
        over = False
        while not over:
            _, last, over, _, _ = env.step(int(env.action_masks().argmax()))
        return last

    pools = {agent: OpponentPool(agent.game, agent) for agent in (opponent, three)}
    with pytest.warns(RuntimeWarning, match="it is silent"):
        assert (reward(three), reward(opponent), reward(opponent)) == (0.5, 1, 1)
    opponent.answers = True
    reward(opponent)
    opponent.answers = False
    with pytest.warns(RuntimeWarning):
        assert (reward(opponent), reward(opponent)) == (1, 1)
    with pytest.raises(ForfeitError):
        reward(opponent)


def test_a_draw_by_the_cap_is_a_truncation() -> None:
    env = SingleAgentEnv("turm_und_waechter", "random", seat=0)
    env.reset(seed=0, options={"position": "RG5r1/7/7/7/7/7/b15BG r 1 499"})
    action = int(np.flatnonzero(env.action_masks())[0])
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["returns"].tolist() == [0.0, 0.0]


def test_after_an_error_of_an_opponent_the_game_must_be_restarted() -> None:
    class Failing(RandomAgent):
        fails = True

        def act(self, position: State | AgentObservation) -> int:
            if self.fails:
                raise RuntimeError("out of order")
            return super().act(position)

    opponent = Failing(tzaar_envs.load_game("tzaar"))
    env = SingleAgentEnv("tzaar", opponent, seat=0)
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="out of order"):
        env.step(int(env.action_masks().argmax()))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    assert not env.action_masks().any()
    opponent.fails = False
    env.reset()
    env.step(int(env.action_masks().argmax()))


def test_opponents_play_on_a_copy_of_the_position() -> None:
    class Meddling(RandomAgent):
        def act(self, position: State | AgentObservation) -> int:
            action = super().act(position)
            assert isinstance(position, State)
            position.apply(action)
            return action

    game = tzaar_envs.load_game("twenty_one")
    games = [
        play_random_game(SingleAgentEnv(game, agent(game)), seed=2)
        for agent in (Meddling, RandomAgent)
    ]
    assert games[0][:3] == games[1][:3]


def test_an_illegal_action_loses_or_raises() -> None:
    env = SingleAgentEnv("tzaar")
    env.reset(seed=0)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, reward, terminated, _, info = env.step(illegal)
    assert (reward, terminated, info["illegal"]) == (-1.0, True, illegal)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(0)

    strict = SingleAgentEnv("tzaar", illegal="raise")
    strict.reset(seed=0)
    before = strict.action_masks()
    with pytest.raises(ValueError, match="not among the"):
        strict.step(illegal)
    assert (strict.action_masks() == before).all()


def test_observations_have_the_type_that_was_asked_for() -> None:
    plain, other = SingleAgentEnv("tzaar"), SingleAgentEnv("tzaar", dtype="float32")
    (seen, info), (cast, _) = (env.reset(seed=3) for env in (plain, other))
    for _ in range(3):
        assert (seen.dtype, cast.dtype) == (np.int8, np.float32)
        np.testing.assert_array_equal(seen, cast)
        action = int(info["action_mask"].argmax())
        (seen, *_, info), (cast, *_) = (env.step(action) for env in (plain, other))
