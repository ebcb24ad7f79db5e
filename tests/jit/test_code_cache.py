"""Cache files of compiled code: whatever is wrong with them costs a compilation and a warning."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

from tzaar_envs.jit import compile as compiling
from tzaar_envs.jit.compile import compiled


def double(number: int) -> int:
    return 2 * number


Load = Callable[[Any], Any]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Decorates functions as a new process would, with a cache in `tmp_path / "cache"`."""
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    folder = tmp_path / "cache" / "digest"
    monkeypatch.setattr("tzaar_envs.jit.compile._cache_folder", lambda source: folder)
    compiling._warn_once.cache_clear()
    monkeypatch.setattr("tzaar_envs.jit.compile._compiled_here", set())
    return compiled


def misses(function: Any) -> int:
    return sum(function.stats.cache_misses.values())


def cached_file(folder: Path, kind: str = "nbc") -> Path:
    (file,) = (folder / "cache" / "digest").glob(f"*double*.{kind}")
    return file


def flip_a_bit(content: bytes) -> bytes:
    place = len(content) - len(content) // 3
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"\x80garbage" * 9,
        lambda content: content[: len(content) // 2],
        flip_a_bit,
    ],
    ids=["empty", "garbage", "truncated", "one bit"],
)
def test_damaged_file_costs_one_compilation_and_one_warning(
    damage: Callable[[bytes], bytes], tmp_path: Path, load: Load
) -> None:
    load(double)(4)
    file = cached_file(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    again = load(double)
    with pytest.warns(UserWarning, match="is damaged") as caught:
        assert (again(4), misses(again)) == (8, 1)
    (warning,) = caught
    assert str(tmp_path / "cache") in str(warning.message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mended = load(double)
        assert (mended(4), misses(mended)) == (8, 0)


def test_only_folders_of_digests_are_deleted(tmp_path: Path) -> None:
    for number in range(20):
        folder = tmp_path / f"{number:020x}"
        (folder / "code").mkdir(parents=True)
        os.utime(folder, (number, number))
    precious = tmp_path / "letters"
    (precious / "more").mkdir(parents=True)
    os.utime(precious, (0, 0))
    (tmp_path / "notes.txt").write_text("to keep")
    compiling._delete_oldest(tmp_path, keep=15)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [f"{number:020x}" for number in range(5, 20)] + ["letters", "notes.txt"]
    assert (precious / "more").is_dir()
    compiling._delete_oldest(tmp_path / "missing", keep=15)
