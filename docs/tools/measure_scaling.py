"""Measure `make_vec` over batch size and threads: `python docs/tools/measure_scaling.py`.

It draws `docs/speed.png`, one line per game and number of threads.
"""

from pathlib import Path

from matplotlib.figure import Figure

from tzaar_envs import list_games, load_game, make_vec
from tzaar_envs.cli.benchmark import measured, stepping

PICTURE = Path(__file__).parents[1] / "speed.png"
SIZES = (1, 8, 64, 512, 4096)


def main() -> None:
    """Measure all games, and write the picture."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for number, name in enumerate(list_games()):
        game = load_game(name)
        for threads in (1, 2):
            sizes = [size for size in SIZES if size >= threads]
            speeds = []
            for size in sizes:
                env = make_vec(name, num_envs=size, num_threads=threads, seed=0, copy=False)
                step = stepping(env, env.sample_actions)
                entry = measured(name, "vector", "steps/s", step, runs=3)
                print(f"{name}, {size} games, {threads} threads: {entry.median:,.0f} steps/s")
                speeds.append(entry.median)
                env.close()
            axes.plot(
                sizes,
                speeds,
                color=f"C{number}",
                linestyle="-" if threads == 1 else "--",
                marker="o",
                label=f"{game.spec.env_id}, {threads} thread{'s' * (threads > 1)}",
            )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel="games in a batch", ylabel="steps per second")
    axes.set_title("make_vec, observation and mask delivered")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(PICTURE, format="png", dpi=120)


if __name__ == "__main__":
    main()
