"""Train a policy with MaskablePPO of sb3-contrib and measure it against the baselines.

    tzaar-envs train turm_und_waechter
    python training/sb3_maskable_ppo.py turm_und_waechter

The network first imitates a baseline of the game (see `imitation`), then learns by PPO with masked
actions (Huang and Ontañón, 2020) in games against a schedule of opponents (see
`opponent_schedule`). The learner's seat is drawn for every game. Everything that a run makes lies
in its folder (see `run_folder`).
"""

from __future__ import annotations

import dataclasses
import io
import math
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tzaar_envs.agents import action_values_of, make_agent
from tzaar_envs.core.files import write_atomically
from tzaar_envs.core.game import Game
from tzaar_envs.extras import require_extra
from tzaar_envs.registry import find_spec, load_game
from tzaar_envs.training.run_folder import RunFolder, environment, read_json, write_json

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

    from tzaar_envs.arena import MatchResult
    from tzaar_envs.training.opponent_schedule import OpponentSchedule


def _help(text: str, default: Any, **metadata: Any) -> Any:
    return field(default=default, metadata={"help": text, **metadata})


@dataclass
class Arguments:
    """What a run can be told; the defaults train any game in minutes on two cores."""

    game: str = _help("the game, see `tzaar-envs list`", "", argument=True)
    option: tuple[str, ...] = _help("a game option, name=value; can be repeated", (), short="-o")
    folder: Path | None = _help("where the results go [default: runs/GAME-TIME]", None)
    resume: Path | None = _help("go on with the run in this folder; nothing else is needed", None)
    seed: int = _help("fixes weights, opponents and games", 0)

    minutes: float = _help("stop training after this many minutes, 0 for no limit", 8.0)
    steps: int = _help("stop training after this many steps of the learner", 3_000_000)

    imitation: int = _help("positions of the head start by imitation, 0 for none", 150_000)
    teacher: str = _help("the baseline that is imitated", "greedy")
    imitation_passes: int = _help("how often the head start goes through them", 2)

    num_envs: int = _help("games that are played at once", 256)
    rollout: int = _help("steps of each game between updates", 16)
    batch_size: int = _help("samples of one gradient step", 1024)
    epochs: int = _help("passes over the samples of an update", 3)
    learning_rate: float = _help("at the start; it falls to a tenth", 1e-3)
    gamma: float = _help("discount", 0.99)
    gae_lambda: float = _help("smoothing of the advantages", 0.95)
    clip_range: float = _help("of PPO", 0.2)
    entropy: float = _help("weight of the entropy bonus", 0.005)
    shaping: float = _help("weight of the shaping by the evaluation function, 0 for none", 0.5)
    width: int = _help("channels of the network", 32)
    blocks: int = _help("residual blocks of the network", 1)
    threads: int = _help("threads of PyTorch, 0 for all cores", 0)

    snapshot_every: int = _help("steps between snapshots that become opponents", 50_000)
    evaluate_every: float = _help("minutes between evaluations", 1.0)
    evaluation_games: int = _help("games per baseline and seat in each of them", 50)
    final_games: int = _help("games per baseline and seat at the end", 250)
    opening_plies: int = _help("random plies before each of these games, so that they differ", 2)


def train(arguments: Arguments) -> None:
    """Train a policy with MaskablePPO and measure it against the baselines.

    Raises:
        ValueError: an argument that is not allowed.
        FileNotFoundError: `resume` is no folder of a run.
        FileExistsError: `folder` holds a run already.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """
    require_extra(
        "sb3", "training", "torch", "sb3_contrib", "safetensors", "tensorboard", "matplotlib"
    )
    if arguments.resume is not None:
        folder = RunFolder(arguments.resume)
        arguments = _read_arguments(folder)
        game = _load_game(arguments)
    else:
        _check(arguments)
        game = _load_game(arguments)
        action_values_of(arguments.teacher, game.spec)  # refuses a wrong name, still without folder
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        folder = RunFolder(arguments.folder or Path("runs") / f"{game.name}-{stamp}")
        folder.create()
        _write_config(folder, arguments, game)
    Run(arguments, game, folder).execute()


# --- arguments -------------------------------------------------------------------------------


