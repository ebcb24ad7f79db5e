"""Tuning of evaluation functions by matches of `greedy`: `tune_by_matches.py GAME`.

`greedy` plays itself with different weights. That works for any game, with chance, hidden
information and several seats, and for any use of the weights. In each round one seat has randomly
perturbed versions of the present weights; the other seats have one of the earlier sets of weights,
so that a set which beats only the latest one is not progress. A logistic regression of the wins on
the perturbations estimates the gradient (simultaneous perturbation: J. C. Spall, IEEE Transactions
on Automatic Control 37(3), 1992), and its ridge penalty pulls towards no change. One step along the
gradient is kept if it wins significantly more games than the weights before (95 %); otherwise the
next rounds use smaller perturbations.

Tuning starts from the weights called `prior` in the game's `weights.json`, which were set by hand.
Each weight is perturbed in a unit of its own: the change that alters the differences between the
actions of a position as much as they differ already.

The module of the game's `evaluate` must have `FEATURES`, `WEIGHTS` and `estimate`, see
`tune_evaluation`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

import tzaar_envs
from tzaar_envs.agents import make_agent
from tzaar_envs.agents.greedy import DRAWS
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import (
    RUNNING,
    SEAT,
    STATUS,
    apply_of,
    determinize_of,
    legal_of,
    reset_of,
    returns_of,
)
from tzaar_envs.jit.rng import below, new_generators
from tzaar_envs.system.files import write_atomically
from tzaar_envs.training.tuning.tune_evaluation import Positions, fit, module_of, with_weights

Weights = NDArray[np.float64]

_POOL = 6  # largest number of sets of weights to play against: the prior and the latest
_SHRINK = 0.6  # of the spread after a step that was not kept
_SIGNIFICANT = 1.96  # standard errors by which a step must win
_PENALTY = 1.0  # of the regression
_SAMPLE_GAMES = 20  # to find the units
_SAMPLED = 0.3  # share of the positions of these games
_EXPLORATION = 0.2  # rate of random actions in these games
_DIFFERENCE = 1e-4  # of a weight, for numeric derivatives


@dataclass(frozen=True)
class Arguments:
    """Arguments of the script."""

    game: str = field(metadata={"help": "the game", "argument": True})
    rounds: int = field(
        default=12, metadata={"help": "number of rounds of playing, fitting and a step"}
    )
    games: int = field(default=8000, metadata={"help": "games per round with perturbed weights"})
    check_games: int = field(
        default=2000, metadata={"help": "games per round that decide whether to keep a step"}
    )
    spread: float = field(
        default=0.3, metadata={"help": "standard deviation of the perturbations, in units"}
    )
    keep: str = field(
        default="",
        metadata={"help": "feature whose weight stays fixed: in a weighted sum only ratios matter"},
    )
    opening_plies: int = field(
        default=4, metadata={"help": "random actions at the start of each game"}
    )
    match_games: int = field(
        default=4000, metadata={"help": "games per match that measures the result"}
    )
    seed: int = field(default=0, metadata={"help": "seed of all games"})
    output: Path | None = field(
        default=None, metadata={"help": "file for the weights [default: the game's weights.json]"}
    )


@functools.cache
def player_of(estimate: Callable[..., float]) -> Callable[..., None]:
    """Return a compiled function that plays games as `greedy` does, with weights per seat."""

    @numba.njit(error_model="numpy")
    def best_action(functions, position, weights, draws, scratch, actions):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        seat = position[SEAT]
        seen, trial = scratch[0], scratch[1]
        seen[:] = position
        determinize_of(functions)(seen, seat, draws)
        best, highest, ties = -1, -np.inf, 0
        for index in range(legal_of(functions)(seen, actions)):
            value, looked, looks = 0.0, 0, 1
            while looked < looks:
                before = draws[0]
                trial[:] = seen
                apply_of(functions)(trial, actions[index], draws)
                value += estimate(trial, seat, weights)
                looked += 1
                if draws[0] != before:
                    looks = DRAWS
            value /= looks
            if value < highest:
                continue
            ties = ties + 1 if value == highest else 1
            highest = value
            if below(draws, ties) == 0:
                best = actions[index]
        return best

    @numba.njit(error_model="numpy")
    def play(functions, options, opening_plies, weights, chance, draws, scratch, actions, returns):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        position = scratch[2]
        for game in range(returns.shape[0]):
            reset_of(functions)(position, options, chance[game])
            plies = 0
            while position[STATUS] == RUNNING:
                if plies < opening_plies:
                    action = actions[below(chance[game], legal_of(functions)(position, actions))]
                else:
                    own = weights[game, position[SEAT]]
                    action = best_action(functions, position, own, draws[game], scratch, actions)
                apply_of(functions)(position, action, chance[game])
                plies += 1
            returns_of(functions)(position, returns[game])

    return play


class Matches:
    """Games of `greedy` with any weights.

    Args:
        game: the game.
        opening_plies: random actions at the start of each game.
    """

    def __init__(self, game: Game, opening_plies: int) -> None:
        self.game = game
        self.opening_plies = opening_plies
        self._play = player_of(module_of(game).estimate)

    def play(
        self, weights: NDArray[np.float64], others: NDArray[np.float64], seed: Sequence[int]
    ) -> NDArray[np.float64]:
        """Play games: each set of weights once in every seat, with the same chance.

        Args:
            weights: of the seat whose returns count, float64 `(n, features)`.
            others: of all other seats of these games, float64 `(n, features)`.
            seed: fixes openings, chance and choices.

        Returns:
            The returns of the weights from each seat, float64 `(n, num_players)`.
        """
        seats, functions = self.game.num_players, self.game.rules
        games = len(weights) * seats
        own = np.tile(np.arange(seats), len(weights))
        of_seats = np.repeat(np.repeat(others, seats, axis=0)[:, None], seats, axis=1)
        of_seats[np.arange(games), own] = np.repeat(weights, seats, axis=0)
        returns = np.empty((games, seats))
        self._play(
            functions.functions,
            self.game.encoded_options,
            self.opening_plies,
            of_seats,
            np.repeat(new_generators([*seed, 0], len(weights)), seats, axis=0),
            new_generators([*seed, 1], games),
            np.empty((3, functions.state_size), np.int64),
            np.empty(self.game.num_actions, np.int64),
            returns,
        )
        return returns[np.arange(games), own].reshape(-1, seats)

    def against(
        self, weights: Weights, pool: Sequence[Weights], games: int, seed: Sequence[int]
    ) -> NDArray[np.float64]:
        """Return the mean return, float64 `(n,)`, in each of n openings, against the pool in turn.

        About `games` games are played: every opening from each seat.
        """
        openings = max(1, games // self.game.num_players)
        others = np.array([pool[number % len(pool)] for number in range(openings)])
        return self.play(np.tile(weights, (openings, 1)), others, seed).mean(axis=1)


def units_of(game: Game, weights: Weights, seed: int) -> Weights:
    """Return the unit of each weight, see the module; 0 for a weight without effect."""
    estimate = module_of(game).estimate
    agent = make_agent("greedy", with_weights(game, weights), seed=seed)
    draws = np.random.default_rng((seed, 0))
    shifted = [weights, *(weights + _DIFFERENCE * unit for unit in np.eye(weights.size))]
    variances = []
    for number in range(_SAMPLE_GAMES):
        state = game.new_state(seed=(seed, number))
        while not state.is_terminal:
            actions = state.legal_actions()
            if draws.random() < _SAMPLED and actions.size > 1:
                values = np.empty((actions.size, len(shifted)))
                for row, action in zip(values, actions, strict=True):
                    after = state.clone()
                    after.apply(int(action))
                    row[:] = [estimate(after.words, state.current_player, w) for w in shifted]
                values[:, 1:] = (values[:, 1:] - values[:, :1]) / _DIFFERENCE
                variances.append(values.var(axis=0))
            explores = draws.random() < _EXPLORATION
            state.apply(int(draws.choice(actions)) if explores else agent.act(state))
    whole, *each = np.sqrt(np.mean(variances, axis=0))
    return np.array([whole / one if one > 0 else 0.0 for one in each])


def gradient_of(
    matches: Matches,
    weights: Weights,
    pool: Sequence[Weights],
    units: Weights,
    games: int,
    seed: Sequence[int],
) -> Weights:
    """Return the gradient of the log odds of winning with respect to the weights, in their units.

    Args:
        matches: of the game.
        weights: the point at which the gradient is estimated.
        pool: weights of the other seats.
        units: standard deviations of the perturbations, float64 `(features,)`.
        games: approximate number of games.
        seed: fixes them.
    """
    pairs = max(1, games // (2 * matches.game.num_players))
    noise = np.random.default_rng(seed).normal(size=(pairs, weights.size))
    noise = np.concatenate([noise, -noise])  # antithetic: less variance
    others = np.array([pool[number % pairs % len(pool)] for number in range(2 * pairs)])
    returns = matches.play(weights + noise * units, others, seed)
    # The sum of the features in `fit` is half the log odds.
    constant = np.ones((len(noise), 1))
    features = np.repeat(np.concatenate([noise / 2, constant], axis=1), returns.shape[1], axis=0)
    wins = (np.sign(returns.ravel()) + 1) / 2
    return fit(Positions(features, wins), _PENALTY)[:-1]


def mean_and_error(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(values.mean()), float(values.std() / np.sqrt(values.size))


def tune(arguments: Arguments) -> None:
    """Play, make steps and write the weights."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    game = tzaar_envs.load_game(arguments.game)
    module = module_of(game)
    names = module.FEATURES
    if arguments.keep and arguments.keep not in names:
        raise ValueError(
            f"keep={arguments.keep!r} is not allowed: the features of {game.name} are "
            f"{', '.join(names)}"
        )
    path = Path(inspect.getfile(module)).with_name("weights.json")
    stored = json.loads(path.read_text(encoding="utf-8"))
    prior = np.array([stored.get("prior", stored["weights"])[name] for name in names])
    units = units_of(game, prior, arguments.seed)
    units[[name == arguments.keep for name in names]] = 0.0

    matches = Matches(game, arguments.opening_plies)
    seed = arguments.seed
    weights, pool, spread = prior, [prior], arguments.spread
    for number in range(arguments.rounds):
        gradient = gradient_of(
            matches, weights, pool, spread * units, arguments.games, (seed, number, 0)
        )
        step = spread * units * gradient / np.sqrt(np.mean(gradient[units > 0] ** 2)) / 2
        changed = (weights + step).round(4)
        check = (seed, number, 1)
        after = matches.against(changed, pool, arguments.check_games, check)
        before = matches.against(weights, pool, arguments.check_games, check)
        gain, error = mean_and_error(after - before)
        kept = gain > _SIGNIFICANT * error
        console.print(
            f"Round {number + 1}: spread {spread:.2f}, gain {gain:+.3f}, standard error "
            f"{error:.3f}: {'kept' if kept else 'not kept'}",
            highlight=False,
        )
        if kept:
            weights = changed
            pool = [prior, *pool[1:][-(_POOL - 2) :], weights]
        else:
            spread *= _SHRINK

    def wins(first: Weights, second: Weights) -> tuple[float, float, float]:
        """Return the share of wins, draws counting half, and its 95 % interval."""
        result = matches.against(first, [second], arguments.match_games, (seed, arguments.rounds))
        mean, error = mean_and_error(result)
        return tuple((mean + 1 + z * error) / 2 for z in (0, -_SIGNIFICANT, _SIGNIFICANT))  # type: ignore[return-value]

    won = wins(weights, prior)
    table = Table("feature", "prior", "weight", "wins without")
    table.add_row("(all, against the prior)", "", "", "{:.1%} ({:.1%} - {:.1%})".format(*won))
    for index, name in enumerate(names):
        fewer = weights.copy()
        fewer[index] = 0.0
        without = "{:.1%} ({:.1%} - {:.1%})".format(*wins(fewer, weights))
        table.add_row(name, f"{prior[index]:+.4f}", f"{weights[index]:+.4f}", without)
    console.print(table)

    content = {
        "weights": dict(zip(names, weights.tolist(), strict=True)),
        "prior": dict(zip(names, prior.tolist(), strict=True)),
        "wins_against_prior": [round(number, 4) for number in won],
        "arguments": {
            name: value for name, value in dataclasses.asdict(arguments).items() if name != "output"
        },
    }
    path = arguments.output or path
    write_atomically(path, json.dumps(content, indent=1) + "\n")
    console.print(f"Wrote {path}", highlight=False)


def main() -> None:
    """Run the script from the command line."""
    from tzaar_envs.arguments.from_dataclass import command_from_dataclass, run_command

    run_command(command_from_dataclass(Arguments, tune))


if __name__ == "__main__":
    main()
