"""Publish learning speed: `python docs/tools/make_learning_page.py [FILE ...]`.

Each FILE is one that `measure_learning.py` has written. Its runs are added to
those of `docs/learning_speed.json`, where they replace runs of the same game, script and seed, so
that a comparison of all scripts can be measured in many sittings. Everything known then becomes the
page `docs/learning_speed.md` and the picture `docs/learning_speed.png`.
"""

import io
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from measure_learning import LearningRun, Target, targets_of
from wrap import wrapped

from tzaar_envs import list_games, load_game
from tzaar_envs.system.files import write_atomically
from tzaar_envs.training import ALGORITHMS

DOCS = Path(__file__).parents[1]
KNOWN = DOCS / "learning_speed.json"
PAGE = DOCS / "learning_speed.md"
PICTURE = DOCS / "learning_speed.png"

HEAD = """# Learning speed of the scripts

CPU minutes from nothing to a score: no teacher, no evaluation function, no shaping. A cell has the
median over the seeds that reached the score, their range, and how many they are if not all did; or
the highest score of any seed. Before the first step nothing is learnt, so what random weights score
does not count. Evaluations are of 100 games, 10 to 14 in each run; of 40 with AlphaZero, which
searches in them, except against `random`. Scripts have their default settings for the game, and one
thread. CPU minutes of RLlib are those of all its processes, Ray's own included. Steps are the
median over the seeds: decisions of the learner, in self-play those of all seats. More of AlphaZero
is in [learning.md](research/learning.md).

All runs are of one machine, two at a time, one for each of its two cores: rows can be compared, but
for those of RLlib, of `sb3` and AlphaZero in Black Elephant, and most third seeds of TorchRL and
Tianshou, which had other work beside them. A CPU minute of another machine may do half or twice as
much. The networks of all scripts but AlphaZero computed in bfloat16.

```sh
python docs/tools/measure_learning.py GAME --algo NAME --clock cpu --minutes 2 --threads 1
python docs/tools/make_learning_page.py learning.json
```

![Scores over CPU minutes of training](learning_speed.png)
"""


def merged(known: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return runs in the order of games, scripts and seeds; new ones replace known ones."""
    games = [load_game(name).spec.env_id for name in list_games()]
    scripts = list(ALGORITHMS)
    by_key = {(run["game"], run["algorithm"], run["seed"]): run for run in [*known, *new]}
    order = sorted(by_key, key=lambda key: (games.index(key[0]), scripts.index(key[1]), key[2]))
    return [by_key[key] for key in order]


def cell(target: Target, runs: list[LearningRun]) -> str:
    """Return when runs of a script reached a score, in words."""
    found = [each[1] for run in runs if (each := run.reached(target)) is not None]
    if not found:
        return f"highest {max(run.best(target) for run in runs):.0%}".replace("%", " %")
    text = f"**{statistics.median(found):.1f}**"
    if len(found) > 1:
        text += f" ({min(found):.1f} to {max(found):.1f})"
    return text if len(found) == len(runs) else f"{text}, {len(found)} of {len(runs)}"


def page(runs: list[LearningRun], machines: list[str]) -> str:
    """Return the page."""
    parts = [HEAD]
    for name in list_games():
        game = load_game(name)
        own = [run for run in runs if run.game == game.spec.env_id]
        if not own:
            continue
        targets = targets_of(game)
        heads = ["script", "seeds", "CPU minutes", "thousand steps", *map(_head, targets)]
        rows = [heads, ["---"] * len(heads)]
        for script in dict.fromkeys(run.algorithm for run in own):
            found = [run for run in own if run.algorithm == script]
            minutes = max(run.cpu_minutes[-1] for run in found)
            steps = statistics.median(run.steps[-1] for run in found) / 1000
            about = [f"`{script}`", str(len(found)), f"{minutes:.1f}", f"{steps:,.0f}"]
            rows.append([*about, *(cell(target, found) for target in targets)])
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        parts.append(f"## {game.spec.title}\n\n{table}\n")
    parts.append(wrapped("Measured on: " + "; ".join(machines) + ".\n"))
    return "\n".join(parts)


def _head(target: Target) -> str:
    return f"{target.score:.0%} against `{target.baseline}`".replace("%", " %", 1)


def draw_learning(targets: Mapping[str, Sequence[Target]], runs: Sequence[LearningRun]) -> None:
    """Draw a panel for each game and target, with one line per run.

    Args:
        targets: Targets of each game, by its id.
        runs: Runs of these games.
    """
    columns = max(map(len, targets.values()))
    figure = Figure(figsize=(2.9 * columns, 2.1 * len(targets) + 0.3), layout="constrained")
    panels = figure.subplots(len(targets), columns, squeeze=False, sharey=True)
    algorithms = list(dict.fromkeys(run.algorithm for run in runs))
    lines: dict[str, Any] = {}  # of one run of each script
    for row, (game, own_targets) in zip(panels, targets.items(), strict=True):
        own = [run for run in runs if run.game == game]
        row[0].set_ylabel(game)
        for axes, target in zip(row, own_targets, strict=False):
            for run in own:
                [lines[run.algorithm]] = axes.plot(
                    run.cpu_minutes,
                    run.scores[run.measured_by(target)],
                    color=f"C{algorithms.index(run.algorithm)}",
                    marker=".",
                    linewidth=1,
                )
            axes.axhline(target.score, color="grey", linestyle=":", linewidth=1)
            axes.set_title(own[0].measured_by(target) if own else str(target), fontsize="small")
            axes.set(ylim=(-0.03, 1.03), xlim=(0, None))
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
            axes.tick_params(labelsize="small")
            axes.grid(alpha=0.3)
        for axes in row[len(own_targets) :]:
            axes.set_axis_off()
    for axes in panels[-1]:
        axes.set_xlabel("CPU minutes of training", fontsize="small")
    if len(lines) > 1:
        figure.legend(
            lines.values(),
            lines.keys(),
            loc="outside upper center",
            ncols=2 * columns,
            fontsize="small",
        )
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=75)
    write_atomically(PICTURE, content.getvalue())


def main(files: list[str]) -> None:
    """Add the runs of files, and write everything again."""
    known: dict[str, Any] = {"machines": [], "runs": []}
    if KNOWN.exists():
        known = json.loads(KNOWN.read_text(encoding="utf-8"))
    for file in files:
        result = json.loads(Path(file).read_text(encoding="utf-8"))
        machine = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
        known["machines"] = list(dict.fromkeys([*known["machines"], machine]))
        known["runs"] = merged(known["runs"], result["runs"])
    write_atomically(KNOWN, json.dumps(known, indent=None, separators=(",", ":")) + "\n")
    runs = [LearningRun(**run) for run in known["runs"]]
    write_atomically(PAGE, page(runs, known["machines"]))
    games = [load_game(name) for name in list_games()]
    measured = {run.game for run in runs}
    targets = {game.spec.env_id: targets_of(game) for game in games if game.spec.env_id in measured}
    draw_learning(targets, runs)


if __name__ == "__main__":
    main(sys.argv[1:])
