"""The agents that need no extra."""

import pickle

import numpy as np
import pytest
from variants import every_game

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.greedy import action_values
from tzaar_envs.core.game import Game
from tzaar_envs.core.rng import new_generator


@every_game
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_an_agent_plays_legal_actions_and_repeats_them_from_its_seed(game: Game, name: str) -> None:
    agent = make_agent(name, game, seed=3)
    assert (agent.name, agent.game) == (name, game)
    histories = []
    for _ in range(2):
        agent.seed(7)
        state = game.new_state(1)
        history = []
        while not state.is_terminal:
            history.append(agent.act(state))
            state.apply(history[-1])
        histories.append(history)
    assert histories[0] == histories[1]


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_an_agent_survives_the_way_to_a_worker(name: str) -> None:
    game = tzaar_envs.load_game("tzaar")
    agent = make_agent(name, game, seed=3)
    twin = pickle.loads(pickle.dumps(agent))
    states = [game.new_state(seed) for seed in range(20)]
    assert agent.act_batch(states).tolist() == twin.act_batch(states).tolist()


def test_random_plays_every_action_alike() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    agent = make_agent("random", game, seed=0)
    state = game.new_state()
    chosen = [agent.act(state) for _ in range(5000)]
    actions, counts = np.unique(chosen, return_counts=True)
    assert actions.tolist() == state.legal_actions().tolist()
    expected = 5000 / 25
    assert ((counts - expected) ** 2 / expected).sum() < 60  # chi-square, 24 degrees: p > 0.0001


def test_random_needs_only_an_observation() -> None:
    env = tzaar_envs.make("tzaar_v0")
    env.reset(seed=0)
    observation = env.observe("player_0")
    action = make_agent("random", env.game, seed=1).act(observation)
    assert observation["action_mask"][action] == 1
    with pytest.raises(ValueError, match="not our turn"):
        make_agent("random", env.game).act(env.observe("player_1"))


@every_game
def test_greedy_takes_the_best_action_of_a_naive_search(game: Game) -> None:
    agent = make_agent("greedy", game, seed=0)
    random = make_agent("random", game, seed=5)
    for seed in range(6):
        state = game.new_state(seed)
        for _ in range(12):
            if state.is_terminal:
                break
            values = {}
            for action in state.legal_actions():
                after = state.clone()
                after.apply(int(action))
                values[int(action)] = after.evaluate(state.current_player)
            assert values[agent.act(state)] == max(values.values())
            table = action_values([state], new_generator(0))[0]
            assert {a: v for a, v in enumerate(table) if np.isfinite(v)} == values
            state.apply(random.act(state))


def test_greedy_breaks_ties_at_random() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    agent = make_agent("greedy", game, seed=0)
    # The towers' mirror images are equally good, and nothing is as good as they are.
    state = game.parse("RG6/7/7/r15r1/7/7/6BG r")
    values = action_values([state], new_generator(0))[0]
    best = np.flatnonzero(values == values.max())
    assert best.size > 1
    assert {agent.act(state) for _ in range(200)} == set(best.tolist())


def test_greedy_needs_a_state() -> None:
    env = tzaar_envs.make("tzaar_v0")
    env.reset(seed=0)
    with pytest.raises(TypeError, match="give it a State"):
        make_agent("greedy", env.game).act(env.observe("player_0"))


@every_game
def test_the_evaluation_is_zero_sum_bounded_and_exact_at_the_end(game: Game) -> None:
    random = make_agent("random", game, seed=2)
    for seed in range(8):
        state = game.new_state(seed)
        while not state.is_terminal:
            values = [state.evaluate(seat) for seat in range(game.num_players)]
            assert values[0] == -values[1]
            assert abs(values[0]) < 1
            state.apply(random.act(state))
        assert [state.evaluate(0), state.evaluate(1)] == state.returns().tolist()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gredy", "no agent 'gredy': did you mean 'greedy'"),
        ("mcts", "the agents are random, greedy, policy:PATH"),
        ("random:3", "no agent 'random:3'"),
        ("policy:", "no agent 'policy:'"),
        ("", "no agent ''"),
    ],
)
def test_unknown_agents(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_agent(text, tzaar_envs.load_game("tzaar"))
