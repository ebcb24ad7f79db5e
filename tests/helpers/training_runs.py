"""Training runs in small: what the tests of all training scripts have in common."""

from __future__ import annotations

import dataclasses
import json
import pickle
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import torch
from exploit import Exploit

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.arena import MatchResult
from tzaar_envs.core.game import Game
from tzaar_envs.networks.file import read_card
from tzaar_envs.training.common.run import RunFolder
from tzaar_envs.training.common.settings import NetworkSettings, Settings

RUNS: list[dict[str, Any]] = [
    {"game": "turm_und_waechter", "network": "sparse", "lines": True},
    {"game": "tzaar_v0"},
    {"game": "black_elephant"},
    {"game": "zatre"},
    {
        "game": "twenty_one",
        "option": ("players=3", "deal=random"),
        "network": "sparse",
    },
]
"""Settings of a run on every game, with both kinds of networks and options."""

every_game = pytest.mark.parametrize("changes", RUNS, ids=lambda changes: changes["game"])
"""Runs a test with each `changes`: the settings of one of `RUNS`."""

some_games = pytest.mark.parametrize(
    "changes",
    [RUNS[1] | {"option": ("setup=tournament",)}, RUNS[-1]],
    ids=lambda changes: changes["game"],
)
"""Runs a test on two games, one with planes and one with a flat observation.

Enough for a script that sees of a game only what `Session` and the environments show it, as the
libraries' scripts do; `every_game` is for scripts with rollouts or searches of their own.
"""


