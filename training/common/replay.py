"""A replay buffer on disk: a ring of equally large samples in one memory-mapped file.

The file is a NumPy array of records, and no longer than its limit. Every record holds the number of
its sample and a checksum, so the file alone says where the ring goes on, and a record that was torn
when the machine stopped is told from a sound one and left out. Nothing in it can run code.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADER = 8192  # bytes that the description of the records takes at most
_CHECK = 4  # bytes at the end of a record


class Replay:
    """The newest samples that were added, as many as there is room for.

    Attributes:
        added: how many samples were ever added.
        capacity: how many there is room for.

    Args:
        path: the file; it is made if it does not exist, otherwise its samples are there again.
        sample: what a sample is made of, a structured dtype without Python objects.
        mebibytes: the size of the file at most.

    Raises:
        ValueError: no sample fits into this size, or the file is something else.
        OSError: it cannot be written, for instance because the disk is full.
    """

    def __init__(self, path: Path, sample: np.dtype[Any], mebibytes: float) -> None:
        record = np.dtype([("number", np.int64), ("sample", sample), ("check", np.uint32)])
        self.capacity = int(mebibytes * 2**20 - _HEADER) // record.itemsize
        if self.capacity < 1:
            raise ValueError(
                f"a replay buffer of {mebibytes} MiB is too small: a sample takes "
                f"{record.itemsize} bytes, its header {_HEADER}"
            )
        if not path.exists():
            # All of its blocks are written now: to find the disk full in a memory map is fatal.
            temporary = path.with_suffix(".tmp")
            with temporary.open("wb") as file:
                np.save(file, np.zeros(self.capacity, record))
            temporary.replace(path)
        try:
            self._records = np.lib.format.open_memmap(path, "r+")
        except ValueError as error:
            raise ValueError(f"{path} is no replay buffer: {error}") from error
        if self._records.dtype != record or self._records.shape != (self.capacity,):
            raise ValueError(f"{path} is the replay buffer of another run: delete it to go on")
        self._sound = self._find_sound()
        self.added = int(self._records["number"][self._sound].max(initial=0))

    def __len__(self) -> int:
        return int(np.count_nonzero(self._sound))

    def add(self, samples: NDArray[Any]) -> None:
        """Add samples `(n,)`; where the ring is full, they take the place of the oldest."""
        numbers = self.added + 1 + np.arange(len(samples))
        self.added += len(samples)
        records = np.zeros(min(len(samples), self.capacity), self._records.dtype)
        records["number"] = numbers[-self.capacity :]
        records["sample"] = samples[-self.capacity :]
        records["check"] = _checks(records)
        slots = (records["number"] - 1) % self.capacity
        self._records[slots] = records
        self._sound[slots] = True

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[Any]:
        """Return samples `(count,)`, drawn with replacement; all are equally likely.

        Raises:
            ValueError: there are none.
        """
        slots = self._sound.nonzero()[0]
        if not len(slots):
            raise ValueError("the replay buffer is empty: add samples before drawing some")
        drawn: NDArray[Any] = self._records[slots[rng.integers(len(slots), size=count)]]["sample"]
        return drawn

    def _find_sound(self) -> NDArray[np.bool_]:
        """Return bool `(capacity,)`, which records hold a sample as it was added."""
        numbers = self._records["number"]
        placed = (numbers > 0) & ((numbers - 1) % self.capacity == np.arange(self.capacity))
        slots = placed.nonzero()[0]
        placed[slots] = self._records["check"][slots] == _checks(self._records[slots])
        return placed


def _checks(records: NDArray[Any]) -> NDArray[np.uint32]:
    """Return uint32 `(n,)`, the checksum of all that stands before it in each record."""
    size = records.dtype.itemsize
    content = memoryview(records.tobytes())
    ends = range(size - _CHECK, len(content), size)
    return np.array([zlib.crc32(content[end - size + _CHECK : end]) for end in ends], np.uint32)
