"""DQN of Stable-Baselines3 with action masks (needs the extra `sb3`).

The library's own DQN explores among all actions and maximises over all of them. Here the mask
applies wherever actions are compared or drawn: in exploration, in the greedy choice, and in the
maximum of the target.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.dqn.policies import DQNPolicy
from torch import Tensor, nn
from torch.nn import functional

from tzaar_envs.core.game import Game
from tzaar_envs.policies.kinds import AnyNetwork, AnyShape, network_of
from tzaar_envs.training.common.q_values import q_values, random_legal


class QNetwork(nn.Module):
    """A policy network with the method that Stable-Baselines3 calls on a Q network.

    Args:
        network: of which it consists.
    """

    def __init__(self, network: AnyNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the network does."""
        result: tuple[Tensor, Tensor] = self.network(observations)
        return result

    def set_training_mode(self, mode: bool) -> None:
        """Switch between training and evaluation."""
        self.train(mode)


class QPolicy(DQNPolicy):
    """Online and target network.

    Args:
        *args: see the base class.
        shape: of both networks.
        game: the game, for how positions are turned.
        **kwargs: see the base class.
    """

    def __init__(self, *args: Any, shape: AnyShape, game: Game, **kwargs: Any) -> None:
        self.shape = shape
        self.game = game
        super().__init__(*args, **kwargs)

    def make_q_net(self) -> QNetwork:
        """Return a new network."""
        return QNetwork(network_of(self.shape, self.game))

    def copy_network(self) -> AnyNetwork:
        """Return a copy of the present network, in evaluation mode, on the CPU."""
        return copy.deepcopy(self.q_net.network).eval()

    def load_network(self, network: AnyNetwork) -> None:
        """Copy the weights of a network of the same shape, in both networks."""
        self.q_net.network.load_state_dict(network.state_dict())
        self.q_net_target.network.load_state_dict(network.state_dict())


class Samples(NamedTuple):
    """Transitions of one gradient step; `B` is the size of the batch.

    Attributes:
        observations: int8 `(B, *observation_shape)`.
        masks: the legal actions, bool `(B, num_actions)`.
        actions: int64 `(B, 1)`.
        rewards: discounted sum of the rewards until the next position, float32 `(B, 1)`.
        ends: whether the game ended before that, bool `(B, 1)`; then the next position has no
            meaning.
        discounts: of the value of the next position, float32 `(B, 1)`.
        next_observations: at a later decision of the learner, `n_steps` further where the game and
            the buffer go on for so long.
        next_masks: the legal actions there.
    """

    observations: Tensor
    masks: Tensor
    actions: Tensor
    rewards: Tensor
    ends: Tensor
    discounts: Tensor
    next_observations: Tensor
    next_masks: Tensor


