"""The agents that need no extra."""

import pickle
import re
import statistics
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from variants import GAME_IDS, GAMES, every_game

import tzaar_envs
from tzaar_envs.agents import agent_specs, make_agent
from tzaar_envs.agents.policies import PolicyAgent
from tzaar_envs.agents.searchers import DRAWS, action_values
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.playing import ask
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import new_generator

# Little thought for each move, so that whole games are short.
SHORT = {"mcts": "mcts:simulations=4", "alphabeta": "alphabeta:depth=2"}
AGENTS = {
    f"{name}-{game_id}": (game, SHORT.get(name, name))
    for game, game_id in zip(GAMES, GAME_IDS, strict=True)
    for name in agent_specs(game.spec)
    if ":" not in name and name != "reference"  # which need a file that fits
}
every_agent = pytest.mark.parametrize(("game", "name"), AGENTS.values(), ids=AGENTS)


@every_agent
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


@every_agent
def test_an_agent_survives_the_way_to_a_worker(game: Game, name: str) -> None:
    agent = make_agent(name, game, seed=3)
    twin = pickle.loads(pickle.dumps(agent))
    states = [game.new_state(seed) for seed in range(20)]
    assert agent.act_batch(states).tolist() == twin.act_batch(states).tolist()


def test_random_plays_every_action_equally_often() -> None:
    game = tzaar_envs.load_game("turm_und_waechter")
    agent = make_agent("random", game, seed=0)
    state = game.new_state()
    chosen = [agent.act(state) for _ in range(5000)]
    actions, counts = np.unique(chosen, return_counts=True)
    assert actions.tolist() == state.legal_actions().tolist()
    expected = 5000 / 25
    assert ((counts - expected) ** 2 / expected).sum() < 60  # chi-square, 24 degrees: p > 0.0001


def naive_values(state: State, seed: int) -> dict[int, float]:
    """Look one ply ahead, several times where chance comes with an action."""
    seat = state.current_player
    seen = state.determinize(seat, seed)
    values = {}
    for action in state.legal_actions().tolist():
        draws = []
        for _ in range(DRAWS):
            after = seen.clone()
            after.apply(action)
            seen.continue_chance(after)
            draws.append(after.evaluate(seat))
            if not after.last_outcome:
                break
        values[action] = statistics.mean(draws)
    return values


@every_game
def test_greedy_takes_the_best_action_of_a_naive_search(game: Game) -> None:
    agent = make_agent("greedy", game)
    random = make_agent("random", game, seed=5)
    for seed in range(6):
        state = game.new_state(seed)
        for _ in range(12):
            if state.is_terminal:
                break
            values = naive_values(state, seed)
            agent.seed(seed)
            assert values[agent.act(state)] == pytest.approx(max(values.values()))
            table = action_values(game, state.words[None], new_generator(seed))[0]
            found = {action: value for action, value in enumerate(table) if np.isfinite(value)}
            assert found == pytest.approx(values)
            state.apply(random.act(state))


def test_greedy_counts_on_the_mean_of_what_chance_brings() -> None:
    """One reroll is as good as its luck; the mean of eight varies less."""
    game = tzaar_envs.load_game("twenty_one")
    state = game.new_state(1)
    reroll = state.parse_action("reroll")
    means = [
        action_values(game, state.words[None], new_generator(seed))[0, reroll]
        for seed in range(200)
    ]
    singles = []
    for seed in range(200):
        after = state.determinize(0, seed)
        after.apply(reroll)
        singles.append(after.evaluate(0))
    assert statistics.mean(means) == pytest.approx(statistics.mean(singles), abs=0.05)
    assert statistics.variance(means) < statistics.variance(singles) / 4


def test_greedy_breaks_ties_at_random() -> None:
    game = tzaar_envs.load_game("black_elephant")
    agent = make_agent("greedy", game, seed=0)
    state = game.new_state(seed=0)
    state.apply(state.parse_action("W>A4"))
    values = action_values(game, state.words[None], new_generator(0))[0]
    best = np.flatnonzero(values == values.max())
    assert best.size > 1
    assert {agent.act(state) for _ in range(200)} == set(best.tolist())


def test_an_agent_text_survives_parsing_and_writing() -> None:
    game = tzaar_envs.load_game("tzaar")
    agent = make_agent("mcts:exploration=0.25,simulations=7,threads=2", game)
    assert agent.name == "mcts:simulations=7,exploration=0.25,threads=2"
    assert make_agent(agent.name, game).name == agent.name
    assert make_agent("mcts:ms=0", game).name == "mcts"


class Diverged(PolicyAgent):
    """A policy whose network gives the same logit for every action."""

    logit: float

    @staticmethod
    def load_network(path: str | Path, game: Game) -> None:
        """Load nothing."""

    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        logits = np.zeros(masks.shape, np.float32)
        logits[:, masks[0].nonzero()[0][2:]] = self.logit
        return logits


@pytest.mark.parametrize("sample", [False, True])
@pytest.mark.parametrize("logit", [np.nan, np.inf])
def test_a_policy_that_has_diverged_says_so_and_loses_its_games(logit: float, sample: bool) -> None:
    state = tzaar_envs.load_game("tzaar").new_state(0)
    agent = Diverged(state.game, None, name="run-7", seed=0, sample=sample)
    agent.logit = logit
    said = f"the network of 'run-7' has diverged: .* {logit}"
    with pytest.raises(ValueError, match=said):
        agent.act(state)
    [answer] = ask(agent, [GameHistory(state)])
    assert isinstance(answer, ForfeitError)
    assert re.search(said, str(answer))


def test_random_needs_only_an_observation() -> None:
    env = tzaar_envs.make("tzaar_v0")
    env.reset(seed=0)
    observation = env.observe("player_0")
    action = make_agent("random", env.game, seed=1).act(observation)
    assert observation["action_mask"][action] == 1
