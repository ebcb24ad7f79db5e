"""The session of a training run, which a script holds.

    with Session(arguments, "PPO") as session:
        game = session.game
        ...  # make the environment, the network and its optimizer
        session.begin(network, optimizer=optimizer)
        session.checkpoint()
        while session.running:
            ...  # play, learn, count `session.steps`
            session.log(losses)
            session.checkpoint()
        session.finish()

The file of the checkpoint is at most a minute old, or an update where one takes longer. Ctrl-C at
any point saves the state of the last `checkpoint` and says how to resume from it.
"""

from __future__ import annotations

import copy
import math
import shlex
import shutil
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Generic, Self

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tzaar_envs.agents import Agent
from tzaar_envs.agents.specs import quoted
from tzaar_envs.networks.card import make_card
from tzaar_envs.networks.device import device_title
from tzaar_envs.networks.file import find_policy, load_network, read_card, save_policy
from tzaar_envs.networks.network import AnyNetwork
from tzaar_envs.networks.shapes import LARGEST_WEIGHT
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.interrupts import noticing_ctrl_c, signals_deferred
from tzaar_envs.training import ALGORITHMS
from tzaar_envs.training.common.evaluation import (
    WITHOUT_SEARCH,
    Evaluation,
    draw_learning_curve,
    learning_report,
    mean_score,
    points_per_game,
)
from tzaar_envs.training.common.run import BUDGET, CHANGEABLE, Checkpoint, S, open_run
from tzaar_envs.training.common.settings import NetworkSettings

_OLDEST_CHECKPOINT = 60.0  # seconds
_FINAL_MATCHES = 0.25  # of the minutes of a run, on top, at most


