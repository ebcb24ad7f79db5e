"""Priors of actions: scaled to probabilities, and mixed with noise at the root."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.jit.compile import compiled
from tzaar_envs.search.mcts.tree import NONE, Tree


class DirichletNoise(NamedTuple):
    """Noise in the priors of the root, as AlphaZero mixes it in (Silver et al., 2018).

    Attributes:
        alpha: the parameter of the symmetric Dirichlet distribution, above 0.
        fraction: the weight of the noise, 0 to 1.
    """

    alpha: float
    fraction: float


@compiled
def normalize_priors(tree: Tree, node: int) -> None:
    """Scale the priors of a node's edges to the sum 1; if all are 0, make them equal."""
    total = 0.0
    count = 0
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        total += tree.edges[edge].prior
        count += 1
        edge = tree.edges[edge].next_edge
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        if total > 0.0:
            tree.edges[edge].prior /= total
        else:
            tree.edges[edge].prior = 1.0 / count
        edge = tree.edges[edge].next_edge


@compiled
def set_priors(tree: Tree, node: int, priors: NDArray[np.float64]) -> None:
    """Give the edges of a node the priors of their actions, float64 `(num_actions,)`, scaled."""
    edge = tree.nodes[node].first_edge
    while edge != NONE:
        tree.edges[edge].prior = priors[tree.edges[edge].action]
        edge = tree.edges[edge].next_edge
    normalize_priors(tree, node)


def draw_gamma(
    generators: NDArray[np.uint64], noise: DirichletNoise, num_actions: int
) -> NDArray[np.float64]:
    """Draw the numbers that `mix_noise` takes, one row from each generator.

    Returns:
        Float64 `(n, num_actions)`, positive, from a gamma distribution; scaled to the sum 1 over
        the legal actions of a row they follow the Dirichlet distribution.
    """
    rows = [
        np.random.Generator(np.random.PCG64(int(word))).gamma(noise.alpha, size=num_actions)
        for word in generators[:, 0]
    ]
    # A small alpha gives zeros, and a sum of zeros cannot be scaled.
    return np.stack(rows) + np.finfo(np.float64).tiny


@compiled
def mix_noise(tree: Tree, gamma: NDArray[np.float64], fraction: float) -> None:
    """Mix noise into the priors of the roots, which are the nodes 0 to n - 1.

    Args:
        tree: the tree.
        gamma: float64 `(n, num_actions)`, see `draw_gamma`.
        fraction: the weight of the noise.
    """
    for root in range(len(gamma)):
        total = 0.0
        edge = tree.nodes[root].first_edge
        while edge != NONE:
            total += gamma[root, tree.edges[edge].action]
            edge = tree.edges[edge].next_edge
        edge = tree.nodes[root].first_edge
        while edge != NONE:
            share = gamma[root, tree.edges[edge].action] / total
            tree.edges[edge].prior += fraction * (share - tree.edges[edge].prior)
            edge = tree.edges[edge].next_edge