class Script:
    """A training script and the settings with which its runs take seconds.

    Args:
        train: what the script does with its settings.
        settings: their dataclass.
        **small: those that differ from the defaults here.
    """

    def __init__(
        self, train: Callable[[Any], None], settings: type[Settings], **small: object
    ) -> None:
        self.settings = settings
        self._train = train
        self._small: dict[str, Any] = {
            "seed": 3,
            "minutes": 0.0,
            "steps": 512,
            "width": 8,
            "blocks": 1,
            "threads": 1,
            "evaluate_every": 100.0,
            "evaluation_games": 1,
            "final_games": 1,
            **small,
        }

    def small(self, **changes: object) -> Any:
        """Return the settings of a small run; a script has a choice of networks or not."""
        told = self._small | changes
        if not issubclass(self.settings, NetworkSettings):
            told = {name: told[name] for name in told if name not in ("network", "blocks")}
        return self.settings(**told)

    def train(self, folder: Path, **changes: object) -> dict[str, Any]:
        """Train in a new folder, return the checkpoint."""
        self._train(self.small(folder=folder, **changes))
        return read_checkpoint(folder)

    def resume(self, folder: Path, **changes: object) -> dict[str, Any]:
        """Resume a run, return the checkpoint."""
        settings = RunFolder(folder).settings(self.settings)
        self._train(dataclasses.replace(settings, **changes))
        return read_checkpoint(folder)

    def train_until_stopped(
        self, folder: Path, capsys: pytest.CaptureFixture[str], **changes: object
    ) -> dict[str, Any]:
        """Train in a new folder until Ctrl-C, return the checkpoint."""
        with pytest.raises(KeyboardInterrupt):
            self.train(folder, **changes)
        stored = read_checkpoint(folder)
        printed = capsys.readouterr().out
        assert f"Stopped; saved as of step {stored['steps']:,}" in printed
        assert f"tzaar-envs train --resume {folder}" in printed
        return stored

    def resume_after(
        self, stored: Mapping[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> dict[str, Any]:
        """Resume a run whose checkpoint was `stored`, return the new one."""
        after = self.resume(folder)
        assert f"Resuming after {stored['steps']:,} steps" in capsys.readouterr().out
        assert after["seconds"] > stored["seconds"]
        return after

    def train_twice(self, folder: Path, **changes: object) -> tuple[dict[str, Any], dict[str, Any]]:
        """Train twice from the same seed, return the states of the learners.

        Evaluations follow the clock: one run has them after every update, the other only at its
        ends. That must not change what is learnt.
        """
        one = self.train(folder / "one", **changes, evaluate_every=1e-9)
        two = self.train(folder / "two", **changes, evaluate_every=100.0)
        assert len(evaluated_steps(folder / "one")) > len(evaluated_steps(folder / "two"))
        return one["learner"], two["learner"]

    def assert_left_a_policy_that_plays(
        self, folder: Path, others: Collection[str] = (), **changes: object
    ) -> None:
        """Check all files of a run, and play a game with its policy.

        Args:
            folder: of the run.
            others: final matches besides those against the baselines.
            **changes: arguments of the run.
        """
        told = self.small(**changes)
        game = told.load_game()
        config = json.loads((folder / "config.json").read_text())
        assert config["algorithm"] == told.algorithm
        for name in ("seed", "steps"):
            assert config["arguments"][name] == getattr(told, name)
        assert config["environment"]["versions"]["torch"] == metadata.version("torch")
        assert list((folder / "tensorboard").glob("events.out.tfevents.*"))
        steps = evaluated_steps(folder)
        assert (folder / "learning_curve.png").exists()
        assert steps == sorted(set(steps))
        assert steps[0] == 0
        assert steps[-1] == read_checkpoint(folder)["steps"] >= told.steps

        baselines = {"random", *(baseline.name for baseline in game.spec.baselines), "greedy"}
        assert {path.name for path in folder.glob("result_*.json")} == {
            f"result_{name}.json" for name in baselines.union(others)
        }
        for name in baselines.union(others):
            result = MatchResult.load(folder / f"result_{name}.json")
            assert len(result.games) == told.final_games * game.num_players
            assert not result.forfeits
            if name in baselines:
                assert result.header.agents[1:] == [name] * (game.num_players - 1)
        kind = read_card(folder / "policy.safetensors")["network"].get("kind", "residual")
        assert kind == getattr(told, "network", "sparse")
        play(make_agent(f"policy:{folder}/policy.safetensors", game), game)

    def assert_refuses_checkpoint(self, folder: Path) -> None:
        """Resume a run whose checkpoint is damaged."""
        with pytest.raises(ValueError, match=r"checkpoint\.pt is not a checkpoint of this run"):
            self.resume(folder)

    def assert_refuses_damaged_checkpoints(self, folder: Path) -> None:
        """Damage the checkpoint of a run in many ways, and try to resume it."""
        path, witness = folder / "checkpoint.pt", folder / "witness"
        whole = path.read_bytes()
        for damaged in (pickle.dumps(Exploit(witness), 2), b"", whole[:1000]):
            path.write_bytes(damaged)
            self.assert_refuses_checkpoint(folder)
        for content in (Exploit(witness), {"policy": {}}):
            torch.save(content, path)
            self.assert_refuses_checkpoint(folder)
        assert not witness.exists()


@contextmanager
def ctrl_c(owner: Any, name: str, when: Callable[..., bool]) -> Iterator[None]:
    """Let Ctrl-C come in place of a call whose arguments fulfil `when`.

    Args:
        owner: of the function: a class or a module.
        name: of the function.
        when: gets the arguments of each call.
    """
    original = getattr(owner, name)

    def called(*args: Any, **options: Any) -> Any:
        if when(*args):
            raise KeyboardInterrupt
        return original(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, called)
        yield


def nth_call(number: int) -> Callable[..., bool]:
    """Return a condition for `ctrl_c` that holds in the call of this number, the first being 1."""
    calls: list[None] = []

    def is_reached(*_: Any) -> bool:
        calls.append(None)
        return len(calls) == number

    return is_reached


def read_checkpoint(folder: Path) -> dict[str, Any]:
    """Return what the checkpoint of a run holds."""
    return torch.load(folder / "checkpoint.pt", weights_only=True)


def evaluated_steps(folder: Path) -> list[int]:
    """Return after how many steps a run was evaluated."""
    lines = (folder / "evaluations.jsonl").read_text().splitlines()
    return [json.loads(line)["steps"] for line in lines]


def differing(one: Mapping[str, torch.Tensor], other: Mapping[str, torch.Tensor]) -> list[str]:
    """Return the names of the weights that differ between two states of a network."""
    assert one.keys() == other.keys()
    return [name for name, tensor in one.items() if not torch.equal(tensor, other[name])]


def play(agent: Agent, game: Game, most_plies: int | None = None) -> None:
    """Let an agent play a game in all seats, to the end or for so many plies."""
    state = game.new_state(0)
    plies = 0
    while not state.is_terminal and plies != most_plies:
        state.apply(agent.act(state))  # refuses what is illegal
        plies += 1
