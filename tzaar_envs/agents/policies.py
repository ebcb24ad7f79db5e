"""The agent `policy:PATH`: a trained policy, run by compiled code, PyTorch or ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.jit.rng import random_generator
from tzaar_envs.networks.card import check_fit
from tzaar_envs.networks.device import find_device, refuse_accelerator
from tzaar_envs.networks.file import is_onnx, load_stored
from tzaar_envs.networks.onnx import OnnxNetwork
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import SparsePolicy

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch
    from tzaar_envs.networks.network import AnyNetwork


class PolicyAgent(Agent):
    """Plays the legal action with the highest logit, or samples from the softmax of their logits.

    Args:
        game: The game that it plays.
        network: Computes the logits; in evaluation mode.
        name: Its name in results.
        seed: Fixes its choices if it samples.
        sample: Sample actions from the policy; otherwise play the most likely one.
    """

    def __init__(
        self,
        game: Game,
        network: AnyNetwork | SparsePolicy | OnnxNetwork,
        name: str = "policy",
        seed: int | Sequence[int] | None = None,
        *,
        sample: bool = False,
    ) -> None:
        self.game = game
        self.network = network
        self.name = name
        self.sample = sample
        self.seed(seed)

    @classmethod
    def load(
        cls,
        path: str | Path,
        game: Game,
        seed: int | Sequence[int] | None = None,
        *,
        sample: bool = False,
        device: str = "cpu",
    ) -> Self:
        """Return the agent of a policy file, .safetensors or .onnx; see the class.

        Args:
            path: The file.
            game: See the class.
            seed: See the class.
            sample: See the class.
            device: Where the network computes, see `networks.device`; a sparse one is compiled for
                the CPU.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: It is not a policy file, its network has diverged, or it does not fit the
                game; says what differs. Or there is no such device.
            ModuleNotFoundError: The extra that reads the file is not installed.
        """
        network: AnyNetwork | SparsePolicy | OnnxNetwork
        if is_onnx(path):
            refuse_accelerator(device, str(path))
            network = OnnxNetwork.load(path)
            check_fit(network.card, game, network.fits(game), path)
            network.check()
        else:
            stored = load_stored(path, game)
            device = find_device(device)
            if isinstance(stored.shape, SparseShape) and device == "cpu":
                network = SparsePolicy(stored)
            else:
                from tzaar_envs.networks.network import network_with

                network = network_with(stored).to(device).eval()
        return cls(game, network, Path(path).stem, seed, sample=sample)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._rng = random_generator(seed)

    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return float32 `(B, num_actions)`; the logits of illegal actions do not matter.

        Args:
            observations: int8 `(B, *observation_shape)`.
            masks: bool `(B, num_actions)`, the legal actions.
        """
        if isinstance(self.network, OnnxNetwork):
            return self.network(observations, masks)[0]
        if isinstance(self.network, SparsePolicy):
            return self.network(observations)
        import torch

        with torch.inference_mode():
            logits: NDArray[np.float32]
            logits = self.network(torch.from_numpy(observations))[0].numpy(force=True)
        return logits

    def act(self, position: State | AgentObservation) -> int:
        """Return the policy's action for a state, or for an observation with its mask."""
        if isinstance(position, State):
            return int(self.act_batch([position])[0])
        layout = self.game.layout
        observation, mask = (np.asarray(position[key]) for key in ("observation", "action_mask"))
        for name, array, shape in (
            ("observation", observation, layout.observation_shape),
            ("action_mask", mask, (self.game.num_actions,)),
        ):
            if array.shape != shape:
                raise ValueError(f"{name} has the shape {array.shape}: use {shape}")
        return int(self._choose(observation[None], mask[None].astype(np.bool_))[0])

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the policy's action for each state, from one pass of the network."""
        for state in states:
            self.require_game(state.game)
            if state.is_terminal:
                raise ValueError("there is no legal action: the game is over")
        observations = np.stack([state.observation(state.current_player) for state in states])
        masks = np.stack([state.legal_mask() for state in states]).view(np.bool_)
        return self._choose(observations, masks)

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the policy's action in each row, from one pass of the network."""
        self.require_game(batch.game)
        return self._choose(batch.observations[rows], batch.masks[rows].view(np.bool_))

    def _choose(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        if not masks.any(axis=1).all():
            raise ValueError("there is no legal action: the game is over, or it is not our turn")
        logits = np.where(masks, self.logits(observations, masks), -np.inf)
        if self.sample:
            # The maximum after adding Gumbel noise is a sample from the softmax.
            logits = logits + self._rng.gumbel(size=logits.shape)
        chosen: NDArray[np.int64] = logits.argmax(axis=1)
        # `argmax` prefers NaN, and takes infinity of either sign only if it must.
        best = logits[np.arange(len(chosen)), chosen]
        if not np.isfinite(best).all():
            raise ValueError(
                f"the network of {self.name!r} has diverged: the logit of its best action is "
                f"{best[~np.isfinite(best)][0]}"
            )
        return chosen
