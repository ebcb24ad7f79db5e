"""A training run: all that does not depend on the library that learns.

A script provides a `Run` with a learner. The run gives it a head start by imitation, asks it to
learn until the budget is used, measures it on the way, keeps its folder (see `run_folder`), goes on
after an interruption, and measures the result.
"""

from __future__ import annotations

import copy
import io
import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.files import write_atomically
from tzaar_envs.training.run_folder import RunFolder, environment, read_json, write_json
from tzaar_envs.training.settings import Settings

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult
    from tzaar_envs.policies.network import NetworkShape, PolicyNetwork

S = TypeVar("S", bound=Settings)


class Run(ABC, Generic[S]):
    """One training run, from the head start to the final evaluation.

    Args:
        settings: checked.
        game: what is learnt.
        folder: with `config.json`; what else it holds is gone on with.

    Attributes:
        title: what reports call the algorithm.
        extra: of `pyproject.toml`, brings the packages.
        packages: what is imported from there.
        steps: decisions that were learnt from so far; the learner counts them.
        learner: the network that learns, made by `build`; where a library keeps it in another form,
            `network` and `take` are the script's own.
    """

    title: ClassVar[str]
    extra: ClassVar[str] = "sb3"
    packages: ClassVar[tuple[str, ...]] = ()
    learner: PolicyNetwork

    def __init__(self, settings: S, game: Game, folder: RunFolder) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.settings = settings
        self.game = game
        self.folder = folder
        self.console = Console()
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f} %  {task.fields[status]}"),
            TimeElapsedColumn(),
            console=self.console,
        )
        own = [baseline.name for baseline in game.spec.baselines]
        self.baselines = ["random", *own, "greedy"]  # from weak to strong
        self.log = SummaryWriter(str(folder.tensorboard))
        self.steps = 0
        self.imitated = False  # whether the head start is over
        self._seconds_before = 0.0  # of training, in sessions that this one goes on with
        self._started = time.monotonic()

    # --- what a learner provides ---

    @abstractmethod
    def build(self) -> None:
        """Make the learner, with fresh weights that follow from the seed."""

    def network(self) -> PolicyNetwork:
        """Return a copy of the present network, in evaluation mode, on the CPU."""
        return copy.deepcopy(self.learner).eval()

    def take(self, network: PolicyNetwork) -> None:
        """Go on from the weights of a network of the same shape."""
        self.learner.load_state_dict(network.state_dict())

    @abstractmethod
    def learn(self) -> None:
        """Learn while `used` is below 1: count `steps`, and call `after_update` now and then."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return all that learning goes on from: numbers, tensors and plain containers."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned.

        Raises:
            LookupError, RuntimeError, TypeError, ValueError: it is something else.
        """

    # --- budget ---

    @property
    def shape(self) -> NetworkShape:
        """The shape of the network."""
        from tzaar_envs.policies.network import NetworkShape

        return NetworkShape.for_game(self.game, self.settings.width, self.settings.blocks)

    @property
    def seconds(self) -> float:
        """Seconds of training so far, in all sessions."""
        return self._seconds_before + time.monotonic() - self._started

    @property
    def seconds_left(self) -> float:
        """Seconds until the budget in minutes is used, infinite without one."""
        return 60 * self.settings.minutes - self.seconds if self.settings.minutes else math.inf

    @property
    def used(self) -> float:
        """The used part of the budget in steps or minutes, 0 .. 1."""
        by_steps = self.steps / self.settings.steps
        by_time = self.seconds / 60 / self.settings.minutes if self.settings.minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    @property
    def decay(self) -> float:
        """The factor of learning rates: 1 at the start, a tenth when the budget is used."""
        return 1 - 0.9 * self.used

    # --- the run ---

    def execute(self) -> None:
        """Train, save and measure; Ctrl-C saves what there is and says how to go on."""
        import torch

        torch.set_num_threads(self.settings.threads or torch.get_num_threads())
        self.console.print(
            f"Training {self.title} on [bold]{self.game.spec.env_id}[/bold]; everything goes to "
            f"[bold]{self.folder.path}[/bold]",
            highlight=False,
        )
        self.console.print(
            "Evaluations show wins-draws-losses as "
            f"{' / '.join(self.game.layout.seat_names)} against {', '.join(self.baselines)}.",
            highlight=False,
        )
        self.build()
        if self.folder.checkpoint.exists():
            # Not inside the try: what is half restored must not be saved.
            self._restore()
        try:
            with self.progress:
                if not self.imitated:
                    self._imitate()
                self._learn()
        except KeyboardInterrupt:
            self._save_checkpoint()
            self.console.print(
                f"\nStopped after {self.steps:,} steps; nothing is lost. Go on with:\n"
                f"  tzaar-envs train --resume {self.folder.path}",
                highlight=False,
                soft_wrap=True,
            )
            sys.exit(130)
        finally:
            self.log.close()
        self._save_checkpoint()
        self._finish()

    def _imitate(self) -> None:
        from tzaar_envs.training.imitation import collect_lessons, imitate

        settings = self.settings
        if settings.imitation:
            task = self.progress.add_task(
                f"watch {settings.teacher}", total=settings.imitation, status=""
            )
            lessons = collect_lessons(
                self.game,
                make_agent(settings.teacher, self.game),
                settings.imitation,
                settings.seed,
                lambda done: self.progress.update(task, completed=done),
            )
            self.progress.update(task, completed=settings.imitation)
            total = settings.imitation_passes * len(lessons.returns)
            learning = self.progress.add_task("imitate it", total=total, status="")
            network = self.network()
            imitate(
                network,
                lessons,
                settings.imitation_passes,
                settings.seed,
                lambda done, divergence: self.progress.update(
                    learning, advance=done, status=f"divergence {divergence:.2f}"
                ),
            )
            self.progress.update(learning, completed=total)
            self.take(network)
        self.imitated = True
        if settings.imitation:
            self.evaluate()

    def _learn(self) -> None:
        self._task = self.progress.add_task(f"learn by {self.title}", total=1.0, status="")
        self._steps_before, self._since = self.steps, self.seconds
        self._last_evaluation = self.seconds
        if self.used < 1.0:
            self.learn()
            self.evaluate()
        self.progress.update(self._task, completed=1.0)

    def after_update(self, values: Mapping[str, float], status: str = "") -> None:
        """Log, show the progress, and evaluate when it is time.

        Args:
            values: for TensorBoard.
            status: for people, behind the number of steps.
        """
        import torch

        rate = (self.steps - self._steps_before) / (self.seconds - self._since)
        self.record({**values, "time/steps_per_second": rate})
        shown = f"{self.steps:,} steps, {rate:,.0f}/s" + (f", {status}" if status else "")
        self.progress.update(self._task, completed=self.used, status=shown)
        interval = 60 * self.settings.evaluate_every
        # The end of the training is evaluated anyhow, so not also shortly before.
        if self.seconds - self._last_evaluation >= interval and self.seconds_left > interval / 2:
            self._last_evaluation = self.seconds
            # It follows the clock: learning must go on with the same random numbers all the same.
            with torch.random.fork_rng(devices=[]):
                self.evaluate()

    def record(self, values: Mapping[str, float]) -> None:
        """Write values to the TensorBoard log, at the present number of steps."""
        for name, value in values.items():
            self.log.add_scalar(name, value, self.steps)

    # --- evaluation ---

    def play_against(
        self,
        baseline: str,
        games_per_seat: int,
        seed: int,
        make: Callable[[Game], Agent] | None = None,
    ) -> MatchResult:
        """Let the present policy, or what `make` returns, play a baseline in all other seats."""
        from tzaar_envs.agents.policy import PolicyAgent
        from tzaar_envs.arena import play_match

        network = self.network()
        seats = self.game.num_players
        result = play_match(
            self.game,
            [make or (lambda game: PolicyAgent(game, network)), *[baseline] * (seats - 1)],
            games=games_per_seat * seats,
            seed=seed,
            opening_plies=self.settings.opening_plies,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        return result

    def evaluate(self) -> None:
        """Measure the present policy, and write record, curve, policy and checkpoint."""
        from tzaar_envs.training.learning_curve import draw_learning_curve

        results: dict[str, list[list[int]]] = {}
        for baseline in self.baselines:
            match = self.play_against(baseline, self.settings.evaluation_games, seed=1)
            seats = [match.summary(0, seat) for seat in range(self.game.num_players)]
            results[baseline] = [[seat.wins, seat.draws, seat.losses] for seat in seats]
        self.folder.append_evaluation(
            {"steps": self.steps, "minutes": round(self.seconds / 60, 3), "results": results}
        )
        records = self.folder.read_evaluations()
        names = self.game.layout.seat_names
        draw_learning_curve(self.folder.curve, f"{self.title} on {self.game.name}", names, records)
        for baseline, by_seat in results.items():
            for name, (wins, draws, losses) in zip(names, by_seat, strict=True):
                points = (wins + draws / 2) / (wins + draws + losses)
                tag = f"evaluation/{baseline}_{name.lower().replace(' ', '_')}"
                self.record({tag: points})
        self.log.flush()
        shown = "   ".join(
            f"{baseline} " + " / ".join("-".join(map(str, seat)) for seat in by_seat)
            for baseline, by_seat in results.items()
        )
        self.console.print(
            f"{self.seconds / 60:4.1f} min {self.steps:>9,} steps   {shown}", highlight=False
        )
        self._save_checkpoint()

    def final_matches(self) -> Iterator[tuple[str, MatchResult]]:
        """Yield the matches that measure the result, each with what its file is called after."""
        for baseline in self.baselines:
            yield baseline, self.play_against(baseline, self.settings.final_games, seed=2)

    def _finish(self) -> None:
        from tzaar_envs.arena import match_report

        self.console.print(
            f"\nTrained for {self.steps:,} steps in {self.seconds / 60:.1f} minutes. "
            f"Measuring: {self.settings.final_games} games per baseline and seat ...",
            highlight=False,
        )
        for name, result in self.final_matches():
            result.save(self.folder.path / f"result_{name}.json")
            self.console.print(match_report(result))
        self.console.print(
            f"\nThe policy       {self.folder.policy}\n"
            f"learning curve   {self.folder.curve}\n"
            f"results          {self.folder.path}/result_*.json\n"
            f"TensorBoard      tensorboard --logdir {self.folder.tensorboard}\n"
            f"play against it  tzaar-envs play {self.game.name} --opponent "
            f"policy:{self.folder.policy}",
            highlight=False,
            soft_wrap=True,
        )

    # --- checkpoints ---

    def save_snapshot(self, network: PolicyNetwork) -> str:
        """Write a network to the snapshots, return the name of this one."""
        from tzaar_envs.policies.card import make_card
        from tzaar_envs.policies.file import save_policy

        name = f"snapshot-{self.steps:09d}"
        card = make_card(self.game, network.shape, {"steps": self.steps})
        save_policy(self.folder.snapshots / f"{name}.safetensors", network, card)
        return name

    def _save_checkpoint(self) -> None:
        import torch

        from tzaar_envs.policies.card import make_card
        from tzaar_envs.policies.file import save_policy

        network = self.network()
        training = {
            "algorithm": self.title,
            "steps": self.steps,
            "minutes": round(self.seconds / 60, 2),
            "arguments": read_json(self.folder.config)["arguments"],
            **environment(),
        }
        save_policy(self.folder.policy, network, make_card(self.game, network.shape, training))
        content = io.BytesIO()
        own = {"steps": self.steps, "seconds": self.seconds, "imitated": self.imitated}
        torch.save({**own, "learner": self.state()}, content)
        write_atomically(self.folder.checkpoint, content.getvalue())

    def _restore(self) -> None:
        import pickle

        import torch

        path = self.folder.checkpoint
        try:
            # Numbers and plain containers only: nothing else is built, no code runs.
            stored = torch.load(path, weights_only=True)
            self.restore(stored["learner"])
            self.steps = int(stored["steps"])
            self._seconds_before = float(stored["seconds"])
            self.imitated = bool(stored["imitated"])
        except (
            pickle.UnpicklingError, RuntimeError, EOFError, LookupError, TypeError, ValueError,
            AttributeError,
        ) as error:  # fmt: skip
            reason = str(error).partition("\n")[0]
            raise ValueError(f"{path} is no checkpoint of this run: {reason}") from error
        self._started = time.monotonic()
        self.console.print(
            f"Going on after {self.steps:,} steps and {self._seconds_before / 60:.1f} minutes",
            highlight=False,
        )


def run_script(kind: type[Run[S]], settings: S) -> None:
    """Do what a training script was told: begin a run in a new folder, or go on with one.

    Raises:
        ValueError: a setting that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra of the script is not installed.
    """
    require_extra(
        kind.extra, "training", "torch", *kind.packages, "safetensors", "tensorboard", "matplotlib"
    )
    if settings.resume is not None:
        folder = RunFolder(settings.resume)
        settings = _read_config(folder, type(settings))
        game = settings.load_game()
    else:
        settings.check()
        game = settings.load_game()
        if settings.imitation:
            make_agent(settings.teacher, game)  # refuses a wrong name, still without folder
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        name = f"{game.name}-{settings.algorithm}-{stamp}"
        folder = RunFolder(settings.folder or Path("runs") / name)
        folder.create()
        _write_config(folder, settings, game)
    kind(settings, game, folder).execute()


def _write_config(folder: RunFolder, settings: Settings, game: Game) -> None:
    content = {
        "algorithm": settings.algorithm,
        "arguments": settings.as_json() | {"folder": None, "resume": None},
        "game": {"id": game.spec.env_id, "options": dict(game.options)},
        "environment": environment(),
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
    }
    write_json(folder.config, content)


def _read_config(folder: RunFolder, kind: type[S]) -> S:
    if not folder.checkpoint.exists() or not folder.config.exists():
        raise FileNotFoundError(f"{folder.path} holds no run that could go on (no checkpoint.pt)")
    config = read_json(folder.config)
    if config.get("algorithm") != kind.algorithm:
        raise ValueError(
            f"{folder.config} is of a run with --algo {config.get('algorithm')}, not with "
            f"--algo {kind.algorithm}"
        )
    try:
        return kind.from_json(config.get("arguments"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{folder.config} is not the configuration of a run: {error}") from error
