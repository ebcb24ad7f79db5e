"""Agents that choose by logits: what policies in PyTorch and in ONNX have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.policies.card import Card, check_card

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch

N = TypeVar("N")


class LogitsAgent(Agent, Generic[N]):
    """Plays the legal action of the highest logit, or draws from the softmax of the legal ones.

    Args:
        game: the game that it plays.
        network: what `logits` asks, in evaluation mode.
        name: how results call it.
        seed: fixes its choices if it samples.
        sample: draw actions from the policy's distribution; otherwise take the likeliest.
    """

    def __init__(
        self,
        game: Game,
        network: N,
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
    ) -> Self:
        """Return the policy of a file; see the class for the arguments.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is no policy, or one for something else; says what differs.
            ModuleNotFoundError: the extra that reads the file is not installed.
        """
        network, card = cls.read(path)
        check_card(card, game, path)
        if not cls.fits(network, game):
            raise ValueError(
                f"the policy {path} does not fit {game!r}: its network has other sizes"
            )
        return cls(game, network, name=Path(path).stem, seed=seed, sample=sample)

    @staticmethod
    @abstractmethod
    def read(path: str | Path) -> tuple[N, Card]:
        """Return the network and the card of a file; see `load` for what it raises."""

    @staticmethod
    @abstractmethod
    def fits(network: N, game: Game) -> bool:
        """Whether a network has the sizes of a game's observations and actions."""

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from here on."""
        self._rng = np.random.Generator(np.random.PCG64(seed))

    @abstractmethod
    def logits(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return float32 `(B, num_actions)`; what stands at illegal actions does not matter.

        Args:
            observations: int8 `(B, *observation_shape)`.
            masks: bool `(B, num_actions)`, the legal actions.
        """

    def act(self, position: State | AgentObservation) -> int:
        """Return the policy's action for a state, or for an observation with its mask."""
        if isinstance(position, State):
            return int(self.act_batch([position])[0])
        observation, mask = position["observation"], position["action_mask"]
        return int(self._choose(observation[None], mask[None].astype(np.bool_))[0])

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return the policy's action for each state, from one pass of the network."""
        observations = np.stack([state.observation(state.current_player) for state in states])
        masks = np.stack([state.legal_mask() for state in states]).view(np.bool_)
        return self._choose(observations, masks)

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the policy's action in each row, from one pass of the network."""
        return self._choose(batch.observations[rows], batch.masks[rows].view(np.bool_))

    def _choose(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        if not masks.any(axis=1).all():
            raise ValueError("there is no legal action: the game is over, or it is not our turn")
        logits = np.where(masks, self.logits(observations, masks), -np.inf)
        if self.sample:
            # The maximum after adding Gumbel noise is a draw from the softmax.
            logits = logits + self._rng.gumbel(size=logits.shape)
        chosen: NDArray[np.int64] = logits.argmax(axis=1)
        return chosen
