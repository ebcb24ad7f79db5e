"""The agent `policy:PATH`: a trained policy, run by PyTorch (needs the extra `sb3`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.logits_agent import LogitsAgent
from tzaar_envs.core.game import Game
from tzaar_envs.networks.file import load_network

if TYPE_CHECKING:
    from tzaar_envs.networks.kinds import AnyNetwork


class PolicyAgent(LogitsAgent["AnyNetwork"]):
    """Plays by a trained network; see `LogitsAgent` for the arguments."""

    @staticmethod
    def load_network(path: str | Path, game: Game) -> AnyNetwork:
        """Return the network of a safetensors file, after checking that it fits a game."""
        return load_network(path, game)

    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the logits of all actions, legal or not."""
        import torch

        with torch.inference_mode():
            logits: NDArray[np.float32] = self.network(torch.from_numpy(observations))[0].numpy()
        return logits
