"""MaskablePPO of sb3-contrib against a schedule of opponents.

    tzaar-envs train turm_und_waechter
    python training/sb3_maskable_ppo.py turm_und_waechter

The network learns by PPO with masked actions (Huang and Ontañón, 2020) in games against baselines,
some of which err, and its own snapshots (see `common/opponent_schedule.py`). The learner's seat is
drawn for every game. The change of the game's evaluation function is a reward too (`--shaping`): so
most decisions are rewarded at once, and a short trace (`--gae-lambda`) has little noise.
"""

from __future__ import annotations

from dataclasses import dataclass

from tzaar_envs.system.extras import require_extra
from tzaar_envs.training.common.opponent_schedule import OneSeatPpoSettings, OpponentSchedule
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import setting


@dataclass
class Arguments(OneSeatPpoSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "sb3"

    imitation: int = setting(
        "Number of positions for a warm start by imitation; 0 skips it.", 0, "not negative"
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
    from tzaar_envs.training.libraries.sb3_policy import NetworkPolicy
    from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

    with Session(arguments, "MaskablePPO") as session:
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
        model = MaskablePPO(
            NetworkPolicy,
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
            policy_kwargs={"shape": arguments.network_shape(game), "game": game},
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
            env.shaping = arguments.shaping * (1 - session.progress)
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
