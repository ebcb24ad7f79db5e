"""Export of a policy to ONNX, with a check of its outputs (needs the extras `sb3` and `onnx`).

| tensor        | type and shape                     | content                                    |
|---------------|------------------------------------|--------------------------------------------|
| `observation` | int8 `(batch, *observation_shape)` | input: what the player to move sees        |
| `action_mask` | int8 `(batch, num_actions)`        | input: 1 where legal, else 0               |
| `logits`      | float32 `(batch, num_actions)`     | output: minus infinity where not legal     |
| `value`       | float32 `(batch, 1)`               | output: the expected return of that player |

The metadata of the file hold format and card, as in the policy's own file, see `policies.card`.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import Card, check_fit, metadata_of
from tzaar_envs.networks.file import is_onnx, load_policy
from tzaar_envs.networks.onnx import INPUTS, OUTPUTS, OnnxNetwork
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import write_atomically

if TYPE_CHECKING:
    from tzaar_envs.networks.kinds import AnyNetwork

TOLERANCE = 1e-4
"""The greatest allowed difference of a logit or value."""

_OPSET = 18  # written by the exporter without conversion; read by ONNX Runtime 1.14 and newer


@dataclass(frozen=True)
class Agreement:
    """How a network and its export compare on positions of random games.

    Attributes:
        positions: how many.
        largest_difference: of a legal action's logit or a value.
        same_actions: in how many positions both rate the same action the most likely.
        largest_shortfall: by how much, at most, the network rates the export's most likely action
            below its own.
    """

    positions: int
    largest_difference: float
    same_actions: int
    largest_shortfall: float


class _MaskedNetwork(nn.Module):
    """The network as it is exported, with the mask applied."""

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor]:
        logits, value = self.network(observation)
        return torch.where(action_mask != 0, logits, -torch.inf), value


def export_policy(
    path: str | Path, output: str | Path, game: Game, positions: int = 256
) -> Agreement:
    """Write a saved policy as ONNX, after verifying that both give the same outputs.

    Args:
        path: of the policy.
        output: of the ONNX file; it appears whole or not at all.
        game: a game that the policy fits, to compare both in.
        positions: on how many positions of random games to compare them, 1 or more.

    Returns:
        How well they agree.

    Raises:
        FileNotFoundError: there is no such policy.
        ValueError: the file is not a policy file, or does not fit the game; the output has another
            suffix; or the export differs from the policy.
        ModuleNotFoundError: an extra is not installed.
    """
    require_extra("onnx", "the export", "onnxscript", "onnxruntime")
    if not is_onnx(output):
        raise ValueError(f"output={str(output)!r} is not allowed: use a name that ends in .onnx")
    if positions < 1:
        raise ValueError(f"positions={positions!r} is not allowed: use 1 or more")
    network, card = load_policy(path)
    check_fit(card, network, game, path)
    model = _to_onnx(network.eval(), card, game)
    agreement = compare(network, OnnxNetwork(model, output), game, positions)
    # Written so that NaN does not pass.
    if not (agreement.largest_difference < TOLERANCE and agreement.largest_shortfall < TOLERANCE):
        raise ValueError(
            f"{output} was not written: on {positions} positions the export differs from {path} by "
            f"up to {agreement.largest_difference:g} (allowed: {TOLERANCE:g}), and chooses the "
            f"same action in {agreement.same_actions}"
        )
    write_atomically(Path(output), model)
    return agreement


def compare(
    network: AnyNetwork, exported: OnnxNetwork, game: Game, positions: int, seed: int = 0
) -> Agreement:
    """Compare a network and its export on positions of random games.

    Args:
        network: the network.
        exported: its export.
        game: a game that both fit.
        positions: how many, 1 or more.
        seed: fixes the games.
    """
    observations, masks = _random_positions(game, positions, seed)
    with torch.inference_mode():
        logits, values = (tensor.numpy() for tensor in network(torch.from_numpy(observations)))
    found_logits, found_values = exported(observations, masks)
    masked = np.where(masks, logits, -np.inf)
    rows = np.arange(positions)
    best, found_best = masked.argmax(axis=1), found_logits.argmax(axis=1)
    differences = np.append(np.abs(logits - found_logits)[masks], np.abs(values - found_values))
    return Agreement(
        positions=positions,
        largest_difference=float(differences.max()),
        same_actions=int((best == found_best).sum()),
        largest_shortfall=float((masked[rows, best] - masked[rows, found_best]).max()),
    )


def _random_positions(
    game: Game, count: int, seed: int
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Return observations and masks of the player to move, one game played after the other."""
    rng = np.random.default_rng(seed)
    observations, masks = [], []
    state = game.new_state((seed, 0))
    for number in range(count):
        observations.append(state.observation(state.current_player))
        masks.append(state.legal_mask().view(np.bool_))
        state.apply(int(rng.choice(state.legal_actions())))
        if state.is_terminal:
            state = game.new_state((seed, number + 1))
    return np.stack(observations), np.stack(masks)


def _to_onnx(network: AnyNetwork, card: Card, game: Game) -> bytes:
    examples = (
        torch.zeros((2, *game.observation_shape), dtype=torch.int8),
        torch.ones((2, game.num_actions), dtype=torch.int8),
    )
    with _quiet():
        program = torch.onnx.export(
            _MaskedNetwork(network).eval(),
            examples,
            input_names=[*INPUTS],
            output_names=[*OUTPUTS],
            dynamic_shapes={name: {0: "batch"} for name in INPUTS},
            opset_version=_OPSET,
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    program.model.metadata_props.update(metadata_of(card))
    model: bytes = program.model_proto.SerializeToString()
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the exporter's messages about itself and about packages that are not used here."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
