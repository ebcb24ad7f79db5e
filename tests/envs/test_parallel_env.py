"""The parallel environment: the same game as the AEC environment, all choices in one step."""

from __future__ import annotations

import copy
import logging
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pettingzoo.test
import pytest
from gymnasium import spaces

import tzaar_envs
from tzaar_envs import twenty_one_v0
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.parallel import ParallelGameEnv
from tzaar_envs.make_env import make_parallel
from tzaar_envs.registry import find_spec

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


def test_it_is_registered_with_pettingzoo() -> None:
    env = pettingzoo.make("parallel", "tzaar_envs/twenty_one-v0", players=4)
    assert isinstance(env, ParallelGameEnv)
    assert env.max_num_agents == 4


# --- Made from options ---------------------------------------------------------------------------


def test_module_has_it_too() -> None:
    env = twenty_one_v0.parallel_env(players=5, render_mode="ansi")
    assert isinstance(env, ParallelGameEnv)
    assert env.game.options["players"] == 5
    assert env.render_mode == "ansi"
    env.reset(seed=1)
    env.step({"player_0": 0})
    assert env.agents == []  # an illegal action ends the game


def test_metadata_and_spaces() -> None:
    env = make(4)
    assert str(env) == env.metadata["name"] == "twenty_one_v0"
    assert env.metadata["is_parallelizable"] is True
    for agent in env.possible_agents:
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == WAIT + 1 == env.game.num_actions + 1
        assert env.observation_space(agent)["action_mask"].shape == (WAIT + 1,)
        assert env.observation_space(agent)["observation"].shape == env.game.observation_shape


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_games_without_simultaneous_choices_are_refused(name: str) -> None:
    if find_spec(name).simultaneous:
        assert isinstance(make_parallel(name), ParallelGameEnv)
        return
    with pytest.raises(ValueError, match="has no parallel environment: its players act one after"):
        make_parallel(name)


def test_unknown_option_is_refused() -> None:
    with pytest.raises(ValueError, match="has no option 'player': did you mean 'players'"):
        make_parallel("twenty_one", player=2)


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


def test_waiting_may_be_said_or_left_out() -> None:
    positions = []
    for actions in (
        {"player_0": KEEP},
        {"player_0": KEEP, "player_2": WAIT},
        {"player_2": WAIT, "player_1": WAIT, "player_0": KEEP},
    ):
        env = make(3)
        env.reset(seed=1)
        env.step(actions)
        assert env.agents == env.possible_agents
        positions.append(str(env.game_state))
    assert len(set(positions)) == 1


def test_order_of_the_actions_does_not_matter() -> None:
    env, other = filling(), filling()
    actions = choose(env, random.Random(1))
    env.step(actions)
    other.step(dict(reversed(actions.items())))
    assert str(env.game_state) == str(other.game_state)


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


def test_all_offenders_lose() -> None:
    env = filling()
    _, rewards, *_ = env.step({"player_0": WAIT, "player_1": 0})
    assert rewards == {"player_0": -1.0, "player_1": 0.0, "player_2": -1.0}


@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@pytest.mark.parametrize("agent", ["player_3", "player_-1", "0", ""])
def test_unknown_agent_is_refused(illegal: str, agent: str) -> None:
    env = filling(illegal=illegal)
    before = str(env.game_state)
    with pytest.raises(
        ValueError, match=r"there is no agent .*: the agents are player_0, player_1"
    ):
        env.step({"player_0": 0, "player_1": 0, "player_2": 0, agent: 0})
    assert str(env.game_state) == before
    assert env.agents == env.possible_agents


@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@pytest.mark.parametrize("action", [-1, WAIT + 1, 2**70, None, 1.0, "0", np.array([0, 1])])
def test_action_outside_of_the_space_fails(illegal: str, action: Any) -> None:
    env = filling(illegal=illegal)
    before = str(env.game_state)
    with pytest.raises(AssertionError, match=f"not an integer from 0 to {WAIT}"):
        env.step({"player_0": 0, "player_1": 0, "player_2": action})
    assert str(env.game_state) == before
    assert env.agents == env.possible_agents


