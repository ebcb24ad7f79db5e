"""Trained networks as evaluators of searches.

A sparse network becomes a `CompiledNetwork`; PyTorch (the extra `sb3`) runs the others, as follows.

The network predicts the return of the observer. With two seats, one gains what the other loses, so
the observation of the seat to act is enough: `V` for this seat and `-V` for the other. With more
seats, the network gets the observation of every seat, and the mean is subtracted, since returns add
up to 0.

A network that learnt from shaped rewards predicts the return less the game's evaluation times a
weight. Its card holds that weight, and the evaluator adds the evaluation again.

A search passes positions in which everything hidden from its own seat was drawn again, so no
observation of them reveals anything hidden.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.batch import evaluate_rows, observe_rows
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import SEAT
from tzaar_envs.networks.device import find_device, refuse_accelerator
from tzaar_envs.networks.file import load_stored, read_card
from tzaar_envs.networks.shapes import SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork

if TYPE_CHECKING:
    from tzaar_envs.networks.network import PolicyNetwork

# Up to here, exp is neither 0 nor infinite in float32.
_LARGEST_LOGIT = 80.0


def load_evaluator(
    path: str | Path, game: Game, device: str = "cpu"
) -> NetworkEvaluator | CompiledNetwork:
    """Return the evaluator by a policy file, compiled if its network is sparse.

    Args:
        path: The file.
        game: The game of the positions.
        device: Where a network that is not compiled computes, see `networks.device`.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not a policy file, or does not fit the game; says what differs. Or there
            is no such device. Or its network is sparse, and rewards were shaped in its training.
        ModuleNotFoundError: Its network is not sparse, and the extra `sb3` is not installed.
    """
    stored = load_stored(path, game)
    name = f"the network of {str(path)!r}"
    shaping = read_card(path).get("shaping", 0.0)
    if isinstance(stored.shape, SparseShape):
        if shaping:  # compiled code would have to evaluate every leaf, for one rare kind of run
            raise ValueError(
                f"no search can use {name}: it is sparse and was trained with shaped rewards, so "
                f"its values are not returns; policy:{path} plays without a search"
            )
        refuse_accelerator(device, f"the sparse network of {path}")
        return CompiledNetwork(game, stored, name=name)
    from tzaar_envs.networks.network import PolicyNetwork, network_with

    network = network_with(stored).to(find_device(device))
    assert isinstance(network, PolicyNetwork)
    return NetworkEvaluator(game, network, name, shaping)


def load_compiled(path: str | Path, game: Game) -> CompiledNetwork:
    """Return the evaluator by a policy file with a sparse network.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not a policy file, does not fit the game, or its network is not sparse.
        ModuleNotFoundError: Its network is not sparse, and the extra `sb3` is not installed.
    """
    evaluator = load_evaluator(path, game)
    if isinstance(evaluator, NetworkEvaluator):
        raise ValueError(
            f"the policy {path} has no sparse network: alphabeta, greedy and luck need one"
        )
    return evaluator


class NetworkEvaluator:
    """An `Evaluator` by a network, for `Mcts(game, evaluator)`; see `search.batched`.

    The rounding of a network depends slightly on the number of positions in a call.

    Args:
        game: The game of the positions.
        network: Maps observations to logits and values.
        name: Its name in error messages.
        shaping: The weight of the game's evaluation that its values lack.
    """

    def __init__(
        self, game: Game, network: PolicyNetwork, name: str = "the network", shaping: float = 0.0
    ) -> None:
        self.game = game
        self.name = name
        self.shaping = shaping
        self.network = network.eval()

    def __call__(
        self, states: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return priors of the seat to act and values of all seats.

        Args:
            states: int64 `(n, state_size)`, positions of running games.

        Returns:
            float32 `(n, num_actions)`, priors that are not scaled, and meaningless for illegal
            actions; and float32 `(n, num_players)`, from -1 to 1 with two players; with more, of
            sum 0, they can lie beyond.

        Raises:
            ValueError: Another shape or type.
        """
        import torch

        game, states = self.game, self.game.checked_positions(states)
        count, players = len(states), game.num_players
        views = 1 if players == 2 else players  # the seat to act first, then in turn order
        seats = (states[:, [SEAT]] + np.arange(players)) % players
        observed, observers = np.repeat(states, views, axis=0), seats[:, :views].ravel()
        observations = np.empty((count * views, *game.observation_shape), np.int8)
        flat = observations.reshape(count * views, -1)
        observe_rows(0, len(flat), game.rules.functions, observed, observers, flat)
        seen = torch.from_numpy(observations)
        with torch.inference_mode():
            if views == 1:
                logits, returns = self.network(seen)
            else:  # nothing is turned, and only the seat to act chooses
                features = self.network.trunk(seen.to(self.network.device))
                logits = self.network.policy(features[::views])
                returns = self.network.value(features)
            # A search scales the priors of its legal actions, so the greatest logit need not be
            # subtracted, which may be that of an illegal action.
            priors = logits.clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT).exp_().numpy(force=True)
            own = returns[:, 0].numpy(force=True)
        if self.shaping:
            evaluations = np.empty(len(own))
            evaluate_rows(0, len(own), game.rules.functions, observed, observers, evaluations)
            own += self.shaping * evaluations
        own = own.clip(-1.0, 1.0).reshape(count, views)
        relative = np.hstack([own, -own]) if views == 1 else own - own.mean(axis=1, keepdims=True)
        values = np.empty_like(relative)
        np.put_along_axis(values, seats, relative, axis=1)
        return priors, values
