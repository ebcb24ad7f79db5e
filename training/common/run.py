"""A training run: its folder, its checkpoints, and runs in processes of their own."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tzaar_envs.agents import AgentText, make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.networks.file import find_policy, load_network, read_card
from tzaar_envs.system.files import write_atomically
from tzaar_envs.system.machine import machine, versions
from tzaar_envs.training.common.settings import Settings

S = TypeVar("S", bound=Settings)

BUDGET = ("minutes", "steps")
CHANGEABLE = (*BUDGET, "device")  # settings that may change when a run is resumed
_POLL = 0.2  # seconds between two looks at a run in another process
_SAVING_SECONDS = 60.0  # that such a run has after Ctrl-C
_PACKAGES = (
    "tzaar-envs", "numpy", "numba", "gymnasium", "pettingzoo", "torch", "stable-baselines3",
    "sb3-contrib", "tianshou", "torchrl", "ray",
)  # fmt: skip


class RunFolder:
    """Paths and records of one run.

    | file                 | content                                                           |
    |----------------------|-------------------------------------------------------------------|
    | `config.json`        | all arguments, the game with its options, versions, machine, seed |
    | `evaluations.jsonl`  | one line per evaluation during training                           |
    | `policy.safetensors` | the latest policy, for `policy:PATH`                              |
    | `best.safetensors`   | the one with the best evaluation, by the mean of its scores       |
    | `checkpoint.pt`      | what `--resume` needs, see `Checkpoint`                           |
    | `snapshots/`         | the earlier policies that are opponents                           |
    | `learning_curve.png` | points against the baselines over time and steps                  |
    | `result_*.json`      | the final matches, one per baseline                               |
    | `tensorboard/`       | the log for TensorBoard                                           |

    Args:
        path: The folder; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.json"
        self.evaluations = path / "evaluations.jsonl"
        self.policy = path / "policy.safetensors"
        self.best = path / "best.safetensors"
        self.checkpoint = path / "checkpoint.pt"
        self.snapshots = path / "snapshots"
        self.curve = path / "learning_curve.png"
        self.tensorboard = path / "tensorboard"

    def create(self) -> None:
        """Make the folder.

        Raises:
            FileExistsError: It already holds a run.
            OSError: It cannot be made.
        """
        self.snapshots.mkdir(parents=True, exist_ok=True)
        try:
            self.config.open("x").close()  # no other run can take it any more
        except FileExistsError:
            raise FileExistsError(
                f"{self.path} already holds a run: resume it, or choose another folder"
            ) from None

    def result(self, name: str) -> Path:
        """Return the file of a final match, from a name such as `alphabeta:depth=2`."""
        return self.path / f"result_{re.sub('[^A-Za-z0-9_.]+', '-', name).strip('-')}.json"

    def append_evaluation(self, record: dict[str, Any]) -> None:
        """Add one line to the evaluations."""
        lines = [json.dumps(each) + "\n" for each in [*self.read_evaluations(), record]]
        write_atomically(self.evaluations, "".join(lines))

    def read_evaluations(self) -> list[dict[str, Any]]:
        """Return all evaluations so far."""
        if not self.evaluations.exists():
            return []
        return [json.loads(line) for line in self.evaluations.read_bytes().splitlines()]

    def read_config(self) -> dict[str, Any]:
        """Return the configuration of the run.

        Raises:
            FileNotFoundError: The folder does not hold a run.
            ValueError: The file is damaged.
        """
        if not self.config.exists():
            raise FileNotFoundError(f"{self.path} does not hold a run to resume (no config.json)")
        try:
            return msgspec.json.decode(self.config.read_bytes(), type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise ValueError(f"{self.config} is not the configuration of a run: {error}") from error

    def write_config(self, config: dict[str, Any]) -> None:
        """Write the configuration of the run."""
        write_atomically(self.config, json.dumps(config, indent=2) + "\n")

    def settings(self, kind: type[S]) -> S:
        """Return the settings with which the run is resumed.

        Args:
            kind: Class of the script's settings.

        Raises:
            FileNotFoundError: The folder does not hold a run.
            ValueError: The run is one of another script, or its configuration is damaged.
        """
        config = self.read_config()
        if config.get("algorithm") != kind.algorithm:
            raise ValueError(
                f"{self.config} belongs to a run with --algo {config.get('algorithm')!r}, not "
                f"with --algo {kind.algorithm!r}"
            )
        try:
            stored = msgspec.convert(config.get("arguments"), kind)
        except msgspec.ValidationError as error:
            raise ValueError(f"{self.config} is not the configuration of a run: {error}") from error
        return dataclasses.replace(stored, folder=self.path, resume=self.path)


@dataclass(frozen=True)
class Checkpoint:
    """State of a training run between two updates.

    Attributes:
        steps: Decisions learnt from.
        seconds: Seconds of training, by the clock.
        cpu_seconds: Seconds of training, of all cores.
        learner: The state of each part that learns, by its name.
    """

    steps: int
    seconds: float
    cpu_seconds: float
    learner: Mapping[str, Any]

    def write(self, path: Path) -> None:
        """Write a file that appears whole or not at all; its tensors are on the CPU."""
        import torch

        content = io.BytesIO()
        torch.save(_on_cpu(vars(self)), content)
        write_atomically(path, content.getvalue())

    @classmethod
    def read(cls, path: Path) -> Checkpoint:
        """Read a file, which runs no code.

        Raises:
            OSError: The file cannot be read.
            ValueError: It is not a checkpoint.
        """
        import torch

        try:
            return cls(**torch.load(io.BytesIO(path.read_bytes()), weights_only=True))
        except OSError:
            raise
        except Exception as error:  # whose text advises to let the file run code
            raise ValueError(f"{path} is not a checkpoint of this run: it is damaged") from error


def _on_cpu(part: Any) -> Any:
    """Return a part of a checkpoint with all tensors on the CPU."""
    if isinstance(part, Mapping):
        return {name: _on_cpu(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return type(part)(_on_cpu(value) for value in part)
    return part.cpu() if hasattr(part, "cpu") else part


def open_run(arguments: S) -> tuple[S, Game, RunFolder]:
    """Make the folder of a new run, or open that of the run to resume.

    Returns:
        The arguments of the run, its game and its folder.

    Raises:
        ValueError: An argument that is not allowed, or is not that of the run to resume.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
    """
    arguments.check()
    if arguments.resume is not None:
        folder = RunFolder(arguments.resume)
        stored = vars(folder.settings(type(arguments)))
        for name, value in vars(arguments).items():
            if value != stored[name] and name not in CHANGEABLE:
                raise ValueError(
                    f"{name}={value!s} is not allowed: the run in {folder.path} has {name}="
                    f"{stored[name]!s}, and resumes with other minutes, steps or device alone"
                )
        return arguments, arguments.load_game(), folder
    game = arguments.load_game()
    arguments = dataclasses.replace(arguments, game=game.name)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    default = Path("runs") / f"{game.name}-{arguments.algorithm}-{stamp}"
    folder = RunFolder(arguments.folder or default)
    # What a user has named is refused before the folder is made: the last baseline, and the text
    # that has the name of the folder in it.
    make_agent(arguments.baselines(game)[-1], game)
    AgentText.parse(arguments.agent_text(game, folder.policy), game.spec)
    if arguments.start:
        load_network(find_policy(arguments.start, game.spec), game)
    for number in itertools.count(2):
        try:
            folder.create()
            break
        except FileExistsError:  # by a run that began in the same second
            if arguments.folder:
                raise
            folder = RunFolder(default.with_name(f"{default.name}-{number}"))
    content: dict[str, Any] = {
        "algorithm": arguments.algorithm,
        "arguments": dataclasses.asdict(dataclasses.replace(arguments, folder=None)),
        "game": {"id": game.spec.env_id, "options": dict(game.options)},
        "environment": machine() | {"versions": versions(*_PACKAGES)},
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
    }
    if arguments.start:
        content["before"] = read_card(find_policy(arguments.start, game.spec))["training"]
    folder.write_config(content)
    return arguments, game, folder


# --- runs in processes of their own --------------------------------------------------------------


def evaluations_of(words: Sequence[str], folder: RunFolder) -> Iterator[dict[str, Any]]:
    """Run `tzaar-envs train` in a process of its own, and yield its evaluations as they are made.

    The process ends with the iterator. After Ctrl-C it has time to save.

    Args:
        words: Words of the command line behind `tzaar-envs`.
        folder: The folder of the run.

    Raises:
        ChildProcessError: The run has failed; quotes its last line.
    """
    known = len(folder.read_evaluations())
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tzaar_envs", *words],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            is_running = True
            while is_running:
                time.sleep(_POLL)
                is_running = process.poll() is None
                found = folder.read_evaluations()[known:]
                known += len(found)
                yield from found
        except KeyboardInterrupt:
            if sys.platform != "win32":  # where the console has told it, and this would kill it
                process.terminate()
            process.wait(_SAVING_SECONDS)
            raise
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            errors.seek(0)
            reason = (errors.read().strip().splitlines() or ["without a word"])[-1]
            raise ChildProcessError(f"`tzaar-envs {shlex.join(words)}` has failed: {reason}")
