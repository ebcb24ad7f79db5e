"""What RLlib makes of our games: the decisions, rewards and ends that the learner is given."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

import tzaar_envs
from tzaar_envs.networks.network import NetworkShape
from tzaar_envs.training.libraries.rllib_callback import GAMES, WINS, module_of
from tzaar_envs.training.libraries.rllib_league import LEARNER
from tzaar_envs.training.rllib_ppo import Arguments, configure
from tzaar_envs.wrappers.rllib_env import RLlibEnv

Decisions = list[tuple[bytes, int]]


class Witness(RLlibEnv):
    """Remembers every game: who saw and did what, and what everyone got in the end."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        self.decisions: list[dict[str, Decisions]] = []
        self.ends: list[tuple[dict[str, float], bool]] = []  # rewards, and whether it was cut

    def reset(self, **arguments: Any) -> Any:
        self._seen, infos = super().reset(**arguments)
        self.decisions.append(defaultdict(list))
        return self._seen, infos

    def step(self, action_dict: dict[str, int]) -> Any:
        ((agent, action),) = action_dict.items()
        seen = self._seen[agent]["observations"].tobytes()
        self.decisions[-1][agent].append((seen, int(action)))
        answer = super().step(action_dict)
        self._seen, rewards, terminated, truncated, _ = answer
        if terminated["__all__"] or truncated["__all__"]:
            self.ends.append((rewards, truncated["__all__"]))
        return answer


def decisions_of(part: Any) -> Decisions:
    """Return the decisions in a part of an episode, and check that each was legal."""
    seen, actions = part.get_observations(slice(0, len(part))), part.get_actions()
    assert np.take_along_axis(seen["action_mask"], actions[:, None], axis=1).all()
    return [
        (view.tobytes(), int(action))
        for view, action in zip(seen["observations"], actions, strict=True)
    ]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("turm_und_waechter", {}),
        ("tzaar", {}),
        ("black_elephant", {}),
        ("zatre", {}),
        ("twenty_one", {"players": 3}),
    ],
)
def test_every_decision_of_the_learner_comes_once(name: str, options: dict[str, Any]) -> None:
    game = tzaar_envs.load_game(name, **options)
    arguments = Arguments(game=name, runners=0, num_envs=2, rollout=7, snapshots=2, seed=5)
    config = configure(arguments, game, NetworkShape.for_game(game, 4, 0)).environment(Witness)
    runner = MultiAgentEnvRunner(config, worker_index=0)
    witnesses = [env.unwrapped for env in runner.env.envs]
    parts: dict[tuple[str, str], list[Any]] = defaultdict(list)
    seats: dict[str, dict[str, str]] = {}
    while min(len(witness.ends) for witness in witnesses) < 3:
        for episode in runner.sample():
            agents = witnesses[0].possible_agents
            seats[episode.id_] = {agent: module_of(agent, episode) for agent in agents}
            for agent, part in episode.agent_episodes.items():
                parts[episode.id_, agent].append(part)

    learnt = defaultdict(list)  # what came, by the agent and its decisions
    for (episode_id, agent), chunks in parts.items():
        assert seats[episode_id][agent] == LEARNER
        decisions = [decision for chunk in chunks for decision in decisions_of(chunk)]
        rewards = [reward for chunk in chunks for reward in chunk.get_rewards()]
        ends = chunks[-1].is_terminated, chunks[-1].is_truncated
        learnt[agent, tuple(decisions)].append((episode_id, rewards, ends))
    finished = set()
    self_play = False
    for witness in witnesses:
        for decisions, (final, cut) in zip(witness.decisions, witness.ends, strict=False):
            found = {
                agent: learnt[agent, tuple(own)]
                for agent, own in decisions.items()
                if (agent, tuple(own)) in learnt
            }
            assert found  # at least one seat of every game learns
            for agent, records in found.items():
                ((episode_id, rewards, ends),) = records
                assert rewards == [0.0] * (len(rewards) - 1) + [final[agent]]
                assert ends == (not cut, cut)
                finished.add((episode_id, agent))
            (episode_id,) = {records[0][0] for records in found.values()}
            learners = {agent for agent, member in seats[episode_id].items() if member == LEARNER}
            assert set(found) == learners & set(decisions)
            self_play |= len(learners) > 1
    assert self_play
    done = {key for key, chunks in parts.items() if chunks[-1].is_done}
    assert done == finished

    metrics = runner.get_metrics()
    against_others = sum(
        LEARNER in members.values() and len(set(members.values())) > 1
        for episode_id, members in seats.items()
        if any(key[0] == episode_id for key in finished)
    )
    assert metrics[GAMES].peek() == against_others
    assert 0 <= metrics[WINS].peek() <= against_others
