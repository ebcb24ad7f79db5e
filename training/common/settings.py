"""Settings of the training scripts.

A script has a dataclass that extends `Settings`: its fields are the options of the command `train`,
the `Attributes` of its docstring are their help, and the types of the fields their ranges. Settings
that suit a game better than the defaults of a script are in `training/defaults.toml`.
"""

from __future__ import annotations

import dataclasses
import math
import time
import tomllib
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

import msgspec
from cyclopts import Parameter
from msgspec import Meta

from tzaar_envs.agents.specs import quoted
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import plain
from tzaar_envs.networks.device import find_device
from tzaar_envs.registry import find_spec, load_game

if TYPE_CHECKING:
    from tzaar_envs.networks.network import AnyNetwork
    from tzaar_envs.networks.shapes import AnyShape

PositiveInt: TypeAlias = Annotated[int, Meta(gt=0, lt=2**53)]
NonNegativeInt: TypeAlias = Annotated[int, Meta(ge=0, lt=2**53)]
Cores: TypeAlias = Annotated[int, Meta(ge=0, le=10_000)]
Units: TypeAlias = Annotated[int, Meta(gt=0, le=1024)]  # of a layer, in a policy file
Seed: TypeAlias = Annotated[int, Meta(ge=0, lt=2**32)]  # the libraries take no larger one
PositiveFloat: TypeAlias = Annotated[float, Meta(gt=0)]
NonNegativeFloat: TypeAlias = Annotated[float, Meta(ge=0)]
Fraction: TypeAlias = Annotated[float, Meta(gt=0, le=1)]

_MAX_WIDTH = {"residual": 1024, "sparse": 128}  # of a policy file: 1024 channels or units


@cache
def _tuned() -> Mapping[str, Any]:
    path = Path(__file__).parents[1] / "defaults.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@Parameter(name="*")
