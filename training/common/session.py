"""The session of a training script: budget, warm start, log, evaluations, checkpoints.

A script holds a session and shows its own loop:

    with Session(arguments, "PPO") as session:
        arguments, game = session.arguments, session.game
        ...  # make the environment, the network and its optimizer
        session.track(network, optimizer=optimizer)
        if session.resumed:
            session.restore()
        else:
            session.warm_start(network)
        session.checkpoint()
        while session.running:
            ...  # play, learn, count `session.steps`
            session.log(losses)
            session.checkpoint()
        session.finish()

Ctrl-C at any point saves the state of the last `checkpoint` and says how to resume from it.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from rich.console import Console

from tzaar_envs.agents import Agent, make_agent
from tzaar_envs.core.game import Game
from tzaar_envs.system.extras import require_extra
from tzaar_envs.system.interrupts import ctrl_c_was_pressed, noticing_ctrl_c
from tzaar_envs.training.common.checkpoint import Checkpoint, Stateful, checking, load_part
from tzaar_envs.training.common.evaluation import Evaluation, policy_player
from tzaar_envs.training.common.learning_curve import draw_learning_curve
from tzaar_envs.training.common.learning_report import learning_report
from tzaar_envs.training.common.progress import ProgressBar, ProgressBars
from tzaar_envs.training.common.run_folder import environment, open_run, read_json
from tzaar_envs.training.common.settings import Settings

if TYPE_CHECKING:
    from tzaar_envs.networks.network import AnyNetwork, AnyShape

S = TypeVar("S", bound=Settings)

# Shares of the minutes of a run, at most.
_WARM_START = 0.25
_FINAL_MATCHES = 0.25  # on top, at the end


@dataclass(frozen=True)
class _Kept:
    """Copy of the state between two updates.

    Attributes:
        steps: of the run.
        parts: their states.
        network: a copy of the policy; None if it is the part `network`.
    """

    steps: int
    parts: Mapping[str, Any]
    network: AnyNetwork | None


class Session(Generic[S]):
    """A training run in one process, new or resumed.

    Args:
        arguments: of the script; with `resume`, all others are those of the resumed run.
        title: name of the algorithm in reports.

    Attributes:
        arguments: of the run.
        game: the game to learn.
        folder: of the run.
        baselines: names of the agents to measure against, from weak to strong.
        resumed: whether the run continues from a checkpoint.
        steps: decisions learnt from so far; the script counts them.

    Raises:
        ValueError: an argument that is not allowed, or a damaged checkpoint.
        FileNotFoundError: `resume` is not the folder of a run.
        FileExistsError: `folder` already holds a run.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """

    def __init__(self, arguments: S, title: str) -> None:
        require_extra("sb3", "training", "torch", "safetensors", "tensorboard", "matplotlib")
        import torch
        from torch.utils.tensorboard import SummaryWriter

        self.title = title
        self.arguments, self.game, self.folder = open_run(arguments)
        # A run that was interrupted before it began has no checkpoint yet.
        has_begun = arguments.resume is not None and self.folder.checkpoint.exists()
        stored = Checkpoint.read(self.folder.checkpoint) if has_begun else None
        self._stored = stored or Checkpoint(0, 0.0, 0.0, None)
        self.resumed = self._stored.learner is not None
        self.steps = self._stored.steps
        self._cpu_clock = self.arguments.cpu_clock()
        self._started, self._cpu_started = time.monotonic(), self._cpu_clock()
        self._evaluating = self._cpu_evaluating = 0.0  # seconds spent on evaluations
        torch.set_num_threads(self.arguments.threads or torch.get_num_threads())
        self._evaluation = Evaluation(self.game, self.arguments)
        self.baselines = self._evaluation.baselines
        self._writer = SummaryWriter(str(self.folder.tensorboard))
        self._console = Console()
        self._bars = ProgressBars(self._console)
        self._bar: ProgressBar | None = None  # of the training, since the first checkpoint here
        self._begun = 0, 0.0  # steps and seconds at that moment
        self._evaluated_at = 0.0  # of `spent`
        self._kept: _Kept | None = None
        self._noticing = noticing_ctrl_c()

    def __enter__(self) -> Self:
        """Print what begins; from now on no Ctrl-C is lost."""
        self._noticing.__enter__()
        self._print(
            f"Training {self.title} on [bold]{self.game.spec.env_id}[/bold]; everything is saved "
            f"to [bold]{self.folder.path}[/bold]"
        )
        self._print(
            "Evaluations show wins-draws-losses as "
            f"{' / '.join(self.game.layout.seat_names)} against {', '.join(self.baselines)}."
        )
        if self.resumed:
            minutes = self._stored.seconds / 60
            self._print(f"Resuming after {self.steps:,} steps and {minutes:.1f} minutes")
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the log; after Ctrl-C save the last checkpoint, say how to resume, and exit."""
        self._noticing.__exit__(None, None, None)
        self._bars.stop()
        self._writer.close()
        if isinstance(error, KeyboardInterrupt):
            self._save()
            steps = self._kept.steps if self._kept else self._stored.steps
            self._print(
                f"\nStopped; saved as of step {steps:,}. Resume with:\n"
                f"  tzaar-envs train --resume {self.folder.path}"
            )
            sys.exit(130)

    # --- budget ---

    @property
    def seconds(self) -> float:
        """Seconds of training so far, in all processes of the run, without evaluations."""
        return self._stored.seconds + time.monotonic() - self._started - self._evaluating

    @property
    def cpu_seconds(self) -> float:
        """Seconds of all cores that the run has spent on training."""
        here = self._cpu_clock() - self._cpu_started - self._cpu_evaluating
        return self._stored.cpu_seconds + here

    @property
    def spent(self) -> float:
        """Seconds of training so far, by what the minutes of the arguments are measured by."""
        return self.cpu_seconds if self.arguments.clock == "cpu" else self.seconds

    @property
    def seconds_left(self) -> float:
        """Seconds until the budget in minutes is used, infinite without one."""
        return 60 * self.arguments.minutes - self.spent if self.arguments.minutes else math.inf

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
        if ctrl_c_was_pressed():
            raise KeyboardInterrupt
        return self.progress < 1.0

    @property
    def learning_rate_factor(self) -> float:
        """The factor of learning rates: 1 at the start, 0.1 at the end of the budget."""
        return 1 - 0.9 * self.progress

    @property
    def threads(self) -> int:
        """The number of threads of the run."""
        import torch

        return torch.get_num_threads()

    # --- what is trained ---

    def track(
        self,
        policy: AnyNetwork | Callable[[], AnyNetwork],
        player: Callable[[Any], Callable[[Game], Agent]] = policy_player,
        /,
        **parts: Stateful,
    ) -> None:
        """Name what is trained: what is evaluated, and what a checkpoint holds.

        Args:
            policy: the network, which is also the part `network` of a checkpoint. Where a library
                keeps it in another form: a function that returns a copy of it, on the CPU.
            player: from a network to a maker of the agent that plays evaluations with it.
            **parts: all other parts of a checkpoint.
        """
        from tzaar_envs.networks.network import AnyNetwork

        self._player = player
        if isinstance(policy, AnyNetwork):
            self._network: AnyNetwork | None = policy
            self._parts = {"network": policy, **parts}
            self._copy_policy: Callable[[], AnyNetwork] = lambda: copy.deepcopy(policy)
        else:
            self._network, self._parts, self._copy_policy = None, parts, policy

    def restore(self) -> None:
        """Load the checkpoint of the resumed run into the parts given to `track`.

        Raises:
            ValueError: it does not fit them.
        """
        assert self._stored.learner is not None
        with checking(self.folder.checkpoint):
            for name, part in self._parts.items():
                load_part(part, self._stored.learner[name])

    def warm_start(self, network: AnyNetwork) -> None:
        """Take over the policy to start from, or fit a network to games of the teacher.

        Behaviour cloning takes a quarter of the minutes of the run at most; `--imitation 0` skips
        it.

        Raises:
            ValueError: the policy to start from has a network of another shape.
        """
        from tzaar_envs.training.common.warm_start import warm_start

        first = self.arguments.first_policy(self.game)
        if first is not None:
            self._print(f"Starting from the policy {self.arguments.start}")
            given, _ = first
            if given.shape != network.shape:
                raise ValueError(
                    f"the policy {self.arguments.start} has another network than this run: "
                    f"{_differences(given.shape, network.shape)}"
                )
            network.load_state_dict(given.state_dict())
        if self.arguments.imitation:
            seconds = _WARM_START * 60 * (self.arguments.minutes or math.inf) - self.spent
            limit = f", for at most {seconds / 60:.1f} minutes" if seconds < math.inf else ""
            self._print(f"Warm start: imitating {self.arguments.teacher}{limit}")
            warm_start(network, self.game, self.arguments, self._bars, max(0.0, seconds))

    # --- between two updates ---

    def log(self, values: Mapping[str, float], status: str = "") -> None:
        """Write values to the TensorBoard log and move the progress bar.

        Args:
            values: by their tags.
            status: a note behind the number of steps.
        """
        steps, seconds = self._begun
        rate = (self.steps - steps) / (self.seconds - seconds)
        self.write({**values, "time/steps_per_second": rate})
        if self._bar is not None:
            note = f"{self.steps:,} steps, {rate:,.0f}/s" + (f", {status}" if status else "")
            self._bar.move_to(self.progress, note)

    def write(self, values: Mapping[str, float]) -> None:
        """Write values to the TensorBoard log, at the present number of steps."""
        for tag, value in values.items():
            self._writer.add_scalar(tag, value, self.steps)

    def checkpoint(self) -> None:
        """Keep a copy of the state; evaluate the policy and write the files when it is time.

        That is before the first step, and then every `evaluate_every` minutes, at first twice as
        often. Ctrl-C writes the latest copy.

        Raises:
            ValueError: the network has diverged. The latest copy is written first.
        """
        copied = None if self._network else self._copy_policy()
        self._refuse_divergence(self._network or copied)
        parts = copy.deepcopy({name: part.state_dict() for name, part in self._parts.items()})
        self._kept = _Kept(self.steps, parts, copied)
        if self._bar is None:
            if not self.resumed:
                self._evaluate()
            self._bar = self._bars.add(f"train {self.title}", total=1.0)
            self._begun = self.steps, self.seconds
            self._evaluated_at = self.spent
        interval = 60 * self.arguments.evaluate_every
        if self.spent < 2 * interval:
            interval /= 2
        # The end of the training is evaluated anyway: not also shortly before.
        if self.spent - self._evaluated_at >= interval and self.seconds_left > interval / 2:
            self._evaluated_at = self.spent
            self._evaluate()

    def _refuse_divergence(self, network: AnyNetwork | None) -> None:
        assert network is not None
        for name, weights in network.state_dict().items():
            if not weights.isfinite().all():
                if self._kept is not None:
                    self._save()
                raise ValueError(
                    f"the network of the run {str(self.folder.path)!r} has diverged: {name} is not "
                    f"finite after {self.steps:,} steps; try a lower learning rate"
                )

    def save_snapshot(self) -> Agent:
        """Write the present policy to the snapshots, return the agent that draws from it."""
        from tzaar_envs.agents.policies import PolicyAgent
        from tzaar_envs.networks.card import make_card
        from tzaar_envs.networks.file import save_policy

        network = self._copy_policy().eval()
        name = f"snapshot-{self.steps:09d}"
        card = make_card(self.game, network.shape, {"steps": self.steps})
        save_policy(self.folder.snapshots / f"{name}.safetensors", network, card)
        return PolicyAgent(self.game, network, name=name, seed=self.steps, sample=True)

    def load_snapshots(self) -> list[Agent]:
        """Return agents that draw from the snapshots in the folder, from old to new."""
        from tzaar_envs.agents.policies import PolicyAgent

        paths = sorted(self.folder.snapshots.glob("*.safetensors"))
        return [PolicyAgent.load(path, self.game, sample=True) for path in paths]

    def baseline_agents(self) -> list[Agent]:
        """Return the baselines as opponents, with seeds that follow from that of the run.

        They are `random` and `greedy`, which are fast, or the agent to respond to; a run from
        scratch has only the first of them.
        """
        seed = self.arguments.seed
        names = [name for name in self.baselines if name in ("random", "greedy")]
        names = names or self.baselines[:1]
        names = names[:1] if self.arguments.from_scratch else names
        return [make_agent(name, self.game, [seed, number]) for number, name in enumerate(names)]

    # --- the end ---

    def finish(self, others: Mapping[str, Callable[[Game], Agent]] | None = None) -> None:
        """Evaluate and save the policy, then measure it in the final matches.

        Args:
            others: makers of further agents to measure against `greedy`, such as a search with the
                policy, by their names; they play as the network then is.
        """
        from tzaar_envs.arena import match_report

        evaluations = self.folder.read_evaluations(self.game.num_players)
        if not evaluations or evaluations[-1]["steps"] != self.steps:
            self._evaluate()
        self._save()
        if self._bar is not None:
            self._bar.move_to(1.0)
        self._bars.stop()
        games = self.arguments.final_games
        self._print(
            f"\nTrained for {self.steps:,} steps in {self.seconds / 60:.1f} minutes. "
            f"Measuring: {games} games per baseline and seat{self._limit} ..."
        )
        make = self._player(self._copy_policy().eval())
        matches = [(name, make, name) for name in self.baselines]
        matches += [(f"{name}_greedy", other, "greedy") for name, other in (others or {}).items()]
        seconds = _FINAL_MATCHES * 60 * (self.arguments.minutes or math.inf) / max(1, len(matches))
        for name, player, opponent in matches:
            result = self._evaluation.play(
                player, opponent, games, seed=2, name=name, seconds=seconds
            )
            result.save(self.folder.result(name))
            self._console.print(match_report(result))
        beginning = "untrained"
        if self.arguments.start:
            beginning = "at the start"
        elif self.arguments.imitation:
            beginning = "after the warm start"
        records = self.folder.read_evaluations(self.game.num_players)
        if records:  # none if the file was damaged
            self._print(f"\n{learning_report(records, beginning)}")
        self._print(
            f"\nThe policy       {self.folder.policy}\n"
            f"learning curve   {self.folder.curve}\n"
            f"results          {self.folder.path}/result_*.json\n"
            f"TensorBoard      tensorboard --logdir {self.folder.tensorboard}\n"
            f"play against it  tzaar-envs play {self.game.name} --opponent "
            f"{self.arguments.agent_text(self.game, self.folder.policy)}"
        )

    # --- parts ---

    @property
    def _limit(self) -> str:
        """How long the final matches may take, in words."""
        minutes = _FINAL_MATCHES * self.arguments.minutes
        return f", or as many as {minutes:.1f} minutes allow" if minutes else ""

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)

    def _evaluate(self) -> None:
        """Measure the present policy, and write evaluation, curve, policy and checkpoint."""
        import torch

        minutes, cpu_minutes = self.seconds / 60, self.cpu_seconds / 60
        begun, cpu_begun = time.monotonic(), self._cpu_clock()
        # Evaluations follow the clock, which must not change the random numbers of the training.
        with torch.random.fork_rng(devices=[]):
            network = self._copy_policy().eval()
            alone = None if self._player is policy_player else policy_player(network)
            seconds = math.inf
            if self.arguments.minutes and self.arguments.evaluation_share:
                shortest = min(self.arguments.evaluate_every, self.arguments.minutes)
                seconds = self.arguments.evaluation_share * 60 * shortest
            scores = self._evaluation.scores(self._player(network), alone, seconds)
        self._evaluating += time.monotonic() - begun
        self._cpu_evaluating += self._cpu_clock() - cpu_begun
        self.folder.append_evaluation(
            {
                "steps": self.steps,
                "minutes": round(minutes, 3),
                "cpu_minutes": round(cpu_minutes, 3),
                "results": scores,
            }
        )
        seat_names = self.game.layout.seat_names
        draw_learning_curve(
            self.folder.curve,
            f"{self.title} on {self.game.name}",
            seat_names,
            self.folder.read_evaluations(self.game.num_players),
        )
        for baseline, by_seat in scores.items():
            for seat_name, (wins, draws, losses) in zip(seat_names, by_seat, strict=True):
                tag = f"evaluation/{baseline}_{seat_name.lower()}".replace(" ", "_")
                self.write({tag: (wins + draws / 2) / (wins + draws + losses)})
        self._writer.flush()
        shown = "   ".join(
            f"{baseline} " + " / ".join("-".join(map(str, seat)) for seat in by_seat)
            for baseline, by_seat in scores.items()
        )
        self._print(f"{minutes:4.1f} min {self.steps:>9,} steps   {shown}")
        self._save()

    def _save(self) -> None:
        """Write policy and checkpoint as of the last `checkpoint`, if there was one."""
        from tzaar_envs.networks.card import make_card
        from tzaar_envs.networks.file import save_policy

        if self._kept is None:
            if not self.resumed:
                Checkpoint(0, self.seconds, self.cpu_seconds, None).write(self.folder.checkpoint)
            return
        kept = self._kept
        network = kept.network
        if network is None:
            network = copy.deepcopy(self._network)
            assert network is not None
            network.load_state_dict(kept.parts["network"])
        config = read_json(self.folder.config)
        training: dict[str, Any] = {
            "algorithm": self.title,
            "steps": kept.steps,
            "minutes": round(self.seconds / 60, 2),
            **{name: config[name] for name in ("arguments", "before") if name in config},
            **environment(),
        }
        save_policy(self.folder.policy, network, make_card(self.game, network.shape, training))
        checkpoint = Checkpoint(kept.steps, self.seconds, self.cpu_seconds, kept.parts)
        checkpoint.write(self.folder.checkpoint)


def _differences(given: AnyShape, wanted: AnyShape) -> str:
    """Return in words how the shapes of two networks differ."""
    if type(given) is not type(wanted):
        return f"a {type(given).__name__} in place of a {type(wanted).__name__}"
    ours, found = dataclasses.asdict(wanted), dataclasses.asdict(given)
    return ", ".join(
        f"{name} {found[name]!r:.40} in place of {value!r:.40}"
        for name, value in ours.items()
        if found[name] != value
    )
