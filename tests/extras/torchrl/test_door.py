"""TorchRL's own environments of Gymnasium and PettingZoo, as the page about wrappers has them."""

import pytest
from torchrl.envs import GymWrapper, PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from wrappers_page import run_example

import tzaar_envs
from tzaar_envs.wrappers import mask_location

pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL")


def test_the_example() -> None:
    played = run_example("TorchRL")["rollout"]
    assert 0 < len(played) <= 90


@pytest.mark.parametrize("location", ["pettingzoo", "torchrl"])
def test_parallel_games_are_played_to_their_end_without_an_illegal_action(location: str) -> None:
    parallel = mask_location(tzaar_envs.make_parallel("twenty_one", illegal="raise"), location)
    env = PettingZooWrapper(parallel, use_mask=True, seed=2)
    played = env.rollout(90)
    assert played["next", "done"][-1].all()
    assert played["next", "player", "reward"].sum() == 0


def test_environments_of_gymnasium() -> None:
    import gymnasium

    check_env_specs(GymWrapper(gymnasium.make("tzaar_envs/TurmUndWaechter-v0", dtype="float32")))