@dataclass(kw_only=True)
class Settings:
    """Settings that every script has; the defaults train any game in minutes on two cores.

    Attributes:
        algorithm: The name of the script in `tzaar-envs train --algo`.
        game: Name of the game.
        option: Options of the game, as `NAME=VALUE`.
        folder: Folder for the results. [default: runs/GAME-ALGO-TIME]
        resume: Folder of a run to resume; it holds all settings, of which minutes, steps and
            device may be changed.
        seed: Seed of the initial weights, the opponents and the games.
        minutes: Training time in minutes, without evaluations; 0 for no limit.
        clock: How minutes are counted: wall-clock time, or CPU time of the run over all cores,
            independent of other load.
        steps: Maximum number of training steps.
        start: Policy that the run begins with: a file, or `reference` for the one that comes with
            the game. Its network must have the shape of the run's.
        threads: Number of threads; 0: all cores.
        rival: Further agent to measure against, such as alphabeta:depth=2.
        evaluate_every: Minutes between two evaluations.
        evaluation_games: Games per baseline and seat in each evaluation during training.
        evaluation_share: Most time for evaluations, as a share of training time; they play fewer
            games to keep to it; 0: no limit.
        final_games: Games per baseline and seat in the final evaluation.
        opening_plies: Random plies at the start of each evaluation game, so that the games differ.
    """

    algorithm: ClassVar[str]

    game: Annotated[str, Parameter(parse=False)] = ""
    option: Annotated[tuple[str, ...], Parameter(parse=False)] = ()
    folder: Path | None = None
    resume: Path | None = None
    seed: Seed = 0
    minutes: NonNegativeFloat = 8.0
    clock: Literal["wall", "cpu"] = "wall"
    steps: PositiveInt = 50_000_000
    start: str = ""
    threads: Cores = 0
    rival: str = ""
    evaluate_every: PositiveFloat = 1.0
    evaluation_games: PositiveInt = 50
    evaluation_share: NonNegativeFloat = 0.15
    final_games: PositiveInt = 250
    opening_plies: NonNegativeInt = 2

    @classmethod
    def tuned(cls, game: str, device: str = "auto", *, shaped: bool = False) -> dict[str, Any]:
        """Return the settings that suit a game, shaping and a device better than the defaults.

        Shaping overrides the game. An accelerator overrides both: it has more games, larger batches
        and a larger network.

        Args:
            game: Name of the game; empty for the defaults.
            device: The device, as users name it.
            shaped: Whether rewards are shaped.

        Raises:
            ValueError: There is no such game, or the device is not present.
        """
        tables = [_tuned().get(find_spec(game).name, {})] if game else []
        if shaped:
            tables.append(_tuned()["shaping"])
        accelerated = _tuned()["accelerator"]
        if cls.algorithm in accelerated and find_device(device) != "cpu":
            tables.append(accelerated)
        return {
            name: tuple(value) if isinstance(value, list) else value
            for table in tables
            for name, value in table.get(cls.algorithm, {}).items()
        }

    @classmethod
    def for_game(cls, game: str, **changes: Any) -> Self:
        """Return the settings for a game: `changes`, else the tuned ones, else the defaults.

        Raises:
            ValueError: There is no such game, or the device is not present.
        """
        shaped = changes.get("shaping", 0) > 0
        suited = cls.tuned(game, changes.get("device", "auto"), shaped=shaped)
        return cls(**{"game": game, **suited, **changes})

    def check(self) -> None:
        """Refuse what is out of range.

        Raises:
            ValueError: Names the setting, its value and what is allowed.
        """
        for name, value in vars(self).items():
            setattr(self, name, plain(value))
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{name}={value:g} is not allowed: use a finite number")
        try:
            msgspec.convert(vars(self), type(self))
        except msgspec.ValidationError as error:
            reason, _, path = str(error).rpartition(" - at `$.")
            name = path.rstrip("`").partition("[")[0]
            reason = reason.replace("Expected `int`", "use an integer")
            reason = reason.replace("Expected `float`", "use a number")
            choices = typing.get_args(typing.get_type_hints(type(self))[name])
            if reason.startswith("Invalid enum"):
                reason = f"use {' or '.join(choices)}"
            raise ValueError(f"{name}={getattr(self, name)!r} is not allowed: {reason}") from None

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: There is no such game, or an option is not allowed.
        """
        if not self.game:
            raise ValueError("train needs a game, or --resume FOLDER")
        spec = find_spec(self.game)
        return load_game(spec.name, **spec.parse_options(self.option))

    def baselines(self, game: Game) -> list[str]:
        """Return the names of the agents to measure against, from weak to strong."""
        names = ["random", *(entry.name for entry in game.spec.baselines), "greedy"]
        return [*names, self.rival] if self.rival and self.rival not in names else names

    def cpu_clock(self) -> Callable[[], float]:
        """Return a clock of the run's CPU time, in seconds: that of its process."""
        return time.process_time

    def torch_device(self) -> str:
        """Return the device that PyTorch computes on."""
        return "cpu"

    def agent_text(self, game: Game, policy: Path) -> str:
        """Return the text of the agent that evaluations measure.

        Args:
            game: The game.
            policy: The file of the policy that the run makes.
        """
        return f"policy:{quoted(str(policy))}"


