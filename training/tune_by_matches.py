"""Tune the weights of a game's evaluation function by matches: `tune_by_matches.py GAME`.

`greedy` plays itself with different weights, in any game of the suite: with chance, hidden
information and several seats, and whatever the evaluation function makes of its weights. In each
round one seat has the weights as they are, varied at random; the other seats have one of the sets
of weights before, so that what beats only the newest one is no progress. A logistic regression of
its wins on what was varied shows the way uphill (simultaneous perturbation: J. C. Spall, IEEE
Transactions on Automatic Control 37(3), 1992). The ridge of the regression pulls towards no change
at all. One step is made that way and kept if it then wins more games than the weights before, by
more than chance would bring (95 %); otherwise the next rounds vary less.

All starts from the weights that are called `prior` in the game's `weights.json`, set by hand. A
weight is varied in a unit of its own: that by which it changes the differences between the actions
of a position as much as they differ already.

A game can be tuned if the module of its `evaluate` has `FEATURES`, `WEIGHTS` and `estimate`, see
`tune_evaluation`.
"""

from __future__ import annotations

import dataclasses
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
from tzaar_envs.training.tune_evaluation import Positions, fit, module_of, with_weights

Weights = NDArray[np.float64]

_POOL = 6  # sets of weights to play against at most: the prior and the newest ones
_SHRINK = 0.6  # of the spread after a step that was not kept
_SURE = 1.96  # standard errors that a step must win by
_PENALTY = 1.0  # of the regression
_SAMPLE_GAMES = 20  # to find the units
_SAMPLED = 0.3  # of the positions of these games
_EXPLORATION = 0.2  # share of random actions in them
_DIFFERENCE = 1e-4  # of a weight, for derivatives


@dataclass(frozen=True)
class Arguments:
    """What is tuned, and from how many games."""

    game: str = field(metadata={"help": "the game", "argument": True})
    rounds: int = field(default=12, metadata={"help": "how often to play, fit and make a step"})
    games: int = field(default=8000, metadata={"help": "games of each round with varied weights"})
    check_games: int = field(
        default=2000, metadata={"help": "games of each round that decide whether a step is kept"}
    )
    spread: float = field(
        default=0.3, metadata={"help": "standard deviation of what is varied, in units"}
    )
    keep: str = field(
        default="",
        metadata={"help": "a feature whose weight stays: of a weighted sum only ratios matter"},
    )
    opening_plies: int = field(
        default=4, metadata={"help": "random actions that a game begins with"}
    )
    match_games: int = field(
        default=4000, metadata={"help": "games of each match that shows what the result is worth"}
    )
    seed: int = field(default=0, metadata={"help": "fixes everything"})
    output: Path | None = field(
        default=None, metadata={"help": "where the weights go instead of the game's weights.json"}
    )


def player_of(estimate: Callable[..., float]) -> Callable[..., None]:
    """Return compiled code that plays games as `greedy` does, every seat with its own weights."""

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
        opening_plies: random actions that each game begins with.
    """

    def __init__(self, game: Game, opening_plies: int) -> None:
        self.game = game
        self.opening_plies = opening_plies
        self._play = player_of(module_of(game).estimate)

    def play(
        self, weights: NDArray[np.float64], others: NDArray[np.float64], seed: Sequence[int]
    ) -> NDArray[np.float64]:
        """Play games; each set of weights sits once in every seat, with the same chance.

        Args:
            weights: float64 `(n, features)`, of the seat whose returns count.
            others: float64 `(n, features)`, of all other seats of these games.
            seed: fixes openings, chance and choices.

        Returns:
            float64 `(n, num_players)`: the return of the weights from each seat.
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
    """Return by how much each weight is to be varied, see the module; 0 if it changes nothing."""
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


def slope_of(
    matches: Matches,
    weights: Weights,
    pool: Sequence[Weights],
    units: Weights,
    games: int,
    seed: Sequence[int],
) -> Weights:
    """Return how the logarithm of the odds to win changes with each weight, in its unit.

    Args:
        matches: play the games.
        weights: around which the weights are varied.
        pool: what the others play with.
        units: how much is varied, float64 `(features,)`: standard deviations.
        games: about how many games are played.
        seed: fixes them.
    """
    pairs = max(1, games // (2 * matches.game.num_players))
    varied = np.random.default_rng(seed).normal(size=(pairs, weights.size))
    varied = np.concatenate([varied, -varied])  # what is true of one half is its contrary's too
    others = np.array([pool[number % pairs % len(pool)] for number in range(2 * pairs)])
    returns = matches.play(weights + varied * units, others, seed)
    # Half the logarithm of the odds is what `fit` calls the sum of the features.
    constant = np.ones((len(varied), 1))
    features = np.repeat(np.concatenate([varied / 2, constant], axis=1), returns.shape[1], axis=0)
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
        slope = slope_of(matches, weights, pool, spread * units, arguments.games, (seed, number, 0))
        step = spread * units * slope / np.sqrt(np.mean(slope[units > 0] ** 2)) / 2
        changed = (weights + step).round(4)
        check = (seed, number, 1)
        after = matches.against(changed, pool, arguments.check_games, check)
        before = matches.against(weights, pool, arguments.check_games, check)
        gain, error = mean_and_error(after - before)
        kept = gain > _SURE * error
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
        return tuple((mean + 1 + z * error) / 2 for z in (0, -_SURE, _SURE))  # type: ignore[return-value]

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
    from tzaar_envs.cli.arguments import command_from_dataclass, run_command

    run_command(command_from_dataclass(Arguments, tune))


if __name__ == "__main__":
    main()
