"""Measure the luck in the games of a match by the values of a network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.luck import Luck
from tzaar_envs.arena.match_result import MatchResult
from tzaar_envs.arena.plan import Progress
from tzaar_envs.arena.records import GameRecord
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import whole_number
from tzaar_envs.jit.compile import first_compilation
from tzaar_envs.jit.rng import new_generators
from tzaar_envs.networks.evaluator import load_compiled
from tzaar_envs.networks.file import find_policy
from tzaar_envs.search.afterstates import add_luck, new_afterstates

DRAWS = 64


class LuckMeter:
    """Tells how much chance gave to each seat of a game that was played.

    Args:
        game: the game.
        policy: the file of a policy with a sparse network, or `reference`.
        draws: how many other outcomes each outcome of chance is compared with, 1 or more. With
            few, their own luck stays in the result.
        seed: of these draws, 0 or more.

    Raises:
        FileNotFoundError: there is no such policy.
        ValueError: chance has no part in the game after the start, the policy does not fit it or
            has no sparse network, or an argument is not allowed.
        ModuleNotFoundError: the extra `sb3` is not installed.
    """

    def __init__(self, game: Game, policy: str | Path, draws: int = DRAWS, seed: int = 0) -> None:
        if not game.spec.chance_in_play:
            raise ValueError(
                f"{game.name} leaves nothing to chance after the start: no luck to tell"
            )
        draws = whole_number("draws", draws, 1)
        self.game, self.policy, self.draws, self.seed = game, str(policy), draws, seed
        self._network = load_compiled(find_policy(policy, game.spec), game)

    def of_match(self, result: MatchResult, progress: Progress | None = None) -> MatchResult:
        """Return the result of a match with the luck in its games.

        Args:
            result: of a match of this game.
            progress: called as `progress(done, games)`.

        Raises:
            ValueError: a match of another game, or with other options.
        """
        games = self.of_games(result.games, progress)
        luck = Luck(policy=self.policy, draws=self.draws, games=games.tolist())
        return msgspec.structs.replace(result, luck=luck)

    def of_games(
        self, games: Sequence[GameRecord], progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """Return what chance gave in each game to each seat, float64 `(games, seats)`, in returns.

        Args:
            games: records of games of this game.
            progress: called as `progress(done, games)`.

        Raises:
            ValueError: a record of another game, or with other options.
        """
        generators = new_generators(self.seed, max(len(games), 1))
        luck = np.zeros((len(games), self.game.num_players))
        for number, record in enumerate(games):
            luck[number] = self._of_game(record, generators[number])
            if progress is not None:
                progress(number + 1, len(games))
        return luck

    def _of_game(self, record: GameRecord, rng: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return what chance gave to each seat after the random opening, which all agents share."""
        states = record.states(self.game)[record.opening :]
        positions = np.array([state.words for state in states])
        actions = [
            state.parse_action(action)
            for state, action in zip(states, record.actions[record.opening :], strict=False)
        ]
        luck = np.zeros(self.game.num_players)
        search = new_afterstates(self.game, self._network.leaf_network(), self.draws)
        with first_compilation("measuring luck", add_luck):
            add_luck(search, positions, np.array(actions, np.int64), rng, luck)
        return luck
