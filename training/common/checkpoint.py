"""Checkpoint files of training runs: numbers, tensors, texts and plain containers, no code."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tzaar_envs.system.files import write_atomically

_LONGEST_REASON = 300  # characters


class Stateful(Protocol):
    """Part of a checkpoint, such as a module or an optimizer of PyTorch.

    A value of its state that takes long to compute may be a function without arguments: it is
    called when the state is written to a file.
    """

    def state_dict(self) -> Mapping[str, Any]:
        """Return the state: numbers, tensors, texts and plain containers."""
        ...

    def load_state_dict(self, state: Any, /) -> object:
        """Continue from a state.

        Raises:
            LookupError, RuntimeError, TypeError, ValueError: it does not fit.
        """
        ...


@dataclass(frozen=True)
class Checkpoint:
    """State of a training run between two updates.

    Attributes:
        steps: decisions learnt from.
        seconds: of training, by the clock.
        cpu_seconds: of training, of all cores.
        learner: the state of each part that learns, by its name; None before the warm start is
            over.
    """

    steps: int
    seconds: float
    cpu_seconds: float
    learner: Mapping[str, Any] | None

    def write(self, path: Path) -> None:
        """Write a file that appears whole or not at all."""
        import torch

        content = io.BytesIO()
        torch.save(_without_functions(vars(self)), content)
        write_atomically(path, content.getvalue())

    @classmethod
    def read(cls, path: Path) -> Checkpoint:
        """Read a file.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not a checkpoint.
        """
        import torch

        content = path.read_bytes()
        try:
            # Builds only numbers and plain containers, and runs no code.
            stored = torch.load(io.BytesIO(content), weights_only=True)
        except Exception as error:  # whose text advises to let the file run code
            raise ValueError(
                f"{path} is not a checkpoint of this run: it is damaged, or holds more than "
                "numbers, tensors, texts and plain containers"
            ) from error
        with checking(path):
            if not isinstance(stored, dict):
                raise ValueError("it does not hold a dictionary")
            steps, seconds, cpu_seconds, learner = (
                stored[name] for name in ("steps", "seconds", "cpu_seconds", "learner")
            )
            if not (isinstance(steps, int) and steps >= 0):
                raise ValueError(f"steps={steps!r} is not a number of steps")
            for time in (seconds, cpu_seconds):
                if not (isinstance(time, int | float) and 0 <= time < math.inf):
                    raise ValueError(f"{time!r} is not a number of seconds")
            if not isinstance(learner, dict | None):
                raise ValueError("the state of the learner is not a dictionary")
            return cls(steps, float(seconds), float(cpu_seconds), learner)


@contextmanager
def checking(path: Path) -> Iterator[None]:
    """Turn what the state in a damaged checkpoint raises into one sentence.

    Raises:
        ValueError: names the file and what is wrong with it.
    """
    try:
        yield
    except Exception as error:  # a part can stumble over anything in a state that is not its own
        reason = str(error).partition("\n")[0][:_LONGEST_REASON]
        raise ValueError(f"{path} is not a checkpoint of this run: {reason}") from error


def load_part(part: Stateful, state: Any) -> None:
    """Let a part continue from a state.

    Raises:
        Exception: the state does not fit. Optimizers of PyTorch notice that only at their first
            step, so theirs is compared with what they were made with.
    """
    import torch

    if not isinstance(part, torch.optim.Optimizer):
        part.load_state_dict(state)
        return
    made = [dict(group) for group in part.param_groups]
    part.load_state_dict(state)
    for group, settings in zip(part.param_groups, made, strict=True):
        # The learning rate changes as a run goes on, everything else stays.
        if not isinstance(group["lr"], float):
            raise ValueError(f"the learning rate {group['lr']!r:.40} is not a number")
        for name in (group.keys() | settings.keys()) - {"params", "lr"}:
            if group[name] != settings[name]:
                raise ValueError(f"{name}={group[name]!r:.40} is not {settings[name]!r}")
        for parameter in group["params"]:
            for name, value in part.state[parameter].items():
                shape = torch.Size() if name == "step" else parameter.shape
                if not isinstance(value, torch.Tensor) or value.shape != shape:
                    raise ValueError(f"{name!r} of the optimizer does not fit its weights")
                if name == "step" and value < 0:
                    raise ValueError(f"{name!r} of the optimizer is negative")


def _without_functions(value: Any) -> Any:
    """Return a value with the results of all functions in it."""
    if isinstance(value, Mapping):
        return {key: _without_functions(entry) for key, entry in value.items()}
    return value() if callable(value) else value
