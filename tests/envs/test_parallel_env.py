"""The parallel environment: the same game as the AEC environment, all choices in one step."""

from __future__ import annotations

import logging
import random
from typing import Any

import numpy as np
import pettingzoo
import pettingzoo.test
import pytest
from gymnasium import spaces

import tzaar_envs
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv
from tzaar_envs.make_env import make_parallel

WAIT = 66
KEEP = 64
Observations = dict[str, dict[str, np.ndarray]]

some_players = pytest.mark.parametrize("players", [2, 3, 6])


def make(players: int = 3, **options: Any) -> ParallelGameEnv:
    return make_parallel("twenty_one", players=players, **options)


def choose(env: ParallelGameEnv, choices: random.Random) -> dict[str, int]:
    """Return a random legal action of each agent that chooses now."""
    state = env.game_state
    return {
        f"player_{seat}": int(choices.choice(np.flatnonzero(state.legal_mask_of(seat))))
        for seat in state.acting_players()
    }


def play_on(env: ParallelGameEnv, seed: int, steps: int = 10**9) -> None:
    choices = random.Random(seed)
    while env.agents and steps:
        env.step(choose(env, choices))
        steps -= 1


def filling(players: int = 3, **options: Any) -> ParallelGameEnv:
    """Return an environment in which all agents choose what to fill in."""
    env = make(players, **options)
    env.reset(seed=1)
    env.step({"player_0": KEEP})
    return env


def listed(observations: Observations) -> dict[str, dict[str, list[int]]]:
    return {
        agent: {key: array.tolist() for key, array in parts.items()}
        for agent, parts in observations.items()
    }


# --- PettingZoo's own test -----------------------------------------------------------------------


class LegalActions(spaces.Discrete):
    """An action space that samples legal actions, also where PettingZoo gives it no mask."""

    def __init__(self, env: ParallelGameEnv, agent: str) -> None:
        super().__init__(env.game.num_actions + 1, seed=int(agent[-1]))
        self.env, self.agent = env, agent

    def sample(self, mask: Any = None) -> Any:
        state = self.env.game_state
        legal = np.append(state.legal_mask_of(int(self.agent[-1])), np.int8(0))
        legal[-1] = not legal.any()
        return super().sample(legal)


@pytest.mark.filterwarnings("error")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array$:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning")
@some_players
@pytest.mark.parametrize("reward", ["outcome", "score"])
@pytest.mark.parametrize("legal", [True, False], ids=["legal", "any-action"])
def test_api(players: int, reward: str, legal: bool) -> None:
    env = make(players, reward=reward)
    for agent in env.possible_agents:
        if legal:
            env.action_spaces[agent] = LegalActions(env, agent)
        else:
            env.action_space(agent).seed(1)
    pettingzoo.test.parallel_api_test(env, num_cycles=300)


# --- The same game as in the AEC environment -----------------------------------------------------


def assert_same_view(
    env: ParallelGameEnv, aec: GameEnv, observations: Observations, infos: dict[str, Any]
) -> None:
    acting = aec.game_state.acting_players()
    assert str(env.game_state) == str(aec.game_state)
    np.testing.assert_array_equal(env.state(), aec.state())
    for seat, agent in enumerate(env.possible_agents):
        assert env.observation_space(agent).contains(observations[agent])
        seen = aec.observe(agent)
        np.testing.assert_array_equal(observations[agent]["observation"], seen["observation"])
        mask = observations[agent]["action_mask"]
        np.testing.assert_array_equal(mask[:-1], aec.game_state.legal_mask_of(seat))
        if agent == aec.agent_selection:
            np.testing.assert_array_equal(mask[:-1], seen["action_mask"])
        assert mask[-1] == (bool(acting) and seat not in acting)
        np.testing.assert_array_equal(infos[agent]["action_mask"], mask)
        assert (agent in env.acting) == (seat in acting)
        assert infos[agent].get("score") == aec.infos[agent].get("score")


@some_players
@pytest.mark.parametrize("reward", ["outcome", "score"])
def test_same_seed_and_actions_give_the_same_game(players: int, reward: str) -> None:
    env = make(players, reward=reward, deal="random")
    aec = tzaar_envs.make("twenty_one", players=players, reward=reward, deal="random")
    for seed in range(8):
        choices = random.Random(seed)
        first = seed if seed % 4 == 0 else None  # the others go on with its chance
        observations, infos = env.reset(seed=first)
        aec.reset(seed=first)
        assert_same_view(env, aec, observations, infos)
        while env.agents:
            assert env.agents == env.possible_agents
            actions = choose(env, choices)
            for _ in actions:
                aec.step(actions[aec.agent_selection])
            observations, rewards, terminated, truncated, infos = env.step(actions)
            assert_same_view(env, aec, observations, infos)
            assert rewards == aec.rewards
            assert all(type(value) is float for value in rewards.values())
            assert terminated == aec.terminations
            assert truncated == aec.truncations
        assert all(terminated.values())
        assert abs(sum(rewards.values())) < 1e-12 or reward == "score"
        assert not any(observations[agent]["action_mask"].any() for agent in observations)


# --- Choosing and waiting ------------------------------------------------------------------------


