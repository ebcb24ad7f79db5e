"""DQN of Stable-Baselines3 in one seat.

    tzaar-envs train --algo sb3-dqn turm_und_waechter
    python training/sb3_dqn.py turm_und_waechter

The network learns the values of legal actions by DQN (Mnih et al., 2015), with targets that the
value head gives (DQV, see `common/q_values.py`), in games against its opponents and its own
snapshots (see `common/opponents.py`). The learner's seat is drawn for every game.

The library's own DQN explores among all actions and maximises over all of them. Here the mask
applies wherever actions are compared or drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.dqn.policies import DQNPolicy
from torch import Tensor

from tzaar_envs.networks.network import AnyNetwork
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.opponents import open_games
from tzaar_envs.training.common.q_values import DqnSettings, dqv_loss, draw_softmax, q_values
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import PositiveInt
from tzaar_envs.training.sb3_maskable_ppo import learn


@dataclass(kw_only=True)
class Sb3DqnArguments(DqnSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "sb3-dqn"

    buffer_size: PositiveInt = 100_000

    def check(self) -> None:
        """Refuse what is out of range, and a buffer that would hold no transition."""
        super().check()
        if self.buffer_size < 2 * self.num_envs:
            raise ValueError(
                f"buffer_size={self.buffer_size} is not allowed with num_envs={self.num_envs}: "
                "use two positions for each game, or more"
            )


# --- DQN with masks ------------------------------------------------------------------------------


class QPolicy(DQNPolicy):
    """A network of action values, without a target network.

    Args:
        *args: See the base class.
        new_network: Makes the network.
        **kwargs: See the base class.
    """

    def __init__(self, *args: Any, new_network: Callable[[], AnyNetwork], **kwargs: Any) -> None:
        self._new_network = new_network
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        self.q_net = self.q_net_target = self._new_network()
        self.optimizer = self.optimizer_class(
            self.q_net.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def set_training_mode(self, mode: bool) -> None:
        """Switch between training and evaluation."""
        self.train(mode)


class MaskedReplayBuffer(ReplayBuffer):
    """A replay buffer that also stores the legal actions, one bit per action.

    A position is stored once, since it is also the next position of the decision before. A game
    that was cut by a move cap counts as over: its rewards are those of the rules.

    Args:
        *args: See the base class.
        seed: Seed of the samples.
        n_steps: Decisions of the learner from a position to the next one of a sample.
        gamma: Discount factor.
        **kwargs: See the base class.
    """

    def __init__(self, *args: Any, seed: int, n_steps: int, gamma: float, **kwargs: Any) -> None:
        kwargs |= {"optimize_memory_usage": True, "handle_timeout_termination": False}
        super().__init__(*args, **kwargs)
        self.n_steps = n_steps
        self.gamma = gamma
        self.num_actions = int(self.action_space.n)
        self.masks = np.zeros((self.buffer_size, self.n_envs, -(-self.num_actions // 8)), np.uint8)
        self._rng = np.random.default_rng(seed)

    def add_masks(self, masks: NDArray[np.bool_]) -> None:
        """Store the legal actions of what the next `add` stores, bool `(num_envs, num_actions)`."""
        self.masks[self.pos] = np.packbits(masks, axis=1)

    def sample(
        self, batch_size: int, env: Any = None
    ) -> tuple[Tensor, ReplayBufferSamples, ReplayBufferSamples]:
        """Return random decisions.

        Args:
            batch_size: Number of decisions, `B`.
            env: Not used; SB3 scales observations with it.

        Returns:
            The legal actions, bool `(B, num_actions)`; the decisions with what came after one of
            them; and with what came after `n_steps`.
        """
        # The newest position has no transition yet.
        start, count = (self.pos + 1, self.buffer_size - 1) if self.full else (0, self.pos)
        slots = (start + self._rng.integers(count, size=batch_size)) % self.buffer_size
        rows = self._rng.integers(self.n_envs, size=batch_size)
        masks = np.unpackbits(self.masks[slots, rows], axis=1, count=self.num_actions)
        one, several = (self._samples(slots, rows, steps) for steps in (1, self.n_steps))
        return torch.from_numpy(masks.view(np.bool_)).to(self.device), one, several

    def _samples(
        self, slots: NDArray[np.int64], rows: NDArray[np.int64], steps: int
    ) -> ReplayBufferSamples:
        """Return the outcome after `steps` decisions, or as many as game and buffer have."""
        stored = (self.pos - slots) % self.buffer_size  # steps from there to the newest position
        places = np.arange(min(steps, self.buffer_size))
        at = (slots[:, None] + places) % self.buffer_size, rows[:, None]
        over = self.dones[at] > 0
        ended_before = over.cumsum(axis=1) - over > 0
        counts = ~ended_before & (places < stored[:, None])
        factors = np.power(np.float32(self.gamma), places)
        lengths = counts.sum(axis=1)
        arrays = (
            self.observations[slots, rows],
            self.actions[slots, rows],
            self.observations[(slots + lengths) % self.buffer_size, rows],
            (over & counts).any(axis=1)[:, None],
            (self.rewards[at] * factors * counts).sum(axis=1)[:, None],
            np.power(np.float32(self.gamma), lengths)[:, None],
        )
        return ReplayBufferSamples(*(torch.from_numpy(each).to(self.device) for each in arrays))


class MaskedDQN(DQN):
    """DQN (Mnih et al., 2015) on a VecEnv that has `action_masks`, with `QPolicy`.

    Actions are drawn from the softmax of their values; what SB3 calls the rate of exploration is
    its temperature.

    Args:
        *args: See the base class.
        advantage_weight: See `dqv_loss`.
        **kwargs: See the base class.
    """

    def __init__(self, *args: Any, advantage_weight: float, **kwargs: Any) -> None:
        self.advantage_weight = advantage_weight
        super().__init__(*args, **kwargs)
        self._rng = np.random.default_rng(self.seed)

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return legal actions, once to play and once for the replay buffer."""
        self._masks = self.env.action_masks().copy()
        with torch.inference_mode():
            observations, masks = torch.from_numpy(self._last_obs), torch.from_numpy(self._masks)
            values = q_values(self.q_net, observations, masks)
            drawn = draw_softmax(values, self.exploration_rate, self._rng)
            actions = drawn.numpy(force=True)
        return actions, actions

    def _store_transition(self, replay_buffer: MaskedReplayBuffer, *args: Any) -> None:
        replay_buffer.add_masks(self._masks)
        super()._store_transition(replay_buffer, *args)

    def _on_step(self) -> None:
        """Set the temperature; there is no target network to update."""
        self.exploration_rate = self.exploration_schedule(self._current_progress_remaining)

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Do gradient steps on random decisions.

        Args:
            gradient_steps: Number of steps.
            batch_size: Decisions per step.
        """
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = []
        for _ in range(gradient_steps):
            masks, one, several = self.replay_buffer.sample(batch_size)
            loss = dqv_loss(
                self.q_net,
                one.observations,
                masks,
                one.actions,
                value_targets=self.returns(several),
                action_targets=self.returns(one),
                advantage_weight=self.advantage_weight,
            )
            losses.append(loss.detach())
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
        self._n_updates += gradient_steps
        self.logger.record("train/loss", torch.stack(losses).mean().item())

    @torch.no_grad()
    def returns(self, samples: ReplayBufferSamples) -> Tensor:
        """Return the rewards and the discounted value of the later position, float32 `(B, 1)`."""
        _, values = self.q_net(samples.next_observations)
        return samples.rewards + samples.discounts * values.masked_fill(samples.dones, 0.0)


# --- training ------------------------------------------------------------------------------------


def train(arguments: Sb3DqnArguments) -> None:
    """Train a policy by DQN and measure it against the baselines.

    Raises:
        ValueError: An argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
    """
    with Session(arguments, "DQN") as session:
        game = session.game

        env, schedule = open_games(session)
        model = MaskedDQN(
            QPolicy,
            env,
            # SB3's own schedules know only steps, the session's budget may be in minutes.
            learning_rate=lambda _: arguments.learning_rate * session.learning_rate_factor,
            buffer_size=arguments.buffer_size,
            batch_size=arguments.batch_size,
            gamma=arguments.gamma,
            train_freq=arguments.rollout,
            gradient_steps=arguments.gradient_steps,
            replay_buffer_class=MaskedReplayBuffer,
            replay_buffer_kwargs={
                "seed": session.seed,
                "n_steps": arguments.n_steps,
                "gamma": arguments.gamma,
            },
            advantage_weight=arguments.advantage_weight,
            policy_kwargs={"new_network": partial(arguments.new_network, game)},
            seed=session.seed,
            device=session.device,
        )
        model.exploration_schedule = lambda _: arguments.temperature * session.learning_rate_factor
        # A replay buffer starts again after a resume.
        model.learning_starts = session.steps + arguments.learning_starts
        learn(session, model, model.q_net, schedule)


if __name__ == "__main__":
    run_as_file("sb3-dqn")
