"""Searches for the page: moves, analyses, and what stops them."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tzaar_envs import load_game
from tzaar_envs.core.state import State
from tzaar_envs.web.searches import Searches


@functools.cache
def start() -> State:
    return load_game("turm_und_waechter").new_state(0)


@pytest.fixture
def searches() -> Iterator[Searches]:
    yield Searches()
    for thread in threading.enumerate():
        if thread.name == "search":
            thread.join(60)  # every search stops once nobody wants it
            assert not thread.is_alive()


def test_the_choice_of_an_agent_follows_from_its_seed(searches: Searches) -> None:
    async def choose() -> list[int]:
        return [(await searches.choose(start(), "random", [seed]))[0] for seed in (1, 2, 3, 1)]

    first, *others, again = asyncio.run(choose())
    assert first == again
    assert {first} != {*others}


@pytest.mark.parametrize("agent", ["mcts:simulations=100000000", "alphabeta:ms=1000000"])
def test_a_cancelled_search_stops(searches: Searches, agent: str) -> None:

    async def cancel() -> None:
        task = asyncio.create_task(searches.choose(start(), agent, [0]))
        await asyncio.sleep(0.2)
        task.cancel()

    asyncio.run(cancel())


@pytest.mark.parametrize("engine", ["mcts", "alphabeta"])
def test_a_cancelled_analysis_stops(searches: Searches, engine: str) -> None:

    async def look() -> dict[str, Any]:
        async for report in searches.analyse(start(), engine, None):
            return report
        raise AssertionError("no report came")

    assert asyncio.run(look())["running"]


@pytest.mark.parametrize("engine", ["network", "mcts"])
def test_an_analysis_shows_the_policy_of_a_network(searches: Searches, engine: str) -> None:
    async def last() -> dict[str, Any]:
        reports = searches.analyse(start(), engine, "policy:reference")
        first = await anext(reports)
        assert not first["has_policy"]
        return await anext(reports)

    report = asyncio.run(last())
    assert report["has_policy"]
    assert sum(move["policy"] for move in report["moves"]) == pytest.approx(1)
