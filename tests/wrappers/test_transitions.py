"""What each player has met with, from environments of one game and of many."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from aec import quiet, turns
from variants import every_game, make_env

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.wrappers.transitions import (
    RecordTransitions,
    RecordVectorTransitions,
    Transitions,
)

pytestmark = quiet


def by_agent(taken: Transitions) -> dict[str, Transitions]:
    seats = np.unique(taken.seats).tolist()
    return {f"player_{seat}": taken.where(taken.seats == seat) for seat in seats}


@every_game
@pytest.mark.parametrize("looks", [True, False])
def test_transitions_of_a_game(game: Game, looks: bool) -> None:
    """Each goes from an action of a player to its next one, the last to the end of the game."""
    inner = make_env(game)
    env = RecordTransitions(inner)
    played = defaultdict(list)
    for agent, action in turns(env, seed=3):
        seen = inner.observe(agent)
        if action is not None:
            played[agent].append((seen, action))
            if looks:
                env.last()
    state = inner.game_state
    found = by_agent(env.take())
    assert len(env.take()) == 0
    assert set(found) == set(played)
    for seat, agent in enumerate(inner.possible_agents):
        if agent not in played:
            continue
        assert len(found[agent]) == len(played[agent])
        following = [seen for seen, _ in played[agent][1:]]
        last = {"observation": state.observation(seat), "action_mask": state.game.idle_mask}
        own = found[agent]
        for step, ((seen, action), after) in enumerate(
            zip(played[agent], [*following, last], strict=True)
        ):
            assert own.actions[step] == action
            np.testing.assert_array_equal(own.observations[step], seen["observation"])
            np.testing.assert_array_equal(own.masks[step], seen["action_mask"])
            np.testing.assert_array_equal(own.next_observations[step], after["observation"])
            np.testing.assert_array_equal(own.next_masks[step], after["action_mask"])
            at_end = after is last
            assert own.done[step] == at_end
            assert own.terminated[step] == (at_end and not state.is_truncated)
            assert own.truncated[step] == (at_end and state.is_truncated)
            assert own.rewards[step] == (state.returns()[seat] if at_end else 0.0)


def test_a_move_cap_truncates() -> None:
    env = RecordTransitions(tzaar_envs.make("turm_und_waechter"))
    start = str(tzaar_envs.load_game("turm_und_waechter").new_state(0))
    env.reset(options={"position": start.rsplit(" ", 1)[0] + " 498"})
    for _ in range(2):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    ends = env.take()
    assert ends.terminated.tolist() == [False, False]
    assert ends.truncated.tolist() == [True, True]
    assert ends.rewards.tolist() == [0.0, 0.0]


def test_an_illegal_action_ends_the_transitions_of_all() -> None:
    env = RecordTransitions(tzaar_envs.make("twenty_one", players=3))
    env.reset(seed=1)
    while not env._collector.is_open.all():
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    env.take()
    culprit = env.agent_selection
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    taken = env.take()
    ends = taken.where(taken.done)
    paid = dict(zip(ends.seats.tolist(), ends.rewards.tolist(), strict=True))
    assert paid == {
        seat: -float(agent == culprit) for seat, agent in enumerate(env.possible_agents)
    }
    assert ends.terminated.all()
    assert ends.truncated.all()


def test_a_game_that_is_left() -> None:
    env = RecordTransitions(tzaar_envs.make("tzaar"))
    env.reset(seed=1)
    for _ in range(4):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    env.reset(seed=2)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    complete = env.take()
    # White has one action in the opening, then each player two in a turn.
    assert complete.seats.tolist() == [1, 0]
    assert not complete.done.any()


# --- Many games ----------------------------------------------------------------------------------


def entries(batch: Transitions, row: int, seat: int) -> list[tuple[Any, ...]]:
    """Return the transitions of a player of a game, in their order, as things that compare."""
    chosen = np.flatnonzero((batch.rows == row) & (batch.seats == seat))
    return [
        (
            batch.observations[i].tobytes(),
            batch.masks[i].tobytes(),
            int(batch.actions[i]),
            float(batch.rewards[i]),
            batch.next_observations[i].tobytes(),
            batch.next_masks[i].tobytes(),
            bool(batch.terminated[i]),
            bool(batch.truncated[i]),
        )
        for i in chosen
    ]


@every_game
@pytest.mark.parametrize("copy", [True, False])
def test_rows_are_games_of_the_single_environment(game: Game, copy: bool) -> None:
    """Two games in each of three rows, against the recorder of one environment."""
    rows = 3
    many = RecordVectorTransitions(
        tzaar_envs.make_vec(game.name, num_envs=rows, copy=copy, **game.options)
    )
    singles = [RecordTransitions(make_env(game)) for _ in range(rows)]
    infos = many.reset(seed=5)[1]
    for row, env in enumerate(singles):
        env.reset(seed=5 + row)
    sampler = ActionSampler(2)
    left = np.full(rows, 2)
    parts = []
    while left.any():
        actions = sampler.sample(infos["action_mask"])
        for row, env in enumerate(singles):
            if left[row] == 0:
                continue
            if any(env.terminations.values()) or any(env.truncations.values()):
                env.reset()
            else:
                env.step(int(actions[row]))
        _, _, terminated, truncated, infos = many.step(actions)
        left -= (terminated | truncated) & (left > 0)
        if left.sum() % 2:
            parts.append(many.take())
    parts.append(many.take())
    assert len(many.take()) == 0
    for row, env in enumerate(singles):
        found = by_agent(env.take())
        for seat, agent in enumerate(env.possible_agents):
            expected = entries(found[agent], 0, seat)
            played = [entry for part in parts for entry in entries(part, row, seat)]
            assert played[: len(expected)] == expected
            assert sum(entry[6] or entry[7] for entry in expected) == 2


def test_rows_that_start_anew_forget_their_actions() -> None:
    many = RecordVectorTransitions(tzaar_envs.make_vec("tzaar", num_envs=2, autoreset="disabled"))
    infos = many.reset(seed=1)[1]
    sampler = ActionSampler(0)
    for _ in range(3):  # White once, Black twice
        infos = many.step(sampler.sample(infos["action_mask"]))[-1]
    assert sorted(many.take().rows) == [0, 1]
    infos = many.reset(options={"reset_mask": np.array([False, True])})[1]
    infos = many.step(sampler.sample(infos["action_mask"]))[-1]
    batch = many.take()
    # White of row 0 is to act again, Black of it has one action more; row 1 has begun.
    assert batch.rows.tolist() == [0]
    assert batch.seats.tolist() == [0]
