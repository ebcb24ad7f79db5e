"""Comparison of all training scripts on one game, each for the same minutes.

    python docs/tools/make_training_page.py turm_und_waechter --minutes 5 --interpreter rllib=PATH

Every script runs with its defaults, one after the other, on an otherwise idle machine. A library
that needs an environment of its own gets its Python by `--interpreter`. The table is written to
`docs/training_comparison.md`. The runs stay in `runs/comparison`; existing ones are not repeated.
"""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tzaar_envs import load_game
from tzaar_envs.arena import Summary, play_match
from tzaar_envs.system.machine import machine
from tzaar_envs.training.common.algorithms import ALGORITHMS

PAGE = Path(__file__).parents[1] / "training_comparison.md"
RUNS = Path("runs") / "comparison"
SEARCH = "mcts:simulations=50"
SEED = 3


@dataclass
class Arguments:
    """What is compared."""

    game: str = field(metadata={"help": "the game", "argument": True})
    minutes: float = field(default=5.0, metadata={"help": "of training, with the warm start"})
    imitation: int = field(default=0, metadata={"help": "positions of the warm start, 0 for none"})
    games: int = field(default=500, metadata={"help": "number of games against each agent"})
    algorithm: tuple[str, ...] = field(
        default=(), metadata={"help": "a script, as in --algo; can be repeated; none: all"}
    )
    interpreter: tuple[str, ...] = field(
        default=(), metadata={"help": "ALGO=PATH, the Python for a script; can be repeated"}
    )


def train(name: str, python: str, arguments: Arguments) -> Path:
    """Run a script unless its run exists, return the folder of the run."""
    folder = RUNS / f"{arguments.game}-{name}"
    if not (folder / "policy.safetensors").exists():
        words = ["-m", "tzaar_envs", "train", arguments.game, "--algo", name]
        words += ["--folder", str(folder), "--minutes", str(arguments.minutes)]
        words += ["--imitation", str(arguments.imitation)]
        # One evaluation at the end, so that the time goes to learning.
        words += ["--evaluate-every", "1000", "--evaluation-games", "2", "--final-games", "2"]
        subprocess.run([python, *words], check=True)
    return folder


def rate(folder: Path) -> tuple[int, float]:
    """Return samples, and samples/s without warm start and evaluations."""
    lines = (folder / "evaluations.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    begun = records[0]["minutes"] if records[0]["steps"] == 0 else 0.0
    seconds = 60 * (records[-1]["minutes"] - begun)
    return records[-1]["steps"], records[-1]["steps"] / seconds


def points(summary: Summary) -> str:
    """Return the score of a match with its 95 % interval, a draw counting half."""
    assert summary.mean_return is not None
    low, high = summary.return_interval
    return (
        f"{(summary.mean_return + 1) / 2:.1%} ({(low + 1) / 2:.1%} - {(high + 1) / 2:.1%}), "
        f"{summary.wins}-{summary.draws}-{summary.losses}"
    )


def _warm_start(positions: int) -> str:
    return f"with {positions:,} positions of" if positions else "without"


def compare(arguments: Arguments) -> None:
    """Train with every script, measure the policies and write the table."""
    interpreters = dict(text.split("=", 1) for text in arguments.interpreter)
    game = load_game(arguments.game)
    opponents = ("random", "greedy", SEARCH)
    header = ["algorithm", "samples", "samples/s", *(f"against `{name}`" for name in opponents)]
    rows = [header, ["---"] * len(header)]
    for name in arguments.algorithm or ALGORITHMS:
        folder = train(name, interpreters.get(name, sys.executable), arguments)
        samples, per_second = rate(folder)
        row = [f"`{name}`: {ALGORITHMS[name].description}", f"{samples:,}", f"{per_second:,.0f}"]
        for opponent in opponents:
            match = play_match(
                game,
                [f"policy:{folder / 'policy.safetensors'}", opponent],
                arguments.games,
                SEED,
                opening_plies=4,
                workers=2,
            )
            row.append(points(match.summary(0)))
        rows.append(row)
        print(*row, sep="\n  ", flush=True)
    here = machine()
    PAGE.write_text(
        f"# All training scripts on one game: {game.spec.title}\n\n"
        f"`python docs/tools/make_training_page.py {arguments.game} "
        f"--minutes {arguments.minutes:g}`: "
        f"each script with its defaults for {arguments.minutes:g} minutes, seed 0, one after the "
        f"other, {_warm_start(arguments.imitation)} warm start. Then {arguments.games} games "
        "against each agent, with 4 random opening plies, in all seats equally often: score (a "
        "draw counts half) with its 95 % interval, wins-draws-losses. Samples are the decisions "
        "learnt from; where one seat learns, those of the other seats do not count.\n\n"
        + "\n".join(f"| {' | '.join(row)} |" for row in rows)
        + f"\n\nMachine: {here['processor']}, {here['cores']} cores, {here['system']}, no GPU.\n",
        encoding="utf-8",
    )
    print(f"Wrote {PAGE}")


if __name__ == "__main__":
    from tzaar_envs.arguments.from_dataclass import command_from_dataclass, run_command

    run_command(command_from_dataclass(Arguments, compare))
