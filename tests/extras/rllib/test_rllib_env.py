"""A game as RLlib sees it."""

import numpy as np
import pytest
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

import tzaar_envs
from tzaar_envs.wrappers.rllib_env import RLlibEnv

LAST_PLY = "RG6/7/7/7/7/7/6BG r 1 499"  # Turm & Wächter, before the move cap


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_a_game_is_that_of_the_rules(name: str) -> None:
    env, rng = RLlibEnv({"game": name}), np.random.default_rng(3)
    state = env.game.new_state(int(np.random.SeedSequence([3, 0]).generate_state(1)[0]))
    seen, infos = env.reset(seed=3)
    while True:
        ((agent, view),) = seen.items()
        assert infos == {}
        assert agent == f"player_{state.current_player}"
        assert env.observation_spaces[agent].contains(view)
        assert (view["observations"] == state.observation(state.current_player)).all()
        assert (view["action_mask"] == state.legal_mask()).all()
        action = int(rng.choice(state.legal_actions()))
        state.apply(action)
        seen, rewards, terminated, truncated, infos = env.step({agent: action})
        if state.is_terminal:
            break
        assert rewards == {agent: 0.0}
        assert terminated == truncated == {"__all__": False}
    assert terminated == {"__all__": not state.is_truncated}
    assert truncated == {"__all__": state.is_truncated}
    assert list(rewards.values()) == state.returns().tolist()
    assert seen.keys() == rewards.keys() == infos.keys() == set(env.possible_agents)
    for agent, view in seen.items():
        assert env.observation_spaces[agent].contains(view)
        assert not view["action_mask"].any()


def test_a_cut_game_is_truncated_and_not_terminated() -> None:
    env = RLlibEnv({"game": "turm_und_waechter"})
    seen, _ = env.reset(options={"position": LAST_PLY})
    (agent,) = seen
    action = env.game.parse(LAST_PLY).parse_action("A7-A6-1")
    seen, rewards, terminated, truncated, _ = env.step({agent: action})
    assert (terminated, truncated) == ({"__all__": False}, {"__all__": True})
    assert rewards == {"player_0": 0.0, "player_1": 0.0}


@pytest.mark.parametrize("name", tzaar_envs.list_games())
def test_rllibs_own_check(name: str) -> None:
    check_multiagent_environments(RLlibEnv({"game": name}))
