"""The games in OpenSpiel: its own test, search, solver and environment."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts
from wins import positions_before_a_win, wins_at_once

import tzaar_envs
from tzaar_envs.jit import rng
from tzaar_envs.wrappers.openspiel import _probabilities, register_games

NAMES = register_games()
START = "RG6/7/7/7/7/7/5b1BG r"
PAGE = Path(__file__).parents[3] / "docs" / "openspiel.md"

every_name = pytest.mark.parametrize("name", NAMES)


def play(state: Any, rng: np.random.Generator, stop: int = 10_000) -> None:
    """Play random actions, at most so many, and stop where a player has to act."""
    while not state.is_terminal() and (stop > 0 or state.is_chance_node()):
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            assert sum(probabilities) == pytest.approx(1)
            state.apply_action(int(rng.choice(outcomes, p=probabilities)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
            stop -= 1


def states_on_the_way(game: Any, rng: np.random.Generator) -> Iterator[Any]:
    """Yield all states of a random game, the last one included."""
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(int(rng.choice(state.legal_actions())))
    yield state


def run_example(number: int) -> dict[str, Any]:
    """Run a block of the page as it stands, and return its names."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(blocks[number], "openspiel.md", "exec"), names)
    return names


def test_the_first_example_of_the_page() -> None:
    names = run_example(0)
    assert names["names"] == NAMES == register_games()
    assert sum(names["state"].returns()) == pytest.approx(0)


# --- the rules ------------------------------------------------------------------------------------


@every_name
def test_openspiel_accepts_a_game_and_its_environment(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    env = rl_environment.Environment(game)
    env.seed(1)
    step, (size, *_) = env.reset(), env.observation_spec()["info_state"]
    for _ in range(5):
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == size
        step = env.step([step.observations["legal_actions"][player][0]])


@every_name
def test_a_game_is_that_of_the_rules(name: str) -> None:
    game = tzaar_envs.load_game(name.removeprefix("tzaar_envs_"))
    state = pyspiel.load_game(name).new_initial_state()
    play(state, np.random.default_rng(2), 6)
    player = state.current_player()
    position = game.parse(str(state))
    assert position.current_player == player
    assert state.legal_actions() == position.legal_actions().tolist()
    action = state.legal_actions()[-1]
    assert state.action_to_string(player, action) == position.action_name(action)
    assert state.string_to_action(player, position.action_name(action)) == action
    seen = np.array(state.observation_tensor(player)).reshape(game.observation_shape)
    np.testing.assert_array_equal(seen, position.observation(player))
    assert state.returns() == [0.0] * game.num_players


@pytest.mark.parametrize("name", ["tzaar_envs_tzaar", "tzaar_envs_twenty_one"])
def test_nothing_but_legal_actions_and_possible_outcomes_is_played(name: str) -> None:
    rng = np.random.default_rng(4)
    game = pyspiel.load_game(name)
    count = game.num_distinct_actions()
    for ply, state in enumerate(states_on_the_way(game, rng)):
        if ply > 12 and not state.is_terminal() and rng.random() > 0.1:
            continue
        before = state.serialize(), str(state), state.current_player()
        others = set(rng.integers(0, count, 20).tolist()) - set(state.legal_actions())
        for action in [*others, -1, -2, count, 2**31, 2**62, -(2**62)]:
            with pytest.raises((ValueError, pyspiel.SpielError)):
                state.apply_action(action)
        assert (state.serialize(), str(state), state.current_player()) == before


# --- texts and pickles ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("tzaar_envs_turm_und_waechter", {"position": START}),
        ("tzaar_envs_zatre", {}),
        ("tzaar_envs_black_elephant", {"watchers": "W1,ND/E4,SA"}),
        ("tzaar_envs_twenty_one", {"players": 6, "deal": "random"}),
    ],
)
def test_games_and_states_survive_as_text_and_as_pickles(
    name: str, parameters: dict[str, Any]
) -> None:
    game = pyspiel.load_game(name, parameters)
    assert str(pyspiel.load_game(str(game))) == str(game)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)
    longest = 0
    for ply, state in enumerate(states_on_the_way(game, np.random.default_rng(5))):
        longest = len(state.history())
        if ply % 40 == 3 or state.is_terminal():
            text = pyspiel.serialize_game_and_state(game, state)
            for again in (
                pickle.loads(pickle.dumps(state)),
                copy.deepcopy(state),
                state.clone(),
                pyspiel.deserialize_game_and_state(text)[1],
            ):
                assert str(again) == str(state)
                assert again.history() == state.history()
                assert again.legal_actions() == state.legal_actions()
    assert longest <= game.max_history_length()


def test_a_process_that_has_registered_no_game_reads_pickles() -> None:
    game = pyspiel.load_game("tzaar_envs_twenty_one(players=3)")
    assert game.num_players() == 3
    pickles = pickle.dumps((game, game.new_initial_state()))
    code = f"import pickle; game, state = pickle.loads({pickles!r}); print(game, state.history())"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == f"{game} []"


def test_probabilities_are_exact_where_a_word_is_drawn_anew() -> None:
    def draw(word: int) -> int:
        return int(rng.pick(rng.new_tape(rng.generator_before(word, 0)), np.array([4, 3, 2, 1])))

    assert _probabilities(draw) == [(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)]


def test_a_game_can_begin_at_a_position() -> None:
    game = pyspiel.load_game("tzaar_envs_turm_und_waechter", {"position": START})
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert str(game.new_initial_state()).startswith(START)


def test_wrong_options_are_refused() -> None:
    with pytest.raises((ValueError, pyspiel.SpielError)):
        pyspiel.load_game("tzaar_envs_twenty_one(players=9)")


# --- chance and what is hidden --------------------------------------------------------------------


def test_what_is_hidden_does_not_show() -> None:
    state = pyspiel.load_game("tzaar_envs_zatre").new_initial_state()
    rng = np.random.default_rng(3)
    play(state, rng, 2)
    position = tzaar_envs.load_game("zatre").parse(str(state))
    for player in range(2):
        hidden = position.determinize(player, seed=1)
        tensor = state.observation_tensor(player)
        np.testing.assert_array_equal(tensor, hidden.observation(player).ravel())
    strings = {state.information_state_string(player) for player in range(2)}
    assert len(strings) == 2


def test_nobody_sees_a_choice_at_the_same_time() -> None:
    state = pyspiel.load_game("tzaar_envs_twenty_one").new_initial_state()
    rng = np.random.default_rng(0)
    while state.is_chance_node() or len(state.legal_actions()) < 3:
        play(state, rng, 1)
    first = state.current_player()
    told = set()
    for action in state.legal_actions():
        child = state.child(action)
        if not child.is_chance_node() and child.current_player() != first:
            other = child.current_player()
            told.add((child.information_state_string(other), *child.observation_tensor(other)))
    assert len(told) == 1


# --- its algorithms -------------------------------------------------------------------------------


def test_mcts_of_openspiel_finds_the_winning_move() -> None:
    [position] = positions_before_a_win(tzaar_envs.load_game("turm_und_waechter"), 1)
    game = pyspiel.load_game("tzaar_envs_turm_und_waechter", {"position": str(position)})
    rollouts = mcts.RandomRolloutEvaluator(1)
    bot = mcts.MCTSBot(game, 2.0, 400, rollouts, solve=True, random_state=np.random.RandomState(1))
    assert bot.step(game.new_initial_state()) in wins_at_once(position)


def test_cfr_solves_the_last_choices_of_a_game_with_hidden_choices() -> None:
    assert run_example(1)["gap"] < 0.2
