"""The AEC environment: what it hands out, what it refuses, how games begin and end."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from copies import in_every_way
from variants import every_game, find_game, make_env

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.aec import GameEnv

TURM = tzaar_envs.load_game("turm_und_waechter")
# What looks at no game is tested with one that has two players and one that has more.
two_games = pytest.mark.parametrize(
    "game", [find_game("tzaar"), find_game("zatre", players=4)], ids=["tzaar", "zatre"]
)
TWO_GUARDS = "RG6/7/7/7/7/7/6BG r 1 0"
LAST_PLY = "RG6/7/7/7/7/7/6BG r 1 499"
RED_WINS_WITH = ("3RG3/3BG3/7/7/7/7/r16 r 1 0", "D7-D6-1")


def play(env: GameEnv, choices: random.Random, steps: int = 10**9) -> Iterator[tuple[str, int]]:
    """Play random legal actions until the game is over or enough were played."""
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return
        action = int(choices.choice(np.flatnonzero(observation["action_mask"])))
        agent = env.agent_selection
        env.step(action)
        yield agent, action


def play_on(env: GameEnv, seed: int, steps: int = 10**9) -> None:
    for _ in play(env, random.Random(seed), steps):
        pass


def snapshot(env: GameEnv) -> tuple[Any, ...]:
    """Return all that an environment shows, in comparable form."""
    return (
        str(env.game_state),
        env.agents[:],
        env.agent_selection,
        dict(env.rewards),
        dict(env.terminations),
        dict(env.truncations),
        dict(env._cumulative_rewards),
        {agent: info["action_mask"].tobytes() for agent, info in env.infos.items()},
        {
            agent: {key: value.tobytes() for key, value in env.observe(agent).items()}
            for agent in env.possible_agents
        },
        env.state().tobytes(),
    )


def action_named(env: GameEnv, name: str) -> int:
    return env.game_state.parse_action(name)


def illegal_action(env: GameEnv) -> int:
    return int(np.flatnonzero(env.game_state.legal_mask() == 0)[0])


# --- Before reset --------------------------------------------------------------------------------

BEFORE_RESET: dict[str, Callable[[GameEnv], Any]] = {
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: env.agent_iter(),
}


@two_games
@pytest.mark.parametrize("method", BEFORE_RESET)
def test_method_before_reset_fails(game: Game, method: str) -> None:
    env = make_env(game)
    with pytest.raises(AssertionError, match=rf"reset\(\) needs to be called before {method}"):
        BEFORE_RESET[method](env)


@every_game
def test_spaces_exist_before_reset(game: Game) -> None:
    env = make_env(game)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.observation_space(agent) is env.observation_spaces[agent]
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == game.num_actions
        assert env.action_space(agent).start == 0
        assert env.observation_space(agent)["observation"].shape == game.observation_shape
        assert env.observation_space(agent)["action_mask"].shape == (game.num_actions,)
    assert env.state_space is env.state_space
    assert env.max_num_agents == game.num_players


# --- During a game -------------------------------------------------------------------------------


@every_game
def test_every_moment_of_a_game(game: Game) -> None:
    env = make_env(game)
    env.reset(seed=3)
    twin = game.new_state(3)
    zeros = np.zeros(game.num_actions, np.int8)
    for agent, action in play(env, random.Random(1)):
        assert agent == f"player_{twin.current_player}"
        twin.apply(action)
        assert str(env.game_state) == str(twin)
        assert env.game_state.last_outcome == twin.last_outcome
        assert env.agents == env.possible_agents
        over = twin.is_terminal
        for seat, other in enumerate(env.agents):
            observation = env.observe(other)
            assert env.observation_space(other).contains(observation)
            np.testing.assert_array_equal(observation["observation"], twin.observation(seat))
            expected = twin.legal_mask() if seat == twin.current_player else zeros
            np.testing.assert_array_equal(observation["action_mask"], expected)
            np.testing.assert_array_equal(env.infos[other]["action_mask"], expected)
            assert env.terminations[other] is (over and not twin.is_truncated)
            assert env.truncations[other] is (over and twin.is_truncated)
            assert type(env.rewards[other]) is float
            assert env.rewards[other] == twin.returns()[seat]
            assert env._cumulative_rewards[other] == twin.returns()[seat]
        assert env.state_space.contains(env.state())
        seen = [twin.observation(seat) for seat in range(game.num_players)]
        np.testing.assert_array_equal(env.state(), np.concatenate(seen))
    assert twin.is_terminal


def arrays_handed_out(env: GameEnv) -> list[np.ndarray]:
    arrays = [env.state(), *(info["action_mask"] for info in env.infos.values())]
    for agent in env.possible_agents:
        arrays += env.observe(agent).values()
    arrays += env.last()[0].values()
    return arrays


@every_game
def test_arrays_are_never_written_after_they_were_handed_out(game: Game) -> None:
    env = make_env(game)
    env.reset(seed=5)
    kept = []
    for _ in play(env, random.Random(5), steps=30):
        kept += [(array, array.copy()) for array in arrays_handed_out(env)]
    play_on(env, 6)
    kept += [(array, array.copy()) for array in arrays_handed_out(env)]
    env.reset()
    play_on(env, 7, steps=5)
    for array, copied in kept:
        np.testing.assert_array_equal(array, copied)


@every_game
def test_writing_into_an_array_changes_nothing(game: Game) -> None:
    env = make_env(game)
    env.reset(seed=5)
    twin = make_env(game)
    twin.reset(seed=5)
    for _, action in play(env, random.Random(5), steps=30):
        for array in arrays_handed_out(env):
            if array.flags.writeable:
                array[...] = 77
            else:  # the one mask of all agents that wait
                assert not array.any()
        twin.step(action)
        infos = twin.infos
        twin.infos = env.infos  # those are the caller's own
        assert snapshot(env) == snapshot(twin)
        twin.infos = infos
        for info in env.infos.values():
            if info["action_mask"].flags.writeable:
                info["action_mask"][...] = 0


# --- Actions -------------------------------------------------------------------------------------


@two_games
@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@pytest.mark.parametrize(
    "action", [-1, 10**6, 2**70, None, 1.0, float("nan"), "0", np.array([0, 1]), np.float32(1)]
)
def test_action_outside_of_the_space_fails(game: Game, illegal: str, action: Any) -> None:
    env = make_env(game, illegal=illegal)
    env.reset(seed=1)
    before = snapshot(env)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    assert snapshot(env) == before


@every_game
def test_illegal_action_ends_the_game(game: Game, caplog: pytest.LogCaptureFixture) -> None:
    env = make_env(game)
    env.reset(seed=1)
    play_on(env, 1, steps=3)
    offender = env.agent_selection
    position = str(env.game_state)
    with caplog.at_level(logging.WARNING):
        env.step(illegal_action(env))
    assert any("Illegal move made" in record.message for record in caplog.records)
    assert str(env.game_state) == position
    assert env.agents == env.possible_agents
    for agent in env.agents:
        expected = -1.0 if agent == offender else 0.0
        assert env.rewards[agent] == env._cumulative_rewards[agent] == expected
        assert env.terminations[agent] is True
        assert env.truncations[agent] is True
        assert not env.infos[agent]["action_mask"].any()
        assert not env.observe(agent)["action_mask"].any()
    rewards = {}
    while env.agents:
        agent = env.agent_selection
        _, rewards[agent], *_ = env.last()
        env.step(None)
    assert rewards == {a: -1.0 if a == offender else 0.0 for a in env.possible_agents}
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
    env.reset()
    assert not any(env.terminations.values())
    play_on(env, 2)


@every_game
def test_illegal_action_raises_and_leaves_the_position(game: Game) -> None:
    env = make_env(game, illegal="raise")
    env.reset(seed=1)
    play_on(env, 1, steps=3)
    before = snapshot(env)
    action = illegal_action(env)
    with pytest.raises(ValueError, match=f"action {action} is not among the .* legal actions"):
        env.step(action)
    assert snapshot(env) == before
    play_on(env, 2)
    assert any(env.terminations.values()) or any(env.truncations.values())


# --- The end -------------------------------------------------------------------------------------


def test_move_cap_truncates() -> None:
    env = make_env(TURM)
    env.reset(options={"position": LAST_PLY})
    env.step(action_named(env, "A7-A6-1"))
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    for agent in env.agents:
        assert not env.observe(agent)["action_mask"].any()


@every_game
def test_dead_steps(game: Game) -> None:
    env = make_env(game)
    env.reset(seed=2)
    play_on(env, 2)
    final = dict(env.rewards)
    left = env.possible_agents[:]
    while env.agents:
        agent = env.agent_selection
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(0)
        assert env.agents == left
        assert env._cumulative_rewards[agent] == final[agent]
        env.step(None)
        left.remove(agent)
        assert env.agents == left
        for shown in (env.rewards, env.terminations, env.truncations, env.infos):
            assert list(shown) == left
        assert not any(env.rewards.values())
    assert env.num_agents == 0


# --- agent_iter ----------------------------------------------------------------------------------


def test_agent_iter_does_not_go_on_without_a_step() -> None:
    env = make_env(TURM)
    env.reset()
    agents = iter(env.agent_iter())
    assert next(agents) == "player_0"
    env.last()
    with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\) in a loop"):
        next(agents)


def test_agent_iter_stops_after_max_iter_and_can_be_called_again() -> None:
    env = make_env(TURM)
    env.reset()
    agents = []
    for _ in range(2):
        for agent in env.agent_iter(max_iter=3):
            agents.append(agent)
            env.step(int(env.game_state.legal_actions()[0]))
    assert agents == ["player_0", "player_1"] * 3
    for _ in env.agent_iter():
        break
    assert next(iter(env.agent_iter())) == "player_0"


# --- Seeds and positions -------------------------------------------------------------------------


@every_game
def test_reset_to_a_position(game: Game) -> None:
    state = game.new_state(4)
    choices = random.Random(4)
    env = make_env(game)
    while not state.is_terminal:
        env.reset(seed=1, options={"position": str(state)})
        assert env.game_state == state
        assert env.agent_selection == f"player_{state.current_player}"
        for _ in range(3):
            if not state.is_terminal:
                state.apply(choices.choice(state.legal_actions()))
    env.reset(seed=4)
    assert env.game_state == game.new_state(4)


OPTIMISED = """
import tzaar_envs
env = tzaar_envs.make("tzaar")
env.reset(seed=1)
try:
    env.step("no action")
