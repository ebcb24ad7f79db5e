"""`policy:PATH`: trained policies, and the file that holds one (needs the extra `sb3`).

The file is in the safetensors format: raw numbers and a JSON header, so loading one runs no code
from it. The header's entry `card` says what the policy is: game, planes and number of actions that
it was trained for, the shape of its network, and how it was trained.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.agents.agent import Agent, AgentObservation
from tzaar_envs.core.files import write_atomically
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.extras import require_extra

if TYPE_CHECKING:
    from tzaar_envs.agents.network import NetworkShape, PolicyNetwork
    from tzaar_envs.core.batch import Batch

FORMAT = "tzaar-envs policy 1"
_LARGEST = 1024  # of width and blocks: a file that asks for more is not one of ours
_MOST_NUMBERS = 2**16  # of planes or numbers of an observation, likewise


class PolicyAgent(Agent):
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
        self.game = game
        self.network = network.eval()
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

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from here on."""
        self._rng = np.random.Generator(np.random.PCG64(seed))

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
        import torch

        if not masks.any(axis=1).all():
            raise ValueError("there is no legal action: the game is over, or it is not our turn")
        with torch.inference_mode():
            features = self.network.trunk(torch.from_numpy(observations))
            logits = self.network.policy(features).numpy()
        logits = np.where(masks, logits, -np.inf)
        if self.sample:
            # The maximum after adding Gumbel noise is a draw from the softmax.
            logits = logits + self._rng.gumbel(size=logits.shape)
        chosen: NDArray[np.int64] = logits.argmax(axis=1)
        return chosen


def _requirements(game: Game) -> dict[str, Any]:
    """Return what a policy and the game that it plays must agree in."""
    return {
        "game": game.name,
        "version": game.spec.version,
        "planes": [plane.name for plane in game.observation_planes],
        "num_actions": game.num_actions,
    }


def make_card(game: Game, shape: NetworkShape, training: dict[str, Any]) -> dict[str, Any]:
    """Return the card of a policy: plain values that say what it is.

    Args:
        game: what it was trained for.
        shape: of its network.
        training: how it was trained, free in form.
    """
    return _requirements(game) | {
        "options": dict(game.options),
        "network": dataclasses.asdict(shape),
        "training": training,
    }


def check_card(card: dict[str, Any], game: Game, path: str | Path) -> None:
    """Refuse a policy that was trained for something else.

    Raises:
        ValueError: says what differs.
    """
    for entry, needed in _requirements(game).items():
        if card.get(entry) != needed:
            raise ValueError(
                f"the policy {path} does not fit {game!r}: the {entry.replace('_', ' ')} that it "
                f"was trained for is {card.get(entry)!r}, needed is {needed!r}"
            )


def save_policy(path: str | Path, network: PolicyNetwork, card: dict[str, Any]) -> None:
    """Write a policy; the file appears whole or not at all."""
    from safetensors.torch import save

    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    data = save(tensors, metadata={"format": FORMAT, "card": json.dumps(card)})
    write_atomically(Path(path), data)


def load_policy(path: str | Path) -> tuple[PolicyNetwork, dict[str, Any]]:
    """Read a policy; nothing from the file is executed.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is no policy; says why.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    require_extra("sb3", "a saved policy", "torch", "safetensors")
    import torch
    from safetensors import SafetensorError, safe_open

    from tzaar_envs.agents.network import PolicyNetwork

    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no policy file {str(path)!r}")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{path} is no policy: not in the safetensors format ({error})") from error
    if metadata.get("format") != FORMAT:
        raise ValueError(
            f"{path} is no policy: its format is {metadata.get('format')!r}, expected {FORMAT!r}"
        )
    try:
        card = json.loads(metadata["card"])
        shape = _read_shape(card["network"])
        if card["num_actions"] < 1 or not isinstance(card["game"], str):
            raise ValueError("it names no game")
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no policy: its card cannot be read ({error})") from error
    with torch.device("meta"):
        network = PolicyNetwork(shape)
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if expected != found:
        differing = sorted(set(expected.items()) ^ set(found.items()))[0][0]
        raise ValueError(f"{path} is no policy: tensor {differing!r} does not fit its network")
    network = PolicyNetwork(shape)
    network.load_state_dict(tensors)
    return network, card


def _read_shape(entry: dict[str, Any]) -> NetworkShape:
    from tzaar_envs.agents.network import NetworkShape

    shape = NetworkShape(
        plane_highs=tuple(int(high) for high in entry["plane_highs"]),
        board_shape=tuple(int(size) for size in entry["board_shape"]),
        action_planes=tuple((int(planes), bool(board)) for planes, board in entry["action_planes"]),
        width=int(entry["width"]),
        blocks=int(entry["blocks"]),
    )
    if not 1 <= shape.width <= _LARGEST or not 0 <= shape.blocks <= _LARGEST:
        raise ValueError(f"width {shape.width} or blocks {shape.blocks} is out of range")
    if len(shape.board_shape) not in (0, 2):
        raise ValueError(f"the board shape {shape.board_shape} has neither 0 nor 2 sizes")
    if len(shape.plane_highs) > _MOST_NUMBERS or min(shape.plane_highs) < 1:
        raise ValueError("the plane highs are out of range")
    return shape