class Session(Generic[S]):
    """A training run in one process, new or resumed.

    Args:
        arguments: Settings of the script; with `resume`, those of `RunFolder.settings`, of which
            minutes, steps and device may be changed.
        title: Name of the algorithm in reports.

    Attributes:
        arguments: Settings of the run.
        game: The game to learn.
        folder: Folder of the run.
        baselines: Names of the agents to measure against, from weak to strong.
        steps: Decisions learnt from so far; the script counts them.
        device: The device that PyTorch computes on.
        shaping: The present weight of reward shaping, for the card of the policy.

    Raises:
        ValueError: An argument that is not allowed, a damaged checkpoint, or a changed budget that
            the resumed run has already used.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: The extra `sb3` is not installed.
    """

    def __init__(self, arguments: S, title: str) -> None:
        require_extra("sb3", "training", "tensorboard", "matplotlib")
        from torch.utils.tensorboard import SummaryWriter

        self.title = title
        self.arguments, self.game, self.folder = open_run(arguments)
        # A run that was interrupted before it began has no checkpoint yet.
        self.resumed = arguments.resume is not None and self.folder.checkpoint.exists()
        if not self.resumed and any(each["steps"] for each in self.folder.read_evaluations()):
            raise ValueError(f"{self.folder.checkpoint} is missing: the run cannot be resumed")
        stored = Checkpoint(0, 0.0, 0.0, {})
        if self.resumed:
            stored = Checkpoint.read(self.folder.checkpoint)
        self._stored, self.steps = stored, stored.steps
        self.device = self.arguments.torch_device()
        self.shaping: float = getattr(self.arguments, "shaping", 0.0)
        self._cpu_clock = self.arguments.cpu_clock()
        # When training would have begun, if nothing had ever interrupted it.
        self._started = self._clocks() - np.array([stored.seconds, stored.cpu_seconds])
        self._config = self.folder.read_config()
        told, stored_ones = vars(self.arguments), self._config["arguments"]
        changed = {
            name: told[name]
            for name in CHANGEABLE
            if name in told and told[name] != stored_ones.get(name)
        }
        if changed:
            if self.progress == 1 and not changed.keys().isdisjoint(BUDGET):
                raise ValueError(
                    f"minutes={told['minutes']:g} and steps={told['steps']:,} are not allowed: "
                    f"the run in {self.folder.path} has already trained for "
                    f"{self.spent / 60:.1f} minutes and {self.steps:,} steps"
                )
            self._config["arguments"] |= changed
            self.folder.write_config(self._config)
        torch.set_num_threads(self.arguments.threads or torch.get_num_threads())
        self._evaluation = Evaluation(self.game, self.arguments.opening_plies)
        self.baselines = self.arguments.baselines(self.game)
        self._agent = self.arguments.agent_text(self.game, self.folder.policy)
        # Of each match its name, and the texts of the agent and of its opponents.
        self._matches = {name: (self._agent, name) for name in self.baselines}
        policy = f"policy:{quoted(str(self.folder.policy))}"
        if not self._agent.startswith("policy:"):
            weak = [name for name in self.baselines if name in ("random", "greedy")]
            self._matches |= {name + WITHOUT_SEARCH: (policy, name) for name in weak}
        self._writer = SummaryWriter(str(self.folder.tensorboard))
        self._console = Console()
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f} %  {task.fields[status]}"),
            TimeElapsedColumn(),
            console=self._console,
        )
        self._evaluated_at = 0.0  # of `spent`
        self._kept: Checkpoint | None = None  # the last one, which is not yet in the file
        self._noticing = noticing_ctrl_c()

    def __enter__(self) -> Self:
        """Print what begins; from now on no Ctrl-C is lost."""
        self._ctrl_c_was_pressed = self._noticing.__enter__()
        computes = ""
        if isinstance(self.arguments, NetworkSettings):  # others learn in compiled code
            computes = f"PyTorch computes on {device_title(self.device)}.\n"
        self._print(
            f"Training {self.title} on {self.game.spec.env_id}; everything is saved "
            f"to {self.folder.path}\n"
            f"{computes}"
            "Evaluations show wins-draws-losses as "
            f"{' / '.join(self.game.layout.seat_names)} against {', '.join(self.baselines)}."
        )
        if self.resumed:
            minutes = self._stored.seconds / 60
            self._print(f"Resuming after {self.steps:,} steps and {minutes:.1f} minutes")
        self._bar = self._bars.add_task(f"train {self.title}", total=1.0, status="")
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the log; after Ctrl-C save the last checkpoint, and say how to resume.

        Raises:
            ValueError: What failed in the block did so with a network that has diverged.
        """
        self._noticing.__exit__(None, None, None)
        with signals_deferred():  # a second signal must not end the saving
            self._bars.stop()
            self._writer.close()
            if isinstance(error, KeyboardInterrupt):
                self._save()
                self._print(f"\nStopped; saved as of step {self._stored.steps:,}.")
                if self.arguments.algorithm in ALGORITHMS:
                    folder = shlex.quote(str(self.folder.path))
                    self._print(f"Resume with:\n  tzaar-envs train --resume {folder}")
            if isinstance(error, Exception) and self._kept is not None:
                self._refuse_diverged()
            elif isinstance(error, Exception) and self.arguments.resume is None:
                self.folder.config.unlink(missing_ok=True)  # refused before it began

    # --- budget ---

    def _clocks(self) -> NDArray[np.float64]:
        """Return the seconds that the clock shows, and those that all cores have spent."""
        return np.array([time.monotonic(), self._cpu_clock()])

    @property
    def elapsed(self) -> tuple[float, float]:
        """Seconds of training so far, by the clock and of all cores, without evaluations."""
        seconds, cpu_seconds = (self._clocks() - self._started).tolist()
        return seconds, cpu_seconds

    @property
    def spent(self) -> float:
        """Seconds of training so far, on the clock chosen by `--clock`."""
        return self.elapsed[self.arguments.clock == "cpu"]

    @property
    def progress(self) -> float:
        """The used share of the budget in steps or minutes, 0 .. 1."""
        minutes = self.arguments.minutes
        by_time = self.spent / 60 / minutes if minutes else 0.0
        return min(1.0, max(self.steps / self.arguments.steps, by_time))

    @property
    def running(self) -> bool:
        """Whether there is budget left.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed, but foreign code has swallowed it.
        """
        if self._ctrl_c_was_pressed():
            raise KeyboardInterrupt
        return self.progress < 1.0

    @property
    def seed(self) -> int:
        """The seed of what is drawn from now on: that of the run, another one after a resume."""
        return (self.arguments.seed + self._stored.steps) % 2**32

    @property
    def learning_rate_factor(self) -> float:
        """The factor of learning rates: 1 at the start, 0.1 at the end of the budget."""
        return 1 - 0.9 * self.progress

    # --- what is trained ---

    def begin(self, network: AnyNetwork, /, **parts: Any) -> None:
        """Name what is trained, and load the checkpoint of a resumed run or the policy of `start`.

        Args:
            network: The policy that is evaluated; the part `network` of a checkpoint.
            **parts: All other parts of a checkpoint. As modules and optimizers of PyTorch they have
                `state_dict` and `load_state_dict`, with numbers, tensors, texts and containers.

        Raises:
            ValueError: A part does not fit the checkpoint, or the network the policy of `start`.
        """
        self._network, self._parts = network, {"network": network, **parts}
        if self.resumed:
            try:
                for name, part in self._parts.items():
                    part.load_state_dict(self._stored.learner[name])
            except (LookupError, RuntimeError, TypeError, ValueError) as error:
                reason = str(error).partition("\n")[0]
                raise ValueError(
                    f"{self.folder.checkpoint} is not a checkpoint of this run: {reason}"
                ) from error
        elif self.arguments.start:
            self._print(f"Starting from the policy {self.arguments.start}")
            path = find_policy(self.arguments.start, self.game.spec)
            given, shaping = load_network(path, self.game), read_card(path).get("shaping", 0.0)
            if shaping != self.shaping:
                raise ValueError(
                    f"the policy {self.arguments.start} was trained with shaping={shaping:g}, "
                    f"which its values lack: give a run the same, not shaping={self.shaping:g}"
                )
            own, wanted = vars(given.shape), vars(network.shape)
            if own.keys() != wanted.keys():
                own, wanted = ({"kind": each.get("kind", "residual")} for each in (own, wanted))
            differing = [
                f"{name}={value} in place of {wanted[name]}"
                if isinstance(value, int | str)
                else name
                for name, value in own.items()
                if value != wanted[name]
            ]
            if differing:
                raise ValueError(
                    f"the policy {self.arguments.start} has another network than this run: "
                    f"{', '.join(differing)}"
                )
            network.load_state_dict(given.state_dict())

    # --- between two updates ---

    def log(self, values: Mapping[str, float], status: str = "") -> None:
        """Write values to the TensorBoard log and move the progress bar.

        Args:
            values: Values by their tags.
            status: A note behind the number of steps.
        """
        last = self._kept or self._stored
        rate = (self.steps - last.steps) / (self.elapsed[0] - last.seconds)
        self.write({**values, "time/steps_per_second": rate})
        note = f"{self.steps:,} steps, {rate:,.0f}/s" + (f", {status}" if status else "")
        self._bars.update(self._bar, completed=self.progress, status=note)

    def write(self, values: Mapping[str, float]) -> None:
        """Write values to the TensorBoard log, at the present number of steps."""
        for tag, value in values.items():
            self._writer.add_scalar(tag, value, self.steps)

    def checkpoint(self) -> None:
        """Keep a copy of the state; write it and evaluate the policy when it is time.

        It is written once a minute, and by Ctrl-C. Evaluations are before the first step, and then
        every `evaluate_every` minutes, at first twice as often.

        Raises:
            ValueError: The network has diverged. The latest copy is written first.
        """
        self._refuse_diverged()
        states = copy.deepcopy({name: part.state_dict() for name, part in self._parts.items()})
        last, self._kept = self._kept, Checkpoint(self.steps, *self.elapsed, states)
        if last is None:
            if not self.folder.read_evaluations():
                self._evaluate()
            self._evaluated_at = self.spent
            return
        interval = 60 * self.arguments.evaluate_every
        if self.spent < 2 * interval:
            interval /= 2
        # The end of the training is evaluated anyway: not also shortly before.
        budget = 60 * self.arguments.minutes or math.inf
        if self.spent - self._evaluated_at >= interval and budget - self.spent > interval / 2:
            self._evaluated_at = self.spent
            self._evaluate()
        # Another update as long as the last one must not make the file too old.
        elif 2 * self._kept.seconds - last.seconds - self._stored.seconds > _OLDEST_CHECKPOINT:
            self._save()

    def save_snapshot(self) -> Agent:
        """Write the present policy to the snapshots, return the agent that draws from it.

        Raises:
            ValueError: The network has diverged.
        """
        from tzaar_envs.agents.policies import PolicyAgent

        self._refuse_diverged()
        network = copy.deepcopy(self._network).eval()
        name = f"snapshot-{self.steps:09d}"
        card = make_card(self.game, network.shape, {"steps": self.steps}, self.shaping)
        save_policy(self.folder.snapshots / f"{name}.safetensors", network, card)
        return PolicyAgent(self.game, network, name=name, seed=self.steps, sample=True)

    def load_snapshots(self, most: int) -> list[Agent]:
        """Return agents that draw from the last snapshots up to this step, from old to new.

        A run that has crashed may have left later ones, which it takes again.
        """
        from tzaar_envs.agents.policies import PolicyAgent

        paths = sorted(self.folder.snapshots.glob("*.safetensors"))
        earlier = [path for path in paths if int(path.stem.rpartition("-")[2]) <= self.steps]
        return [
            PolicyAgent.load(path, self.game, sample=True, device=self.device)
            for path in earlier[-most:]
        ]

    # --- the end ---

    def finish(self) -> None:
        """Evaluate and save the policy, then measure it in the final matches."""
        from tzaar_envs.arena import match_report

        evaluations = self.folder.read_evaluations()
        if not evaluations or evaluations[-1]["steps"] != self.steps:
            self._evaluate()
        self._save()
        self._bars.update(self._bar, completed=1.0)
        self._bars.stop()
        games, minutes = self.arguments.final_games, _FINAL_MATCHES * self.arguments.minutes
        limit = f", or as many as {minutes:.1f} minutes allow" if minutes else ""
        self._print(
            f"\nTrained for {self.steps:,} steps in {self.elapsed[0] / 60:.1f} minutes. "
            f"Measuring: {games} games per baseline and seat{limit} ..."
        )
        seconds = (60 * minutes or math.inf) / max(1, len(self._matches))
        for name, (agent, baseline) in self._matches.items():
            result = self._evaluation.play(
                agent, baseline, games, seed=2, name=name, seconds=seconds
            )
            result.save(self.folder.result(name))
            self._console.print(match_report(result))
        beginning = "at the start" if self.arguments.start else "untrained"
        game = [self.game.name, *(f"--option={text}" for text in self.arguments.option)]
        opponent = ["--opponent", self._agent]
        self._print(
            f"\n{learning_report(self.folder.read_evaluations(), beginning)}\n"
            f"\nThe policy       {self.folder.policy}\n"
            f"best evaluation  {self.folder.best}\n"
            f"learning curve   {self.folder.curve}\n"
            f"results          {self.folder.path}/result_*.json\n"
            f"TensorBoard      tensorboard --logdir {shlex.quote(str(self.folder.tensorboard))}\n"
            f"play against it  {shlex.join(['tzaar-envs', 'play', *game, *opponent])}"
        )

    # --- parts ---

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _evaluate(self) -> None:
        """Measure the present policy, and write evaluation, curve, policy and checkpoint."""
        self._save()
        begun = self._clocks()
        minutes, cpu_minutes = (seconds / 60 for seconds in self.elapsed)
        seconds = math.inf
        if self.arguments.minutes and self.arguments.evaluation_share:
            shortest = min(self.arguments.evaluate_every, self.arguments.minutes)
            seconds = self.arguments.evaluation_share * 60 * shortest
        # Evaluations follow the clock, which must not change the random numbers of the training.
        with torch.random.fork_rng(devices=[]):
            scores = self._evaluation.scores(
                self._matches, self.arguments.evaluation_games, seconds
            )
        self._started += self._clocks() - begun
        self.folder.append_evaluation(
            {
                "steps": self.steps,
                "minutes": round(minutes, 3),
                "cpu_minutes": round(cpu_minutes, 3),
                "results": scores,
            }
        )
        evaluations = self.folder.read_evaluations()
        if mean_score(evaluations[-1]) == max(map(mean_score, evaluations)):
            shutil.copy(self.folder.policy, self.folder.best)
        seat_names = self.game.layout.seat_names
        title = f"{self.title} on {self.game.name}"
        draw_learning_curve(self.folder.curve, title, seat_names, evaluations)
        for baseline, by_seat in scores.items():
            for seat_name, seat in zip(seat_names, by_seat, strict=True):
                tag = f"evaluation/{baseline}_{seat_name.lower()}".replace(" ", "_")
                self.write({tag: points_per_game([seat])})
        self._writer.flush()
        shown = "   ".join(
            f"{baseline} " + " / ".join("-".join(map(str, seat)) for seat in by_seat)
            for baseline, by_seat in scores.items()
        )
        self._print(f"{minutes:4.1f} min {self.steps:>9,} steps   {shown}")

    def _refuse_diverged(self) -> None:
        """Refuse a network that has diverged; the last one that had not is saved."""
        named = dict(self._network.named_parameters())
        # Written so that NaN does not pass; an accelerator is waited for once.
        largest = [torch.linalg.vector_norm(each, math.inf) for each in named.values()]
        for name, weight in zip(named, torch.stack(largest).tolist(), strict=True):
            if not weight <= LARGEST_WEIGHT:
                self._save()
                raise ValueError(
                    f"the network of the run {str(self.folder.path)!r} has diverged: after "
                    f"{self.steps:,} steps {name} is not from -{LARGEST_WEIGHT:,} to "
                    f"{LARGEST_WEIGHT:,}; try a lower learning rate"
                )

    def _save(self) -> None:
        """Write policy and checkpoint as of the last `checkpoint`, unless they are written."""
        if self._kept is None or self._kept is self._stored:
            return
        network = copy.deepcopy(self._network)
        network.load_state_dict(self._kept.learner["network"])
        training: dict[str, Any] = {
            "algorithm": self.title,
            "steps": self._kept.steps,
            "minutes": round(self._kept.seconds / 60, 2),
            **{
                name: self._config[name] for name in ("arguments", "before") if name in self._config
            },
            **self._config["environment"],
        }
        card = make_card(self.game, network.shape, training, self.shaping)
        save_policy(self.folder.policy, network, card)
        self._kept.write(self.folder.checkpoint)
        self._stored = self._kept
