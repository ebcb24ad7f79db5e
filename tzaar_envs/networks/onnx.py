"""Policies in the ONNX format, run by ONNX Runtime (needs the extra `onnx`).

The file holds the card of the policy, so it is checked like any other; PyTorch is not needed.
`onnx_export` writes it and describes its content.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import Card, check_fit, read_metadata
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import existing_file
from tzaar_envs.system.interrupts import interruptible

INPUTS = {"observation": "tensor(int8)", "action_mask": "tensor(int8)"}
OUTPUTS = {"logits": "tensor(float)", "value": "tensor(float)"}
"""The names of what goes in and comes out, and their types as ONNX Runtime calls them."""

_LOOPS = (b"Loop", b"Scan", b"Search", b"Sampling")
"""In the names of all operators that may run for ever; a file has names as they are."""

_SILENT = 4  # its errors are raised; it would also write them to the standard error


class OnnxNetwork:
    """A network in the ONNX format, ready to run; it can be pickled.

    Args:
        model: the content of the file.
        path: of the file, for messages.

    Attributes:
        card: what it is, see `policies.card`.
        input_shapes: of one observation and of one mask.

    Raises:
        ValueError: it is not a policy file; says why.
        ModuleNotFoundError: the extra `onnx` is not installed.
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
        self.card: Card = read_metadata(
            self._session.get_modelmeta().custom_metadata_map or {}, path
        )
        for role, expected, found in (
            ("inputs", INPUTS, self._session.get_inputs()),
            ("outputs", OUTPUTS, self._session.get_outputs()),
        ):
            types = {entry.name: entry.type for entry in found}
            if [*types.items()] != [*expected.items()]:
                raise ValueError(
                    f"{path} is not a policy file: its {role} are {types!s:.200}, expected "
                    f"{expected}"
                )
        self.input_shapes = tuple(tuple(entry.shape[1:]) for entry in self._session.get_inputs())
        self._can_loop = any(name in model for name in _LOOPS)
        self._model = model
        self._path = path

    @classmethod
    def load(cls, path: str | Path) -> OnnxNetwork:
        """Return the network of a file; see the class for what it raises.

        Raises:
            FileNotFoundError: there is no such file.
        """
        return cls(existing_file(path, "policy file").read_bytes(), path)

    @classmethod
    def load_for(cls, path: str | Path, game: Game) -> OnnxNetwork:
        """Return the network of a file, after checking that it fits a game.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is not a policy file, or does not fit the game; says what differs.
        """
        network = cls.load(path)
        check_fit(network.card, network, game, path)
        return network

    def fits(self, game: Game) -> bool:
        """Whether it has the shape of a game's observations and actions."""
        return self.input_shapes == (game.observation_shape, (game.num_actions,))

    def __call__(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Map observations `(B, *observation_shape)` and masks `(B, A)` to logits and values.

        Returns:
            Logits `(B, A)`, minus infinity at illegal actions, and values `(B, 1)`.

        Raises:
            ValueError: the network fails, or its outputs have other shapes.
        """
        import onnxruntime

        inputs = dict(zip(INPUTS, (observations, masks.astype(np.int8)), strict=True))
        call = onnxruntime.RunOptions()

        def run() -> list[NDArray[np.float32]]:
            found: list[NDArray[np.float32]] = self._session.run([*OUTPUTS], inputs, call)
            return found

        try:
            if self._can_loop:
                outputs = interruptible(run, lambda: setattr(call, "terminate", True))
            else:
                outputs = run()
            logits, values = outputs
        except Exception as error:  # its errors have nothing narrower in common
            reason = str(error).partition("\n")[0]
            raise ValueError(f"the network of the policy {self._path} fails: {reason}") from error
        for name, output, shape in zip(
            OUTPUTS, (logits, values), (masks.shape, (len(masks), 1)), strict=True
        ):
            if np.shape(output) != shape:
                raise ValueError(
                    f"the network of the policy {self._path} fails: its output {name!r} has the "
                    f"shape {np.shape(output)}, expected {shape}"
                )
        return logits, values

    def __reduce__(self) -> tuple[Any, ...]:
        return OnnxNetwork, (self._model, self._path)