class MaskedReplayBuffer(ReplayBuffer):
    """A replay buffer that also stores the legal actions, one bit per action.

    A position is stored once, since it is also the next position of the transition before. A game
    that was cut by a move cap counts as over: its rewards are those of the rules.

    Args:
        *args: see the base class.
        seed: fixes the samples.
        n_steps: decisions of the learner from a position to the next one of a sample.
        gamma: discount factor.
        **kwargs: see the base class.
    """

    def __init__(self, *args: Any, seed: int, n_steps: int, gamma: float, **kwargs: Any) -> None:
        kwargs |= {"optimize_memory_usage": True, "handle_timeout_termination": False}
        super().__init__(*args, **kwargs)
        self.n_steps = n_steps
        self.gamma = gamma
        self.num_actions = int(self.action_space.n)
        self.masks = np.zeros((self.buffer_size, self.n_envs, -(-self.num_actions // 8)), np.uint8)
        self._rng = np.random.default_rng(seed)

    def add_masks(self, masks: NDArray[np.bool_], next_masks: NDArray[np.bool_]) -> None:
        """Store the masks of the transitions that the next `add` stores.

        Args:
            masks: the legal actions, bool `(num_envs, num_actions)`.
            next_masks: those of the next position, which is of a new game where one has ended.
        """
        self.masks[self.pos] = np.packbits(masks, axis=1)
        self.masks[(self.pos + 1) % self.buffer_size] = np.packbits(next_masks, axis=1)

    def sample(self, batch_size: int, env: Any = None) -> Samples:
        """Return random transitions.

        Args:
            batch_size: number of transitions.
            env: not used; SB3 scales observations with it.
        """
        # The newest position has no transition yet.
        start, count = (self.pos + 1, self.buffer_size - 1) if self.full else (0, self.pos)
        slots = (start + self._rng.integers(count, size=batch_size)) % self.buffer_size
        rows = self._rng.integers(self.n_envs, size=batch_size)
        rewards, ends, discounts, following = self._add_up(slots, rows)

        def legal(at: NDArray[np.int64]) -> NDArray[np.bool_]:
            bits = np.unpackbits(self.masks[at, rows], axis=1, count=self.num_actions)
            return bits.view(np.bool_)

        arrays = (
            self.observations[slots, rows],
            legal(slots),
            self.actions[slots, rows],
            rewards[:, None],
            ends[:, None],
            discounts[:, None],
            self.observations[following, rows],
            legal(following),
        )
        return Samples(*map(torch.from_numpy, arrays))

    def _add_up(
        self, slots: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32], NDArray[np.int64]]:
        """Return rewards, ends, discounts and next slots of transitions over several steps."""
        stored = (self.pos - slots) % self.buffer_size  # steps from there to the newest position
        rewards = np.zeros(len(slots), np.float32)
        ends = np.zeros(len(slots), np.bool_)
        steps = np.zeros(len(slots), np.int64)
        for step in range(self.n_steps):
            at = (slots + step) % self.buffer_size
            goes_on = ~ends & (step < stored)
            rewards += np.where(goes_on, self.gamma**step * self.rewards[at, rows], 0.0)
            ends |= goes_on & (self.dones[at, rows] > 0)
            steps += goes_on
        discounts = np.power(np.float32(self.gamma), steps)
        return rewards, ends, discounts, (slots + steps) % self.buffer_size


class MaskedDQN(DQN):
    """DQN (Mnih et al., 2015) on a VecEnv that has `action_masks`, with `QPolicy`.

    Each decision explores on its own, where SB3 draws once for all games.
    """

    def _setup_model(self) -> None:
        super()._setup_model()
        self._rng = np.random.default_rng(self.seed)

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return legal actions, once to play and once for the replay buffer."""
        self._masks = self.env.action_masks().copy()
        with torch.inference_mode():
            observations, masks = torch.from_numpy(self._last_obs), torch.from_numpy(self._masks)
            actions = q_values(self.q_net, observations, masks).argmax(dim=1).numpy()
        explore = self._rng.random(n_envs) < self.exploration_rate
        actions = np.where(explore, random_legal(self._masks, self._rng), actions)
        return actions, actions

    def _store_transition(self, replay_buffer: MaskedReplayBuffer, *args: Any) -> None:
        replay_buffer.add_masks(self._masks, self.env.action_masks())
        super()._store_transition(replay_buffer, *args)

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Do gradient steps on random transitions.

        Args:
            gradient_steps: number of steps.
            batch_size: transitions per step.
        """
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = []
        for _ in range(gradient_steps):
            samples = self.replay_buffer.sample(batch_size)
            with torch.no_grad():
                following = q_values(
                    self.q_net_target, samples.next_observations, samples.next_masks
                ).amax(dim=1, keepdim=True)
                targets = samples.rewards + samples.discounts * following.masked_fill(
                    samples.ends, 0.0
                )
            values = q_values(self.q_net, samples.observations, samples.masks)
            loss = functional.smooth_l1_loss(values.gather(1, samples.actions), targets)
            losses.append(loss.item())
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
        self._n_updates += gradient_steps
        self.logger.record("train/loss", np.mean(losses))
        self.logger.dump(self.num_timesteps)
