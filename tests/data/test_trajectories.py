"""Trajectories of players, from records of games."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest
from variants import every_game, make_env

from tzaar_envs import load_game
from tzaar_envs.arena import play_match
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.core.game import Game
from tzaar_envs.data import trajectories
from tzaar_envs.envs.base import final_rewards
from tzaar_envs.wrappers.transitions import RecordTransitions


def played(game: Game, opening_plies: int = 0) -> GameRecord:
    agents = ["random"] * game.num_players
    games = game.num_players
    return play_match(game, agents, games, seed=3, opening_plies=opening_plies).games[0]


@every_game
def test_a_record_has_the_transitions_that_an_environment_records(game: Game) -> None:
    record = played(game)
    states = record.states()
    env = RecordTransitions(make_env(game))
    found = {}
    # The environment would draw other chance events, so it starts again at every position.
    for state, name in zip(states, record.actions, strict=False):
        env.reset(seed=0, options={"position": str(state)})
        seen = env.observe(env.agent_selection)
        found.setdefault(env.agent_selection, []).append((seen, state.parse_action(name)))
    own = trajectories(record)
    assert [f"player_{each.player}" for each in own] == sorted(found)
    for trajectory in own:
        steps, expected = trajectory.transitions, found[f"player_{trajectory.player}"]
        assert len(steps) == len(expected)
        for step, (seen, action) in zip(steps, expected, strict=True):
            assert (step.observation == seen["observation"]).all()
            assert (step.mask == seen["action_mask"]).all()
            assert step.action == action
        for step, following in itertools.pairwise(steps):
            assert step.next_observation is following.observation
            assert (step.reward, step.done) == (0.0, False)
        assert record.returns is not None
        assert steps[-1].reward == record.returns[trajectory.player]
        assert (steps[-1].terminated, steps[-1].truncated) == (
            not record.truncated,
            record.truncated,
        )
        last = states[-1].observation(trajectory.player)
        assert (steps[-1].next_observation == last).all()
        assert not steps[-1].next_mask.any()


@every_game
def test_gains_add_up_to_the_lead_that_environments_pay(game: Game) -> None:
    record = played(game)
    last = record.states()[-1]
    early = 0
    for once, steadily in zip(
        trajectories(record, reward="score"), trajectories(record, reward="gain"), strict=True
    ):
        paid = [step.reward for step in once.transitions]
        assert paid[-1] == final_rewards(last, "score")[once.player]
        assert not any(paid[:-1])
        gains = [step.reward for step in steadily.transitions]
        assert sum(gains) == pytest.approx(paid[-1])
        early += np.count_nonzero(gains[:-1])
    assert bool(early) == (game.spec.score_unit is not None)


def test_a_reward_that_is_not_offered() -> None:
    with pytest.raises(ValueError, match="reward='points' is not allowed: use 'outcome', 'score'"):
        trajectories(played(load_game("turm_und_waechter")), reward="points")


def test_a_random_opening_is_left_out() -> None:
    record = played(load_game("turm_und_waechter"), opening_plies=5)
    own = trajectories(record)
    assert sum(len(each.transitions) for each in own) == record.plies - 5
    first = next(each for each in own if each.player == 1).transitions[0]
    assert np.array_equal(first.observation, record.states()[5].observation(1))


def test_only_games_with_a_result_that_can_be_replayed_are_read() -> None:
    record = played(load_game("turm_und_waechter"))
    with pytest.raises(ValueError, match="the game has no result"):
        trajectories(msgspec.structs.replace(record, returns=None, scores=None, end=None))
    with pytest.raises(ValueError, match="move 2: "):
        trajectories(
            msgspec.structs.replace(record, actions=[record.actions[0], "x", *record.actions[2:]])
        )


def test_a_fault_ends_a_game_for_all_players() -> None:
    record = played(load_game("turm_und_waechter"))
    lost = msgspec.structs.replace(
        record,
        actions=record.actions[:6],
        returns=[-1.0, 1.0],
        scores=None,
        truncated=False,
        end=None,
        fault="crash",
        culprit=0,
    )
    for trajectory in trajectories(lost):
        last = trajectory.transitions[-1]
        assert last.reward == (-1.0, 1.0)[trajectory.player]
        assert (last.terminated, last.truncated) == (True, False)
