"""Opponents by strength: `elo:N` and `level:N`."""

import gymnasium
import numpy as np
import pytest
from variants import find_game

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.agent import RandomAgent
from tzaar_envs.agents.ladder import levels, mixture
from tzaar_envs.arena import play_match
from tzaar_envs.arena.ratings import wilson
from tzaar_envs.envs.opponents import OpponentPool
from tzaar_envs.registry import find_spec

GAME = find_game("turm_und_waechter")
every_name = pytest.mark.parametrize("name", tzaar_envs.list_games())


@every_name
def test_a_mixture_is_worth_its_rating_by_the_ratings_of_its_agents(name: str) -> None:
    spec = find_spec(name)
    ratings = {agent: elo for agent, (elo, *_) in spec.published_ratings().items()}
    assert ratings["greedy"] == 1000
    assert mixture("1000", spec) == {"greedy": 1}
    for elo in np.linspace(min(ratings.values()), max(ratings.values()), 50):
        members = mixture(str(elo), spec)
        assert sum(members.values()) == pytest.approx(1)
        score = sum(p / (1 + 10 ** ((elo - ratings[agent]) / 400)) for agent, p in members.items())
        assert score == pytest.approx(0.5)
        assert not any(
            min(ratings[each] for each in members) < other < max(ratings[each] for each in members)
            for other in ratings.values()
        )


@every_name
def test_levels_are_agents_of_the_ladder_from_the_weakest_to_the_strongest(name: str) -> None:
    spec = find_spec(name)
    assert levels(spec)[0] == spec.ladder[0]
    assert levels(spec)[-1] == spec.ladder[-1]
    for number, text in enumerate(levels(spec), start=1):
        assert make_agent(f"level:{number}", tzaar_envs.load_game(name)).name == f"level:{number}"
        assert spec.ladder.index(text) >= number - 1


def test_a_mixture_scores_what_it_promises() -> None:
    members = mixture("700", GAME.spec)
    scores = {}
    for text in ("elo:700", "random"):
        result = play_match(GAME, [text, "greedy"], games=200, opening_plies=2, seed=1)
        won = result.summary(0)
        assert won.agent == text
        scores[text] = won.wins + won.draws / 2
    promised = members["greedy"] / 2 + members["random"] * scores["random"] / 200
    low, high = wilson(scores["elo:700"], 200)
    assert 0.1 < low < promised < high


def test_a_match_draws_the_agent_of_each_game_from_its_seed() -> None:
    one, two = (
        play_match(GAME, ["elo:700", "random"], 40, seed=1, workers=workers) for workers in (1, 2)
    )
    assert one.games == two.games


def test_an_environment_draws_the_agent_of_each_game() -> None:
    members = mixture("700", GAME.spec)
    pool = OpponentPool(GAME, "elo:700", seed=1)
    drawn = [pool.draw_seats(0)[1][1] for _ in range(400)]
    assert {agent.name for agent in drawn if agent is not None} == {"elo:700"}
    low, high = wilson(sum(isinstance(agent, RandomAgent) for agent in drawn), 400)
    assert low < members["random"] < high
    env = gymnasium.make("tzaar_envs/TurmUndWaechter-v0", opponent="elo:700")
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert info["action_mask"].any()
