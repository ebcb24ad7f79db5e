"""Train a policy with PPO of RLlib in a league and measure it against the baselines.

    tzaar-envs train --algo rllib turm_und_waechter
    python training/rllib_ppo.py turm_und_waechter

The network first imitates a baseline of the game (see `imitation`), then learns by PPO with masked
actions (Huang and Ontañón, 2020) in games against itself, earlier versions of itself and random
moves (see `league`). The games are played by RLlib's env runners, processes on this machine
or anywhere in the Ray cluster that `--address` joins; one that dies is replaced. Everything that a
run makes lies in its folder (see `run_folder`).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tzaar_envs.core.game import Game
from tzaar_envs.training.league import LEARNER, RANDOM, LeagueRecord, snapshot_names
from tzaar_envs.training.run import Run, run_script
from tzaar_envs.training.settings import Settings, setting

if TYPE_CHECKING:
    from ray.rllib.algorithms.ppo import PPOConfig
    from torch import Tensor

    from tzaar_envs.policies.network import NetworkShape, PolicyNetwork
    from tzaar_envs.training.rllib_learner import LeagueLearner

T = TypeVar("T")

_VALUE_WEIGHT = 0.5  # of the loss
_LARGEST_GRADIENT = 0.5  # norm
_OBJECT_STORE = 200_000_000  # bytes, of a Ray on this machine alone; a rollout needs far less
_LOGGED = (
    "policy_loss",
    "vf_loss",
    "entropy",
    "vf_explained_var",
    "gradients_default_optimizer_global_norm",
)
_PROBE = 1.0  # seconds that an update waits for an env runner that is being replaced
_PATIENCE = 600.0  # seconds for a rollout or for new weights, before an env runner counts as lost


# --- arguments -----------------------------------------------------------------------------------


@dataclass
class Arguments(Settings):
    """What a run can be told; the defaults train any game in minutes on two cores."""

    algorithm = "rllib"

    runners: int = setting(
        "Number of processes that play games; 0: the learning process plays them.",
        2,
        "not negative",
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


def train(arguments: Arguments) -> None:
    """Train a policy with PPO of RLlib and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `rllib` is not installed.
        ConnectionError: there is no Ray cluster at `address`.
    """
    run_script(RLlibRun, arguments)


# --- RLlib's configuration ------------------------------------------------------------------------


def configure(arguments: Arguments, game: Game, shape: NetworkShape) -> PPOConfig:
    """Return what RLlib builds its algorithm from."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec

    from tzaar_envs.training import rllib_module as module
    from tzaar_envs.training.rllib_callback import LeagueCallback, module_of
    from tzaar_envs.training.rllib_learner import LeagueLearner
    from tzaar_envs.wrappers.rllib_env import RLlibEnv

    described = {"game": game.name, "illegal": "raise", **game.options}
    env = RLlibEnv(described)
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
        .environment(RLlibEnv, env_config=described, disable_env_checking=True)
        .env_runners(
            num_env_runners=arguments.runners,
            num_envs_per_env_runner=arguments.num_envs,
            rollout_fragment_length=arguments.rollout,
            sample_timeout_s=_PATIENCE,
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
            grad_clip=_LARGEST_GRADIENT,
            grad_clip_by="global_norm",
        )
        .debugging(seed=arguments.seed, log_level="ERROR")
    )


# --- the run -------------------------------------------------------------------------------------


