"""`policy:PATH.onnx`: exported policies, played by ONNX Runtime (needs the extra `onnx`).

The file holds the card of the policy, so it is checked like any other, and PyTorch is not needed.
`onnx_export` writes it, and says what stands in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.logits_agent import LogitsAgent
from tzaar_envs.agents.policy_card import Card, check_card, read_metadata
from tzaar_envs.agents.policy_file import existing_file
from tzaar_envs.core.game import Game
from tzaar_envs.extras import require_extra

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
        return cls(existing_file(path).read_bytes(), path)

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


class OnnxPolicyAgent(LogitsAgent):
    """Plays by an exported network.

    Args:
        game: the game that it plays.
        network: maps observations and masks to logits and values.
        name: how results call it.
        seed: fixes its choices if it samples.
        sample: draw actions from the policy's distribution; otherwise take the likeliest.
    """

    def __init__(
        self,
        game: Game,
        network: OnnxNetwork,
        name: str = "policy",
        seed: int | Sequence[int] | None = None,
        *,
        sample: bool = False,
    ) -> None:
        super().__init__(game, name, seed, sample=sample)
        self.network = network

    @classmethod
    def load(
        cls,
        path: str | Path,
        game: Game,
        seed: int | Sequence[int] | None = None,
        *,
        sample: bool = False,
    ) -> OnnxPolicyAgent:
        """Return the policy that was exported to a path; see the class for the arguments.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is no policy, or one for something else; says what differs.
            ModuleNotFoundError: the extra `onnx` is not installed.
        """
        network = OnnxNetwork.load(path)
        check_card(network.card, game, path)
        if network.input_shapes != (game.observation_shape, (game.num_actions,)):
            raise ValueError(
                f"the policy {path} does not fit {game!r}: its network has other sizes"
            )
        return cls(game, network, name=Path(path).stem, seed=seed, sample=sample)

    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the logits, minus infinity at illegal actions."""
        return self.network(observations, masks)[0]
