"""Transitions of players, from records of games."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from variants import every_game, make_env

from tzaar_envs import load_game
from tzaar_envs.arena import play_match
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.core.game import Game
from tzaar_envs.datasets import record_transitions


def played(game: Game, opening_plies: int = 0) -> GameRecord:
    agents = ["random"] * game.num_players
    games = game.num_players
    return play_match(game, agents, games, seed=3, opening_plies=opening_plies).games[0]


@every_game
def test_a_record_has_the_transitions_that_an_environment_records(game: Game) -> None:
    record = played(game)
    assert record.returns is not None
    states = record.states()
    env = make_env(game)
    found: dict[int, list[tuple[dict[str, np.ndarray], int]]] = {}
    # The environment would draw other chance events, so it starts again at every position.
    for state, name in zip(states, record.actions, strict=False):
        env.reset(seed=0, options={"position": str(state)})
        seen = env.observe(env.agent_selection)
        found.setdefault(state.current_player, []).append((seen, state.parse_action(name)))
    own = record_transitions(record)
    assert sorted(set(own.seats.tolist())) == sorted(found)
    for player, expected in found.items():
        steps = own.where(own.seats == player)
        assert len(steps) == len(expected)
        for step, (seen, action) in enumerate(expected):
            assert (steps.observations[step] == seen["observation"]).all()
            assert (steps.masks[step] == seen["action_mask"]).all()
            assert steps.actions[step] == action
        assert (steps.next_observations[:-1] == steps.observations[1:]).all()
        assert (steps.next_masks[:-1] == steps.masks[1:]).all()
        assert not steps.rewards[:-1].any()
        assert not steps.done[:-1].any()
        assert steps.rewards[-1] == record.returns[player]
        ends = (steps.terminated[-1], steps.truncated[-1])
        assert ends == (not record.truncated, record.truncated)
        assert (steps.next_observations[-1] == states[-1].observation(player)).all()
        assert not steps.next_masks[-1].any()


def test_only_games_with_a_result_that_can_be_replayed_are_read() -> None:
    record = played(load_game("turm_und_waechter"))
    with pytest.raises(ValueError, match="the game has no result"):
        record_transitions(msgspec.structs.replace(record, returns=None, scores=None, end=None))
    with pytest.raises(ValueError, match="move 2: "):
        record_transitions(
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
        forfeit="crash",
        culprit=0,
    )
    own = record_transitions(lost)
    for player, value in enumerate([-1.0, 1.0]):
        steps = own.where(own.seats == player)
        assert steps.rewards[-1] == value
        assert (steps.terminated[-1], steps.truncated[-1]) == (True, False)