def _check(arguments: Arguments) -> None:
    for name in (
        "seed", "minutes", "shaping", "imitation", "entropy", "blocks", "threads", "opening_plies",
    ):  # fmt: skip
        if getattr(arguments, name) < 0:
            raise ValueError(f"{name}={getattr(arguments, name)} is not allowed: use 0 or more")
    for name in ("gamma", "gae_lambda", "clip_range"):
        if not 0 < getattr(arguments, name) <= 1:
            raise ValueError(
                f"{name}={getattr(arguments, name)} is not allowed: use more than 0, at most 1"
            )
    for name in (
        "steps", "num_envs", "rollout", "batch_size", "epochs", "learning_rate", "width",
        "imitation_passes", "snapshot_every", "evaluate_every", "evaluation_games", "final_games",
    ):  # fmt: skip
        if getattr(arguments, name) <= 0:
            raise ValueError(f"{name}={getattr(arguments, name)} is not allowed: use more than 0")


def _load_game(arguments: Arguments) -> Game:
    if not arguments.game:
        raise ValueError("which game? give its name, or a folder to --resume")
    spec = find_spec(arguments.game)
    return load_game(spec.name, **spec.parse_options(arguments.option))


def _write_config(folder: RunFolder, arguments: Arguments, game: Game) -> None:
    values = dataclasses.asdict(arguments) | {"folder": str(folder.path), "resume": None}
    content = {
        "arguments": values,
        "game": {"id": game.spec.env_id, "options": dict(game.options)},
        "environment": environment(),
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
    }
    write_json(folder.config, content)


def _read_arguments(folder: RunFolder) -> Arguments:
    if not folder.checkpoint.exists() or not folder.config.exists():
        raise FileNotFoundError(f"{folder.path} holds no run that could go on (no checkpoint.pt)")
    stored = read_json(folder.config).get("arguments")
    known = {entry.name for entry in dataclasses.fields(Arguments)}
    if not isinstance(stored, dict) or set(stored) != known:
        raise ValueError(f"{folder.config} is not the configuration of a run of this version")
    arguments = Arguments(**{**stored, "option": tuple(stored["option"]), "folder": folder.path})
    for entry in dataclasses.fields(Arguments):
        value = getattr(arguments, entry.name)
        if isinstance(entry.default, int | float) and not isinstance(value, int | float):
            raise ValueError(f"{folder.config}: {entry.name}={value!r} is no number")
    _check(arguments)
    return arguments


# --- the run ---------------------------------------------------------------------------------


