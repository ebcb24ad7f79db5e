"""Policies of small, untrained networks."""

from __future__ import annotations

import functools
from pathlib import Path

import torch

from tzaar_envs.core.game import Game
from tzaar_envs.networks.card import Card, make_card
from tzaar_envs.networks.file import read_policy, save_policy
from tzaar_envs.networks.network import AnyNetwork, PolicyNetwork, SparseNetwork, network_with
from tzaar_envs.networks.shapes import NetworkShape, SparseShape
from tzaar_envs.networks.sparse.compiled import CompiledNetwork


@functools.cache
def small_network(game: Game, *drawn: str) -> SparseNetwork:
    """Return a sparse network of 16 and 8 units; `drawn` are layers whose weights are normal."""
    torch.manual_seed(0)
    network = SparseNetwork(SparseShape.for_game(game, width=16, hidden=8), game)
    with torch.no_grad():
        for layer in drawn:
            network.get_submodule(layer).weight.normal_()  # type: ignore[operator,union-attr]
    return network


@functools.cache
def small_evaluator(game: Game, *drawn: str) -> CompiledNetwork:
    """Return the same network in compiled code."""
    return CompiledNetwork(game, small_network(game, *drawn))


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


def load_policy(path: Path) -> tuple[AnyNetwork, Card]:
    """Read a policy with its network in PyTorch."""
    stored, card = read_policy(path)
    return network_with(stored), card
