"""The folder that a training run leaves behind.

| file                 | content                                                             |
|----------------------|---------------------------------------------------------------------|
| `config.json`        | every argument, the game with its options, versions, machine, seed  |
| `evaluations.jsonl`  | one line per evaluation during training                             |
| `policy.safetensors` | the newest policy, for `policy:PATH`                                |
| `checkpoint.pt`      | what `--resume` needs: numbers only, read with `weights_only=True`  |
| `replay.npy`         | what AlphaZero learns from; a run that has lost it begins a new one |
| `snapshots/`         | the earlier policies that are opponents                             |
| `learning_curve.png` | points against the baselines over the steps                         |
| `result_*.json`      | the final matches, one per baseline                                 |
| `tensorboard/`       | the log for TensorBoard                                             |
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.machine import machine, versions

PACKAGES = (
    "tzaar-envs",
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
    "tianshou",
    "torchrl",
    "ray",
)


class RunFolder:
    """Paths and records of one run.

    Args:
        path: the folder; it is made if it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.evaluations = path / "evaluations.jsonl"
        self.policy = path / "policy.safetensors"
        self.checkpoint = path / "checkpoint.pt"
        self.replay = path / "replay.npy"
        self.snapshots = path / "snapshots"
        self.curve = path / "learning_curve.png"
        self.tensorboard = path / "tensorboard"

    def create(self) -> None:
        """Make the folder.

        Raises:
            FileExistsError: it holds a run already.
        """
        if self.config.exists():
            raise FileExistsError(
                f"{self.path} holds a run already: resume it, or choose another folder"
            )
        self.snapshots.mkdir(parents=True, exist_ok=True)

    def append_evaluation(self, record: dict[str, Any]) -> None:
        """Add one line to the evaluations."""
        with self.evaluations.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return all evaluations so far; a torn last line is left out."""
        if not self.evaluations.exists():
            return []
        records = []
        for line in self.evaluations.read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                break
        return records


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file that appears whole or not at all."""
    write_atomically(path, json.dumps(content, indent=2) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no JSON file: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds no JSON object")
    return content


def environment() -> dict[str, Any]:
    """Return versions and machine, for the record."""
    return machine() | {"versions": versions(*PACKAGES)}
