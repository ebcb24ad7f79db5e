"""Policies of small, untrained networks."""

from __future__ import annotations

from pathlib import Path

import torch

from tzaar_envs.core.game import Game
from tzaar_envs.policies.card import make_card
from tzaar_envs.policies.file import save_policy
from tzaar_envs.policies.network import NetworkShape, PolicyNetwork
from tzaar_envs.policies.sparse.network import SparseNetwork
from tzaar_envs.policies.sparse.shape import SparseShape


def save_new_policy(path: Path, game: Game) -> PolicyNetwork:
    """Write a policy whose logits differ clearly, and return its network."""
    torch.manual_seed(0)
    network = PolicyNetwork(NetworkShape.for_game(game, width=8, blocks=1))
    with torch.no_grad():
        for parameter in network.policy.parameters():
            parameter.normal_()
    save_policy(path, network, make_card(game, network.shape, {"steps": 5}))
    return network


def save_new_sparse_policy(path: Path, game: Game) -> SparseNetwork:
    """Write a policy with a sparse network in which every weight matters, and return it."""
    torch.manual_seed(0)
    network = SparseNetwork(SparseShape.for_game(game, width=20, hidden=9), game)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    save_policy(path, network, make_card(game, network.shape, {"steps": 5}))
    return network.eval()
