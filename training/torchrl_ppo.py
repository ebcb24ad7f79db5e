"""PPO of TorchRL in self-play.

    tzaar-envs train --algo torchrl turm_und_waechter
    python training/torchrl_ppo.py turm_und_waechter

After a warm start one network plays all seats in one batched environment (see
`wrappers/torchrl_env.py`), with masked actions, and learns by TorchRL's clipped loss (Schulman et
al., 2017).

TorchRL's own estimate of advantages follows a game from step to step, although the next step
belongs to another seat. Here each seat has a trajectory of its own, see `ppo.advantages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tzaar_envs.system.extras import require_extra
from tzaar_envs.training.common.means import Means
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import PPO_FROM_NOTHING, NetworkSettings, setting

if TYPE_CHECKING:
    from tensordict import TensorDict

_NOBODY = -1  # has decided anything in this slot
_KEPT = ("observation", "action_mask", "player", "action", "action_log_prob", "state_value")
_VALUE_WEIGHT = 0.5  # in the loss
_MAX_GRADIENT_NORM = 0.5
_METRICS = ("loss_objective", "loss_critic", "entropy", "kl_approx")


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(NetworkSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "torchrl"
    from_nothing: ClassVar = {**PPO_FROM_NOTHING, "rollout": 128}

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


# --- trajectories of seats -----------------------------------------------------------------------


class Trajectories:
    """Turns rollouts of games into decisions of seats with their advantages.

    Args:
        num_players: of the game.
        gamma: discount factor.
        gae_lambda: decay of the estimate.

    Attributes:
        waiting: decisions whose future the last rollout did not show, `(num_envs, num_players)`
            with a slot for each seat; None before the first rollout.
    """

    def __init__(self, num_players: int, gamma: float, gae_lambda: float) -> None:
        self.num_players = num_players
        self.gamma = gamma
        self.gae_lambda = gae_lambda
        self.waiting: TensorDict | None = None

    def extend(self, collected: TensorDict) -> TensorDict:
        """Return the decisions whose future is now known, and keep the others.

        Args:
            collected: `(num_envs, rollout)`, from TorchRL's collector.

        Returns:
            `(decisions,)`, with the entries that the loss needs.
        """
        import torch
        from tensordict import TensorDict

        from tzaar_envs.training.ppo import advantages

        following = collected["next"]
        entries = {key: collected[key] for key in _KEPT} | {
            "rewards": following["rewards"],
            "ends": following["done"][..., 0],
        }
        played = TensorDict(entries, collected.batch_size)
        if self.waiting is None:
            slots = played[:, :1].expand(len(played), self.num_players)
            self.waiting = slots.clone().zero_()
            self.waiting["player"].fill_(_NOBODY)
        whole = TensorDict.cat([self.waiting, played], dim=1)
        players, values = whole["player"].numpy(), whole["state_value"][..., 0].numpy()
        estimates, known = advantages(
            players.T,
            values.T,
            whole["rewards"].numpy().swapaxes(0, 1).astype(np.float64),
            whole["ends"].numpy().T,
            self.gamma,
            self.gae_lambda,
        )
        rows, slots = ((players != _NOBODY) & ~known.T).nonzero()
        self.waiting["player"].fill_(_NOBODY)
        self.waiting[rows, players[rows, slots]] = whole[rows, slots]
        advantage = torch.from_numpy(estimates.T.copy())[..., None]
        whole["advantage"], whole["value_target"] = advantage, advantage + whole["state_value"]
        return whole[torch.from_numpy(known.T.copy())]


# --- training ------------------------------------------------------------------------------------


def train(arguments: Arguments) -> None:
    """Train a policy by PPO in self-play and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `torchrl` is not installed.
    """
    require_extra("torchrl", "training", "torch", "torchrl")
    import torch
    from tensordict.nn import (
        ProbabilisticTensorDictModule,
        ProbabilisticTensorDictSequential,
        TensorDictModule,
    )
    from torchrl.collectors import Collector
    from torchrl.envs import ExplorationType
    from torchrl.modules import MaskedCategorical
    from torchrl.objectives import ClipPPOLoss

    from tzaar_envs.wrappers.torchrl_env import TorchRLVectorEnv

    with Session(arguments, "TorchRL PPO") as session:
        arguments, game = session.arguments, session.game  # of the resumed run, if there is one

        env = TorchRLVectorEnv(game, arguments.num_envs, seed=arguments.seed)
        torch.manual_seed(arguments.seed)
        network = arguments.new_network(game)
        actor = ProbabilisticTensorDictSequential(
            TensorDictModule(network, ["observation"], ["logits", "state_value"]),
            ProbabilisticTensorDictModule(
                in_keys={"logits": "logits", "mask": "action_mask"},
                out_keys=["action"],
                distribution_class=MaskedCategorical,
                return_log_prob=True,
            ),
        )
        # The actor has already written the value.
        critic = TensorDictModule(torch.nn.Identity(), ["state_value"], ["state_value"])
        loss_module = ClipPPOLoss(
            actor,
            critic,
            clip_epsilon=arguments.clip_range,
            entropy_coeff=arguments.entropy,
            critic_coeff=_VALUE_WEIGHT,
            loss_critic_type="l2",
            normalize_advantage=True,
            functional=False,
        )
        optimizer = torch.optim.Adam(network.parameters(), arguments.learning_rate)
        trajectories = Trajectories(game.num_players, arguments.gamma, arguments.gae_lambda)

        session.track(network, optimizer=optimizer)  # games start again after a resume
        if session.resumed:
            session.restore()
        else:
            session.warm_start(network)
        session.checkpoint()

        frames = arguments.num_envs * arguments.rollout
        collector = Collector(
            env,
            actor,
            frames_per_batch=frames,
            exploration_type=ExplorationType.RANDOM,
            track_traj_ids=False,
            auto_register_policy_transforms=False,  # the network has no memory
        )
        rollouts = iter(collector)
        while session.running:
            # --- rollout ---
            decisions = trajectories.extend(next(rollouts))
            session.steps += frames

            # --- update ---
            for group in optimizer.param_groups:
                group["lr"] = arguments.learning_rate * session.learning_rate_factor
            losses = Means()
            for _ in range(arguments.epochs):
                for rows in torch.randperm(len(decisions)).split(arguments.batch_size):
                    if len(rows) < 2:
                        continue  # a single advantage cannot be normalised
                    terms = loss_module(decisions[rows])
                    loss = terms["loss_objective"] + terms["loss_critic"] + terms["loss_entropy"]
                    optimizer.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(network.parameters(), _MAX_GRADIENT_NORM)
                    optimizer.step()
                    losses.add(**{name: terms[name] for name in _METRICS})

            session.log(losses.metrics())
            session.checkpoint()
        collector.shutdown(close_env=False)

        session.finish()


if __name__ == "__main__":
    from tzaar_envs.training.common.command import main

    main(Arguments, train)
