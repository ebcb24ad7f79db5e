"""Settings of the training scripts: fields, limits, and defaults tuned for each game.

A script has a dataclass of settings that extends `Settings`. Each field is made by `setting`, which
keeps its help text and its limits, so that command line and checks follow from the fields alone.
Settings that suit one game better are in `training/defaults/GAME.json`: those under `every` for all
scripts, those under the name of an algorithm for that one, and under `from_scratch` by the name of
an algorithm those for its runs from scratch.
"""

from __future__ import annotations

import dataclasses
import json
import time
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from tzaar_envs.command_line import GameName, GameOptions
from tzaar_envs.core.game import Game
from tzaar_envs.networks.file import find_policy
from tzaar_envs.registry import find_spec, load_game

if TYPE_CHECKING:
    from tzaar_envs.networks.card import Card
    from tzaar_envs.networks.network import AnyNetwork, AnyShape

Range = Literal["any", "positive", "not negative", "fraction", "cores"]
_RANGES: dict[Range, tuple[str, float, float]] = {
    "positive": ("more than 0", 0, float("inf")),
    "not negative": ("0 or more", 0, float("inf")),
    "fraction": ("more than 0, at most 1", 0, 1),
    "cores": ("0 to 10,000", 0, 10_000),
}
_WIDEST = {"residual": 1024, "sparse": 128}  # of a policy file: 1024 channels or units
_WITH_ZERO: tuple[Range, ...] = ("not negative", "cores")


def setting(text: str | None, default: Any, allowed: Range = "any", **metadata: Any) -> Any:
    """Return a field with a help text.

    Args:
        text: the help; None where the annotation has it.
        default: the value where none is given.
        allowed: the range of a number.
        **metadata: see `tzaar_envs.arguments.from_dataclass`.
    """
    help = {} if text is None else {"help": text}
    return field(default=default, metadata={**help, "allowed": allowed, **metadata})


