"""Replay buffer of sparse networks: what they learn from, in the form in which they take it in.

A sample holds the inputs that are not zero and the legal actions: some hundred numbers a position,
of which a dense one has thousands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.arrays import StateArray
from tzaar_envs.jit.compile import compiled
from tzaar_envs.jit.function_table import FunctionTable
from tzaar_envs.jit.memory import borrowed, floats, numbers
from tzaar_envs.networks.sparse import layout as at
from tzaar_envs.networks.sparse.compiled import CompiledNetwork
from tzaar_envs.networks.sparse.kernel import refresh
from tzaar_envs.search.self_play import Records

NO_ACTION = -1
_SLICE = 4096  # positions: compiled code returns now and then, since only Python notices Ctrl-C


class Samples(NamedTuple):
    """Positions as their observers see them, with the targets of learning.

    Attributes:
        rows: Int32 `(n, inputs)`, rows of the first layer; 0 where there is none.
        factors: int8 `(n, inputs)`, their factors; 0 where there is none.
        actions: Int32 `(n, legal)`, legal actions as player 0 sees them; `NO_ACTION` after them.
        policy: float32 `(n, legal)`, the probabilities of these actions.
        values: float32 `(n, players)`, expected returns, those of the observer first.
    """

    rows: NDArray[np.int32]
    factors: NDArray[np.int8]
    actions: NDArray[np.int32]
    policy: NDArray[np.float32]
    values: NDArray[np.float32]


def samples_of(network: CompiledNetwork, records: Records) -> Samples:
    """Return the samples of positions that self-play has recorded.

    Args:
        network: A network of the game whose inputs they are; its weights do not matter.
        records: The positions.
    """
    lister = network.copy()  # it forgets the last observation for each position
    count = len(records.states)
    legal = int(np.diff(records.first_action).max(initial=1))
    samples = Samples(
        rows=np.zeros((count, network.shape.most_inputs), np.int32),
        factors=np.zeros((count, network.shape.most_inputs), np.int8),
        actions=np.full((count, legal), NO_ACTION, np.int32),
        policy=np.zeros((count, legal), np.float32),
        values=np.zeros((count, network.game.num_players), np.float32),
    )
    functions, memory = network.game.rules.functions, lister.leaf_network().memory
    # By name: cached code would not notice another order of the fields.
    played = (
        records.states, records.observers, records.first_action,
        records.actions, records.policy, records.values,
    )  # fmt: skip
    most = 1
    for first in range(0, count, _SLICE):
        last = min(count, first + _SLICE)
        most = max(most, _write_samples(functions, memory, played, first, last, samples))
    return samples._replace(rows=samples.rows[:, :most], factors=samples.factors[:, :most])


@compiled(nogil=True)
def _write_samples(
    functions: FunctionTable,
    memory: StateArray,
    played: tuple[Any, ...],
    first: int,
    last: int,
    samples: Samples,
) -> int:
    """Write the samples of some positions, return the greatest number of inputs."""
    samples = borrowed(samples)
    states, observers, first_action, legal, policy, values = borrowed(played)
    row_of_action = numbers(memory, at.ACTION_ROW)
    num_actions = numbers(memory, at.SIZES)[at.ACTIONS]
    listed_rows = numbers(memory, at.CHANGED_ROWS)
    listed_factors = floats(memory, at.CHANGED_FACTORS)
    most = 1
    for place in range(first, last):
        seat = observers[place]
        count, perspective = refresh(memory, functions, states[place], seat)
        most = max(most, count)
        rows, factors = samples.rows[place], samples.factors[place]
        for index in range(count):
            rows[index] = listed_rows[index]
            factors[index] = np.int8(listed_factors[index])
        begin = first_action[place]
        for index in range(first_action[place + 1] - begin):
            action = legal[begin + index]
            samples.actions[place, index] = row_of_action[perspective * num_actions + action]
            samples.policy[place, index] = policy[begin + index]
        seats = samples.values.shape[1]
        for relative in range(seats):
            samples.values[place, relative] = values[place, (seat + relative) % seats]
    return most


class ReplayBuffer:
    """The latest samples that were added, up to a capacity, in memory.

    Attributes:
        capacity: The greatest number of samples kept.
        added: The number of samples ever added.

    Args:
        capacity: At least 1.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.added = 0
        self._arrays: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, samples: Samples) -> None:
        """Add samples; in a full buffer they replace the oldest."""
        count = len(samples.values)
        slots = (self.added + np.arange(count)) % self.capacity
        for name, new in samples._asdict().items():
            filler, width = NO_ACTION if name == "actions" else 0, new.shape[1]
            kept = self._arrays.get(name)
            if kept is None:
                kept = self._arrays[name] = np.full((self.capacity, width), filler, new.dtype)
            elif kept.shape[1] < width:
                more = np.full((self.capacity, width * 5 // 4 - kept.shape[1]), filler, new.dtype)
                kept = self._arrays[name] = np.hstack([kept, more])
            kept[slots, :width] = new
            kept[slots, width:] = filler
        self.added += count

    @property
    def samples(self) -> Samples:
        """The samples, as views of the buffer's arrays; there must be some."""
        return Samples(**{name: array[: len(self)] for name, array in self._arrays.items()})