@dataclass(kw_only=True)
class NetworkSettings(Settings):
    """Settings of the scripts that learn by PyTorch.

    Attributes:
        network: Kind of the network. A sparse one is small and fast, and compiled code evaluates it
            in searches.
        width: Number of channels of the network; a sparse one has 8 units for each.
        blocks: Number of blocks of a residual network.
        lines: Whether a sparse network sees lines of sight between pieces.
        device: Where PyTorch computes; auto: on an accelerator where one is present.
        precision: Numeric precision of training; auto: a residual network computes in bfloat16, all
            but its heads, where the device has instructions for it.
    """

    network: Literal["residual", "sparse"] = "residual"
    width: PositiveInt = 16
    blocks: NonNegativeInt = 1
    lines: bool = False
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    precision: Literal["auto", "float32"] = "auto"

    def check(self) -> None:
        """Refuse what is out of range, is not present, or has no meaning for the network.

        Raises:
            ValueError: Names the setting, its value and what is allowed.
        """
        super().check()
        self.torch_device()
        if self.width > _MAX_WIDTH[self.network]:
            raise ValueError(
                f"width={self.width} is not allowed: use at most {_MAX_WIDTH[self.network]:,} with "
                f"network={self.network}"
            )
        if self.lines and self.network != "sparse":
            raise ValueError("lines=True is not allowed without network=sparse: name both")

    def torch_device(self) -> str:
        """Return the device that PyTorch computes on.

        Raises:
            ValueError: It is not present.
        """
        return find_device(self.device)

    def agent_text(self, game: Game, policy: Path) -> str:
        """Return the text of the agent that evaluations measure, on the same device."""
        text = super().agent_text(game, policy)
        device = self.torch_device()
        return text if device == "cpu" else f"{text},device={device}"

    def network_shape(self, game: Game, *, turned: bool = True) -> AnyShape:
        """Return the shape of the network for a game.

        Args:
            game: The game.
            turned: Show player 1 the position as player 0 would see it, if the game has a symmetry
                for that.
        """
        from tzaar_envs.networks.shapes import UNITS_PER_CHANNEL, NetworkShape, SparseShape

        if self.network == "residual":
            return NetworkShape.for_game(game, self.width, self.blocks, turned=turned)
        units = UNITS_PER_CHANNEL * self.width
        shape = SparseShape.for_game(game, units, self.width, self.lines)
        return shape if turned else dataclasses.replace(shape, marker=None)

    def new_network(self, game: Game) -> AnyNetwork:
        """Return an untrained network for a game, on the device."""
        from tzaar_envs.networks.network import network_of

        network = network_of(self.network_shape(game), game).to(self.torch_device())
        network.allows_bfloat16 = self.precision == "auto"
        return network


@dataclass(kw_only=True)
class RewardSettings(NetworkSettings):
    """Settings of the scripts that can reward more than wins.

    Attributes:
        shaping: Weight of reward shaping by the game's evaluation function; 0: none. It decays to 0
            in sb3, else stays; above 0, sb3 and ppo change other defaults.
        draw: Reward of a draw in training; below 0, a learner that can draw tries to win.
    """

    shaping: NonNegativeFloat = 0.0
    draw: float = 0.0


@dataclass(kw_only=True)
class PpoSettings(NetworkSettings):
    """Settings of the scripts that learn by PPO.

    Where a game is rewarded at its end alone, few games in long rollouts, each learnt several
    times, teach PPO more than many in short ones; found by `tzaar-envs sweep`.

    Attributes:
        num_envs: Number of games played in parallel.
        rollout: Steps of each game between two updates of the network.
        batch_size: Samples in each gradient step.
        epochs: Passes over the samples in each update.
        learning_rate: Initial learning rate; decays to 10 %.
        gamma: Discount factor of future rewards, from one decision of a player to its next.
        gae_lambda: Smoothing factor (lambda) of generalized advantage estimation.
        clip_range: PPO clipping range: how far the probability ratio may move from 1.
        entropy: Weight of the entropy bonus, which rewards exploration.
    """

    num_envs: PositiveInt = 64
    rollout: PositiveInt = 64
    batch_size: Annotated[int, Meta(gt=1, lt=2**53)] = 512  # one advantage has no deviation
    epochs: PositiveInt = 4
    learning_rate: PositiveFloat = 2.6e-3
    gamma: Fraction = 0.99
    gae_lambda: Fraction = 0.95
    clip_range: Fraction = 0.28
    entropy: NonNegativeFloat = 0.013
