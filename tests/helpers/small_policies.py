"""Policies of small, untrained networks."""

from __future__ import annotations

from pathlib import Path

import torch

from tzaar_envs.core.game import Game
from tzaar_envs.policies.card import make_card
from tzaar_envs.policies.file import save_policy
from tzaar_envs.policies.network import NetworkShape, PolicyNetwork


def save_new_policy(path: Path, game: Game) -> PolicyNetwork:
    """Write a policy whose logits differ clearly, and return its network."""
    torch.manual_seed(0)
    network = PolicyNetwork(NetworkShape.for_game(game, width=8, blocks=1))
    with torch.no_grad():
        for parameter in network.policy.parameters():
            parameter.normal_()
    save_policy(path, network, make_card(game, network.shape, {"steps": 5}))
    return network
