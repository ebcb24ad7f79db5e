"""The file of a policy (needs the extra `sb3`).

It is in the safetensors format: raw numbers and a JSON header, so loading one runs no code from
it. The header's entry `card` says what the policy is, see `policy_card`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tzaar_envs.core.game import Game
from tzaar_envs.policies.card import Card, check_card, metadata_of, read_metadata
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import existing_file, write_atomically

if TYPE_CHECKING:
    from tzaar_envs.policies.network import NetworkShape, PolicyNetwork

_LARGEST = 1024  # of width and blocks: a file that asks for more is not one of ours
_MOST_NUMBERS = 2**16  # of planes or numbers of an observation, likewise


def save_policy(path: str | Path, network: PolicyNetwork, card: Card) -> None:
    """Write a policy; the file appears whole or not at all."""
    from safetensors.torch import save

    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    write_atomically(Path(path), save(tensors, metadata=metadata_of(card)))


def read_card(path: str | Path) -> Card:
    """Read the card of a policy alone, from its safetensors or its ONNX file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is no policy; says why.
        ModuleNotFoundError: the extra that reads the file is not installed.
    """
    if is_onnx(path):
        from tzaar_envs.policies.onnx import OnnxNetwork

        return OnnxNetwork.load(path).card
    require_extra("sb3", "a saved policy", "safetensors")
    return _read(path, "np")[0]


def load_policy(path: str | Path) -> tuple[PolicyNetwork, Card]:
    """Read a policy; nothing from the file is executed.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is no policy; says why.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    require_extra("sb3", "a saved policy", "torch", "safetensors")
    import torch

    from tzaar_envs.policies.network import PolicyNetwork

    card, tensors = _read(path, "pt")
    try:
        shape = _read_shape(card["network"])
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


def load_network(path: str | Path, game: Game) -> PolicyNetwork:
    """Return the network of a policy file, in evaluation mode, after checking that it fits a game.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a policy file, or one for something else; says what differs.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    network, card = load_policy(path)
    check_card(card, game, path)
    shape = network.shape
    if shape != shape.for_game(game, shape.width, shape.blocks):
        raise ValueError(f"the policy {path} does not fit {game!r}: its network has other sizes")
    return network.eval()


def is_onnx(path: str | Path) -> bool:
    """Whether a path is that of a policy in the ONNX format, see `onnx_policy`."""
    return Path(path).suffix.lower() == ".onnx"


def _read(path: str | Path, framework: str) -> tuple[Card, dict[str, Any]]:
    """Return the card and the tensors, as arrays of a framework of safetensors."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(existing_file(path, "policy file"), framework) as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{path} is no policy: not in the safetensors format ({error})") from error
    return read_metadata(metadata, path), tensors


def _read_shape(entry: dict[str, Any]) -> NetworkShape:
    from tzaar_envs.policies.network import NetworkShape

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
