"""`policy:PATH`: trained policies, played by PyTorch (needs the extra `sb3`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.logits_agent import LogitsAgent
from tzaar_envs.agents.policy_card import check_card
from tzaar_envs.agents.policy_file import load_policy
from tzaar_envs.core.game import Game

if TYPE_CHECKING:
    from tzaar_envs.agents.network import PolicyNetwork


class PolicyAgent(LogitsAgent):
    """Plays by a trained network.

    Args:
        game: the game that it plays.
        network: maps observations to logits and values.
        name: how results call it.
        seed: fixes its choices if it samples.
        sample: draw actions from the policy's distribution; otherwise take the likeliest.
    """

    def __init__(
        self,
        game: Game,
        network: PolicyNetwork,
        name: str = "policy",
        seed: int | Sequence[int] | None = None,
        *,
        sample: bool = False,
    ) -> None:
        super().__init__(game, name, seed, sample=sample)
        self.network = network.eval()

    @classmethod
    def load(
        cls,
        path: str | Path,
        game: Game,
        seed: int | Sequence[int] | None = None,
        *,
        sample: bool = False,
    ) -> PolicyAgent:
        """Return the policy that was saved at a path; see the class for the arguments.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is no policy, or one for something else; says what differs.
            ModuleNotFoundError: the extra `sb3` is not installed.
        """
        network, card = load_policy(path)
        check_card(card, game, path)
        if network.shape != network.shape.for_game(game, network.shape.width, network.shape.blocks):
            raise ValueError(
                f"the policy {path} does not fit {game!r}: its network has other sizes"
            )
        return cls(game, network, name=Path(path).stem, seed=seed, sample=sample)

    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the logits of all actions, legal or not."""
        import torch

        with torch.inference_mode():
            features = self.network.trunk(torch.from_numpy(observations))
            logits: NDArray[np.float32] = self.network.policy(features).numpy()
        return logits
