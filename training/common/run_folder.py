"""Folder of a training run.

| file                 | content                                                             |
|----------------------|---------------------------------------------------------------------|
| `config.json`        | all arguments, the game with its options, versions, machine, seed   |
| `evaluations.jsonl`  | one line per evaluation during training                             |
| `policy.safetensors` | the latest policy, for `policy:PATH`                                |
| `checkpoint.pt`      | what `--resume` needs, see `checkpoint`                             |
| `snapshots/`         | the earlier policies that are opponents                             |
| `learning_curve.png` | points against the baselines over time and steps                    |
| `result_*.json`      | the final matches, one per baseline                                 |
| `tensorboard/`       | the log for TensorBoard                                             |
"""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

from tzaar_envs.agents import make_agent, starts_program
from tzaar_envs.core.game import Game
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.machine import machine, versions
from tzaar_envs.training.common.settings import Settings

S = TypeVar("S", bound=Settings)

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
_Minutes: TypeAlias = Annotated[float, msgspec.Meta(ge=0, lt=2**53)]


class _EvaluationLine(msgspec.Struct):
    """What every line of the evaluations holds: wins, draws and losses by baseline and seat."""

    steps: _Count
    minutes: _Minutes
    cpu_minutes: _Minutes
    results: Annotated[dict[str, list[tuple[_Count, _Count, _Count]]], msgspec.Meta(min_length=1)]

    def fits(self, seats: int) -> bool:
        """Whether there are games for every baseline at each of so many seats."""
        return all(
            len(by_seat) == seats and all(map(any, by_seat)) for by_seat in self.results.values()
        )


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
        path: the folder; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.evaluations = path / "evaluations.jsonl"
        self.policy = path / "policy.safetensors"
        self.checkpoint = path / "checkpoint.pt"
        self.snapshots = path / "snapshots"
        self.curve = path / "learning_curve.png"
        self.tensorboard = path / "tensorboard"

    def create(self) -> None:
        """Make the folder.

        Raises:
            FileExistsError: it already holds a run, or is a file.
        """
        if self.path.is_file():
            raise FileExistsError(f"{self.path} is a file: choose another folder")
        if self.config.exists():
            raise FileExistsError(
                f"{self.path} already holds a run: resume it, or choose another folder"
            )
        self.snapshots.mkdir(parents=True, exist_ok=True)

    def result(self, name: str) -> Path:
        """Return the file of a final match, from a name such as `alphabeta:depth=2`."""
        return self.path / f"result_{re.sub('[^A-Za-z0-9_.-]+', '-', name)}.json"

    def append_evaluation(self, record: dict[str, Any]) -> None:
        """Add one line to the evaluations."""
        with self.evaluations.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def read_evaluations(self, seats: int) -> list[dict[str, Any]]:
        """Return all evaluations so far, up to the first line that is torn or damaged.

        Args:
            seats: of the game.
        """
        if not self.evaluations.exists():
            return []
        records: list[dict[str, Any]] = []
        for line in self.evaluations.read_bytes().splitlines():
            try:
                found = msgspec.json.decode(line, type=_EvaluationLine)
            except (ValueError, RecursionError):
                break
            expected = records[0]["results"] if records else found.results
            if found.results.keys() != expected.keys() or not found.fits(seats):
                break
            records.append(json.loads(line))
        return records


def open_run(arguments: S) -> tuple[S, Game, RunFolder]:
    """Make the folder of a new run, or open that of the run to resume.

    Returns:
        The arguments of the run, its game and its folder.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
    """
    if arguments.resume is not None:
        folder = RunFolder(arguments.resume)
        stored, game = _read_config(folder, type(arguments))
        _check_trusted(folder, stored, arguments)
        return stored, game, folder
    arguments.check()
    game = arguments.load_game()
    arguments = arguments.without_help()
    first = arguments.first_policy(game)
    if first is not None:
        arguments = dataclasses.replace(arguments, imitation=0)
    # Of the baselines only the last one can be named by a user.
    for name in (arguments.teacher if arguments.imitation else "", arguments.baselines(game)[-1]):
        if name:
            make_agent(name, game)  # refuses a wrong name before the folder is made
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    name = f"{game.name}-{arguments.algorithm}-{stamp}"
    folder = RunFolder(arguments.folder or Path("runs") / name)
    folder.create()
    _write_config(folder, arguments, game, None if first is None else first[1]["training"])
    return arguments, game, folder


def _check_trusted(folder: RunFolder, stored: Settings, named: Settings) -> None:
    """Refuse a configuration that names what its user has to name, unless the caller does."""
    for entry in dataclasses.fields(stored):
        value = getattr(stored, entry.name)
        for text in value if isinstance(value, tuple) else (value,):
            danger = danger_of(entry.name, text)
            if danger and value != getattr(named, entry.name):
                flag = f"--{entry.name.replace('_', '-')}"
                raise ValueError(
                    f"{folder.config} names {danger} in {entry.name}, which is used only if you "
                    f"name it: resume with {flag} {shlex.quote(text)}"
                )


def danger_of(name: str, value: object) -> str:
    """Return what a setting would start or trust, in words; empty: nothing.

    Such a value must not come from a file alone, which somebody else may have written.

    Args:
        name: of the setting.
        value: of the setting.
    """
    if not isinstance(value, str):
        return ""
    if starts_program(value):
        return f"the program {value!r}"
    if name == "address" and value not in ("", "auto"):
        return f"the Ray cluster {value!r}"  # which can run anything here
    return ""


def _write_config(
    folder: RunFolder, arguments: Settings, game: Game, before: Mapping[str, Any] | None
) -> None:
    """Write the configuration of a new run.

    Args:
        folder: of the run.
        arguments: of the run.
        game: the game.
        before: how the policy was trained that the run starts from; None if there is none.
    """
    content = {
        "algorithm": arguments.algorithm,
        "arguments": arguments.as_json() | {"folder": None, "resume": None},
        "game": {"id": game.spec.env_id, "options": dict(game.options)},
        "environment": environment(),
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
    }
    if before is not None:
        content["before"] = before
    write_atomically(folder.config, json.dumps(content, indent=2) + "\n")


def _read_config(folder: RunFolder, kind: type[S]) -> tuple[S, Game]:
    """Return the arguments of a run, and its game."""
    if not folder.config.exists():
        raise FileNotFoundError(f"{folder.path} does not hold a run to resume (no config.json)")
    if folder.policy.exists() and not folder.checkpoint.exists():
        raise FileNotFoundError(f"{folder.path} does not hold a run to resume (no checkpoint.pt)")
    config = read_json(folder.config)
    if config.get("algorithm") != kind.algorithm:
        raise ValueError(
            f"{folder.config} belongs to a run with --algo {config.get('algorithm')!r:.80}, not "
            f"with --algo {kind.algorithm!r}"
        )
    try:
        arguments = kind.from_json(config.get("arguments"))
        return arguments, arguments.load_game()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{folder.config} is not the configuration of a run: {error}") from error


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, or nested too deeply
        raise ValueError(f"{path} is not a JSON file: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} does not hold a JSON object")
    return content


def environment() -> dict[str, Any]:
    """Return versions and machine."""
    return machine() | {"versions": versions(*PACKAGES)}
