"""Tuning of evaluation functions from self-play of alpha-beta: `tune_evaluation.py GAME`.

Alpha-beta plays itself, with many random actions in between. A logistic regression then fits the
weights to the results: an evaluation is `tanh` of the weighted sum of the features, so that sum is
half the logarithm of the odds. The next round plays with the new weights.

Only positions right after a random action count, since a search evaluates positions after any
action, good or bad: fitted to all positions of the games, in which hardly any piece can be taken,
the weights lost to untuned ones. Positions whose value does not depend on the weights (a player
wins at once) are left out.

A game can be tuned if the module of its `evaluate` has

| name                             | content                                                    |
|----------------------------------|------------------------------------------------------------|
| `FEATURES`                       | the names of the features                                  |
| `WEIGHTS`                        | their weights, read from `weights.json` beside the module  |
| `feature_sum(state, weights)`    | their weighted sum for the seat to act, in a running game  |
| `estimate(state, seat, weights)` | the evaluation with any weights                            |

`tune_by_matches` tunes games with chance or hidden information, and weights that are not factors of
a sum.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.agents.alphabeta import AlphaBetaAgent
from tzaar_envs.arena import play_match
from tzaar_envs.core.game import Game
from tzaar_envs.system.files import write_atomically

_MAX_STEPS = 50  # of Newton's method
_PRECISION = 1e-9


@dataclass(frozen=True)
class Arguments:
    """Arguments of the script."""

    game: str = field(metadata={"help": "the game", "argument": True})
    games: int = field(default=2000, metadata={"help": "self-play games per round"})
    rounds: int = field(default=2, metadata={"help": "number of rounds of playing and fitting"})
    depth: int = field(default=2, metadata={"help": "search depth of the players, in plies"})
    opening_plies: int = field(
        default=8, metadata={"help": "random actions at the start of each game"}
    )
    exploration: float = field(
        default=0.3, metadata={"help": "rate of random actions after the opening"}
    )
    penalty: float = field(
        default=1.0, metadata={"help": "weight of the ridge penalty of the regression"}
    )
    match_games: int = field(
        default=0,
        metadata={"help": "games per match that measures the worth of a feature, 0 for no matches"},
    )
    seed: int = field(default=0, metadata={"help": "seed of all games"})
    output: Path | None = field(
        default=None, metadata={"help": "file for the weights [default: the game's weights.json]"}
    )


@dataclass(frozen=True)
class Positions:
    """Positions of finished games.

    Attributes:
        features: of the seat to act, float64 `(N, features)`.
        results: 1 if that seat won, 0 if it lost, 0.5 for a draw, float64 `(N,)`.
    """

    features: NDArray[np.float64]
    results: NDArray[np.float64]


def module_of(game: Game) -> ModuleType:
    """Return the module of a game's evaluation function.

    Raises:
        ValueError: it has no features to tune.
    """
    module = inspect.getmodule(inspect.unwrap(game.rules.evaluate))
    if module is None or not hasattr(module, "FEATURES"):
        raise ValueError(f"the evaluation function of {game.name} has no features to tune")
    return module


def with_weights(game: Game, weights: NDArray[np.float64]) -> Game:
    """Return the same game with other weights of the evaluation function."""
    evaluate = _evaluate_with(module_of(game).estimate, tuple(weights.tolist()))
    rules = dataclasses.replace(game.rules, evaluate=evaluate)
    spec = dataclasses.replace(game.spec, load=lambda layout: rules)
    return Game(spec, **game.options)


@functools.lru_cache(maxsize=4)
def _evaluate_with(estimate: Callable[..., float], weights: tuple[float, ...]) -> Any:
    """Return the compiled evaluation function for some weights, which takes seconds to compile."""
    frozen = np.array(weights)

    @numba.njit(error_model="numpy")
    def evaluate(state, seat):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return estimate(state, seat, frozen)

    return evaluate


def play_itself(game: Game, module: ModuleType, arguments: Arguments, seed: int) -> Positions:
    """Let alpha-beta play itself with the evaluation function of `game`."""
    agent = AlphaBetaAgent(game, depth=arguments.depth, seed=seed)
    choices = np.random.default_rng((arguments.seed, seed))
    nothing = np.zeros(len(module.FEATURES))
    units = np.eye(len(module.FEATURES))
    features, results = [], []
    for number in range(arguments.games):
        state = game.new_state(seed=(arguments.seed, seed, number))
        plies, seats = 0, []
        while not state.is_terminal:
            explores = plies < arguments.opening_plies or choices.random() < arguments.exploration
            if explores:
                state.apply(int(choices.choice(state.legal_actions())))
            else:
                state.apply(agent.act(state))
            plies += 1
            seat, words = state.current_player, state.words
            if explores and seat >= 0 and module.estimate(words, seat, nothing) == 0.0:
                features.append([module.feature_sum(words, unit) for unit in units])
                seats.append(seat)
        results += ((state.returns()[seats] + 1) / 2).tolist()
    return Positions(np.array(features), np.array(results))


def fit(positions: Positions, penalty: float) -> NDArray[np.float64]:
    """Return the weights, by Newton's method."""
    features = 2 * positions.features
    weights = np.zeros(features.shape[1])
    for _ in range(_MAX_STEPS):
        chance = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (chance - positions.results) + penalty * weights
        curvature = (features.T * (chance * (1 - chance))) @ features
        step = np.linalg.solve(curvature + penalty * np.eye(weights.size), slope)
        weights -= step
        if abs(step).max() < _PRECISION:
            break
    return weights


