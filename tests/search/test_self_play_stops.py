"""Self-play ends at once when it is stopped, by Ctrl-C or by another thread."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest
from small_policies import small_evaluator

import tzaar_envs
from tzaar_envs.search.gumbel import Gumbel
from tzaar_envs.search.self_play import GameSettings, OnePly, SelfPlay

GAME = tzaar_envs.load_game("turm_und_waechter")
SETTINGS = GameSettings(0.1, 0.5, 2)


def gumbel(simulations: int, positions: int) -> SelfPlay:
    return SelfPlay(GAME, Gumbel(simulations, 8, 50.0, 0.1), SETTINGS, positions)


def one_ply(positions: int) -> SelfPlay:
    return SelfPlay(GAME, OnePly(), SETTINGS, positions)


ENDLESS = {
    "many games": lambda: gumbel(2, 1_000_000),
    "long searches": lambda: gumbel(100_000, 1),
    "many games by one ply": lambda: one_ply(1_000_000),
}
"""Self-play that would take from minutes to forever."""


@pytest.mark.parametrize("make", ENDLESS.values(), ids=ENDLESS)
def test_ctrl_c_ends_a_call_in_the_middle_of_a_search(make: Callable[[], SelfPlay]) -> None:
    self_play = make()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        self_play.play(small_evaluator(GAME), 1)


@pytest.mark.parametrize("make", ENDLESS.values(), ids=ENDLESS)
def test_another_thread_can_end_a_call(make: Callable[[], SelfPlay]) -> None:
    self_play = make()
    threading.Timer(0.3, self_play.stop).start()
    played = self_play.play(small_evaluator(GAME), 1)
    assert len(played.states) < 1_000_000
    assert (played.games == 0) == (len(played.states) == 0)


def test_games_after_a_call_that_was_stopped_are_the_same_as_without_it() -> None:
    untouched = gumbel(2, 20).play(small_evaluator(GAME), 3)
    stopped = gumbel(2, 20)
    stopped.stop()
    assert stopped.play(small_evaluator(GAME), 1).games == 0
    assert np.array_equal(stopped.play(small_evaluator(GAME), 3).states, untouched.states)
    assert np.array_equal(stopped.play(small_evaluator(GAME), 3).policy, untouched.policy)


def test_threads_may_share_a_network() -> None:
    alone = [gumbel(4, 20).play(small_evaluator(GAME), seed).values.copy() for seed in range(2)]
    together: dict[int, object] = {}

    def play(seed: int) -> None:
        together[seed] = gumbel(4, 20).play(small_evaluator(GAME), seed).values.copy()

    threads = [threading.Thread(target=play, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(together[seed], alone[seed]) for seed in range(2))
