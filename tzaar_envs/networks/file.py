"""Policy files: named, saved, loaded, and exported to ONNX.

A policy is a file in the safetensors format. It holds raw numbers and a JSON header, so loading it
runs no code. The header's entry `card` says what the policy is, see
`networks.card`.
"""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.networks.card import Card, card_error, check_fit, metadata_of, read_metadata
from tzaar_envs.networks.onnx import INPUTS, OUTPUTS, OnnxNetwork
from tzaar_envs.networks.shapes import (
    SparseShape,
    StoredNetwork,
    check_weights,
    random_observations,
    shape_of,
)
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import existing_file, write_atomically

if TYPE_CHECKING:
    from tzaar_envs.networks.network import AnyNetwork

REFERENCE = "reference"
"""The name of the policy that comes with a game."""

TOLERANCE = 1e-4
"""The greatest allowed difference of a logit or value after an export."""

POSITIONS = 256
"""On so many an export is compared with its policy."""

_FOREIGN = """\
{path} is not a policy file; a model of Stable-Baselines3 plays as python:FILE.py:CLASS, where the \
class is an Agent with
    def __init__(self, game): self.game, self.model = game, MaskablePPO.load({path!r})
    def seed(self, seed): pass
    def act(self, state): return int(self.model.predict(state.observation(state.current_player), \
action_masks=state.legal_mask(), deterministic=True)[0])"""

_OPSET = 18  # written by the exporter without conversion; read by ONNX Runtime 1.14 and newer


def find_policy(name: str | Path, spec: GameSpec) -> Path:
    """Return the file of a policy.

    Args:
        name: The path of the file, in which `~` is the home folder, or `reference`; `./reference`
            is a file of this name.
        spec: The game whose reference is meant.

    Raises:
        FileNotFoundError: No policy comes with the game.
    """
    if str(name) != REFERENCE:
        return Path(os.path.expanduser(name))
    if spec.reference is None or not spec.reference.exists():
        raise FileNotFoundError(f"no trained policy comes with {spec.name}: give the path of one")
    return spec.reference


def is_onnx(path: str | Path) -> bool:
    """Whether a path names a policy in the ONNX format, see `networks.onnx`."""
    return Path(path).suffix.lower() == ".onnx"


def save_policy(path: str | Path, network: AnyNetwork | StoredNetwork, card: Card) -> None:
    """Write a policy; the file appears whole or not at all.

    Raises:
        ValueError: The network has a size that no policy may have.
    """
    from safetensors.numpy import save

    shape_of(card["network"])
    whole = {name: np.ascontiguousarray(array) for name, array in network.arrays.items()}
    write_atomically(Path(path), save(whole, metadata=metadata_of(card)))


def read_card(path: str | Path) -> Card:
    """Read only the card of a policy, from its safetensors or ONNX file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not a policy file; says why.
        ModuleNotFoundError: It is an ONNX file, and the extra `onnx` is not installed.
    """
    if is_onnx(path):
        return OnnxNetwork.load(path).card
    with _opened(path) as file:
        return read_metadata(file.metadata() or {}, path)


def read_policy(path: str | Path) -> tuple[StoredNetwork, Card]:
    """Read a policy without PyTorch; nothing from the file is executed.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not a policy file, or its network has diverged; says why.
        ModuleNotFoundError: Its network is not sparse, and the extra `sb3` is not installed.
    """
    with _opened(path) as file:
        card = read_metadata(file.metadata() or {}, path)
        try:
            shape = shape_of(card["network"])
        except ValueError as error:
            raise card_error(path, error) from error
        if isinstance(shape, SparseShape):
            sizes = shape.weights
        else:
            require_extra("sb3", f"the residual network of {path}", "torch")
            from tzaar_envs.networks.network import sizes_of

            sizes = sizes_of(shape)
        expected = {name: ([*size], "F32") for name, size in sizes.items()}
        turned = {"turned_entries": shape.size, "turned_actions": shape.actions}
        if shape.marker is not None:
            expected |= {name: ([size], "I64") for name, size in turned.items()}
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
        found = {name: (part.get_shape(), part.get_dtype()) for name, part in parts.items()}
        if expected != found:
            names = [name for name in expected | found if expected.get(name) != found.get(name)]
            raise ValueError(
                f"{path} is not a policy file: tensor {min(names)!r} does not fit its network"
            )
        arrays = {name: file.get_tensor(name) for name in parts}
    for name in turned.keys() & arrays.keys():  # they index the network's arrays
        if (np.sort(arrays[name]) != np.arange(len(arrays[name]))).any():
            raise ValueError(f"{path} is not a policy file: tensor {name!r} is not a permutation")
    check_weights(arrays, f"the network of {str(path)!r}")
    return StoredNetwork(shape, arrays), card


