"""TorchRL's own environments of Gymnasium and PettingZoo, as the page about wrappers has them."""

import pytest
from torchrl.envs import GymWrapper, PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from tutorials import run_section, sections
from wrappers_page import run_example

import tzaar_envs

pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL")


def test_the_example() -> None:
    played = run_example("TorchRL")["rollout"]
    assert 0 < len(played) <= 90


def test_parallel_games_are_played_to_their_end_without_an_illegal_action() -> None:
    parallel = tzaar_envs.make_parallel("twenty_one", illegal="raise")
    played = PettingZooWrapper(parallel, use_mask=True, seed=2).rollout(90)
    assert played["next", "done"][-1].all()
    assert played["next", "player", "reward"].sum() == 0


@pytest.mark.parametrize("name", ["black_elephant", "twenty_one"])
def test_games_in_turns_are_played_to_their_end_without_an_illegal_action(name: str) -> None:
    env = PettingZooWrapper(tzaar_envs.make(name, illegal="raise"), use_mask=True, seed=3)
    played = env.rollout(env.unwrapped.game.max_plies)
    assert played["next", "done"][-1].all()


def test_environments_of_gymnasium() -> None:
    import gymnasium

    check_env_specs(GymWrapper(gymnasium.make("tzaar_envs/TurmUndWaechter-v0", dtype="float32")))


def test_the_section_of_the_tutorial() -> None:
    assert run_section(sections("train.md")["TorchRL"], {"__name__": "tutorial"}) == 1
