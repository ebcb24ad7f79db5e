"""Replay buffer on disk: a ring of samples of one size in a memory-mapped file.

The file is a NumPy array of records and never grows. Each record holds the number of its sample and
a checksum, so the file alone tells where the ring continues, and a record that was torn when the
machine stopped is detected and left out. Nothing in it can run code.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEADER = 8192  # upper limit in bytes, of the description of the records
_CHECK = 4  # bytes at the end of a record


class Replay:
    """The latest samples that were added, up to a capacity.

    Attributes:
        added: number of samples ever added.
        capacity: the largest number of samples kept.

    Args:
        path: the file; an existing one is opened with its samples.
        sample: structured dtype of a sample, without Python objects.
        mebibytes: limit of the file's size.

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
            # Writes all blocks now: a full disk under a memory map would kill the process.
            temporary = path.with_suffix(".tmp")
            with temporary.open("wb") as file:
                np.save(file, np.zeros(self.capacity, record))
            temporary.replace(path)
        try:
            self._records = np.lib.format.open_memmap(path, "r+")
        except Exception as error:  # NumPy parses a description that may be anything
            raise ValueError(
                f"{path} is not a replay buffer, or cannot be read: {error}"
            ) from error
        if self._records.dtype != record or self._records.shape != (self.capacity,):
            raise ValueError(f"{path} is the replay buffer of another run: delete it to continue")
        self._sound = self._find_sound()
        self.added = int(self._records["number"][self._sound].max(initial=0))

    def __len__(self) -> int:
        return int(np.count_nonzero(self._sound))

    def add(self, samples: NDArray[Any]) -> None:
        """Add samples `(n,)`; in a full ring they replace the oldest."""
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
        """Return samples `(count,)`, drawn uniformly with replacement.

        Raises:
            ValueError: there are none.
        """
        slots = self._sound.nonzero()[0]
        if not len(slots):
            raise ValueError("the replay buffer is empty: add samples before drawing")
        drawn: NDArray[Any] = self._records[slots[rng.integers(len(slots), size=count)]]["sample"]
        return drawn

    def _find_sound(self) -> NDArray[np.bool_]:
        """Return bool `(capacity,)`, which records hold an intact sample."""
        numbers = self._records["number"]
        placed = (numbers > 0) & ((numbers - 1) % self.capacity == np.arange(self.capacity))
        slots = placed.nonzero()[0]
        placed[slots] = self._records["check"][slots] == _checks(self._records[slots])
        return placed


def _checks(records: NDArray[Any]) -> NDArray[np.uint32]:
    """Return uint32 `(n,)`, the checksum of all other bytes of each record."""
    size = records.dtype.itemsize
    content = memoryview(records.tobytes())
    ends = range(size - _CHECK, len(content), size)
    return np.array([zlib.crc32(content[end - size + _CHECK : end]) for end in ends], np.uint32)
