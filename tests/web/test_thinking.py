"""Processes that think: answers, cancelled thoughts, deaths."""

from __future__ import annotations

import functools
import queue
from collections.abc import Iterator

import pytest
from web_server import PATIENCE

from tzaar_envs import load_game
from tzaar_envs.core.state import State
from tzaar_envs.web.thinker import Analyse, Choose, Chosen, Failed, Report
from tzaar_envs.web.thinking import Thinkers, Thought


@functools.cache
def start() -> State:
    return load_game("turm_und_waechter").new_state(0)


def endless() -> Choose:
    return Choose(start(), "mcts:simulations=100000000", [0])


@pytest.fixture(scope="module")
def thinkers() -> Iterator[Thinkers]:
    made = Thinkers(1)
    yield made
    made.close()


def think(
    thinkers: Thinkers, request: object, seconds: float = PATIENCE
) -> tuple[Thought, queue.SimpleQueue[object]]:
    answers: queue.SimpleQueue[object] = queue.SimpleQueue()
    thought = Thought(request, answers.put, seconds, "test")
    thinkers.think(thought)
    return thought, answers


def test_the_choice_of_an_agent_follows_from_its_seed(thinkers: Thinkers) -> None:
    chosen = [
        think(thinkers, Choose(start(), "random", [seed]))[1].get(timeout=PATIENCE)
        for seed in (1, 2, 1)
    ]
    assert all(isinstance(each, Chosen) for each in chosen)
    assert chosen[0].action == chosen[2].action  # type: ignore[attr-defined]


def test_a_cancelled_thought_makes_room_for_the_next(thinkers: Thinkers) -> None:
    thought, answers = think(thinkers, endless())
    thought.cancel()
    _, others = think(thinkers, Choose(start(), "greedy", [0]))
    assert isinstance(others.get(timeout=PATIENCE), Chosen)
    assert answers.empty()


def test_a_cancelled_analysis_stops(thinkers: Thinkers) -> None:
    thought, answers = think(thinkers, Analyse(start(), "mcts", None, PATIENCE, 10**9, 8))
    assert isinstance(answers.get(timeout=PATIENCE), Report)
    thought.cancel()
    assert isinstance(
        think(thinkers, Choose(start(), "greedy", [0]))[1].get(timeout=PATIENCE), Chosen
    )


def test_an_analysis_shows_the_policy_of_a_network(thinkers: Thinkers) -> None:
    pytest.importorskip("torch")
    _, answers = think(thinkers, Analyse(start(), "mcts", "policy:reference", PATIENCE, 2000, 8))
    reports = [answers.get(timeout=PATIENCE)]
    while not reports[-1].is_last:  # type: ignore[attr-defined]
        reports.append(answers.get(timeout=PATIENCE))
    content = reports[-1].content  # type: ignore[attr-defined]
    assert content["has_policy"]
    assert sum(move["policy"] for move in content["moves"]) == pytest.approx(1)


def test_a_thought_that_takes_too_long_ends(thinkers: Thinkers) -> None:
    think(thinkers, Choose(start(), "mcts:simulations=1", [0]))[1].get(timeout=PATIENCE)
    answer = think(thinkers, endless(), seconds=0.2)[1].get(timeout=PATIENCE)
    assert isinstance(answer, Failed)
    assert answer.reason == "nothing was found within 0.2 seconds"


def test_an_agent_that_cannot_be_made_is_one_sentence(thinkers: Thinkers) -> None:
    answer = think(thinkers, Choose(start(), "policy:nothing.safetensors", [0]))[1].get(
        timeout=PATIENCE
    )
    assert isinstance(answer, Failed)
    assert "nothing.safetensors" in answer.reason
