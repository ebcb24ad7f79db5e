"""Datasets with wrong values or damaged files are refused in one sentence that names them."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hostile import damaged, refusals

from tzaar_envs import load_game
from tzaar_envs.arena import play_match
from tzaar_envs.datasets import read_dataset, read_dataset_games, write_dataset

GAME = load_game("turm_und_waechter")
ARRAYS = "main_data.hdf5"
EPISODE = "episode_0"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("datasets") / "whole"
    return write_dataset(folder, play_match(GAME, ["random", "random"], 2, seed=1).games)


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "copied")


def read(path: Path) -> None:
    """Read a dataset by one of its files."""
    folder = path.parent.parent
    read_dataset(folder)
    read_dataset_games(folder)


def put(name: str, value: Any) -> Callable[[Any], None]:
    def change(episode: Any) -> None:
        del episode[name]
        if value is not None:
            episode[name] = value

    return change


WRONG = {
    "no actions": put("actions", None),
    "actions of texts": put("actions", ["a", "b"]),
    "actions that do not exist": put("actions", np.full(3, 10**6)),
    "negative actions": put("actions", np.full(3, -1)),
    "a single action": put("actions", np.int64(1)),
    "masks of floats": put("observations/action_mask", np.zeros((4, GAME.num_actions))),
    "narrow masks": put("observations/action_mask", np.zeros((4, 3), np.int8)),
    "flat observations": put("observations/observation", np.zeros(7, np.int8)),
    "few observations": put(
        "observations/observation", np.zeros((1, *GAME.observation_shape), np.int8)
    ),
    "ends as numbers": put("terminations", np.zeros(3, np.complex128)),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_arrays_that_do_not_fit_are_refused(change: Callable[[Any], None], copied: Path) -> None:
    with h5py.File(copied / "data" / ARRAYS, "r+") as file:
        change(file[EPISODE])
    with pytest.raises(ValueError, match=r"copied' is not a dataset of games: [^\n]+$"):
        read_dataset(copied)


@pytest.mark.parametrize("name", ["game", "player"])
def test_facts_that_are_missing_or_no_numbers_are_refused(name: str, copied: Path) -> None:
    for value in (None, "x", 1.5, np.uint64(2**64 - 1), np.arange(3)):
        with h5py.File(copied / "data" / ARRAYS, "r+") as file:
            file[EPISODE].attrs.pop(name, None)
            if value is not None:
                file[EPISODE].attrs[name] = value
        with pytest.raises(ValueError, match="copied' is not a dataset of games"):
            read_dataset(copied)


def changed(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the metadata of a dataset with wrong values."""
    right = json.loads(content)
    for name in ("total_episodes", "total_steps", "observation_space", "data_format"):
        for value in (None, -1, 10**30, "x", [], {"type": "Box"}):
            yield f"{name} = {value}", json.dumps(right | {name: value}).encode()


@pytest.mark.parametrize("name", [ARRAYS, "metadata.json", "games.jsonl"])
def test_damaged_files_are_refused(name: str, copied: Path) -> None:
    path = copied / "data" / name
    content = path.read_bytes()
    documents = ((what, data) for what, data in damaged(content, 60, 1) if data)
    if name == "metadata.json":
        documents = itertools.chain(documents, changed(content))
    _, wrong = refusals(read, path, documents, (ValueError, OSError))
    assert [each for each in wrong if "no name" not in each] == []