except AssertionError as error:
    print(error)
try:
    [*env.agent_iter()]
except AssertionError as error:
    print(error)
"""


def test_wrong_calls_are_refused_without_assertions_of_python_too() -> None:
    command = [sys.executable, "-O", "-c", OPTIMISED]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == [
        "action is not in action space: 'no action' is not an integer from 0 to 486",
        "need to call step() or reset() in a loop over `agent_iter`",
    ]


# --- Copies --------------------------------------------------------------------------------------


@two_games
@in_every_way
def test_copy_of_a_finished_game(game: Game, copied: Callable[[GameEnv], GameEnv]) -> None:
    env = make_env(game)
    env.reset(seed=6)
    play_on(env, 6)
    env.step(None)
    twin = copied(env)
    assert snapshot(twin) == snapshot(env)
    twin.step(None)
    assert twin.agents == env.possible_agents[2:]
    assert env.agents == env.possible_agents[1:]


def test_score_is_half_the_difference_to_the_best_other() -> None:
    from tzaar_envs.envs.base import final_rewards

    class Scored(State):
        def scores(self) -> np.ndarray:
            return np.array([5.0, 2.0])

    state = TURM.parse(TWO_GUARDS)
    scored = Scored(TURM, state.words, state.generator)
    assert final_rewards(scored, "score").tolist() == [1.5, -1.5]
    assert final_rewards(scored, "outcome").tolist() == [0.0, 0.0]
