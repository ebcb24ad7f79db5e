"""Train a policy by PPO of TorchRL in self-play and measure it against the baselines.

    tzaar-envs train --algo torchrl turm_und_waechter
    python training/torchrl_ppo.py turm_und_waechter

TorchRL collects the games from one batched environment (see `wrappers.torchrl_env`), in which one
network plays all seats with masked actions, and learns from them by its clipped loss (Schulman et
al., 2017). It first imitates a baseline of the game (see `imitation`). Everything that a run makes
lies in its folder (see `run_folder`).

TorchRL's own estimate of advantages follows a game from step to step, though the next step is
another seat's. Here each seat's decisions are a thread of their own, see `ppo.advantages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tzaar_envs.training.ppo import advantages
from tzaar_envs.training.run import Run, run_script
from tzaar_envs.training.settings import Settings, setting

if TYPE_CHECKING:
    from tensordict import TensorDict


_NOBODY = -1  # has decided anything in this slot
_KEPT = ("observation", "action_mask", "player", "action", "action_log_prob", "state_value")
_VALUE_WEIGHT = 0.5  # of the loss
_LARGEST_GRADIENT = 0.5  # norm


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(Settings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "torchrl"

    num_envs: int = setting("Number of games played in parallel.", 512, "positive")
    rollout: int = setting("Steps of each game between two updates of the network.", 32, "positive")
    batch_size: int = setting("Samples in each gradient step.", 1024, "positive")
    epochs: int = setting("Passes over the samples in each update.", 1, "positive")
    learning_rate: float = setting("Initial learning rate; decays to 10 %.", 1e-3, "positive")
    gamma: float = setting(
        "Discount factor of future rewards, from one decision of a player to its next.",
        0.99,
        "fraction",
    )
    gae_lambda: float = setting(
        "Smoothing factor (lambda) of generalized advantage estimation.", 0.95, "fraction"
    )
    clip_range: float = setting(
        "PPO clipping range: how far the probability ratio may move from 1.", 0.2, "fraction"
    )
    entropy: float = setting(
        "Weight of the entropy bonus, which rewards exploration.", 0.005, "not negative"
    )


def train(arguments: Arguments) -> None:
    """Train a policy by PPO in self-play and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `torchrl` is not installed.
    """
    run_script(TorchRLRun, arguments)


# --- the run -------------------------------------------------------------------------------------


class TorchRLRun(Run[Arguments]):
    """PPO of TorchRL in self-play."""

    title = "TorchRL PPO"
    extra = "torchrl"
    packages = ("torchrl",)

    def build(self) -> None:
        """Make games, network, loss and optimizer."""
        import torch
        from tensordict.nn import (
            ProbabilisticTensorDictModule,
            ProbabilisticTensorDictSequential,
            TensorDictModule,
        )
        from torchrl.modules import MaskedCategorical
        from torchrl.objectives import ClipPPOLoss

        from tzaar_envs.policies.network import PolicyNetwork
        from tzaar_envs.wrappers.torchrl_env import TorchRLVectorEnv

        arguments = self.settings
        self.env = TorchRLVectorEnv(self.game, arguments.num_envs, seed=arguments.seed)
        torch.manual_seed(arguments.seed)
        self.learner = PolicyNetwork(self.shape)
        self.actor = ProbabilisticTensorDictSequential(
            TensorDictModule(self.learner, ["observation"], ["logits", "state_value"]),
            ProbabilisticTensorDictModule(
                in_keys={"logits": "logits", "mask": "action_mask"},
                out_keys=["action"],
                distribution_class=MaskedCategorical,
                return_log_prob=True,
            ),
        )
        # The actor's pass has left the value already.
        critic = TensorDictModule(torch.nn.Identity(), ["state_value"], ["state_value"])
        self.loss = ClipPPOLoss(
            self.actor,
            critic,
            clip_epsilon=arguments.clip_range,
            entropy_coeff=arguments.entropy,
            critic_coeff=_VALUE_WEIGHT,
            loss_critic_type="l2",
            normalize_advantage=True,
            functional=False,
        )
        self.optimizer = torch.optim.Adam(self.learner.parameters(), arguments.learning_rate)
        self.waiting: TensorDict | None = None  # see `_join`

    def learn(self) -> None:
        """Play and learn until the budget is used."""
        from torchrl.collectors import Collector
        from torchrl.envs import ExplorationType

        frames = self.settings.num_envs * self.settings.rollout
        collector = Collector(
            self.env,
            self.actor,
            frames_per_batch=frames,
            exploration_type=ExplorationType.RANDOM,
            track_traj_ids=False,
            auto_register_policy_transforms=False,  # the network remembers nothing
        )
        try:
            for collected in collector:
                losses = self._update(self._join(collected))
                self.steps += frames
                self.after_update(losses)
                if self.used >= 1.0:
                    break
        finally:
            collector.shutdown(close_env=False)

    def _join(self, collected: TensorDict) -> TensorDict:
        """Return decisions whose future is known, with their advantages, and keep the others.

        Args:
            collected: `(num_envs, rollout)`, as TorchRL collects.

        Returns:
            `(decisions,)`, with what the loss asks for.
        """
        import torch
        from tensordict import TensorDict

        arguments, seats = self.settings, self.game.num_players
        following = collected["next"]
        entries = {key: collected[key] for key in _KEPT} | {
            "rewards": following["rewards"],
            "ends": following["done"][..., 0],
        }
        played = TensorDict(entries, collected.batch_size)
        if self.waiting is None:
            # The slot of each seat for its decision whose future the last rollout did not show.
            self.waiting = played[:, :1].expand(arguments.num_envs, seats).clone().zero_()
            self.waiting["player"].fill_(_NOBODY)
        whole = TensorDict.cat([self.waiting, played], dim=1)
        players, values = whole["player"].numpy(), whole["state_value"][..., 0].numpy()
        estimates, known = advantages(
            players.T,
            values.T,
            whole["rewards"].numpy().swapaxes(0, 1).astype(np.float64),
            whole["ends"].numpy().T,
            arguments.gamma,
            arguments.gae_lambda,
        )
        rows, slots = ((players != _NOBODY) & ~known.T).nonzero()
        self.waiting["player"].fill_(_NOBODY)
        self.waiting[rows, players[rows, slots]] = whole[rows, slots]
        advantage = torch.from_numpy(estimates.T.copy())[..., None]
        whole["advantage"], whole["value_target"] = advantage, advantage + whole["state_value"]
        return whole[torch.from_numpy(known.T.copy())]

    def _update(self, decisions: TensorDict) -> dict[str, float]:
        """Learn from decisions, return what to log."""
        import torch

        arguments = self.settings
        for group in self.optimizer.param_groups:
            group["lr"] = arguments.learning_rate * self.decay
        sums: dict[str, float] = {}
        batches = 0
        for _ in range(arguments.epochs):
            for rows in torch.randperm(len(decisions)).split(arguments.batch_size):
                if len(rows) < 2:
                    continue  # a single sample has no spread to be scaled by
                losses = self.loss(decisions[rows])
                self.optimizer.zero_grad()
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.learner.parameters(), _LARGEST_GRADIENT)
                self.optimizer.step()
                for name in ("loss_objective", "loss_critic", "entropy", "kl_approx"):
                    sums[name] = sums.get(name, 0.0) + losses[name].item()
                batches += 1
        return {f"train/{name}": total / batches for name, total in sums.items()}

    # --- checkpoints ---

    def state(self) -> dict[str, Any]:
        """Return what learning goes on from; the games begin anew."""
        return {"network": self.learner.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned."""
        self.learner.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
