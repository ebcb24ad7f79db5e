"""The replay buffer: a ring that outlives its process and is never fooled by a torn record."""

from pathlib import Path

import numpy as np
import pytest
from exploit import Exploit

from tzaar_envs.training.common.replay import Replay

SAMPLE = np.dtype([("board", np.int8, (100,)), ("value", np.float32)])
RECORD = 8 + 104 + 4
HEADER = 8192
ROOM = (10 * RECORD + HEADER) / 2**20  # for ten samples


def samples(*values: float) -> np.ndarray:
    made = np.zeros(len(values), SAMPLE)
    made["value"] = values
    made["board"] = np.array(values)[:, None]
    return made


def values_in(replay: Replay) -> list[float]:
    drawn = replay.draw(2000, np.random.default_rng(0))
    assert np.array_equal(drawn["board"], np.repeat(drawn["value"][:, None], 100, axis=1))
    return np.unique(drawn["value"]).tolist()


def damage(path: Path, value: int) -> None:
    """Change one byte of the record of a sample, as a write that was cut short would."""
    content = bytearray(path.read_bytes())
    at = content.rindex(np.float32(value).tobytes()) - 1
    content[at] ^= 0xFF
    path.write_bytes(content)


def test_the_newest_samples_are_kept_and_drawn_alike(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "replay.npy", SAMPLE, ROOM)
    assert (replay.capacity, replay.added, len(replay)) == (10, 0, 0)
    with pytest.raises(ValueError, match="the replay buffer is empty"):
        replay.draw(1, np.random.default_rng(0))
    replay.add(samples(1, 2, 3))
    assert (replay.added, len(replay)) == (3, 3)
    assert values_in(replay) == [1, 2, 3]
    replay.add(samples(*range(4, 14)))
    assert (replay.added, len(replay)) == (13, 10)
    assert values_in(replay) == list(range(4, 14))
    replay.add(samples(*range(20, 45)))  # more than there is room for
    assert (replay.added, len(replay)) == (38, 10)
    assert values_in(replay) == list(range(35, 45))
    counts = np.bincount(replay.draw(10_000, np.random.default_rng(1))["value"].astype(int))
    assert np.abs(counts[35:] - 1000).max() < 150


def test_the_file_keeps_within_its_limit_from_the_start(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "replay.npy", SAMPLE, 0.25)
    size = (tmp_path / "replay.npy").stat().st_size
    assert 0.9 * 2**18 < size <= 2**18
    replay.add(samples(*range(100)))
    replay.add(samples(*np.arange(2 * replay.capacity) % 100))
    assert (tmp_path / "replay.npy").stat().st_size == size
    assert [path.name for path in tmp_path.iterdir()] == ["replay.npy"]


def test_a_ring_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "replay.npy"
    Replay(path, SAMPLE, ROOM).add(samples(*range(1, 14)))
    again = Replay(path, SAMPLE, ROOM)
    assert (again.added, len(again)) == (13, 10)
    assert values_in(again) == list(range(4, 14))
    again.add(samples(14, 15))
    assert values_in(Replay(path, SAMPLE, ROOM)) == list(range(6, 16))


@pytest.mark.parametrize("torn", [5, 13])
def test_a_torn_record_is_left_out_until_it_is_written_again(tmp_path: Path, torn: int) -> None:
    path = tmp_path / "replay.npy"
    Replay(path, SAMPLE, ROOM).add(samples(*range(1, 14)))
    damage(path, torn)
    again = Replay(path, SAMPLE, ROOM)
    assert len(again) == 9
    assert values_in(again) == [value for value in range(4, 14) if value != torn]
    path.write_bytes(path.read_bytes()[: -RECORD - 1])  # the end of the file is lost, too
    again = Replay(path, SAMPLE, ROOM)
    assert len(again) == 9 - 2
    again.add(samples(*range(21, 31)))
    assert len(again) == 10
    assert values_in(again) == list(range(21, 31))


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "replay.npy"
    with pytest.raises(ValueError, match=r"a replay buffer of 0\.001 MiB is too small"):
        Replay(path, SAMPLE, 0.001)
    assert not path.exists()
    Replay(path, SAMPLE, ROOM)
    for other, size in ((np.dtype([("value", np.float32)]), ROOM), (SAMPLE, 2 * ROOM)):
        with pytest.raises(ValueError, match="is the replay buffer of another run"):
            Replay(path, other, size)
    whole = path.read_bytes()
    for content in (b"", b"hello", whole[:100]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"replay\.npy is not a replay buffer"):
            Replay(path, SAMPLE, ROOM)
    np.save(path, np.array([Exploit(tmp_path / "witness")], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"replay\.npy is not a replay buffer"):
        Replay(path, SAMPLE, ROOM)
    assert not (tmp_path / "witness").exists()
