"""Evaluation of training: matches against baselines, learning curve, report and learning speed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tzaar_envs.arena.ratings import wilson
from tzaar_envs.core.game import Game

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult

WITHOUT_SEARCH = " (without search)"

_PROBE = 2  # games per seat that show how long a game takes
_MIN_GAMES = 2  # per seat of a match, however long they take
_COLOURS = {"random": "#2a78b5", "greedy": "#c8502d"}
_LINES = ("-", "--", ":", "-.")


# --- matches -------------------------------------------------------------------------------------


class Evaluation:
    """Matches against baselines, each with the same games every time.

    A match has fewer games where it would otherwise take longer than it may.

    Args:
        game: The game.
        opening_plies: Random plies at the start of each game.
    """

    def __init__(self, game: Game, opening_plies: int) -> None:
        self.game = game
        self.opening_plies = opening_plies
        self._seconds_per_game: dict[str, float] = {}  # of the last match, by its name

    def scores(
        self, matches: Mapping[str, tuple[str, str]], games_per_seat: int, seconds: float = math.inf
    ) -> dict[str, list[list[int]]]:
        """Return wins, draws and losses of the agent in each seat, for each match.

        Args:
            matches: The agent and the baseline of each match, by its name.
            games_per_seat: Number of games of each, unless they take too long.
            seconds: Seconds that all matches together may take.
        """
        scores = {}
        for name, (agent, baseline) in matches.items():
            match = self.play(
                agent, baseline, games_per_seat, 1, name=name, seconds=seconds / len(matches)
            )
            seats = [match.summary(0, seat) for seat in range(self.game.num_players)]
            scores[name] = [[seat.wins, seat.draws, seat.losses] for seat in seats]
        return scores

    def play(
        self,
        agent: str,
        baseline: str,
        games_per_seat: int,
        seed: int,
        *,
        name: str,
        seconds: float = math.inf,
    ) -> MatchResult:
        """Let an agent play a match against a baseline in all other seats.

        Args:
            agent: Text of the agent.
            baseline: Text of its opponent.
            games_per_seat: Number of games, unless they take too long.
            seed: Seed of the games.
            name: Name of the match; how long its games take is known from the last one of it.
            seconds: Seconds that it may take; two games per seat are always played.

        Raises:
            KeyboardInterrupt: The match was interrupted.
        """
        from tzaar_envs.arena import play_match

        seats = self.game.num_players
        if seconds < math.inf:
            if name not in self._seconds_per_game:
                for few in (1, _PROBE):  # the first one compiles what is not compiled yet
                    self.play(agent, baseline, few, seed, name=name)
            affordable = seconds / max(self._seconds_per_game[name] * seats, 1e-9)
            games_per_seat = int(min(games_per_seat, max(_MIN_GAMES, affordable)))
        begun = time.monotonic()
        result = play_match(
            self.game,
            [agent, *[baseline] * (seats - 1)],
            games=games_per_seat * seats,
            seed=seed,
            opening_plies=self.opening_plies,
        )
        self._seconds_per_game[name] = (time.monotonic() - begun) / (games_per_seat * seats)
        if result.interrupted:
            raise KeyboardInterrupt
        return result


# --- what the evaluations of a run say -----------------------------------------------------------


def points_per_game(by_seat: Sequence[Sequence[int]]) -> float:
    """Return the points per game, of which a draw gives half of one.

    Args:
        by_seat: Numbers of wins, draws and losses in each seat.
    """
    points = sum(wins + draws / 2 for wins, draws, _ in by_seat)
    return points / max(1, sum(map(sum, by_seat)))


def mean_score(evaluation: Mapping[str, Any]) -> float:
    """Return the mean of the points per game against each baseline.

    Args:
        evaluation: A record with `results`, as below.
    """
    results = evaluation["results"].values()
    return sum(map(points_per_game, results)) / len(results)


def learning_report(evaluations: Sequence[Mapping[str, Any]], beginning: str) -> str:
    """Return a table of scores before and after training, and what it shows.

    Args:
        evaluations: Records with `steps` and `results`: for each baseline and seat the numbers of
            wins, draws and losses.
        beginning: What the policy of the first one is, such as `untrained`.
    """
    first, last = evaluations[0], evaluations[-1]
    width = max(len(name) for name in last["results"])
    lines = [f"{'against':{width}}   {beginning} -> after {last['steps']:,} steps"]
    has_learnt = False
    for name, by_seat in last["results"].items():
        scores, intervals = [], []
        for seats in (first["results"][name], by_seat):
            games = sum(map(sum, seats))
            scores.append(points_per_game(seats))
            intervals.append(wilson(scores[-1] * games, games))
        has_learnt |= intervals[1][0] > intervals[0][1]
        lines.append(f"{name:{width}}   {scores[0]:.0%} -> {scores[1]:.0%}")
    if not has_learnt:
        lines.append(
            "Reinforcement learning added nothing that these games show: no score rose by more "
            "than chance explains."
        )
    return "\n".join(lines)


def learning_speed(evaluations: Sequence[Mapping[str, Any]]) -> float:
    """Return the area under a learning curve, divided by its minutes.

    The curve shows the mean of the points per game against each baseline. Before the first
    evaluation it is 0.

    Args:
        evaluations: Records with `minutes` and `results`, at least one.
    """
    minutes = [float(record["minutes"]) for record in evaluations]
    scores = [mean_score(record) for record in evaluations]
    if minutes[-1] == 0:
        return scores[-1]
    pairs = zip(minutes, minutes[1:], scores, scores[1:], strict=False)
    return sum((end - begin) * (one + two) / 2 for begin, end, one, two in pairs) / minutes[-1]


def draw_learning_curve(
    path: Path, title: str, seat_names: Sequence[str], evaluations: Sequence[dict[str, Any]]
) -> None:
    """Write a PNG: one line per baseline and seat, with the 95 % interval as a band.

    Args:
        path: The path of the PNG.
        title: Heading of the plot.
        seat_names: Names of the seats.
        evaluations: Records with `minutes`, `steps`, and `results`: for each baseline and seat the
            numbers of wins, draws and losses.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, MaxNLocator

    figure = Figure(figsize=(10, 4.8), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    by_time, by_steps = figure.subplots(1, 2, sharey=True)
    for baseline in evaluations[0]["results"]:
        for seat, seat_name in enumerate(seat_names):
            results = [record["results"][baseline][seat] for record in evaluations]
            rates = [points_per_game([result]) for result in results]
            games = [sum(result) for result in results]
            points = [rate * played for rate, played in zip(rates, games, strict=True)]
            lows, highs = zip(*map(wilson, points, games), strict=True)
            style: dict[str, Any] = {
                "color": _COLOURS.get(baseline.partition(" ")[0], "#555555"),
                "linestyle": _LINES[seat % len(_LINES)],
                "marker": "o" if " " not in baseline else "x",
                "label": f"against {baseline}, as {seat_name}",
            }
            for axes, name in ((by_time, "minutes"), (by_steps, "steps")):
                places = [record[name] for record in evaluations]
                axes.plot(places, rates, markersize=4, **style)
                axes.fill_between(
                    places, lows, highs, color=style["color"], alpha=0.12, linewidth=0
                )
    for axes in (by_time, by_steps):
        axes.set_xlim(left=0)
        axes.grid(alpha=0.3)
    figure.suptitle(title)
    by_time.set(xlabel="minutes of training", ylabel="points per game (draw = 1/2)")
    by_time.set(ylim=(-0.02, 1.02))
    by_time.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    by_steps.set(xlabel="steps of the learner")
    by_steps.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    by_steps.xaxis.set_major_formatter(EngFormatter())
    by_steps.legend(loc="best", fontsize="small")
    figure.savefig(path)
