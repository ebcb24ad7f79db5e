"""What public functions of the core do with arguments that compiled code must not see."""

from __future__ import annotations

import numpy as np
import pytest
from processes import run_python

import tzaar_envs
from tzaar_envs.core.batch import Batch

TZAAR = tzaar_envs.load_game("tzaar")
ZATRE = tzaar_envs.load_game("zatre")


# --- State ----------------------------------------------------------------------------------------


def test_messages_show_nothing_that_is_hidden() -> None:
    state = ZATRE.new_state(0)
    hands = str(state).split(" ")[2]
    illegal = int((state.legal_mask() == 0).argmax())
    with pytest.raises(ValueError, match="is not among the") as error:
        state.apply(illegal)
    assert hands not in str(error.value)
    with pytest.raises(ValueError, match="is not legal") as error:
        state.parse_action("6@A5")
    assert hands not in str(error.value)
    with pytest.raises(ValueError, match="of position 't"):  # nothing is hidden here
        TZAAR.parse(str(TZAAR.new_state(0))).apply(0 if not TZAAR.new_state(0).is_legal(0) else 1)


# --- Batch ----------------------------------------------------------------------------------------


@pytest.fixture
def batch() -> Batch:
    made = Batch(TZAAR, 3)
    for row in range(3):
        made.seed(row, row)
    made.reset(np.ones(3, np.bool_))
    return made


@pytest.mark.parametrize("name", ["masks", "states", "generators", "players", "over", "rewards"])
def test_arrays_of_a_batch_are_read_only(batch: Batch, name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(batch, name)[:] = 1


# --- masks, seeds, numbers ------------------------------------------------------------------------


# --- Ctrl-C ---------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, threading, tzaar_envs
import numpy as np
from tzaar_envs.core.playouts import perft
from tzaar_envs.core.playouts import random_playouts
from tzaar_envs.search.mcts import Mcts

signal.signal(signal.SIGINT, signal.default_int_handler)
game = tzaar_envs.load_game("turm_und_waechter")
state = game.new_state(0)
words = np.stack([state.words] * 3)
perft(state, 2), random_playouts(game, 1), Mcts(game, simulations=1).search(words, 0)
for call in (
    lambda: perft(state, 12),
    lambda: random_playouts(game, 10**8),
    lambda: Mcts(game, simulations=10**8).search(words, 0),
    lambda: Mcts(game, simulations=10**8, threads=3).search(words, 0),
):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_long_calls_notice_ctrl_c() -> None:
    """Each of them would run for hours."""
    assert run_python(INTERRUPTED).split() == ["interrupted"] * 4
