"""Exported networks, run by ONNX Runtime (needs the extra `onnx`).

The file holds the card of the policy, so it is checked like any other, and PyTorch is not needed.
`onnx_export` writes it, and says what stands in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.policies.card import Card, read_metadata
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import existing_file

INPUTS = ("observation", "action_mask")
OUTPUTS = ("logits", "value")


class OnnxNetwork:
    """A network in the ONNX format, ready to run; it can be pickled.

    Args:
        model: the content of the file.
        path: where it came from, for messages.

    Attributes:
        card: what it is, see `policy_card`.
        input_shapes: of one observation and of one mask.

    Raises:
        ValueError: it is no policy; says why.
        ModuleNotFoundError: the extra `onnx` is not installed.
    """

    def __init__(self, model: bytes, path: str | Path) -> None:
        require_extra("onnx", "a policy in the ONNX format", "onnxruntime")
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        # The number of threads shows in the rounding, and matches play in several processes.
        settings.intra_op_num_threads = 1
        try:
            self._session = onnxruntime.InferenceSession(
                model, settings, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its errors have nothing narrower in common
            reason = str(error).partition("\n")[0]
            raise ValueError(f"{path} is no policy: not in the ONNX format ({reason})") from error
        self.card: Card = read_metadata(
            self._session.get_modelmeta().custom_metadata_map or {}, path
        )
        for role, expected, found in (
            ("inputs", INPUTS, self._session.get_inputs()),
            ("outputs", OUTPUTS, self._session.get_outputs()),
        ):
            names = tuple(entry.name for entry in found)
            if names != expected:
                raise ValueError(
                    f"{path} is no policy: its {role} are {', '.join(names)}, "
                    f"expected {', '.join(expected)}"
                )
        self.input_shapes = tuple(tuple(entry.shape[1:]) for entry in self._session.get_inputs())
        self._model = model
        self._path = path

    @classmethod
    def load(cls, path: str | Path) -> OnnxNetwork:
        """Return the network of a file; see the class for what it raises.

        Raises:
            FileNotFoundError: there is no such file.
        """
        return cls(existing_file(path, "policy file").read_bytes(), path)

    def __call__(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Map observations `(B, *observation_shape)` and masks `(B, A)` to logits and values.

        Returns:
            Logits `(B, A)`, minus infinity at illegal actions, and values `(B, 1)`.
        """
        inputs = dict(zip(INPUTS, (observations, masks.astype(np.int8)), strict=True))
        logits, values = self._session.run([*OUTPUTS], inputs)
        return logits, values

    def __reduce__(self) -> tuple[Any, ...]:
        return OnnxNetwork, (self._model, self._path)
