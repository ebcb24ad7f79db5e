"""Agents that search: what they hand out of it, and what they say."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest
from search.searched import positions, stacked

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.jit import compile
from tzaar_envs.search.alphabeta import AlphaBeta

GAME = tzaar_envs.load_game("tzaar")


def test_results_that_differ_in_time_alone_are_equal() -> None:
    result = AlphaBeta(GAME).search(GAME.new_state(0), depth=1)
    assert result == dataclasses.replace(result, seconds=result.seconds + 1)
    assert result != dataclasses.replace(result, depth=2)


@pytest.mark.parametrize("text", ["mcts:simulations=20", "alphabeta:depth=2"])
def test_an_agent_hands_out_the_same_searches_one_by_one_and_in_a_batch(text: str) -> None:
    states = positions(GAME, 4)
    batch = Batch(GAME, len(states))
    batch.set_positions(np.ones(len(states), np.bool_), stacked(states))
    agents = [make_agent(text, GAME, seed=1) for _ in range(3)]
    assert agents[0].last_search is None
    found = []
    for state in states:
        action = agents[0].act(state)
        assert agents[0].last_search.action == action
        assert [*agents[0].last_searches] == [agents[0].last_search]
        found.append(agents[0].last_search)
    for agent, actions in (
        (agents[1], agents[1].act_batch(states)),
        (agents[2], agents[2].act_rows(batch, np.arange(len(states)))),
    ):
        assert [*agent.last_searches] == found
        assert actions.tolist() == [result.action for result in found]
        assert agent.last_search is None
        assert [*pickle.loads(pickle.dumps(agent)).last_searches] == found


def test_an_agent_that_does_not_search_hands_out_nothing() -> None:
    agent = make_agent("greedy", GAME, seed=1)
    agent.act(GAME.new_state(0))
    assert agent.last_search is None
    assert len(agent.last_searches) == 0


@pytest.mark.parametrize("name", ["mcts", "alphabeta"])
def test_the_first_search_on_a_machine_says_that_it_is_compiled(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state = GAME.new_state(0)  # whose rules are compiled by now
    announced = {entry for entry in compile._compiled_here if entry[0] != name}
    monkeypatch.setattr(compile, "_compiled_here", announced)
    monkeypatch.setattr(compile, "_cache_folder", lambda source: tmp_path)
    for _ in range(2):
        make_agent(name, GAME).act(state)
    assert capsys.readouterr().err == f"tzaar-envs: compiling {name}, once on this machine ...\n"
