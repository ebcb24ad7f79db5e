"""`policy:PATH.onnx`: exported policies, played by ONNX Runtime (needs the extra `onnx`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.logits_agent import LogitsAgent
from tzaar_envs.core.game import Game
from tzaar_envs.policies.card import Card
from tzaar_envs.policies.onnx import OnnxNetwork


class OnnxPolicyAgent(LogitsAgent[OnnxNetwork]):
    """Plays by an exported network; see `LogitsAgent` for the arguments."""

    @staticmethod
    def read(path: str | Path) -> tuple[OnnxNetwork, Card]:
        """Return the network and the card of an ONNX file."""
        network = OnnxNetwork.load(path)
        return network, network.card

    @staticmethod
    def fits(network: OnnxNetwork, game: Game) -> bool:
        """Whether a network has the sizes of a game's observations and actions."""
        return network.input_shapes == (game.observation_shape, (game.num_actions,))

    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the logits, minus infinity at illegal actions."""
        return self.network(observations, masks)[0]