@pytest.mark.parametrize("kind", [int, np.int16, np.int64, np.uint32, np.array])
def test_action_may_be_any_integer(kind: Callable[[int], Any]) -> None:
    env = filling()
    env.step({agent: kind(0) for agent in env.agents})
    assert env.agents == env.possible_agents
    assert env.game_state.acting_players() == [1]


# --- Before and after a game ---------------------------------------------------------------------


def test_methods_before_reset_fail() -> None:
    env = make()
    assert env.agents == []
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        env.step({})
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before state"):
        env.state()
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before render"):
        env.render()
    with pytest.raises(AttributeError, match="game_state cannot be accessed before reset"):
        _ = env.game_state


def test_step_after_the_end_warns_and_does_nothing(caplog: pytest.LogCaptureFixture) -> None:
    env = make()
    env.reset(seed=1)
    play_on(env, 1)
    position = str(env.game_state)
    with caplog.at_level(logging.WARNING):
        assert env.step({"player_0": 0}) == ({}, {}, {}, {}, {})
    assert caplog.records
    assert str(env.game_state) == position


def test_reset_with_a_seed_repeats_and_without_goes_on() -> None:
    env = make()
    starts = []
    for seed in (5, None, None, 5, None, None):
        env.reset(seed=seed)
        starts.append(str(env.game_state))
    assert starts[:3] == starts[3:]
    assert len(set(starts)) == 3


def test_reset_without_any_seed_takes_entropy() -> None:
    starts = set()
    for _ in range(5):
        env = make()
        env.reset()
        starts.add(str(env.game_state))
    assert len(starts) > 1


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


def test_reset_to_a_position_without_seed_goes_on_with_chance() -> None:
    rolls = []
    for _ in range(2):
        env = make(2)
        env.reset(seed=4)
        env.reset(options={"position": FILL_POSITION})
        env.step({"player_0": 0})
        rolls.append(str(env.game_state))
    env.reset(options={"position": FILL_POSITION})
    env.step({"player_0": 0})
    assert rolls[0] == rolls[1] != str(env.game_state)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("nonsense", "expected 6 fields"),
        (
            f"over 0 - 111111 A:xxxxxx{',xxxxxx' * 4}/B:{EMPTY_SHEET} -/-",
            "the game is over in position",
        ),
    ],
)
def test_reset_to_a_position_that_cannot_be_played_is_refused(position: str, reason: str) -> None:
    env = make(2)
    env.reset(seed=1)
    before = str(env.game_state)
    with pytest.raises(ValueError, match=reason):
        env.reset(options={"position": position})
    assert str(env.game_state) == before


# --- Rendering -----------------------------------------------------------------------------------


def test_render_modes(capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == env.game_state.draw()
    assert capsys.readouterr().out == ""


@pytest.mark.filterwarnings("ignore:.*render:UserWarning")
def test_render_without_a_mode_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    env = make()
    env.reset(seed=1)
    assert env.render() is None
    assert capsys.readouterr().out == ""


# --- Copies and arrays ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copier",
    [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_play_the_same_game_on_their_own(copier: Any) -> None:
    env = make(3, deal="random")
    env.reset(seed=6)
    play_on(env, 6, steps=9)
    copied = copier(env)
    before = str(env.game_state)
    choices = random.Random(7)
    recorded = []
    while copied.agents:
        actions = choose(copied, choices)
        observations, rewards, *_ = copied.step(actions)
        recorded.append((actions, listed(observations), rewards, str(copied.game_state)))
    assert str(env.game_state) == before
    assert len(recorded) > 20
    for actions, observations, rewards, position in recorded:
        seen, paid, *_ = env.step(actions)
        assert (listed(seen), paid, str(env.game_state)) == (observations, rewards, position)
    env.reset()
    copied.reset()
    assert str(env.game_state) == str(copied.game_state)


def test_arrays_are_never_written_after_they_were_handed_out() -> None:
    env = make(3)
    observations, infos = env.reset(seed=8)
    choices = random.Random(8)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    while env.agents:
        arrays = [array for seen in observations.values() for array in seen.values()]
        arrays += [info["action_mask"] for info in infos.values()]
        arrays.append(env.state())
        kept += [(array, array.copy()) for array in arrays]
        observations, _, _, _, infos = env.step(choose(env, choices))
    env.reset()
    for array, copied in kept:
        np.testing.assert_array_equal(array, copied)


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