def log_loss(positions: Positions, weights: NDArray[np.float64]) -> float:
    """Return the mean logarithmic loss in nats, which is 0.693 for a coin toss."""
    odds = 2 * positions.features @ weights
    losses = np.logaddexp(0, odds) - positions.results * odds
    return float(losses.mean())


def share_of_wins(
    game: Game, first: Game, second: Game, depth: int, games: int, seed: int
) -> tuple[float, tuple[float, float]]:
    """Return the win rate of the evaluation of `first` with its 95 % interval; draws count half."""

    def agent(of: Game) -> AlphaBetaAgent:
        return AlphaBetaAgent(of, depth=depth, seed=seed)

    result = play_match(
        game, [lambda _: agent(first), lambda _: agent(second)], games, seed, opening_plies=4
    )
    summary = result.summary(0)
    assert summary.mean_return is not None
    low, high = summary.return_interval
    return (summary.mean_return + 1) / 2, ((low + 1) / 2, (high + 1) / 2)


def tune(arguments: Arguments) -> None:
    """Play, fit and write the weights."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    game = tzaar_envs.load_game(arguments.game)
    module = module_of(game)
    names = module.FEATURES
    player, weights = game, module.WEIGHTS
    for number in range(arguments.rounds):
        positions = play_itself(player, module, arguments, number)
        before = log_loss(positions, weights)
        weights = fit(positions, arguments.penalty).round(4)
        console.print(
            f"Round {number + 1}: {positions.results.size:,} positions, log loss "
            f"{log_loss(positions, weights):.4f}, with the weights before {before:.4f}",
            highlight=False,
        )
        player = with_weights(game, weights)

    table = Table("feature", "weight", "log loss without", "wins without")
    table.add_row("(all)", "", f"{log_loss(positions, weights):.4f}", "")
    for index, name in enumerate(names):
        kept = np.delete(np.arange(len(names)), index)
        fewer = np.zeros_like(weights)
        fewer[kept] = fit(
            Positions(positions.features[:, kept], positions.results), arguments.penalty
        )
        wins = ""
        if arguments.match_games:
            share, (low, high) = share_of_wins(
                game,
                with_weights(game, fewer),
                player,
                arguments.depth,
                arguments.match_games,
                arguments.seed,
            )
            wins = f"{share:.1%} ({low:.1%} - {high:.1%})"
        table.add_row(name, f"{weights[index]:+.4f}", f"{log_loss(positions, fewer):.4f}", wins)
    console.print(table)

    path = arguments.output or Path(inspect.getfile(module)).with_name("weights.json")
    content = {
        "weights": dict(zip(names, weights.tolist(), strict=True)),
        "positions": positions.results.size,
        "log_loss": round(log_loss(positions, weights), 4),
        "arguments": {
            name: value
            for name, value in dataclasses.asdict(arguments).items()
            if name not in ("output", "match_games")
        },
    }
    write_atomically(path, json.dumps(content, indent=1) + "\n")
    console.print(f"Wrote {path}", highlight=False)


def main() -> None:
    """Run the script from the command line."""
    from tzaar_envs.arguments.from_dataclass import command_from_dataclass, run_command

    run_command(command_from_dataclass(Arguments, tune))


if __name__ == "__main__":
    main()
