"""Warm start of a network by behaviour cloning.

A teacher plays games, with a random action now and then, and the network is fitted to them: the
policy head to what the teacher would play, the value head to how the game ended. A teacher that
values every legal action, such as `greedy`, demonstrates the softmax of these values; any other
agent, such as a search, demonstrates the action that it chooses.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.agents.searchers import BestActionAgent
from tzaar_envs.core.batch import Batch
from tzaar_envs.core.game import Game
from tzaar_envs.jit.rng import new_generator
from tzaar_envs.networks.network import ILLEGAL_LOGIT
from tzaar_envs.training.common.precision import uses_bfloat16
from tzaar_envs.training.common.progress import ProgressBars
from tzaar_envs.training.common.settings import Settings
from tzaar_envs.wrappers.symmetries import SymmetryAugmentation

if TYPE_CHECKING:
    from tzaar_envs.networks.network import AnyNetwork

TEMPERATURE = 0.005  # of the softmax: an action that is 0.005 worse is e times less likely
EXPLORATION = 0.2  # rate of random actions
LEARNING_RATE = 2e-3  # at its peak
BATCH = 256
_WARM_UP = 0.1  # share of the gradient steps until the learning rate peaks
_MAX_GRADIENT_NORM = 1.0
_GAMES = 128  # played at once


@dataclass(frozen=True)
class Demonstrations:
    """`N` positions with the targets of the network.

    Attributes:
        game: the game.
        observations: int8 `(N, *observation_shape)` of the player to move.
        masks: the legal actions, bool `(N, num_actions)` packed to bits along the second axis.
        targets: the teacher's policy, float16 `(N, num_actions)`, probabilities.
        returns: of the player to move, float32 `(N,)`.
    """

    game: Game
    observations: NDArray[np.int8]
    masks: NDArray[np.uint8]
    targets: NDArray[np.float16]
    returns: NDArray[np.float32]


def warm_start(
    network: AnyNetwork, game: Game, settings: Settings, bars: ProgressBars, seconds: float
) -> None:
    """Fit a network to games of a teacher, and show how far that is.

    The network changes at the end only, so an interruption leaves it as it was.

    Args:
        network: the network to fit, in place.
        game: the game.
        settings: the teacher, the number of positions and passes, and the seed.
        bars: where to show it.
        seconds: when they are over, it ends with what there is; half of them are for the games.
    """
    begun = time.monotonic()
    teacher = make_agent(settings.teacher, game)
    playing = bars.add(f"{teacher.name} plays", total=settings.imitation)
    demonstrations = collect_demonstrations(
        game, teacher, settings.imitation, settings.seed, playing.move_to, seconds / 2
    )
    left = seconds - (time.monotonic() - begun)
    total = settings.imitation_passes * len(demonstrations.returns)
    cloning = bars.add("warm start", total=total)
    fitted = copy.deepcopy(network)
    clone_behaviour(
        fitted,
        demonstrations,
        settings.imitation_passes,
        settings.seed,
        lambda done, divergence: cloning.advance(done, f"divergence {divergence:.2f}"),
        left,
    )
    cloning.move_to(total)
    network.load_state_dict(fitted.state_dict())


def policy_of(teacher: Agent, seed: int) -> Callable[[Batch], NDArray[np.float64]]:
    """Return the policy that a teacher demonstrates.

    Args:
        teacher: any agent.
        seed: fixes its choices.

    Returns:
        A function from a batch of `n` running games to probabilities, float64 `(n, num_actions)`.
    """
    if isinstance(teacher, BestActionAgent):
        action_values, rng = teacher.action_values, new_generator(seed)

        def softmax_of_values(batch: Batch) -> NDArray[np.float64]:
            values = action_values(teacher.game, batch.states.copy(), rng)
            policy = np.exp((values - values.max(axis=1, keepdims=True)) / TEMPERATURE)
            return policy / policy.sum(axis=1, keepdims=True)

        return softmax_of_values

    teacher.seed(seed)

    def chosen_action(batch: Batch) -> NDArray[np.float64]:
        rows = np.arange(len(batch.states))
        policy = np.zeros((len(rows), teacher.game.num_actions))
        answers = batch.legal_answers(teacher.name, teacher.act_rows(batch, rows), rows)
        policy[rows, answers] = 1.0
        return policy

    return chosen_action


def collect_demonstrations(
    game: Game,
    teacher: Agent,
    positions: int,
    seed: int,
    report: Callable[[int], None],
    seconds: float = math.inf,
) -> Demonstrations:
    """Let a teacher play games, and record at least `positions` positions.

    Args:
        game: the game.
        teacher: any agent.
        positions: the least number of positions.
        seed: fixes the games.
        report: called with the number of positions so far.
        seconds: when they are over, fewer positions will do.
    """
    deadline = time.monotonic() + seconds
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
    while len(returns) < positions and not (len(returns) >= BATCH and time.monotonic() >= deadline):
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
    return Demonstrations(
        game,
        np.stack(observations),
        np.stack(masks),
        np.stack(targets),
        np.array(returns, np.float32),
    )


def one_cycle(progress: float) -> float:
    """Return the factor of the learning rate: a steep rise, then a slow fall to 0, as cosines."""
    if progress < _WARM_UP:
        return 0.5 - 0.5 * math.cos(math.pi * progress / _WARM_UP)
    return 0.5 + 0.5 * math.cos(math.pi * (progress - _WARM_UP) / (1 - _WARM_UP))


def clone_behaviour(
    network: AnyNetwork,
    demonstrations: Demonstrations,
    passes: int,
    seed: int,
    report: Callable[[int, float], None],
    seconds: float = math.inf,
) -> None:
    """Fit a network to demonstrations, in place, with random symmetries of the game.

    Args:
        network: the network to fit.
        demonstrations: the positions and their targets.
        passes: passes over all positions.
        seed: fixes order and symmetries.
        report: called after each gradient step with its number of positions, and the mean
            Kullback-Leibler divergence of their targets from the policy.
        seconds: when they are over, the fitting ends; its learning rate falls accordingly.
    """
    begun = time.monotonic()
    count = len(demonstrations.returns)
    order = torch.Generator().manual_seed(seed)
    symmetries = SymmetryAugmentation(demonstrations.game, seed)
    use_bfloat16 = uses_bfloat16("auto")
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    batches = count // BATCH
    steps = max(1, passes * batches)
    step = 0
    network.train()
    for _ in range(passes):
        for batch in torch.randperm(count, generator=order)[: batches * BATCH].split(BATCH):
            progress = max((step + 0.5) / steps, (time.monotonic() - begun) / max(seconds, 1e-9))
            if progress >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = LEARNING_RATE * one_cycle(progress)
            step += 1
            chosen = batch.numpy()
            bits = np.unpackbits(
                demonstrations.masks[chosen], axis=1, count=demonstrations.targets.shape[1]
            )
            observations, legal, targets = map(
                torch.from_numpy,
                symmetries.augment(
                    demonstrations.observations[chosen],
                    bits.view(np.bool_),
                    demonstrations.targets[chosen].astype(np.float32),
                ),
            )
            with torch.autocast("cpu", torch.bfloat16, enabled=use_bfloat16):
                logits, values = network(observations)
            logits = logits.float().masked_fill(~legal, ILLEGAL_LOGIT)
            outcome = torch.from_numpy(demonstrations.returns[chosen])
            divergence = functional.kl_div(
                functional.log_softmax(logits, dim=1), targets, reduction="batchmean"
            )
            loss = divergence + 0.5 * functional.mse_loss(values.float()[:, 0], outcome)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), _MAX_GRADIENT_NORM)
            optimizer.step()
            report(BATCH, divergence.item())
    network.eval()
