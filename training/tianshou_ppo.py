"""PPO of Tianshou against a schedule of opponents.

    tzaar-envs train --algo tianshou-ppo turm_und_waechter
    python training/tianshou_ppo.py turm_und_waechter

After a warm start the network learns by PPO (Schulman et al., 2017) with masked actions in games
against baselines and its own snapshots (see `common/opponent_schedule.py`). The learner's seat is
drawn for every game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tzaar_envs.system.extras import require_extra
from tzaar_envs.training.common.opponent_schedule import OneSeatPpoSettings, OpponentSchedule
from tzaar_envs.training.common.session import Session

_VALUE_WEIGHT = 0.5  # in the loss
_MAX_GRADIENT_NORM = 0.5


@dataclass
class Arguments(OneSeatPpoSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "tianshou-ppo"


def train(arguments: Arguments) -> None:
    """Train a policy by PPO and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `tianshou` is not installed.
    """
    require_extra("tianshou", "training", "torch", "tianshou")
    import torch
    from tianshou.algorithm import PPO
    from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.utils.torch_utils import policy_within_training_step

    from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
    from tzaar_envs.training.libraries.tianshou_collector import BatchCollector
    from tzaar_envs.training.libraries.tianshou_policy import Actor, BudgetSchedule, Critic

    with Session(arguments, "Tianshou PPO") as session:
        arguments, game = session.arguments, session.game  # of the resumed run, if there is one

        env = SingleAgentVectorEnv(
            game,
            session.baselines[:1],
            num_envs=arguments.num_envs,
            seed=arguments.seed,
            autoreset="disabled",
            illegal="raise",
        )
        schedule = OpponentSchedule(env.pool, session.baseline_agents(), arguments.snapshot_every)
        collector = BatchCollector(
            env, schedule, arguments.shaping, arguments.gamma, arguments.draw
        )
        buffer = collector.new_buffer(arguments.num_envs * arguments.rollout, arguments.seed)
        torch.manual_seed(arguments.seed)
        np.random.seed(arguments.seed)  # noqa: NPY002 Tianshou shuffles with it
        network = arguments.new_network(game)
        actor = Actor(network)
        optimizer = AdamOptimizerFactory(arguments.learning_rate)
        algorithm = PPO(
            policy=DiscreteActorPolicy(actor=actor, action_space=env.single_action_space),
            critic=Critic(actor),
            optim=optimizer.with_lr_scheduler_factory(BudgetSchedule(session)),
            eps_clip=arguments.clip_range,
            vf_coef=_VALUE_WEIGHT,
            ent_coef=arguments.entropy,
            max_grad_norm=_MAX_GRADIENT_NORM,
            gae_lambda=arguments.gae_lambda,
            max_batchsize=arguments.batch_size,
            gamma=arguments.gamma,
        )

        # Games start again after a resume; the rest continues.
        session.track(network, optimizer=algorithm.optim, schedule=schedule)
        if session.resumed:
            session.restore()
            schedule.add_snapshots(session.load_snapshots())
        else:
            session.warm_start(network)
        session.checkpoint()

        while session.running:
            session.steps += collector.collect(algorithm.policy, arguments.rollout, buffer)
            with policy_within_training_step(algorithm.policy):
                statistics = algorithm.update(buffer, arguments.batch_size, arguments.epochs)
            buffer.reset(keep_statistics=True)
            if schedule.is_snapshot_due(session.steps):
                schedule.add_snapshot(session.save_snapshot(), session.steps)
            losses = statistics.get_loss_stats_dict()
            losses = {f"train/{name}": value for name, value in losses.items()}
            session.log(losses | schedule.metrics, schedule.status)
            session.checkpoint()

        session.finish()


if __name__ == "__main__":
    from tzaar_envs.training.common.command import main

    main(Arguments, train)