def test_one_agent_rolls_and_the_others_can_only_wait() -> None:
    env = make(3)
    assert env.acting == []
    observations, _ = env.reset(seed=1)
    assert env.acting == ["player_0"]
    assert np.flatnonzero(observations["player_0"]["action_mask"]).tolist() == [KEEP, KEEP + 1]
    for agent in ("player_1", "player_2"):
        assert np.flatnonzero(observations[agent]["action_mask"]).tolist() == [WAIT]


def test_then_all_choose_and_nobody_can_wait() -> None:
    env = make(3)
    env.reset(seed=1)
    observations, *_ = env.step({"player_0": KEEP})
    assert env.acting == env.agents
    for agent in env.agents:
        mask = observations[agent]["action_mask"]
        assert mask[0] == 1
        assert mask[WAIT] == 0


ROLLING_WRONGLY = {
    "another chooses": ({"player_0": KEEP, "player_1": 0}, "player_1", "action 0 is not legal"),
    "illegal": ({"player_0": 0}, "player_0", "action 0 is not legal"),
    "waits": ({"player_0": WAIT}, "player_0", f"action {WAIT} is not legal"),
    "missing": ({"player_1": WAIT}, "player_0", "no action was given"),
    "nothing": ({}, "player_0", "no action was given"),
}
FILLING_WRONGLY = {
    "illegal": ({"player_0": 0, "player_1": KEEP, "player_2": 0}, "player_1", "action 64 is"),
    "waits": ({"player_0": 0, "player_1": 0, "player_2": WAIT}, "player_2", f"action {WAIT} is"),
    "missing": ({"player_0": 0, "player_2": 0}, "player_1", "no action was given"),
}
WRONG = [(False, *case) for case in ROLLING_WRONGLY.values()]
WRONG += [(True, *case) for case in FILLING_WRONGLY.values()]
every_wrong_step = pytest.mark.parametrize(
    ("fills", "actions", "offender", "reason"),
    WRONG,
    ids=[f"rolling-{name}" for name in ROLLING_WRONGLY]
    + [f"filling-{name}" for name in FILLING_WRONGLY],
)


def started(fills: bool, **options: Any) -> ParallelGameEnv:
    if fills:
        return filling(**options)
    env = make(**options)
    env.reset(seed=1)
    return env


@every_wrong_step
def test_illegal_action_raises_and_leaves_the_position(
    fills: bool, actions: dict[str, int], offender: str, reason: str
) -> None:
    env = started(fills, illegal="raise")
    before = (str(env.game_state), env.game_state.generator, env.agents[:])
    with pytest.raises(ValueError, match=f"{reason}.* for {offender} in the position in which"):
        env.step(actions)
    assert (str(env.game_state), env.game_state.generator, env.agents) == before
    play_on(env, 1)


@every_wrong_step
def test_illegal_action_ends_the_game(
    fills: bool,
    actions: dict[str, int],
    offender: str,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    env = started(fills)
    position = str(env.game_state)
    with caplog.at_level(logging.WARNING):
        observations, rewards, terminated, truncated, infos = env.step(actions)
    assert any("Illegal move made" in record.message for record in caplog.records)
    assert str(env.game_state) == position
    assert env.agents == []
    assert rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert all(terminated.values())
    assert all(truncated.values())
    assert env.acting == []
    assert not any(info["action_mask"].any() for info in infos.values())
    assert not any(seen["action_mask"].any() for seen in observations.values())
    env.reset()
    assert env.agents == env.possible_agents
    play_on(env, 2)


# --- Before and after a game ---------------------------------------------------------------------


def test_step_after_the_end_warns_and_does_nothing(caplog: pytest.LogCaptureFixture) -> None:
    env = make()
    env.reset(seed=1)
    play_on(env, 1)
    position = str(env.game_state)
    with caplog.at_level(logging.WARNING):
        assert env.step({"player_0": 0}) == ({}, {}, {}, {}, {})
    assert caplog.records
    assert str(env.game_state) == position


EMPTY_SHEET = "......,......,......,......,......"
FILL_POSITION = f"fill 1 0 111111 A:{EMPTY_SHEET}/B:{EMPTY_SHEET} -/0"


def test_reset_to_a_position() -> None:
    env = make(2)
    observations, _ = env.reset(seed=3, options={"position": FILL_POSITION, "other": 1})
    assert str(env.game_state) == FILL_POSITION
    assert env.acting == ["player_0"]
    assert np.flatnonzero(observations["player_1"]["action_mask"]).tolist() == [WAIT]
    env.step({"player_0": 0})
    expected = env.game.parse(FILL_POSITION, 3)
    expected.apply(0)
    assert str(env.game_state) == str(expected)


# --- Copies and arrays ---------------------------------------------------------------------------


def test_writing_into_arrays_changes_nothing() -> None:
    env, twin = make(3), make(3)
    observations, infos = env.reset(seed=9)
    twin.reset(seed=9)
    choices = random.Random(9)
    for _ in range(20):
        for agent in env.agents:
            infos[agent]["action_mask"][...] = 7
            assert observations[agent]["action_mask"].max() == 1
            for array in observations[agent].values():
                array[...] = 7
        env.state()[...] = 7
        actions = choose(twin, choices)
        observations, _, _, _, infos = env.step(actions)
        assert listed(observations) == listed(twin.step(actions)[0])
