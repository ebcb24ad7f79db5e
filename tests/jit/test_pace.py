"""The choice between one thread and several."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tzaar_envs.jit.pace import Pace


def play(pace: Pace, seconds: Callable[[bool], float], tasks: int) -> list[bool]:
    """Record tasks that take `seconds(shared)`; return which of them were shared."""
    shared = []
    for _ in range(tasks):
        shared.append(pace.shared)
        pace.record(seconds(pace.shared))
    return shared


def test_work_is_shared_at_first() -> None:
    assert Pace().shared


@pytest.mark.parametrize("alone", [1e-5, 1e-3, 0.1])
@pytest.mark.parametrize("speed", [0.3, 0.9, 1.1, 1.8])
def test_the_faster_way_wins_and_trials_cost_little(alone: float, speed: float) -> None:
    pace = Pace()
    play(pace, lambda shared: alone / speed if shared else alone, 10_000)
    later = play(pace, lambda shared: alone / speed if shared else alone, 20_000)
    part = sum(later) / len(later)
    if speed > 1:
        assert part > 0.95
    else:
        assert part < 0.05


def settled(pace: Pace, seconds: Callable[[bool], float]) -> bool:
    """Return which way most tasks are done, once the pace has had time to choose."""
    play(pace, seconds, 2_000)
    shared = play(pace, seconds, 2_000)
    return sum(shared) > len(shared) / 2


def test_one_thread_is_used_only_if_it_is_clearly_as_fast() -> None:
    assert settled(Pace(), lambda shared: 1.0 if shared else 0.98)
    assert not settled(Pace(), lambda shared: 1.0 if shared else 0.9)


def test_the_choice_follows_the_machine() -> None:
    pace = Pace()
    assert settled(pace, lambda shared: 1.0 if shared else 1.8)
    assert not settled(pace, lambda shared: 3.0 if shared else 1.8)
    assert settled(pace, lambda shared: 1.0 if shared else 1.8)


def test_threads_that_wake_up_are_given_time() -> None:
    """They need it after tasks that one thread did alone; it says nothing about later tasks."""
    pace = Pace()
    was_shared, tasks = True, 0

    def seconds(shared: bool) -> float:
        nonlocal was_shared, tasks
        tasks = tasks + 1 if shared == was_shared else 0
        was_shared = shared
        return 1e-3 if shared and tasks < 2 else 1e-4 if shared else 1.2e-4

    assert settled(pace, seconds)
