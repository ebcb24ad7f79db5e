"""The choice between one thread and several."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tzaar_envs.jit.pace import Pace


def play(pace: Pace, seconds: Callable[[bool], float], duration: float) -> list[bool]:
    """Record tasks that take `seconds(shared)`, for so long; return which of them were shared."""
    shared, spent = [], 0.0
    while spent < duration:
        shared.append(pace.shared)
        took = seconds(pace.shared)
        spent += took
        pace.record(took)
    return shared


def test_the_first_tasks_are_done_alone_until_it_is_known_how_long_they_take() -> None:
    shared = play(Pace(), lambda shared: 0.01, 0.5)
    assert 10 <= shared.index(True) <= 20


@pytest.mark.parametrize("alone", [3e-5, 1e-3, 0.1])
@pytest.mark.parametrize("speed", [0.3, 0.9, 1.1, 1.8])
def test_the_faster_way_wins_and_trials_cost_little(alone: float, speed: float) -> None:
    pace = Pace()
    play(pace, lambda shared: alone / speed if shared else alone, 3)
    later = play(pace, lambda shared: alone / speed if shared else alone, 8)
    part = sum(later) / len(later)
    if speed > 1:
        assert part > 0.95
    else:
        assert part < 0.05


def test_a_first_task_that_compiles_does_not_count() -> None:
    pace = Pace()
    tasks = {False: 0, True: 0}

    def seconds(shared: bool) -> float:
        tasks[shared] += 1
        return 20.0 if tasks[shared] == 1 else 1e-4 if shared else 1.8e-4

    play(pace, seconds, 41)
    assert pace.shared


def test_a_way_that_is_much_slower_is_tried_for_a_moment_only() -> None:
    pace = Pace()
    play(pace, lambda shared: 1e-2 if shared else 1e-4, 1)
    later = play(pace, lambda shared: 1e-2 if shared else 1e-4, 30)
    assert 0 < 1e-2 * sum(later) < 2


def settled(pace: Pace, seconds: Callable[[bool], float], duration: float = 10) -> bool:
    """Return which way most tasks are done, once the pace has had time to choose."""
    play(pace, seconds, duration)
    shared = play(pace, seconds, duration)
    return sum(shared) > len(shared) / 2


def test_work_is_shared_only_if_that_is_clearly_faster() -> None:
    assert settled(Pace(), lambda shared: 0.9 if shared else 1.0, 2_000)
    assert not settled(Pace(), lambda shared: 0.98 if shared else 1.0, 2_000)


def test_a_lucky_moment_does_not_count() -> None:
    """A second thread that runs at times and waits for a core at others, as on a busy machine."""
    tasks = 0

    def seconds(shared: bool) -> float:
        nonlocal tasks
        tasks += 1
        return (5e-5 if tasks // 100 % 4 else 1e-3) if shared else 1e-4

    assert not settled(Pace(), seconds)


def test_the_choice_follows_the_machine() -> None:
    pace = Pace()
    assert settled(pace, lambda shared: 1.0 if shared else 1.8, 2_000)
    assert not settled(pace, lambda shared: 3.0 if shared else 1.8, 2_000)
    assert settled(pace, lambda shared: 1.0 if shared else 1.8, 2_000)


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