class RLlibRun(Run[Arguments]):
    """PPO of RLlib, in a league."""

    title = "RLlib PPO"
    extra = "rllib"
    packages = ("ray.rllib",)

    def execute(self) -> None:
        """Do what every run does, on Ray; a Ray that is there already is used and left alone."""
        import ray

        logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it explains its defaults
        with ExitStack() as self.opened:
            if not ray.is_initialized():
                self.opened.callback(ray.shutdown)
                address = self.settings.address
                here = {
                    "num_cpus": max(1, self.settings.runners),
                    "object_store_memory": _OBJECT_STORE,
                    "include_dashboard": False,
                }
                ray.init(
                    address or "local",
                    logging_level=logging.ERROR,
                    log_to_driver=False,
                    **({} if address else here),
                )
            super().execute()

    def build(self) -> None:
        """Make the algorithm with its env runners, and an empty league."""
        import torch

        from tzaar_envs.policies.network import PolicyNetwork

        self.members = snapshot_names(self.settings.snapshots)
        self.algorithm = configure(self.settings, self.game, self.shape).build_algo()
        # RLlib keeps a folder for every algorithm in ~/ray_results, here an empty one.
        self.opened.callback(Path(self.algorithm.logdir).rmdir)
        self.opened.callback(self.algorithm.stop)
        self.league = LeagueRecord()
        torch.manual_seed(self.settings.seed)
        self.take(PolicyNetwork(self.shape))

    def network(self) -> PolicyNetwork:
        """Return a copy of the present network."""
        from tzaar_envs.policies.network import PolicyNetwork

        network = PolicyNetwork(self.shape)
        network.load_state_dict(self._learner(lambda learner: learner.weights_of(LEARNER)))
        return network.eval()

    def take(self, network: PolicyNetwork) -> None:
        """Go on from the weights of a network of the same shape, which also fills the league."""
        weights = network.state_dict()
        self._set_weights(dict.fromkeys([LEARNER, *self.members], weights))
        self.boundary = self._copy_state()

    def learn(self) -> None:
        """Play and learn until the budget is used; an update that is half done is undone."""
        arguments = self.settings
        try:
            while self.used < 1.0:
                self._set_rate()
                result = self.algorithm.train()
                games = self._count(result.get("env_runners", {}))
                if self.league.is_due(
                    self.steps, arguments.snapshot_every, arguments.snapshot_wins
                ):
                    self._add_snapshot()
                self.boundary = self._copy_state()
                losses = result.get("learners", {}).get(LEARNER, {})
                logged = {
                    f"train/{name}": float(losses[name]) for name in _LOGGED if name in losses
                }
                self.after_update(games | logged, f"{self.league.win_rate:.0%} wins in the league")
        except KeyboardInterrupt:
            self.restore(self.boundary)
            raise

    def _set_rate(self) -> None:
        rate = self.settings.learning_rate * self.decay
        self._learner(lambda learner: learner.set_rate(rate))

    def _learner(self, do: Callable[[LeagueLearner], T]) -> T:
        """Return what a function makes of RLlib's learner."""
        result: T = next(iter(self.algorithm.learner_group.foreach_learner(do))).get()
        return result

    def _set_weights(self, weights: Mapping[str, Mapping[str, Tensor]]) -> None:
        """Give members of the league other weights, wherever they play."""
        from ray.rllib.core import COMPONENT_RL_MODULE

        state = self._learner(lambda learner: learner.replace(weights))
        # Not by sync_weights: an env runner ignores weights that come without an update between.
        self.algorithm.env_runner_group.foreach_env_runner(
            lambda runner: runner.set_state({COMPONENT_RL_MODULE: state}),
            timeout_seconds=_PATIENCE,
        )

    # --- the league ---

    def _count(self, played: Mapping[str, Any]) -> dict[str, float]:
        """Count what the env runners have played, return what to log of it."""
        from tzaar_envs.training.rllib_callback import GAMES, WINS

        def count(name: str, among: Mapping[str, Any] = played) -> int:
            value = float(among.get(name, 0.0))
            return 0 if math.isnan(value) else int(value)  # RLlib's sum over nothing is no number

        self.steps += count(LEARNER, played.get("num_module_steps_sampled", {}))
        self.league.games += count(GAMES)
        self.league.wins += count(WINS)
        return {
            "games/ended": count("num_episodes"),
            "league/win_rate": self.league.win_rate,
            "league/snapshots": self.league.snapshots,
        }

    def _add_snapshot(self) -> None:
        """Let the present network take the place of the oldest snapshot."""
        network = self.network()
        self.save_snapshot(network)
        self._set_weights({self.league.next_place(self.members): network.state_dict()})
        self.league.join(self.steps)

    # --- checkpoints ---

    def _copy_state(self) -> dict[str, Any]:
        """Return copies of all that the run goes on from; the games begin anew."""
        return self._learner(
            lambda learner: {
                "weights": {name: learner.weights_of(name) for name in [LEARNER, *self.members]},
                "optimizer": learner.optimizer_state(),
            }
        ) | {"steps": self.steps, "league": asdict(self.league)}

    def state(self) -> dict[str, Any]:
        """Return the boundary."""
        return self.boundary

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned."""
        weights = {name: state["weights"][name] for name in [LEARNER, *self.members]}
        self._set_weights(weights)
        self._learner(lambda learner: learner.set_optimizer_state(state["optimizer"]))
        self.steps = int(state["steps"])
        self.league = LeagueRecord(**{name: int(n) for name, n in state["league"].items()})
        self.boundary = self._copy_state()


if __name__ == "__main__":
    from tzaar_envs.training.command import main

    main(Arguments, train)
