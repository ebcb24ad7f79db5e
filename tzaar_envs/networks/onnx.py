"""Policies in the ONNX format, run by ONNX Runtime (needs the extra `onnx`).

The file holds the card of the policy, so it is checked like any other; PyTorch is not needed.

| tensor        | type and shape                     | content                                    |
|---------------|------------------------------------|--------------------------------------------|
| `observation` | int8 `(batch, *observation_shape)` | input: what the player to move sees        |
| `action_mask` | int8 `(batch, num_actions)`        | input: 1 where legal, else 0               |
| `logits`      | float32 `(batch, num_actions)`     | output: minus infinity where not legal     |
| `value`       | float32 `(batch, 1)`               | output: the expected return of that player |
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import read_metadata
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import existing_file

INPUTS = {"observation": "tensor(int8)", "action_mask": "tensor(int8)"}
OUTPUTS = {"logits": "tensor(float)", "value": "tensor(float)"}
"""The names of what goes in and comes out, and their types as ONNX Runtime calls them."""

_SILENT = 4  # its errors are raised; it would also write them to the standard error


class OnnxNetwork:
    """A network in the ONNX format, ready to run; it can be pickled.

    Args:
        model: The content of the file.
        path: Its path, for messages.

    Attributes:
        card: The card of the policy, see `networks.card`.
        input_shapes: The shapes of one observation and of one mask.

    Raises:
        ValueError: It is not a policy file; says why.
        ModuleNotFoundError: The extra `onnx` is not installed.
    """

    def __init__(self, model: bytes, path: str | Path) -> None:
        require_extra("onnx", "a policy in the ONNX format", "onnxruntime")
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        # The number of threads affects the rounding, and matches play in several processes.
        settings.intra_op_num_threads = 1
        settings.log_severity_level = _SILENT
        try:
            self._session = onnxruntime.InferenceSession(
                model, settings, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its errors have nothing narrower in common
            reason = str(error).partition("\n")[0]
            raise ValueError(
                f"{path} is not a policy file: not in the ONNX format ({reason})"
            ) from error
        metadata = self._session.get_modelmeta().custom_metadata_map or {}
        self.card = read_metadata(metadata, path)
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        for role, expected, found in (("inputs", INPUTS, inputs), ("outputs", OUTPUTS, outputs)):
            types = {entry.name: entry.type for entry in found}
            if types != expected:
                raise ValueError(
                    f"{path} is not a policy file: its {role} are {types!s:.200}, expected "
                    f"{expected}"
                )
        self.input_shapes = tuple(tuple(entry.shape[1:]) for entry in inputs)
        self._model = model
        self._path = path

    @classmethod
    def load(cls, path: str | Path) -> OnnxNetwork:
        """Return the network of a file; see the class for what it raises.

        Raises:
            FileNotFoundError: There is no such file.
        """
        return cls(existing_file(path, "policy file").read_bytes(), path)

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""
        return self.input_shapes == (game.observation_shape, (game.num_actions,))

    def check(self) -> None:
        """Check that it maps an observation without anything to numbers.

        Raises:
            ValueError: The network fails, or has diverged.
        """
        observation, mask = (np.zeros((1, *shape), np.int8) for shape in self.input_shapes)
        logits, values = self(observation, mask == 0)
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise ValueError(
                f"the network of {str(self._path)!r} has diverged: its outputs are not finite"
            )

    def __call__(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Map observations `(B, *observation_shape)` and masks `(B, A)` to logits and values.

        Returns:
            Logits `(B, A)`, minus infinity at illegal actions, and values `(B, 1)`.

        Raises:
            ValueError: The network fails, or its outputs have other shapes.
        """
        inputs = dict(zip(INPUTS, (observations, masks.astype(np.int8)), strict=True))
        try:
            logits, values = self._session.run([*OUTPUTS], inputs)
        except Exception as error:  # its errors have nothing narrower in common
            reason = str(error).partition("\n")[0]
            raise ValueError(f"the network of the policy {self._path} fails: {reason}") from error
        if (logits.shape, values.shape) != (masks.shape, (len(masks), 1)):
            raise ValueError(
                f"the network of the policy {self._path} fails: its outputs have the shapes "
                f"{logits.shape} and {values.shape}"
            )
        return logits, values

    def __reduce__(self) -> tuple[Any, ...]:
        return OnnxNetwork, (self._model, self._path)
