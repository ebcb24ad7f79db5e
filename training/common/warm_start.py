"""A head start: the network first learns to see what a baseline sees.

Games are played by a teacher that now and then plays a random action instead, and the network is
fitted to them (behavioural cloning): the policy head to what the teacher would play, the value head
to how the game ended. A teacher such as `greedy`, which values every legal action, shows the
softmax of these values; any other one, a search for instance, shows the action that it chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from tzaar_envs.agents import Agent
from tzaar_envs.agents.best_action import BestActionAgent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.policies.network import PolicyNetwork
from tzaar_envs.training.common.precision import uses_bfloat16
from tzaar_envs.wrappers.symmetry_augmentation import SymmetryAugmentation

TEMPERATURE = 0.005  # of the softmax: actions that are 0.005 worse get 1 / e of the probability
EXPLORATION = 0.2  # how often a random action is played instead
LEARNING_RATE = 2e-3  # at its height
BATCH = 256
_WARM_UP = 0.1  # of the gradient steps, until the learning rate is at its height
_LARGEST_GRADIENT = 1.0  # norm
_GAMES = 128  # played at once


@dataclass(frozen=True)
class Lessons:
    """Positions with what the network shall say of them; `N` is their number.

    Attributes:
        game: whose positions.
        observations: int8 `(N, *observation_shape)` of the player to move.
        masks: bool `(N, num_actions)`, packed to bits along the second axis.
        targets: float16 `(N, num_actions)`, probabilities.
        returns: float32 `(N,)`, how the game ended for the player to move.
    """

    game: Game
    observations: NDArray[np.int8]
    masks: NDArray[np.uint8]
    targets: NDArray[np.float16]
    returns: NDArray[np.float32]


def policy_of(teacher: Agent, seed: int) -> Callable[[Batch], NDArray[np.float64]]:
    """Return a function from a batch to what the teacher would play there.

    Args:
        teacher: any agent.
        seed: fixes its choices.

    Returns:
        From a batch of `n` running games to probabilities, float64 `(n, num_actions)`.
    """
    if isinstance(teacher, BestActionAgent):
        action_values, chance = teacher.action_values, new_generator(seed)

        def softmax_of_values(batch: Batch) -> NDArray[np.float64]:
            values = action_values(teacher.game, batch.states, chance)
            policy = np.exp((values - values.max(axis=1, keepdims=True)) / TEMPERATURE)
            return policy / policy.sum(axis=1, keepdims=True)

        return softmax_of_values

    teacher.seed(seed)

    def chosen_action(batch: Batch) -> NDArray[np.float64]:
        rows = np.arange(len(batch.states))
        policy = np.zeros((len(rows), teacher.game.num_actions))
        policy[rows, teacher.act_rows(batch, rows)] = 1.0
        return policy

    return chosen_action


def collect_lessons(
    game: Game,
    teacher: Agent,
    positions: int,
    seed: int,
    report: Callable[[int], None],
) -> Lessons:
    """Play games and take down at least `positions` positions.

    Args:
        game: the game.
        teacher: who shows what to play.
        positions: how many.
        seed: fixes the games.
        report: called with the number of positions so far.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    policy_in = policy_of(teacher, seed)
    batch = Batch(game, _GAMES)
    for row in range(_GAMES):
        batch.seed(row, [seed, row])
    batch.reset(np.ones(_GAMES, np.bool_))
    unfinished: list[list[tuple[NDArray[np.int8], NDArray[np.uint8], NDArray[np.float16], int]]]
    unfinished = [[] for _ in range(_GAMES)]
    observations: list[NDArray[np.int8]] = []
    masks: list[NDArray[np.uint8]] = []
    targets: list[NDArray[np.float16]] = []
    returns: list[float] = []
    while len(returns) < positions:
        policy = policy_in(batch)
        legal = batch.masks.view(np.bool_)
        explore = rng.random((_GAMES, 1)) < EXPLORATION
        played = np.where(explore, legal / legal.sum(axis=1, keepdims=True), policy)
        drawn = (played.cumsum(axis=1) <= rng.random((_GAMES, 1)) * 0.999999).sum(axis=1)
        for row, moves in enumerate(unfinished):
            moves.append(
                (
                    batch.observations[row].copy(),
                    np.packbits(legal[row]),
                    policy[row].astype(np.float16),
                    int(batch.players[row]),
                )
            )
        batch.step(drawn)
        for row in batch.over.nonzero()[0].tolist():
            for observation, packed, probabilities, mover in unfinished[row]:
                observations.append(observation)
                masks.append(packed)
                targets.append(probabilities)
                returns.append(batch.rewards[row, mover])
            unfinished[row].clear()
        batch.reset(batch.over.copy())
        report(len(returns))
    return Lessons(
        game,
        np.stack(observations),
        np.stack(masks),
        np.stack(targets),
        np.array(returns, np.float32),
    )


def imitate(
    network: PolicyNetwork,
    lessons: Lessons,
    passes: int,
    seed: int,
    report: Callable[[int, float], None],
) -> None:
    """Fit a network to lessons, in place, turned and mirrored as the game allows.

    Args:
        network: what learns.
        lessons: what it learns from.
        passes: how often it goes through all lessons.
        seed: fixes the order.
        report: called with the number of lessons of a gradient step and the mean Kullback-Leibler
            divergence from their targets.
    """
    count = len(lessons.returns)
    order = torch.Generator().manual_seed(seed)
    images = SymmetryAugmentation(lessons.game, seed)
    use_bfloat16 = uses_bfloat16("auto")
    # Convolutions are faster in this layout.
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    batches = count // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, max(2, passes * batches), pct_start=_WARM_UP
    )
    network.train()
    for _ in range(passes):
        for batch in torch.randperm(count, generator=order)[: batches * BATCH].split(BATCH):
            chosen = batch.numpy()
            bits = np.unpackbits(lessons.masks[chosen], axis=1, count=lessons.targets.shape[1])
            observations, legal, targets = map(
                torch.from_numpy,
                images.augment(
                    lessons.observations[chosen],
                    bits.view(np.bool_),
                    lessons.targets[chosen].astype(np.float32),
                ),
            )
            with torch.autocast("cpu", torch.bfloat16, enabled=use_bfloat16):
                logits, values = network(observations)
            # A large negative number, since 0 * -inf would be no number in the loss.
            logits = logits.float().masked_fill(~legal, -1e8)
            outcome = torch.from_numpy(lessons.returns[chosen])
            divergence = functional.kl_div(
                functional.log_softmax(logits, dim=1), targets, reduction="batchmean"
            )
            loss = divergence + 0.5 * functional.mse_loss(values.float()[:, 0], outcome)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
            optimizer.step()
            schedule.step()
            report(BATCH, divergence.item())
    network.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    network.eval()
