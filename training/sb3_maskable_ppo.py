"""MaskablePPO of sb3-contrib against a schedule of opponents.

    tzaar-envs train turm_und_waechter
    python training/sb3_maskable_ppo.py turm_und_waechter

After a warm start the network learns by PPO with masked actions (Huang and Ontañón, 2020) in games
against baselines and its own snapshots (see `common/opponent_schedule.py`). The learner's seat is
drawn for every game.
"""

from __future__ import annotations

from dataclasses import dataclass

from tzaar_envs.system.extras import require_extra
from tzaar_envs.training.common.opponent_schedule import OpponentSchedule, OpponentSettings
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import setting


@dataclass
class Arguments(OpponentSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "sb3"

    epochs: int = setting("Passes over the samples in each update.", 3, "positive")
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
    """Train a policy by MaskablePPO and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    require_extra("sb3", "training", "sb3_contrib")
    from sb3_contrib import MaskablePPO

    from tzaar_envs.training.libraries.sb3_callback import SessionCallback, session_logger
    from tzaar_envs.training.libraries.sb3_policy import TrunkPolicy
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

    with Session(arguments, "MaskablePPO") as session:
        arguments, game = session.arguments, session.game  # of the resumed run, if there is one

        env = SingleAgentVecEnv(
            game,
            session.baselines[:1],
            arguments.num_envs,
            seed=arguments.seed,
            shaping=arguments.shaping,
            gamma=arguments.gamma,
        )
        schedule = OpponentSchedule(env.pool, session.baseline_agents(), arguments.snapshot_every)
        model = MaskablePPO(
            TrunkPolicy,
            env,
            # SB3's own schedules know only steps, the session's budget may be in minutes.
            learning_rate=lambda _: arguments.learning_rate * session.learning_rate_factor,
            n_steps=arguments.rollout,
            batch_size=arguments.batch_size,
            n_epochs=arguments.epochs,
            gamma=arguments.gamma,
            gae_lambda=arguments.gae_lambda,
            clip_range=arguments.clip_range,
            ent_coef=arguments.entropy,
            policy_kwargs={"shape": arguments.network_shape(game)},
            seed=arguments.seed,
            device="cpu",
        )
        model.set_logger(session_logger(session))
        callback = SessionCallback(session, schedule)

        # Games start again after a resume; the rest continues.
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
