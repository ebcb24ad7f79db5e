"""Pointers into a memory, and sums of vectors behind them."""

import json

import numpy as np
import pytest
from processes import run_python

from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.memory import LANES, add_rows, dot, floats, memory_of
from tzaar_envs.networks import shapes

SUMS, TABLE, WORDS = range(3)


@compiled
def add_two(memory: np.ndarray, place: int, rows: np.ndarray, by: np.ndarray, length: int) -> None:
    add_rows(floats(memory, SUMS), place, floats(memory, TABLE), (rows[0], rows[1]),
             (by[0], by[1]), length)  # fmt: skip


@compiled
def product(memory: np.ndarray, first: int, second: int, length: int) -> float:
    return dot(floats(memory, SUMS), first, floats(memory, TABLE), second, length)


@pytest.mark.parametrize("length", [0, LANES, 5 * LANES])
def test_rows_times_factors_are_added(length: int) -> None:
    rng = np.random.default_rng(0)
    sums = rng.normal(size=200).astype(np.float32)
    table = rng.normal(size=300).astype(np.float32)
    expected = sums.copy()
    by = np.array([0.5, -3.0], np.float32)
    expected[7 : 7 + length] += 0.5 * table[11 : 11 + length] - 3 * table[101 : 101 + length]
    memory = memory_of([sums, table])
    add_two(memory, 7, np.array([11, 101]), by, length)
    assert sums == pytest.approx(expected, abs=1e-5)
    found = product(memory, 3, 101, length)
    assert found == pytest.approx(sums[3 : 3 + length] @ table[101 : 101 + length], abs=1e-4)


def test_nan_and_infinity_keep_their_meaning() -> None:
    sums, table = np.ones(LANES, np.float32), np.ones(2 * LANES, np.float32)
    sums[3], table[4] = np.nan, np.inf
    assert np.isnan(product(memory_of([sums, table]), 0, 0, LANES))
    sums[3] = 0
    assert product(memory_of([sums, table]), 0, 0, LANES) == np.inf


FEW_GAMES = """
from tzaar_envs.networks import shapes
shapes._GAMES = 1
"""

VALUE = """
import numpy as np, torch
import tzaar_envs
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.network import SparseNetwork
from tzaar_envs.networks.shapes import SparseShape
torch.manual_seed(0)
game = tzaar_envs.load_game("twenty_one")
network = SparseNetwork(SparseShape.for_game(game, 20, 9), game)
state = game.new_state(0)
priors, values = CompiledNetwork(game, network)(state.words[None])
print([*values[0].tolist(), float(priors[0].sum())])
"""


def test_a_network_is_the_same_without_compilation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shapes, "_GAMES", 1)  # uncompiled ones take long
    exec(VALUE, {})
    plain = json.loads(run_python(FEW_GAMES + VALUE, NUMBA_DISABLE_JIT="1"))
    assert plain == pytest.approx(json.loads(capsys.readouterr().out), rel=1e-5)
