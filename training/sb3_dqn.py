"""DQN of Stable-Baselines3 against a schedule of opponents.

    tzaar-envs train --algo sb3-dqn turm_und_waechter
    python training/sb3_dqn.py turm_und_waechter

After a warm start the network learns the values of legal actions by DQN (Mnih et al., 2015), with
targets that the value head gives (DQV, see `common/q_values.py`), in games against baselines and
its own snapshots (see `common/opponent_schedule.py`). The learner's seat is drawn for every game.
"""

from __future__ import annotations

from dataclasses import dataclass

from tzaar_envs.system.extras import require_extra
from tzaar_envs.training.common.opponent_schedule import OneSeatDqnSettings, OpponentSchedule
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import setting


@dataclass
class Arguments(OneSeatDqnSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "sb3-dqn"
    buffer_size: int = setting("Capacity of the replay buffer, in decisions.", 100_000, "positive")


def train(arguments: Arguments) -> None:
    """Train a policy by DQN and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    require_extra("sb3", "training", "stable_baselines3")
    from tzaar_envs.training.libraries.sb3_callback import SessionCallback, session_logger
    from tzaar_envs.training.libraries.sb3_masked_dqn import (
        MaskedDQN,
        MaskedReplayBuffer,
        QPolicy,
    )
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

    with Session(arguments, "DQN") as session:
        arguments, game = session.arguments, session.game  # of the resumed run, if there is one

        env = SingleAgentVecEnv(
            game,
            session.baselines[:1],
            arguments.num_envs,
            seed=arguments.seed,
            draw=arguments.draw,
            shaping=arguments.shaping,
            gamma=arguments.gamma,
        )
        schedule = OpponentSchedule(env.pool, session.baseline_agents(), arguments.snapshot_every)
        model = MaskedDQN(
            QPolicy,
            env,
            # SB3's own schedules know only steps, the session's budget may be in minutes.
            learning_rate=lambda _: arguments.learning_rate * session.learning_rate_factor,
            buffer_size=arguments.buffer_size,
            learning_starts=arguments.learning_starts,
            batch_size=arguments.batch_size,
            gamma=arguments.gamma,
            train_freq=arguments.rollout,
            gradient_steps=arguments.gradient_steps,
            replay_buffer_class=MaskedReplayBuffer,
            replay_buffer_kwargs={
                "seed": arguments.seed,
                "n_steps": arguments.n_steps,
                "gamma": arguments.gamma,
            },
            advantage_weight=arguments.advantage_weight,
            policy_kwargs={"shape": arguments.network_shape(game), "game": game},
            seed=arguments.seed,
            device="cpu",
        )
        model.exploration_schedule = lambda _: arguments.temperature * session.learning_rate_factor
        model.set_logger(session_logger(session))
        callback = SessionCallback(session, schedule)

        # Games and replay buffer start again after a resume; the rest continues.
        session.track(
            model.policy.copy_network,
            policy=model.policy,
            optimizer=model.policy.optimizer,
            schedule=schedule,
        )
        if session.resumed:
            session.restore()
            schedule.add_snapshots(session.load_snapshots())
            model.num_timesteps = session.steps
            model.learning_starts = session.steps + arguments.learning_starts
        else:
            network = model.policy.copy_network()
            session.warm_start(network)
            model.policy.load_network(network)
        session.checkpoint()

        while session.running:
            # One rollout of all games and one update.
            model.learn(
                arguments.num_envs * arguments.rollout,
                callback=callback,
                log_interval=None,  # updates log themselves
                reset_num_timesteps=False,
            )
            if schedule.is_snapshot_due(session.steps):
                schedule.add_snapshot(session.save_snapshot(), session.steps)
            session.log(schedule.metrics, schedule.status)
            session.checkpoint()

        session.finish()


if __name__ == "__main__":
    from tzaar_envs.training.common.command import main

    main(Arguments, train)