class Run:
    """One training run, from the head start to the final evaluation.

    Args:
        arguments: checked.
        game: what is learnt.
        folder: with `config.json`; what else it holds is gone on with.
    """

    def __init__(self, arguments: Arguments, game: Game, folder: RunFolder) -> None:
        self.arguments = arguments
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
        self.teacher_values = action_values_of(arguments.teacher, game.spec)
        self.seconds_before = 0.0  # of training, in sessions that this one goes on with
        self.started = time.monotonic()
        self.imitated = False  # whether the head start is over

    @property
    def seconds(self) -> float:
        """Seconds of training so far, in all sessions."""
        return self.seconds_before + time.monotonic() - self.started

    @property
    def seconds_left(self) -> float:
        """Seconds until the budget in minutes is used, infinite without one."""
        return 60 * self.arguments.minutes - self.seconds if self.arguments.minutes else math.inf

    @property
    def used(self) -> float:
        """The used part of the budget in steps or minutes, 0 .. 1."""
        by_steps = self.model.num_timesteps / self.arguments.steps
        by_time = self.seconds / 60 / self.arguments.minutes if self.arguments.minutes else 0.0
        return min(1.0, max(by_steps, by_time))

    def execute(self) -> None:
        """Train, save and measure; Ctrl-C saves what there is and says how to go on."""
        import torch

        torch.set_num_threads(self.arguments.threads or torch.get_num_threads())
        self.console.print(
            f"Training on [bold]{self.game.spec.env_id}[/bold]; everything goes to "
            f"[bold]{self.folder.path}[/bold]",
            highlight=False,
        )
        self.console.print(
            "Evaluations show wins-draws-losses as "
            f"{' / '.join(self.game.layout.seat_names)} against {', '.join(self.baselines)}.",
            highlight=False,
        )
        self.model, self.schedule = self._build()
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
                f"\nStopped after {self.model.num_timesteps:,} steps; nothing is lost. "
                "Go on with:\n"
                f"  tzaar-envs train --resume {self.folder.path}",
                highlight=False,
            )
            sys.exit(130)
        self._save_checkpoint()
        self._finish()

    def _build(self) -> tuple[MaskablePPO, OpponentSchedule]:
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.logger import configure

        from tzaar_envs.agents.network import NetworkShape
        from tzaar_envs.training.opponent_schedule import OpponentSchedule
        from tzaar_envs.training.sb3_policy import TrunkPolicy
        from tzaar_envs.wrappers.sb3_vec_env import SingleAgentVecEnv

        arguments = self.arguments
        env = SingleAgentVecEnv(
            self.game,
            self.baselines[:1],
            arguments.num_envs,
            seed=arguments.seed,
            shaping=arguments.shaping,
            gamma=arguments.gamma,
        )
        model = MaskablePPO(
            TrunkPolicy,
            env,
            # SB3's own schedules know only steps; this one also knows the minutes.
            learning_rate=lambda _: (
                arguments.learning_rate * (1 - 0.9 * (self.used if hasattr(self, "model") else 0.0))
            ),
            n_steps=arguments.rollout,
            batch_size=arguments.batch_size,
            n_epochs=arguments.epochs,
            gamma=arguments.gamma,
            gae_lambda=arguments.gae_lambda,
            clip_range=arguments.clip_range,
            ent_coef=arguments.entropy,
            policy_kwargs={
                "shape": NetworkShape.for_game(self.game, arguments.width, arguments.blocks)
            },
            seed=arguments.seed,
            device="cpu",
        )
        model.set_logger(configure(str(self.folder.tensorboard), ["tensorboard"]))
        baselines = [
            make_agent(name, self.game, [arguments.seed, number])
            for number, name in enumerate(self.baselines)
        ]
        return model, OpponentSchedule(env.pool, baselines)

    def _imitate(self) -> None:
        from tzaar_envs.training.imitation import collect_lessons, imitate

        arguments = self.arguments
        if not arguments.imitation:
            self.imitated = True
            return
        task = self.progress.add_task(
            f"watch {arguments.teacher}", total=arguments.imitation, status=""
        )
        lessons = collect_lessons(
            self.game,
            self.teacher_values,
            arguments.imitation,
            arguments.seed,
            lambda done: self.progress.update(task, completed=done),
        )
        total = arguments.imitation_passes * len(lessons.returns)
        self.progress.update(task, completed=arguments.imitation)
        task = self.progress.add_task("imitate it", total=total, status="")
        network = self.model.policy.network()
        imitate(
            network,
            lessons,
            arguments.imitation_passes,
            arguments.seed,
            lambda done, divergence: self.progress.update(
                task, advance=done, status=f"divergence {divergence:.2f}"
            ),
        )
        self.progress.update(task, completed=total)
        self.model.policy.take(network)
        self.imitated = True
        self.evaluate()

    def _learn(self) -> None:
        from tzaar_envs.training.sb3_callback import RunCallback

        self.task = self.progress.add_task("learn by PPO", total=1.0, status="")
        remaining = self.arguments.steps - self.model.num_timesteps
        if remaining > 0 and self.used < 1.0:
            self.model.learn(remaining, callback=RunCallback(self), reset_num_timesteps=False)
        self.progress.update(self.task, completed=1.0)

    # --- evaluation ---

    def play_against(self, baseline: str, games_per_seat: int, seed: int) -> MatchResult:
        """Let the present policy play against a baseline in all other seats."""
        from tzaar_envs.agents.policy import PolicyAgent
        from tzaar_envs.arena import play_match

        network = self.model.policy.network()
        seats = self.game.num_players
        result = play_match(
            self.game,
            [lambda game: PolicyAgent(game, network), *[baseline] * (seats - 1)],
            games=games_per_seat * seats,
            seed=seed,
            opening_plies=self.arguments.opening_plies,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        return result

    def evaluate(self) -> None:
        """Measure the present policy, and write record, curve, policy and checkpoint."""
        from tzaar_envs.training.learning_curve import draw_learning_curve

        results: dict[str, list[list[int]]] = {}
        for baseline in self.baselines:
            match = self.play_against(baseline, self.arguments.evaluation_games, seed=1)
            seats = [match.summary(0, seat) for seat in range(self.game.num_players)]
            results[baseline] = [[seat.wins, seat.draws, seat.losses] for seat in seats]
        steps = int(self.model.num_timesteps)
        self.folder.append_evaluation(
            {"steps": steps, "minutes": round(self.seconds / 60, 3), "results": results}
        )
        records = self.folder.read_evaluations()
        names = self.game.layout.seat_names
        draw_learning_curve(self.folder.curve, f"MaskablePPO on {self.game.name}", names, records)
        for baseline, by_seat in results.items():
            for name, (wins, draws, losses) in zip(names, by_seat, strict=True):
                points = (wins + draws / 2) / (wins + draws + losses)
                tag = f"evaluation/{baseline}_{name.lower().replace(' ', '_')}"
                self.model.logger.record(tag, points)
        self.model.logger.dump(steps)
        shown = "   ".join(
            f"{baseline} " + " / ".join("-".join(map(str, seat)) for seat in by_seat)
            for baseline, by_seat in results.items()
        )
        self.console.print(
            f"{self.seconds / 60:4.1f} min {steps:>9,} steps   {shown}", highlight=False
        )
        self._save_checkpoint()

    def _finish(self) -> None:
        from tzaar_envs.arena.report import match_report

        self.console.print(
            f"\nTrained for {self.model.num_timesteps:,} steps in {self.seconds / 60:.1f} minutes. "
            f"Measuring: {self.arguments.final_games} games per baseline and seat ...",
            highlight=False,
        )
        for baseline in self.baselines:
            result = self.play_against(baseline, self.arguments.final_games, seed=2)
            result.save(self.folder.path / f"result_{baseline}.json")
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

    def _save_checkpoint(self) -> None:
        import torch

        from tzaar_envs.agents.policy import make_card, save_policy

        network = self.model.policy.network()
        training = {
            "algorithm": "MaskablePPO",
            "steps": int(self.model.num_timesteps),
            "minutes": round(self.seconds / 60, 2),
            "arguments": read_json(self.folder.config)["arguments"],
            **environment(),
        }
        save_policy(self.folder.policy, network, make_card(self.game, network.shape, training))
        content = io.BytesIO()
        torch.save(
            {
                "policy": self.model.policy.state_dict(),
                "optimizer": self.model.policy.optimizer.state_dict(),
                "steps": int(self.model.num_timesteps),
                "seconds": self.seconds,
                "stage": self.schedule.stage,
                "imitated": self.imitated,
            },
            content,
        )
        write_atomically(self.folder.checkpoint, content.getvalue())

    def _restore(self) -> None:
        import pickle

        import torch

        from tzaar_envs.agents.policy import PolicyAgent

        path = self.folder.checkpoint
        try:
            # Numbers and plain containers only: nothing else is built, no code runs.
            stored = torch.load(path, weights_only=True)
            self.model.policy.load_state_dict(stored["policy"])
            self.model.policy.optimizer.load_state_dict(stored["optimizer"])
            self.model.num_timesteps = int(stored["steps"])
            self.seconds_before = float(stored["seconds"])
            self.schedule.stage = range(len(self.baselines))[stored["stage"]]
            self.imitated = bool(stored["imitated"])
        except (
            pickle.UnpicklingError, RuntimeError, EOFError, LookupError, TypeError, ValueError
        ) as error:  # fmt: skip
            reason = str(error).partition("\n")[0]
            raise ValueError(f"{path} is no checkpoint of this run: {reason}") from error
        self.started = time.monotonic()
        self.schedule.apply()
        for snapshot in sorted(self.folder.snapshots.glob("*.safetensors")):
            self.schedule.add_snapshot(PolicyAgent.load(snapshot, self.game, sample=True))
        self.console.print(
            f"Going on after {self.model.num_timesteps:,} steps and "
            f"{self.seconds_before / 60:.1f} minutes",
            highlight=False,
        )

    def add_snapshot(self) -> None:
        """Let the present policy join the opponents."""
        from tzaar_envs.agents.policy import PolicyAgent, make_card, save_policy

        steps = int(self.model.num_timesteps)
        network = self.model.policy.network()
        name = f"snapshot-{steps:09d}"
        card = make_card(self.game, network.shape, {"steps": steps})
        save_policy(self.folder.snapshots / f"{name}.safetensors", network, card)
        self.schedule.add_snapshot(
            PolicyAgent(self.game, network, name=name, seed=steps, sample=True)
        )


def main() -> None:
    """Run the script from the command line."""
    import typer

    from tzaar_envs.arguments import command_from_dataclass

    typer.run(command_from_dataclass(Arguments, train))


if __name__ == "__main__":
    main()