@dataclass
class Settings:
    """Settings that every script has; the defaults train any game in minutes on two cores."""

    algorithm: ClassVar[str]  # its name in `tzaar-envs train --algo`
    from_nothing: ClassVar[Mapping[str, Any]] = {}  # other defaults of runs from scratch

    game: GameName = setting(None, "", argument=True)
    option: GameOptions = setting(None, ())
    folder: Path | None = setting("Folder for the results. [default: runs/GAME-ALGO-TIME]", None)
    resume: Path | None = setting("Folder of a run to resume; it holds all other settings.", None)
    seed: int = setting(
        "Seed of the initial weights, the opponents and the games.", 0, "not negative"
    )

    minutes: float = setting(
        "Training time in minutes, with warm start, without evaluations; 0 for no limit.",
        8.0,
        "not negative",
    )
    clock: Literal["wall", "cpu"] = setting(
        "What minutes are: those of the clock, or those that all cores of this machine have spent "
        "on the run, which do not depend on what else they do.",
        "wall",
    )
    steps: int = setting("Maximum number of training steps.", 50_000_000, "positive")

    from_scratch: bool = setting(
        "Learn from nothing: without teacher, evaluation function, shaping, and opponents but "
        "random and the policy itself.",
        False,
    )
    imitation: int = setting(
        "Number of positions for the warm start by imitation; 0 skips it.", 150_000, "not negative"
    )
    teacher: str = setting("Agent that the warm start imitates.", "greedy")
    imitation_passes: int = setting(
        "Number of passes of the warm start over its positions.", 2, "positive"
    )

    start: str = setting(
        "Policy that the run begins with, in place of a warm start: a file, or `reference` for the "
        "one that comes with the game. Its network must have the shape of the run's.",
        "",
    )

    threads: int = setting("Number of PyTorch threads; 0 uses all cores.", 0, "cores")

    rival: str = setting("Further agent to measure against, such as alphabeta:depth=2.", "")
    evaluate_every: float = setting("Minutes between two evaluations.", 1.0, "positive")
    evaluation_games: int = setting(
        "Games per baseline and seat in each evaluation during training.", 50, "positive"
    )
    evaluation_share: float = setting(
        "Share of the minutes of training that evaluations may take on top, with fewer games; "
        "0: however long they take.",
        0.15,
        "not negative",
    )
    final_games: int = setting(
        "Games per baseline and seat in the final evaluation.", 250, "positive"
    )
    opening_plies: int = setting(
        "Random plies at the start of each evaluation game, so that the games differ.",
        2,
        "not negative",
    )

    @classmethod
    def for_game(cls, game: str, **changes: Any) -> Self:
        """Return the settings for a game: the tuned ones, the defaults elsewhere, then `changes`.

        With `from_scratch=True` they are those of runs from scratch.

        Raises:
            ValueError: there is no such game.
        """
        names = {entry.name for entry in dataclasses.fields(cls)}
        tuned = tuned_defaults(cls, game, bool(changes.get("from_scratch")))
        # What suits all scripts may name a setting that this one does not have.
        suited = {name: value for name, value in tuned.items() if name in names}
        return cls(**{"game": game, **suited, **changes})

    def without_help(self) -> Self:
        """Return the settings as `from_scratch` means them."""
        return dataclasses.replace(self, imitation=0) if self.from_scratch else self

    def first_policy(self, game: Game) -> tuple[AnyNetwork, Card] | None:
        """Return the network and the card of the policy that `start` names, if it names one.

        Raises:
            FileNotFoundError: there is no such policy.
            ValueError: it is not a policy of this game, or the run is from scratch.
        """
        from tzaar_envs.networks.file import load_network, read_card

        if not self.start:
            return None
        if self.from_scratch:
            raise ValueError(f"start={self.start!r} is not allowed with from_scratch: name one")
        path = find_policy(self.start, game.spec)
        return load_network(path, game), read_card(path)

    def baselines(self, game: Game) -> list[str]:
        """Return the names of the agents to measure against, from weak to strong."""
        names = ["random", *(entry.name for entry in game.spec.baselines), "greedy"]
        return [*names, self.rival] if self.rival else names

    def check(self) -> None:
        """Refuse what is out of range.

        Raises:
            ValueError: names the setting, its value and what is allowed.
        """
        hints = typing.get_type_hints(type(self))
        for entry in dataclasses.fields(self):
            value = getattr(self, entry.name)
            if typing.get_origin(hints[entry.name]) is Literal:
                choices = typing.get_args(hints[entry.name])
                if value not in choices:
                    words = " or ".join(choices)
                    raise ValueError(f"{entry.name}={value!r} is not allowed: use {words}")
            allowed = entry.metadata.get("allowed", "any")
            if allowed == "any":
                continue
            words, low, high = _RANGES[allowed]
            if not low <= value <= high or (value == low and allowed not in _WITH_ZERO):
                raise ValueError(f"{entry.name}={value} is not allowed: use {words}")

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: there is no such game, or an option is not allowed.
        """
        if not self.game:
            raise ValueError("train needs a game, or --resume FOLDER")
        spec = find_spec(self.game)
        return load_game(spec.name, **spec.parse_options(self.option))

    def cpu_clock(self) -> Callable[[], float]:
        """Return what tells the CPU time of a run, in seconds: that of its process."""
        return time.process_time

    def agent_text(self, game: Game, policy: Path) -> str:
        """Return the text of the agent that plays best by the policy that a run makes.

        Args:
            game: what it plays.
            policy: the file.
        """
        return f"policy:{policy}"

    def as_json(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        values = dataclasses.asdict(self)
        return {
            name: str(value) if isinstance(value, Path) else value for name, value in values.items()
        }

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """Return the settings that `as_json` has written.

        Raises:
            ValueError: these are not the settings of this script.
        """
        entries = dataclasses.fields(cls)
        if not isinstance(values, dict) or set(values) != {entry.name for entry in entries}:
            raise ValueError(f"not the settings of --algo {cls.algorithm} of this version")
        for entry in entries:
            _check_kind(entry.name, values[entry.name], entry.default)
        settings = cls(**{**values, "option": tuple(values["option"])})
        settings.check()
        return settings


@dataclass
class ResponseSettings(Settings):
    """Settings of the scripts that can learn the best response to an agent."""

    opponent: str = setting(
        "Learn the best response to this agent: it plays the other seats, and nothing else counts.",
        "",
    )

    def baselines(self, game: Game) -> list[str]:
        """Return the names of the agents to measure against, from weak to strong."""
        return [self.opponent] if self.opponent else super().baselines(game)


PPO_FROM_NOTHING = {
    "width": 16,
    "num_envs": 64,
    "batch_size": 512,
    "epochs": 4,
    "learning_rate": 2.6e-3,
    "clip_range": 0.28,
    "entropy": 0.013,
}
"""Where a game is rewarded at its end alone, few games in long rollouts, each learnt several times,
teach PPO more than many in short ones; found by `tzaar-envs sweep`, see docs/training.md."""


@dataclass
class NetworkSettings(Settings):
    """Settings of the scripts that learn by PyTorch."""

    network: Literal["residual", "sparse"] = setting(
        "Kind of the network. A sparse one is small and fast, and compiled code evaluates it in "
        "searches.",
        "residual",
    )
    width: int = setting(
        "Number of channels of the network; a sparse one has 8 units for each.", 32, "positive"
    )
    blocks: int = setting("Number of blocks of a residual network.", 1, "not negative")
    lines: bool = setting(
        "Whether a sparse network sees which piece sees which one, in every direction on the "
        "board.",
        False,
    )

    def check(self) -> None:
        """Refuse what is out of range, or has no meaning for the kind of network.

        Raises:
            ValueError: names the setting, its value and what is allowed.
        """
        super().check()
        if self.width > _WIDEST[self.network]:
            raise ValueError(
                f"width={self.width} is not allowed: use at most {_WIDEST[self.network]:,} with "
                f"network={self.network}"
            )
        if self.lines and self.network != "sparse":
            raise ValueError("lines=True is not allowed without network=sparse: name both")

    def network_shape(self, game: Game, *, turned: bool = True) -> AnyShape:
        """Return the shape of the network for a game.

        Args:
            game: the game.
            turned: show player 1 the position as player 0 would see it, if the game has a symmetry
                for that.
        """
        from tzaar_envs.networks.network import UNITS_PER_CHANNEL, NetworkShape
        from tzaar_envs.networks.sparse.network import SparseShape

        if self.network == "residual":
            return NetworkShape.for_game(game, self.width, self.blocks, turned=turned)
        units = UNITS_PER_CHANNEL * self.width
        shape = SparseShape.for_game(game, units, self.width, self.lines)
        return shape if turned else dataclasses.replace(shape, marker=None)

    def new_network(self, game: Game) -> AnyNetwork:
        """Return an untrained network for a game."""
        from tzaar_envs.networks.network import network_of

        return network_of(self.network_shape(game), game)


def _check_kind(name: str, value: Any, default: Any) -> None:
    """Refuse a value from a file that is not of the kind of the setting's default."""
    match default:
        case bool():
            kind, fits = "true or false", isinstance(value, bool)
        case int():
            kind, fits = "a whole number", _is_number(value) and isinstance(value, int)
        case float():
            kind, fits = "a number", _is_number(value)
        case tuple():
            is_list = isinstance(value, list)
            kind, fits = "a list of texts", is_list and all(isinstance(each, str) for each in value)
        case None:
            kind, fits = "a text or null", isinstance(value, str | None)
        case _:
            kind, fits = "a text", isinstance(value, str)
    if not fits:
        raise ValueError(f"{name}={value!r} is not {kind}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and type(value) is not bool and abs(value) < 2**63


@cache
def _defaults_of(game: str) -> Mapping[str, Any]:
    path = Path(__file__).parents[1] / "defaults" / f"{game}.json"
    if not path.exists():
        return {}
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def tuned_defaults(settings: type[Settings], game: str, from_scratch: bool) -> Mapping[str, Any]:
    """Return the settings that suit a game better than the defaults of an algorithm.

    Args:
        settings: of the algorithm.
        game: the name of the game.
        from_scratch: whether for a run from scratch.

    Raises:
        ValueError: there is no such game.
    """
    content = _defaults_of(find_spec(game).name)
    tuned = {**content.get("every", {}), **content.get(settings.algorithm, {})}
    if from_scratch:
        tuned |= settings.from_nothing
        tuned |= content.get("from_scratch", {}).get(settings.algorithm, {})
    return tuned
