"""The page about wrappers says what they do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from wrappers_page import TEXT, run_example

import tzaar_envs
from tzaar_envs import wrappers


@pytest.mark.parametrize("heading", ["Gymnasium", "Stable-Baselines3"])
def test_the_door_of_a_library_opens(heading: str) -> None:
    run_example(heading)


def test_the_examples_run_one_after_the_other() -> None:
    names: dict[str, Any] = {}
    doors = TEXT[TEXT.index("## Using the environments") : TEXT.index("## Adapters")]
    for code in re.findall(r"```python\n(.*?)```", TEXT.replace(doors, ""), flags=re.DOTALL):
        exec(compile(code, "wrappers.md", "exec"), names)
    assert len(names["batch"]) > 1000
    assert names["observations"].shape == names["batch"].observations.shape


def test_the_symmetries_are_counted() -> None:
    for name in tzaar_envs.list_games():
        game = tzaar_envs.load_game(name)
        count = len(game.symmetries)
        expected = "the identity alone" if count == 1 else f"{count}:"
        assert f"| {game.spec.title} | {expected}" in TEXT


def test_every_wrapper_is_listed_and_can_be_imported() -> None:
    assert wrappers.__doc__ is not None
    listed = re.findall(r"`(\w+)`", "".join(re.findall(r"^\|.*\|", wrappers.__doc__, re.MULTILINE)))
    optional = {"RLlibEnv", "TorchRLVectorEnv"}  # their libraries are extras
    names = {*wrappers.__all__, *optional}
    assert names <= {*listed} <= {*names, "VecEnv", "make_vec", "MultiAgentEnv"}
    assert names <= set(dir(wrappers))
    for name in wrappers.__all__:
        assert getattr(wrappers, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Flatten'"):
        wrappers.Flatten  # noqa: B018
