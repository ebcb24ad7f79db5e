"""RLlib MultiAgentEnv of a game (needs the extra `rllib`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from tzaar_envs.core.game import Game
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.envs.base import ENV_OPTIONS, split_options, whole_copy

Observations = dict[str, dict[str, NDArray[Any]]]


class RLlibEnv(MultiAgentEnv):
    """A game for RLlib's new API stack, where RLlib plays all seats.

    **Agents** `player_0`, `player_1`, ... in turn order.

    **Observation**, only of the agent that must act: `{"observations": ..., "action_mask": ...}`,
    arrays as in `GameEnv`. When the game is over every agent sees the last position, with an
    all-zero mask.

    **Action**: `Discrete(num_actions)`. A module for this environment masks its logits (see
    `training.rllib_ppo`). RLlib's environment checker ignores masks: it works with
    `illegal="terminate"`, and must be disabled (`disable_env_checking`) with `"raise"`.

    **Reward**: every agent's own, at the end of the game; see the option `reward` of `GameEnv`.

    **End**: under `"__all__"` alone, because RLlib treats a game as terminated if its agents are
    all marked as truncated. Infos then hold every agent's `score`, except after an illegal action.

    `reset(options={"position": text})` starts from a position in the game's notation.

    Args:
        config: Under `"game"` a game or the name of one; the other keys are options of
            `ENV_OPTIONS` and of the game. RLlib creates it from `env_config`.

    Raises:
        ValueError: No game, an unknown name or option, or a value that is not allowed.
    """

    __copy__ = whole_copy

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        values = dict(config)
        game: str | Game = values.pop("game", "")
        if not game:
            raise ValueError("the environment's config has no key 'game': give a game or its name")
        game, own = split_options(game, values, ENV_OPTIONS)
        self._env = GameEnv(game.spec, **own, **game.options)
        self.game = self._env.game
        self.render_mode = self._env.render_mode
        self.metadata = self._env.metadata
        self.possible_agents = list(self._env.possible_agents)
        self.agents = list(self.possible_agents)
        seen, actions = self._env.observation_space("player_0"), self._env.action_space("player_0")
        # One object for all agents: RLlib compares spaces, which is slow for large boxes.
        space = spaces.Dict(
            {"observations": seen["observation"], "action_mask": seen["action_mask"]}
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = dict.fromkeys(self.possible_agents, actions)
        # RLlib increments the seed from worker to worker and from game to game, so several of them
        # get the same seed.
        self._worker = int(getattr(config, "worker_index", 0) or 0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Start a game; return the observation of the agent that must act, and no infos.

        Args:
            seed: Determines, with the worker's index, all further chance events; None continues the
                present stream.
            options: See the class.

        Raises:
            ValueError: A position that is invalid or in which the game is over.
        """
        if seed is not None:
            seed = int(np.random.SeedSequence([seed, self._worker]).generate_state(1)[0])
        self._env.reset(seed, options)
        return self._observe(self._env.agent_selection), {}

    def step(
        self, action_dict: dict[str, int]
    ) -> tuple[
        Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Play the action of the agent that must act.

        Returns:
            Observations, rewards, terminated, truncated and infos, by agent.

        Raises:
            ValueError: An action of another agent, or an illegal one with `illegal="raise"`; the
                position stays unchanged.
            AssertionError: Before `reset`, or the action is not in the action space.
        """
        env = self._env
        if "agents" not in vars(env):
            raise AssertionError("reset() needs to be called before step()")
        if list(action_dict) != [env.agent_selection]:
            raise ValueError(
                f"the agents that act are {', '.join(action_dict) or 'none'}: give the action of "
                f"{env.agent_selection} alone"
            )
        agent = env.agent_selection
        env.step(action_dict[agent])
        terminated, truncated = env.terminations[agent], env.truncations[agent]
        ends = {"__all__": terminated}, {"__all__": truncated}
        if not (terminated or truncated):
            return self._observe(env.agent_selection), {agent: 0.0}, *ends, {}
        infos = {
            name: {"score": info["score"]} for name, info in env.infos.items() if "score" in info
        }
        return self._observe(*self.agents), dict(env.rewards), *ends, infos

    def _observe(self, *agents: str) -> Observations:
        seen = {agent: self._env.observe(agent) for agent in agents}
        return {
            agent: {"observations": both["observation"], "action_mask": both["action_mask"]}
            for agent, both in seen.items()
        }

    def close(self) -> None:
        """Close the window, if there is one."""
        self._env.close()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board, or show it in a window; see `GameEnv.render`."""
        return self._env.render()
