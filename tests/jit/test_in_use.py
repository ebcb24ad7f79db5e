"""Objects that only one thread at a time may use."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.envs.single_agent import SingleAgentEnv
from tzaar_envs.envs.single_agent_vector import SingleAgentVectorEnv
from tzaar_envs.jit.in_use import InUse

GAME = "tzaar"


def in_another_thread(call: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result(timeout=300)


def test_second_thread_is_refused_until_the_first_is_done() -> None:
    mark = InUse("this teapot")

    def use() -> None:
        with mark:
            pass

    with mark, mark:  # the same thread may enter again
        refused = pytest.raises(RuntimeError, match="this teapot is in use by another thread: give")
        with refused:
            in_another_thread(use)
    in_another_thread(use)


def test_mark_is_free_after_an_error() -> None:
    mark = InUse("this teapot")
    with pytest.raises(KeyError), mark:
        raise KeyError
    in_another_thread(mark.__enter__)


def test_copies_and_pickles_are_free() -> None:
    mark = InUse("this teapot")
    with mark:
        for other in (copy.deepcopy(mark), pickle.loads(pickle.dumps(mark))):
            in_another_thread(other.__enter__)


def users(game: Game) -> Iterator[tuple[str, Any, Callable[[], Any]]]:
    """Yield what only one thread may use: its name, it, and a call."""
    name, state = game.spec.env_id, game.new_state(1)
    env = tzaar_envs.make(name)
    yield "reset", env, lambda: env.reset(seed=1)
    stepped = tzaar_envs.make(name)
    stepped.reset(seed=1)
    yield "step", stepped, lambda: stepped.step(int(state.legal_actions()[0]))
    batch = Batch(game, 2)
    yield "batch", batch, lambda: batch.reset(np.ones(2, np.bool_))
    many = tzaar_envs.make_vec(name, 2)
    yield "vector", many, lambda: many.reset(seed=1)
    against = SingleAgentVectorEnv(game, num_envs=2)
    yield "against", against, lambda: against.reset(seed=1)
    one = SingleAgentEnv(game)
    yield "single", one, lambda: one.reset(seed=1)


def test_every_call_that_writes_refuses_a_second_thread() -> None:
    for name, user, call in users(tzaar_envs.load_game(GAME)):
        with user.in_use:
            with pytest.raises(RuntimeError, match="in use by another thread") as caught:
                in_another_thread(call)
            assert "\n" not in str(caught.value), name
        in_another_thread(call)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_together(calls: list[Callable[[], object]]) -> None:
    barrier = threading.Barrier(len(calls), timeout=300)

    def run(call: Callable[[], object]) -> None:
        barrier.wait()
        call()

    with ThreadPoolExecutor(len(calls)) as pool:
        for done in [pool.submit(run, call) for call in calls]:
            done.result(timeout=300)


@pytest.mark.usefixtures("hasty_threads")
def test_threads_that_share_a_state_play_legal_actions_only() -> None:
    game = tzaar_envs.load_game(GAME)
    state = game.new_state(1)
    played: list[int] = []
    refusals: list[str] = []

    def play(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(200):
            legal = state.legal_actions()
            if legal.size == 0:
                return
            try:
                state.apply(int(rng.choice(legal)))
                played.append(1)
            except ValueError as error:
                refusals.append(str(error))

    run_together([functools.partial(play, seed) for seed in range(4)])
    assert played
    assert all("is not" in refusal for refusal in refusals)
    assert str(game.parse(str(state))) == str(state)


@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.usefixtures("shared_rows")
def test_threads_that_share_an_environment_or_agent_play_on_or_are_told() -> None:
    game = tzaar_envs.load_game(GAME)
    env = tzaar_envs.make_vec(f"{GAME}_v0", 8, num_threads=2, seed=1)
    env.reset()
    agent = make_agent("alphabeta:depth=2", game)
    state = game.new_state(1)
    outcomes: set[str] = set()
    refusals: list[str] = []

    def step() -> None:
        for _ in range(50):
            try:
                env.step(env.sample_actions())
                outcomes.add("stepped")
            except RuntimeError as error:
                refusals.append(str(error))

    def ask() -> None:
        for _ in range(3):
            try:
                assert state.is_legal(agent.act(state))
                outcomes.add("answered")
            except RuntimeError as error:
                refusals.append(str(error))

    run_together([step, step, step, ask, ask])
    assert outcomes == {"stepped", "answered"}
    assert all("in use by another thread" in refusal for refusal in refusals)
    env.close()


def test_a_child_process_is_not_refused_for_threads_that_it_does_not_have() -> None:
    """A lock that another thread holds while this one forks stays locked in the child."""
    from tzaar_envs.core import state as states

    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with states._playing:
            held.set()
            done.wait(300)

    game = tzaar_envs.load_game(GAME)
    state = game.new_state(1)
    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(300)
    context = multiprocessing.get_context("fork")
    child = context.Process(target=lambda: state.apply(int(state.legal_actions()[0])))
    child.start()
    child.join(60)
    done.set()
    thread.join()
    assert child.exitcode == 0
