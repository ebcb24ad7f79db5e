"""Example for RLlib: PPO in self-play.

    tzaar-envs train --algo rllib turm_und_waechter

One network plays all seats and learns by PPO with masked actions (Huang and Ontañón, 2020). The
games are played by RLlib's env runners: processes on this machine, or anywhere in the Ray cluster
at `--address`.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import COMPONENT_RL_MODULE
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from tzaar_envs.networks.network import ILLEGAL_LOGIT, AnyNetwork, network_of
from tzaar_envs.networks.shapes import AnyShape, shape_of
from tzaar_envs.system.machine import FamilyClock
from tzaar_envs.system.workers import open_executor
from tzaar_envs.training import run_as_file
from tzaar_envs.training.common.session import Session
from tzaar_envs.training.common.settings import Cores, PpoSettings
from tzaar_envs.wrappers.rllib_env import RLlibEnv

LEARNER = "learner"
_LOSSES = ("policy_loss", "vf_loss", "entropy")


@dataclass(kw_only=True)
class RllibArguments(PpoSettings):
    """Arguments of a run.

    Attributes:
        runners: Number of processes that play games; 0: the learning process plays them.
        address: Address of a running Ray cluster, or `auto` to find one. [default: Ray on this
            machine only]
    """

    algorithm = "rllib"

    runners: Cores = 0
    address: str = ""

    def torch_device(self) -> str:
        """Return the device that the learner computes on; RLlib knows `cpu` and `cuda`."""
        if self.device == "mps":
            raise ValueError("device='mps' is not allowed: RLlib computes on cpu or cuda")
        device = super().torch_device()
        return "cpu" if device == "mps" else device

    def cpu_clock(self) -> FamilyClock:
        """Return the CPU clock of a run: also of the env runners on this machine."""
        return FamilyClock()


class PolicyModule(TorchRLModule, ValueFunctionAPI):
    """Policy and value of one network; illegal actions have no probability and no gradient."""

    network: AnyNetwork

    def setup(self) -> None:
        """Make the network."""
        self.network = network_of(shape_of(self.model_config["shape"]))
        self.network.allows_bfloat16 = self.model_config["precision"] == "auto"

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        logits, values = self.network(seen["observations"])
        masked = logits.masked_fill(seen["action_mask"] == 0, ILLEGAL_LOGIT)
        return {Columns.ACTION_DIST_INPUTS: masked, Columns.EMBEDDINGS: values}

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """Return the expected returns of the observers, `(B,)`; `embeddings` are known values."""
        if embeddings is None:
            with torch.no_grad():
                _, embeddings = self.network(batch[Columns.OBS]["observations"])
        return embeddings[:, 0]


def configure(
    arguments: RllibArguments, env_config: Mapping[str, Any], shape: AnyShape
) -> PPOConfig:
    """Return the configuration of RLlib's algorithm."""
    env = RLlibEnv(env_config)
    agent = env.possible_agents[0]
    spec = RLModuleSpec(
        module_class=PolicyModule,
        observation_space=env.observation_spaces[agent],
        action_space=env.action_spaces[agent],
        model_config={"shape": dataclasses.asdict(shape), "precision": arguments.precision},
    )
    decisions = arguments.num_envs * arguments.rollout * max(1, arguments.runners)
    return (
        PPOConfig()
        # RLlib's check would play an illegal action.
        .environment(RLlibEnv, env_config=dict(env_config), disable_env_checking=True)
        .env_runners(
            num_env_runners=arguments.runners,
            num_envs_per_env_runner=arguments.num_envs,
            rollout_fragment_length=arguments.rollout,
        )
        .fault_tolerance(restart_failed_env_runners=True)
        .multi_agent(policies={LEARNER}, policy_mapping_fn=lambda *_, **__: LEARNER)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={LEARNER: spec}))
        .learners(num_learners=0, num_gpus_per_learner=int(arguments.torch_device() == "cuda"))
        .training(
            train_batch_size_per_learner=decisions,
            minibatch_size=min(arguments.batch_size, decisions),
            num_epochs=arguments.epochs,
            gamma=arguments.gamma,
            lambda_=arguments.gae_lambda,
            clip_param=arguments.clip_range,
            entropy_coeff=arguments.entropy,
            vf_loss_coeff=0.5,
            use_kl_loss=False,
            grad_clip=0.5,
            grad_clip_by="global_norm",
        )
        .debugging(seed=arguments.seed, log_level="ERROR")
    )


def train(arguments: RllibArguments) -> None:
    """Train a policy by PPO in self-play and measure it against the baselines."""
    with Session(arguments, "RLlib PPO") as session:
        game = session.game

        # Modules are made in other processes, from plain values: without tables of how to turn.
        shape = arguments.network_shape(game, turned=False)
        env_config = {"game": game.name, "illegal": "raise", **game.options}
        torch.manual_seed(arguments.seed)
        network = network_of(shape)
        # A checkpoint has the network alone; games and optimizer start again after a resume.
        session.begin(network)
        session.checkpoint()

        logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it explains its defaults
        with open_executor(arguments.runners, ray=arguments.address or True):
            algorithm = configure(arguments, env_config, shape).build_algo()
            # There is one learner, in this process; the env runners get its weights.
            (found,) = algorithm.learner_group.foreach_learner(lambda learner: learner)
            learner = found.get()
            module = learner.module[LEARNER]
            learning: AnyNetwork = module.unwrapped().network
            learning.load_state_dict(network.state_dict())
            state = {COMPONENT_RL_MODULE: {LEARNER: module.get_state()}}
            algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state(state))
            while session.running:
                # One rollout of all games and one update; RLlib's schedules know only steps.
                for _, optimizer in learner.get_optimizers_for_module(LEARNER):
                    for group in optimizer.param_groups:
                        group["lr"] = arguments.learning_rate * session.learning_rate_factor
                result = algorithm.train()
                steps = result["env_runners"]["num_module_steps_sampled"][LEARNER]
                session.steps += int(steps)
                network.load_state_dict(learning.state_dict())
                losses = result["learners"][LEARNER]
                session.log({f"train/{name}": float(losses[name]) for name in _LOSSES})
                session.checkpoint()
            algorithm.stop()
            Path(algorithm.logdir).rmdir()  # an empty folder in ~/ray_results

        session.finish()


if __name__ == "__main__":
    run_as_file("rllib")
