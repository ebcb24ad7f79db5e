"""What the tests of the searches share: positions, ways of searching them, a clock."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_policies import small_evaluator

import tzaar_envs
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, STATUS
from tzaar_envs.core.state import State
from tzaar_envs.search.mcts import Mcts
from tzaar_envs.search.result import SearchResult

OPEN_GAMES = [
    tzaar_envs.load_game(name) for name in ("black_elephant", "turm_und_waechter", "tzaar")
]
every_open_game = pytest.mark.parametrize("game", OPEN_GAMES, ids=lambda game: game.name)

Way = Callable[[Game], dict[str, Any]]
"""From a game to the options of `Mcts`."""

WITHOUT_EVALUATOR: dict[str, Way] = {
    f"{leaf}-{rule}": lambda game, leaf=leaf, rule=rule: {"leaf": leaf, "rule": rule}
    for leaf in ("playout", "evaluation", "lookahead")
    for rule in ("uct", "puct")
}
WITH_EVALUATOR: dict[str, Way] = {
    "policy": lambda game: {"evaluator": network(game)},
    "values": lambda game: {"evaluator": network(game), "priors": "values"},
    "function": lambda game: {"evaluator": Recorder(game)},
}
EVERY_WAY = WITHOUT_EVALUATOR | WITH_EVALUATOR
without_evaluator = pytest.mark.parametrize(
    "way", WITHOUT_EVALUATOR.values(), ids=WITHOUT_EVALUATOR
)
every_way = pytest.mark.parametrize("way", EVERY_WAY.values(), ids=EVERY_WAY)


def network(game: Game) -> Any:
    return small_evaluator(game, "value_head", "policy_head")


class Recorder:
    """An evaluator that keeps what it was asked; it likes the lower actions better."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.asked: list[NDArray[np.int64]] = []

    def __call__(self, states: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        assert (states[:, STATUS] == RUNNING).all()
        self.asked.append(states.copy())
        priors = np.tile(0.99 ** np.arange(self.game.num_actions), (len(states), 1))
        values = states[:, 2:5].sum(axis=1) % 7 / 10 - 0.3
        seats = np.zeros((len(states), self.game.num_players))
        seats[:, 0], seats[:, 1] = values, -values
        return priors.astype(np.float32), seats.astype(np.float32)


class CountingClock:
    """A clock that advances by a millisecond whenever somebody looks at it.

    Attributes:
        ms: the time.
    """

    def __init__(self) -> None:
        self.ms = 0

    def perf_counter(self) -> float:
        self.ms += 1
        return self.ms / 1000


def search(state: State, seed: int = 0, **options: Any) -> SearchResult:
    """Return what a tree search with these options finds out about a position."""
    return Mcts(state.game, **options).search(state.words[None], seed)[0]


def positions(game: Game, count: int, seed: int = 0) -> list[State]:
    """Return positions of random games in which somebody is to move."""
    return [*itertools.islice(endless_positions(game, seed), count)]


def endless_positions(game: Game, seed: int) -> Iterator[State]:
    rng = np.random.default_rng(seed)
    state = game.new_state(seed)
    while True:
        if state.is_terminal:
            state = game.new_state(int(rng.integers(2**31)))
        if rng.random() < 0.1:
            yield state.clone()
        state.apply(int(rng.choice(state.legal_actions())))


def stacked(states: list[State]) -> NDArray[np.int64]:
    return np.stack([state.words for state in states])


def child(state: State, action: int) -> State:
    """Return the position after an action."""
    after = state.clone()
    after.apply(action)
    return after
