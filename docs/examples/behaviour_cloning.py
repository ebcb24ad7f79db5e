"""Behaviour cloning: a network learns to play like the agents of a dataset.

    tzaar-envs dataset turm_und_waechter greedy --games 400 --opening-plies 4 --out greedy
    python docs/examples/behaviour_cloning.py greedy --out cloned.safetensors
    tzaar-envs evaluate turm_und_waechter policy:cloned.safetensors random --opening-plies 2

It needs the extras `data` and `sb3`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import torch
from torch.nn import functional

from tzaar_envs.core.game import Game
from tzaar_envs.datasets import read_dataset, read_dataset_games
from tzaar_envs.networks.card import make_card
from tzaar_envs.networks.file import save_policy
from tzaar_envs.networks.network import PolicyNetwork
from tzaar_envs.networks.shapes import NetworkShape
from tzaar_envs.wrappers.transitions import Transitions

BATCH = 256
LEARNING_RATE = 1e-3


def clone_behaviour(
    game: Game,
    data: Transitions,
    passes: int,
    seed: int = 0,
    report: Callable[[int, float], None] = lambda done, loss: None,
) -> PolicyNetwork:
    """Return a network that predicts the actions of a dataset among the legal ones.

    Args:
        game: The game of the dataset.
        data: Its transitions.
        passes: Over all transitions.
        seed: Fixes the initial weights and the order.
        report: Called after each pass with its number and its mean loss.
    """
    torch.manual_seed(seed)
    network = PolicyNetwork(NetworkShape.for_game(game, width=32, blocks=2, turned=True))
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    observations = torch.from_numpy(data.observations)
    legal = torch.from_numpy(data.masks).bool()
    actions = torch.from_numpy(data.actions)
    for done in range(1, passes + 1):
        losses = []
        for batch in torch.randperm(len(data)).split(BATCH):
            logits, _ = network(observations[batch])
            logits = logits.masked_fill(~legal[batch], -1e9)
            loss = functional.cross_entropy(logits, actions[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        report(done, sum(losses) / len(losses))
    return network.eval()


def main() -> None:
    """Read a dataset, learn from it, and save the policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path, help="folder of the dataset")
    parser.add_argument("--agent", help="learn from this agent alone")
    parser.add_argument("--passes", type=int, default=10, help="passes over all transitions")
    parser.add_argument("--out", type=Path, default=Path("cloned.safetensors"), help="policy file")
    given = parser.parse_args()
    game = read_dataset_games(given.dataset)[0].load_game()
    data = read_dataset(given.dataset, None if given.agent is None else [given.agent])
    network = clone_behaviour(
        game,
        data,
        given.passes,
        report=lambda done, loss: print(f"pass {done}: loss {loss:.3f}", flush=True),
    )
    training = {"algorithm": "behaviour cloning", "transitions": len(data)}
    save_policy(given.out, network, make_card(game, network.shape, training))
    print(f"The policy is in {given.out}")


if __name__ == "__main__":
    main()
