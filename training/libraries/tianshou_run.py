"""What the runs with Tianshou share: games against a schedule of opponents, and how they are kept.

Tianshou's own collector asks one environment object after the other. Here all games are played as
one batch (see `wrappers.single_agent_vector`), and its replay buffers and algorithms do the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.envs.single_agent_vector import SingleAgentVectorEnv
from tzaar_envs.training.common.opponent_schedule import OpponentRun, OpponentSettings

if TYPE_CHECKING:
    from tianshou.algorithm.optim import OptimizerFactory
    from tianshou.data import VectorReplayBuffer


S = TypeVar("S", bound=OpponentSettings)


class TianshouRun(OpponentRun[S]):
    """A learner of Tianshou in one seat, against a schedule of opponents in the others."""

    extra = "tianshou"
    packages = ("tianshou",)

    @abstractmethod
    def make_algorithm(self, optimizer: OptimizerFactory) -> Any:
        """Return Tianshou's algorithm for `learner`."""

    def build(self) -> None:
        """Make games, schedule, network and algorithm."""
        import torch
        from tianshou.algorithm.optim import AdamOptimizerFactory

        from tzaar_envs.policies.network import PolicyNetwork
        from tzaar_envs.training.libraries.tianshou_policies import BudgetSchedule

        arguments = self.settings
        self.env = SingleAgentVectorEnv(
            self.game,
            self.baselines[:1],
            num_envs=arguments.num_envs,
            seed=arguments.seed,
            autoreset="disabled",
            illegal="raise",
        )
        self.schedule = self.new_schedule(self.env.pool)
        self.observations, self.infos = self.env.reset()
        self._potentials = self._evaluate(np.zeros(arguments.num_envs, np.bool_))
        torch.manual_seed(arguments.seed)
        np.random.seed(arguments.seed)  # noqa: NPY002 Tianshou shuffles with it
        self.learner = PolicyNetwork(self.shape)
        adam = AdamOptimizerFactory(arguments.learning_rate)
        self.algorithm = self.make_algorithm(adam.with_lr_scheduler_factory(BudgetSchedule(self)))

    def new_buffer(self, decisions: int) -> VectorReplayBuffer:
        """Return a buffer for about that many decisions, with a part for each game."""
        from tianshou.data import VectorReplayBuffer

        games = self.settings.num_envs
        size = max(decisions // games, 1) * games
        return VectorReplayBuffer(size, games, random_seed=self.settings.seed)

    def collect(self, buffer: VectorReplayBuffer) -> None:
        """Play `rollout` steps of all games into a buffer.

        A game that a move cap has ended counts as over: it is paid as the rules say. Rewards are
        shaped as in `SingleAgentVecEnv`.
        """
        import torch
        from tianshou.data import Batch, to_numpy

        policy, shaping, gamma = self.algorithm.policy, self.settings.shaping, self.settings.gamma
        for _ in range(self.settings.rollout):
            asked = Batch(obs=self._seen(), info=Batch())
            with torch.no_grad():
                actions = policy.add_exploration_noise(to_numpy(policy(asked).act), asked)
            self.observations, rewards, terminated, truncated, self.infos = self.env.step(actions)
            over = terminated | truncated
            self._record_ends(over, rewards)
            potentials = self._evaluate(over)
            buffer.add(
                Batch(
                    obs=asked.obs,
                    act=actions,
                    rew=rewards + shaping * (gamma * potentials - self._potentials),
                    terminated=over,
                    truncated=np.zeros_like(over),
                    obs_next=self._seen(),
                    info=Batch(),
                )
            )
            self.steps += len(over)
            if over.any():
                self.observations, self.infos = self.env.reset(options={"reset_mask": over})
                potentials = self._evaluate(np.zeros_like(over))
            self._potentials = potentials

    def _seen(self) -> Any:
        from tianshou.data import Batch

        return Batch(obs=self.observations, mask=self.infos["action_mask"].view(np.bool_))

    def _evaluate(self, over: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the evaluation of every learner's position, 0 where the game is over."""
        if not self.settings.shaping:
            return np.zeros(len(over))
        games = self.env.games
        return np.where(over, 0.0, games.batch.evaluate(games.seats))

    def _record_ends(self, over: NDArray[np.bool_], rewards: NDArray[np.float64]) -> None:
        agents = self.env.games.agents
        self.record_games(
            [
                {
                    "episode": {"r": rewards[row]},
                    "opponents": [agent.name for agent in agents[row] if agent is not None],
                }
                for row in over.nonzero()[0].tolist()
            ]
        )

    # --- checkpoints ---

    def state(self) -> dict[str, Any]:
        """Return what learning goes on from; games and memory begin anew."""
        return {
            "network": self.learner.state_dict(),
            "optimizer": self.algorithm.optim.state_dict(),
            "schedule": self.schedule_state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned."""
        self.learner.load_state_dict(state["network"])
        self.algorithm.optim.load_state_dict(state["optimizer"])
        self.restore_schedule(state["schedule"])
