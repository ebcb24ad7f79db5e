"""The agent `policy:PATH.onnx`: an exported policy, run by ONNX Runtime (extra `onnx`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.logits_agent import LogitsAgent
from tzaar_envs.core.game import Game
from tzaar_envs.networks.onnx import OnnxNetwork


class OnnxPolicyAgent(LogitsAgent[OnnxNetwork]):
    """Plays by an exported network; see `LogitsAgent` for the arguments."""

    @staticmethod
    def load_network(path: str | Path, game: Game) -> OnnxNetwork:
        """Return the network of an ONNX file, after checking that it fits a game."""
        return OnnxNetwork.load_for(path, game)

    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the logits, minus infinity at illegal actions."""
        return self.network(observations, masks)[0]
