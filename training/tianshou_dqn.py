"""DQN of Tianshou against a schedule of opponents.

    tzaar-envs train --algo tianshou-dqn turm_und_waechter
    python training/tianshou_dqn.py turm_und_waechter

After a warm start the network learns the values of legal actions by DQN (Mnih et al., 2015), with
targets that the value head gives (DQV, see `common/q_values.py`), in games against baselines and
its own snapshots (see `common/opponent_schedule.py`). The learner's seat is drawn for every game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tzaar_envs.system.extras import require_extra
from tzaar_envs.training.common.means import Means
from tzaar_envs.training.common.opponent_schedule import OneSeatDqnSettings, OpponentSchedule
from tzaar_envs.training.common.session import Session


@dataclass
class Arguments(OneSeatDqnSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "tianshou-dqn"


def train(arguments: Arguments) -> None:
    """Train a policy by DQN and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `tianshou` is not installed.
    """
    require_extra("tianshou", "training", "torch", "tianshou")
    import torch
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.utils.torch_utils import policy_within_training_step

    from tzaar_envs.envs.single_agent import SingleAgentVectorEnv
    from tzaar_envs.training.libraries.tianshou_collector import BatchCollector
    from tzaar_envs.training.libraries.tianshou_policy import DQV, BudgetSchedule, QPolicy

    with Session(arguments, "Tianshou DQN") as session:
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
        buffer = collector.new_buffer(arguments.buffer_size, arguments.seed)
        torch.manual_seed(arguments.seed)
        np.random.seed(arguments.seed)  # noqa: NPY002 Tianshou shuffles with it
        network = arguments.new_network(game)
        optimizer = AdamOptimizerFactory(arguments.learning_rate)
        policy = QPolicy(model=network, action_space=env.single_action_space, seed=arguments.seed)
        algorithm = DQV(
            policy=policy,
            optim=optimizer.with_lr_scheduler_factory(BudgetSchedule(session)),
            gamma=arguments.gamma,
            n_step_return_horizon=arguments.n_steps,
            advantage_weight=arguments.advantage_weight,
        )

        # Games and replay buffer start again after a resume; the rest continues.
        session.track(network, optimizer=algorithm.optim, schedule=schedule)
        if session.resumed:
            session.restore()
            schedule.add_snapshots(session.load_snapshots())
        else:
            session.warm_start(network)
        session.checkpoint()

        first_update = session.steps + arguments.learning_starts
        while session.running:
            policy.temperature = arguments.temperature * session.learning_rate_factor
            session.steps += collector.collect(policy, arguments.rollout, buffer)
            losses = Means()
            if session.steps >= first_update:
                with policy_within_training_step(algorithm.policy):
                    for _ in range(arguments.gradient_steps):
                        statistics = algorithm.update(buffer, arguments.batch_size)
                        losses.add(loss=statistics.loss)
            if schedule.is_snapshot_due(session.steps):
                schedule.add_snapshot(session.save_snapshot(), session.steps)
            session.log(losses.metrics() | schedule.metrics, schedule.status)
            session.checkpoint()

        session.finish()


if __name__ == "__main__":
    from tzaar_envs.training.common.command import main

    main(Arguments, train)
