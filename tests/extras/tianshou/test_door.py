"""Tianshou's own wrapper of PettingZoo, as the page about wrappers has it."""

from wrappers_page import run_example


def test_the_example() -> None:
    names = run_example("Tianshou")
    envs, observations = names["envs"], names["observations"]
    actions = [
        int(max(range(len(seen["mask"])), key=seen["mask"].__getitem__)) for seen in observations
    ]
    observations, rewards, *_ = envs.step(actions)
    assert rewards.shape == (2, 2)
