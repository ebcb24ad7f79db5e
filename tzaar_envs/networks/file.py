"""Policy files in the safetensors format (needs the extra `sb3`).

Such a file holds raw numbers and a JSON header, so loading it runs no code. The header's entry
`card` says what the policy is, see `policies.card`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import Card, card_error, check_fit, metadata_of, read_metadata
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import existing_file, write_atomically

if TYPE_CHECKING:
    from tzaar_envs.networks.kinds import AnyNetwork


def save_policy(path: str | Path, network: AnyNetwork, card: Card) -> None:
    """Write a policy; the file appears whole or not at all."""
    from safetensors.torch import save

    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    write_atomically(Path(path), save(tensors, metadata=metadata_of(card)))


def read_card(path: str | Path) -> Card:
    """Read only the card of a policy, from its safetensors or ONNX file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a policy file; says why.
        ModuleNotFoundError: the extra that reads the file is not installed.
    """
    if is_onnx(path):
        from tzaar_envs.networks.onnx import OnnxNetwork

        return OnnxNetwork.load(path).card
    require_extra("sb3", "a saved policy", "safetensors")
    with _opened(path, "np") as file:
        return read_metadata(file.metadata() or {}, path)


def load_policy(path: str | Path) -> tuple[AnyNetwork, Card]:
    """Read a policy; nothing from the file is executed.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a policy file; says why.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    require_extra("sb3", "a saved policy", "torch", "safetensors")
    import torch

    from tzaar_envs.networks.kinds import network_of, shape_of

    with _opened(path, "pt") as file:
        card = read_metadata(file.metadata() or {}, path)
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    try:
        shape = shape_of(card["network"])
    except ValueError as error:
        raise card_error(path, error) from error
    with torch.device("meta"):
        network = network_of(shape)
    expected, found = (
        {name: (tuple(tensor.shape), tensor.dtype) for name, tensor in state.items()}
        for state in (network.state_dict(), tensors)
    )
    if expected != found:
        differing = min(name for name, _ in set(expected.items()) ^ set(found.items()))
        raise ValueError(
            f"{path} is not a policy file: tensor {differing!r} does not fit its network"
        )
    network = network_of(shape)
    try:
        network.load_state_dict(tensors)
    except ValueError as error:
        raise ValueError(f"{path} is not a policy file: {error}") from error
    return network, card


def load_network(path: str | Path, game: Game) -> AnyNetwork:
    """Return the network of a policy file, in evaluation mode, after checking that it fits a game.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not a policy file, or does not fit the game; says what differs.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    network, card = load_policy(path)
    check_fit(card, network, game, path)
    return network.eval()


def is_onnx(path: str | Path) -> bool:
    """Whether a path names a policy in the ONNX format, see `policies.onnx`."""
    return Path(path).suffix.lower() == ".onnx"


@contextlib.contextmanager
def _opened(path: str | Path, framework: str) -> Iterator[Any]:
    """Open a file for one of the frameworks of safetensors."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(existing_file(path, "policy file"), framework) as file:
            yield file
    except SafetensorError as error:
        raise ValueError(
            f"{path} is not a policy file: not in the safetensors format ({error})"
        ) from error