def load_stored(path: str | Path, game: Game) -> StoredNetwork:
    """Return the network of a policy file without PyTorch, after checking that it fits a game.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not a policy file, its network has diverged, or it does not fit the game;
            says what differs.
        ModuleNotFoundError: Its network is not sparse, and the extra `sb3` is not installed.
    """
    if is_onnx(path):
        raise ValueError(
            f"searches and training need the .safetensors file of {path}: policy:{path} plays "
            "without a search"
        )
    stored, card = read_policy(path)
    check_fit(card, game, stored.shape.fits(game), path)
    return stored


def load_network(path: str | Path, game: Game) -> AnyNetwork:
    """Return the network of a policy file in PyTorch, in evaluation mode; see `load_stored`.

    Raises:
        ModuleNotFoundError: The extra `sb3` is not installed.
    """
    require_extra("sb3", f"the network of {path} in PyTorch", "torch")
    from tzaar_envs.networks.network import network_with

    return network_with(load_stored(path, game)).eval()


def _is_of_sb3(path: str | Path) -> bool:
    """Whether a file is a model that Stable-Baselines3 has saved."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "_stable_baselines3_version" in archive.namelist()


@contextlib.contextmanager
def _opened(path: str | Path) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(existing_file(path, "policy file"), "np") as file:
            yield file
    except SafetensorError as error:
        if _is_of_sb3(path):
            raise ValueError(_FOREIGN.format(path=str(path))) from error
        raise ValueError(
            f"{path} is not a policy file: not in the safetensors format ({error})"
        ) from error


def export_policy(path: str | Path, output: str | Path, game: Game) -> float:
    """Write a saved policy as ONNX, after verifying that both give the same outputs.

    `networks.onnx` says what the file holds. It needs the extras `sb3` and `onnx`.

    Args:
        path: The policy.
        output: The ONNX file; it appears whole or not at all.
        game: A game that the policy fits, to compare both in, on `POSITIONS` of random games.

    Returns:
        The largest difference of a logit or of a value.

    Raises:
        FileNotFoundError: There is no such policy.
        ValueError: The file is not a policy file, or does not fit the game; the output has another
            suffix; or the export differs from the policy.
        ModuleNotFoundError: An extra is not installed.
    """
    require_extra("onnx", "the export", "onnxscript", "onnxruntime")
    if not is_onnx(output):
        raise ValueError(f"output={str(output)!r} is not allowed: use a name that ends in .onnx")
    import torch

    network = load_network(path, game)
    model = _to_onnx(network, read_card(path), game)
    rng, seen = np.random.default_rng(0), random_observations(game)[0]
    seen = rng.choice(seen, POSITIONS).reshape(-1, *game.observation_shape)
    masks = rng.random((POSITIONS, game.num_actions)) < 0.5
    with torch.inference_mode():
        logits, values = (tensor.numpy() for tensor in network(torch.from_numpy(seen)))
    exported_logits, exported_values = OnnxNetwork(model, output)(seen, masks)
    difference = max(
        float(np.abs(logits - exported_logits)[masks].max()),
        float(np.abs(values - exported_values).max()),
    )
    if not difference < TOLERANCE:  # written so that NaN does not pass
        raise ValueError(
            f"{output} was not written: on {POSITIONS} positions the export differs from {path} by "
            f"up to {difference:g} (allowed: {TOLERANCE:g})"
        )
    write_atomically(Path(output), model)
    return difference


def _to_onnx(network: AnyNetwork, card: Card, game: Game) -> bytes:
    import torch

    examples = (
        torch.zeros((2, *game.observation_shape), dtype=torch.int8),
        torch.ones((2, game.num_actions), dtype=torch.int8),
    )
    with warnings.catch_warnings():  # about the exporter itself, and packages not used here
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            network,
            examples,
            input_names=[*INPUTS],
            output_names=[*OUTPUTS],
            dynamic_shapes=({0: "batch"}, {0: "batch"}),
            opset_version=_OPSET,
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    program.model.metadata_props.update(metadata_of(card))
    model: bytes = program.model_proto.SerializeToString()
    return model
