"""A game of several seats as one of a player against all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from aec import api_test, every_name, quiet, turns
from pettingzoo.utils import BaseWrapper

import tzaar_envs
from tzaar_envs.wrappers.two_seats import OTHERS, PLAYER, TwoSeats

pytestmark = quiet

MANY = [("twenty_one", {"players": 4}), ("zatre", {"players": 3})]


@every_name
def test_pettingzoo_accepts_it(name: str) -> None:
    api_test(TwoSeats(tzaar_envs.make(name), seat=1))


@pytest.mark.parametrize(("name", "options"), MANY)
def test_pettingzoo_accepts_many_seats(name: str, options: dict[str, Any]) -> None:
    for seat in range(options["players"]):
        api_test(TwoSeats(tzaar_envs.make(name, **options), seat, zero_sum=False))


class EveryStepPays(BaseWrapper):
    """Rewards in the course of a game, which no game of the suite has."""

    @property
    def rewards(self) -> dict[str, float]:
        return {agent: 1.0 + seat for seat, agent in enumerate(self.env.agents)}


def test_rewards_in_the_course_of_a_game() -> None:
    api_test(TwoSeats(EveryStepPays(tzaar_envs.make("twenty_one", players=3)), 1))


@pytest.mark.parametrize(("name", "options"), MANY)
@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("reward", ["outcome", "score"])
@pytest.mark.parametrize("zero_sum", [True, False])
def test_views_and_rewards(
    name: str, options: dict[str, Any], seat: int, reward: str, zero_sum: bool
) -> None:
    inner = tzaar_envs.make(name, reward=reward, **options)
    env = TwoSeats(inner, seat, zero_sum)
    total = {PLAYER: 0.0, OTHERS: 0.0}
    left = []
    for agent, action in turns(env, seed=2):
        seen, rewarded, *_ = env.last()
        total[agent] += rewarded
        if action is None:
            left.append(agent)
            continue
        acting = inner.agent_selection
        assert agent == (PLAYER if acting == f"player_{seat}" else OTHERS)
        true = inner.observe(acting)
        for key in ("observation", "action_mask"):
            np.testing.assert_array_equal(seen[key], true[key])
        np.testing.assert_array_equal(env.infos[agent]["action_mask"], true["action_mask"])
        idle = OTHERS if agent == PLAYER else PLAYER
        assert not env.observe(idle)["action_mask"].any()
        if idle == PLAYER:
            own = inner.observe(f"player_{seat}")["observation"]
            np.testing.assert_array_equal(env.observe(PLAYER)["observation"], own)
    assert sorted(left) == [PLAYER, OTHERS]
    state = inner.game_state
    if reward == "outcome":
        expected = state.returns()
    else:
        scores, unit = state.scores(), inner.game.spec.score_unit
        expected = [(scores[i] - max(np.delete(scores, i))) / unit for i in range(len(scores))]
    assert total[PLAYER] == pytest.approx(expected[seat])
    others = -expected[seat] if zero_sum else sum(expected) - expected[seat]
    assert total[OTHERS] == pytest.approx(others)


def test_the_others_see_what_their_seat_sees() -> None:
    """Before it acts, the coalition sees the seat after the player; then the one that acted."""
    inner = tzaar_envs.make("zatre", players=4)
    env = TwoSeats(inner, seat=0)
    env.reset(seed=1)
    hand = [plane.name for plane in inner.game.observation_planes].index("own_hand")

    def others() -> np.ndarray:
        return env.observe(OTHERS)["observation"]

    np.testing.assert_array_equal(others(), inner.observe("player_1")["observation"])
    speaker = "player_1"
    hands = set()
    for _ in range(40):
        if env.agent_selection == OTHERS:
            speaker = inner.agent_selection
        np.testing.assert_array_equal(others(), inner.observe(speaker)["observation"])
        hands.add((speaker, others()[hand : hand + 6, 0, 0].tobytes()))
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert {speaker for speaker, _ in hands} == {"player_1", "player_2", "player_3"}


@pytest.mark.parametrize("culprit", [PLAYER, OTHERS])
@pytest.mark.parametrize("zero_sum", [True, False])
def test_illegal_action(culprit: str, zero_sum: bool) -> None:
    env = TwoSeats(tzaar_envs.make("twenty_one", players=3), 1, zero_sum)
    env.reset(seed=1)
    while env.agent_selection != culprit:
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    assert env.rewards == {agent: -float(agent == culprit) for agent in (PLAYER, OTHERS)}
    assert all(env.terminations.values())
    assert all(env.truncations.values())


def test_use_before_reset_and_after_the_end() -> None:
    env = TwoSeats(tzaar_envs.make("tzaar"))
    for use in (lambda: env.observe(OTHERS), lambda: env.step(0), env.state):
        with pytest.raises(AssertionError):
            use()
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        _ = env.agents
    for _ in turns(env, seed=1):
        pass
    assert env.agents == []
    before = env.unwrapped.game_state
    env.step(0)
    assert env.unwrapped.game_state == before


@pytest.mark.parametrize("seat", [-1, 3, None])
def test_wrong_seat(seat: Any) -> None:
    with pytest.raises(ValueError, match=f"seat={seat} is not allowed: use 0 to 2"):
        TwoSeats(tzaar_envs.make("zatre", players=3), seat)
