"""PPO of RLlib in a league.

    tzaar-envs train --algo rllib turm_und_waechter
    python training/rllib_ppo.py turm_und_waechter

After a warm start the network learns by PPO with masked actions (Huang and Ontañón, 2020) in games
against itself, its own snapshots and random moves (see `libraries/rllib_league.py`). The games are
played by RLlib's env runners: processes on this machine, or anywhere in the Ray cluster at
`--address`. Env runners that die are replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tzaar_envs.core.game import Game
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.machine import FamilyClock
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import PPO_FROM_NOTHING, NetworkSettings, setting

if TYPE_CHECKING:
    from ray.rllib.algorithms.ppo import PPOConfig

    from tzaar_envs.networks.network import AnyShape

_VALUE_WEIGHT = 0.5  # in the loss
_MAX_GRADIENT_NORM = 0.5
_PROBE = 1.0  # seconds that an update waits for an env runner that is being replaced


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(NetworkSettings):
    """Arguments of a run; the defaults train any game in minutes on two cores."""

    algorithm = "rllib"
    # With processes that play, a step of a game takes more CPU time.
    from_nothing: ClassVar = {**PPO_FROM_NOTHING, "rollout": 64, "runners": 0}

    runners: int = setting(
        "Number of processes that play games; 0: the learning process plays them.",
        2,
        "cores",
    )
    num_envs: int = setting("Number of games that each process plays in parallel.", 64, "positive")
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
    snapshots: int = setting("Maximum number of earlier policies in the league.", 4, "positive")
    snapshot_every: int = setting(
        "Maximum number of steps until a snapshot joins the league.", 100_000, "positive"
    )
    snapshot_wins: float = setting(
        "Win rate against the league at which a snapshot joins it early.", 0.7, "fraction"
    )
    address: str = setting(
        "Address of a running Ray cluster, or `auto` to find one. [default: Ray on this "
        "machine only]",
        "",
    )

    def cpu_clock(self) -> FamilyClock:
        """Return the CPU clock of a run: also of the env runners on this machine."""
        return FamilyClock()


# --- RLlib's configuration ------------------------------------------------------------------------


def configure(arguments: Arguments, game: Game, shape: AnyShape) -> PPOConfig:
    """Return the configuration of RLlib's algorithm."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec

    from tzaar_envs.training.libraries import rllib_module as module
    from tzaar_envs.training.libraries.rllib_algorithm import PATIENCE
    from tzaar_envs.training.libraries.rllib_callback import LeagueCallback, module_of
    from tzaar_envs.training.libraries.rllib_league import LEARNER, RANDOM, snapshot_names
    from tzaar_envs.training.libraries.rllib_learner import LeagueLearner
    from tzaar_envs.wrappers.rllib_env import RLlibEnv

    env_config = {"game": game.name, "illegal": "raise", **game.options}
    env = RLlibEnv(env_config)
    kinds = {
        LEARNER: module.LearningModule,
        RANDOM: module.UniformModule,
        **dict.fromkeys(snapshot_names(arguments.snapshots), module.PolicyModule),
    }
    agent = env.possible_agents[0]
    spaces = env.observation_spaces[agent], env.action_spaces[agent]
    specs = {name: module.spec_of(kind, *spaces, shape) for name, kind in kinds.items()}
    decisions = arguments.num_envs * arguments.rollout * max(1, arguments.runners)
    return (
        PPOConfig()
        # RLlib's check would play an illegal action.
        .environment(RLlibEnv, env_config=env_config, disable_env_checking=True)
        .env_runners(
            num_env_runners=arguments.runners,
            num_envs_per_env_runner=arguments.num_envs,
            rollout_fragment_length=arguments.rollout,
            sample_timeout_s=PATIENCE,
        )
        .fault_tolerance(restart_failed_env_runners=True, env_runner_health_probe_timeout_s=_PROBE)
        .multi_agent(
            policies=set(specs),
            policy_mapping_fn=module_of,
            policies_to_train=[LEARNER],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs))
        .callbacks(LeagueCallback)
        .learners(num_learners=0, learner_class=LeagueLearner)
        .training(
            train_batch_size_per_learner=decisions,
            minibatch_size=min(arguments.batch_size, decisions),
            num_epochs=arguments.epochs,
            gamma=arguments.gamma,
            lambda_=arguments.gae_lambda,
            clip_param=arguments.clip_range,
            entropy_coeff=arguments.entropy,
            vf_loss_coeff=_VALUE_WEIGHT,
            use_kl_loss=False,
            grad_clip=_MAX_GRADIENT_NORM,
            grad_clip_by="global_norm",
        )
        .debugging(seed=arguments.seed, log_level="ERROR")
    )


# --- training ------------------------------------------------------------------------------------


def train(arguments: Arguments) -> None:
    """Train a policy by PPO in a league and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `rllib` is not installed.
        ConnectionError: there is no Ray cluster at `address`.
    """
    require_extra("rllib", "training", "torch", "ray.rllib", "psutil")
    import torch

    from tzaar_envs.networks.network import network_of
    from tzaar_envs.training.libraries.ray_cluster import ray_cluster
    from tzaar_envs.training.libraries.rllib_algorithm import LeagueAlgorithm

    with Session(arguments, "RLlib PPO") as session:
        arguments, game = session.arguments, session.game  # of the resumed run, if there is one
        # Modules are made in other processes, from plain values: without tables of how to turn.
        shape = arguments.network_shape(game, turned=False)
        config = configure(arguments, game, shape)

        with (
            ray_cluster(arguments.address, arguments.runners),
            LeagueAlgorithm(config, shape, arguments.snapshots) as league,
        ):
            # Games start again after a resume; the rest continues.
            session.track(league.copy_network, league=league)
            if session.resumed:
                session.restore()
            else:
                torch.manual_seed(arguments.seed)
                network = network_of(shape)
                session.warm_start(network)
                league.load_network(network)
            session.checkpoint()

            while session.running:
                # One rollout of all games and one update.
                rate = arguments.learning_rate * session.learning_rate_factor
                league.set_learning_rate(rate)
                decisions, metrics = league.train()
                session.steps += decisions
                if league.record.is_due(
                    session.steps, arguments.snapshot_every, arguments.snapshot_wins
                ):
                    session.save_snapshot()
                    league.add_snapshot(session.steps)
                session.log(metrics, f"{league.record.win_rate:.0%} wins in the league")
                session.checkpoint()

            session.finish()


if __name__ == "__main__":
    from tzaar_envs.training.common.command import main

    main(Arguments, train)
