"""Evaluation of a policy in training, in matches against the baselines of its game."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tzaar_envs.agents import Agent
from tzaar_envs.core.game import Game
from tzaar_envs.training.common.settings import Settings

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult
    from tzaar_envs.networks.network import AnyNetwork


WITHOUT_SEARCH = " (without search)"


_PROBE = 2  # games per seat that show how long a game takes
_FEWEST = 2  # games per seat of a match, however long they take


class Evaluation:
    """Matches against baselines, each with the same games every time.

    A match has fewer games where it would otherwise take longer than it may.

    Args:
        game: the game.
        arguments: number of games and of random opening plies.

    Attributes:
        baselines: names of the agents to measure against, from weak to strong.
    """

    def __init__(self, game: Game, arguments: Settings) -> None:
        self.game = game
        self.arguments = arguments
        self._seconds_per_game: dict[str, float] = {}  # of the last match, by its name
        self.baselines = arguments.baselines(game)

    def scores(
        self,
        make: Callable[[Game], Agent],
        without_search: Callable[[Game], Agent] | None = None,
        seconds: float = math.inf,
    ) -> dict[str, list[list[int]]]:
        """Return wins, draws and losses of an agent, for each baseline and seat.

        Args:
            make: makes the agent.
            without_search: makes the agent without its search, if it has one; it is measured
                against `random` and `greedy`, whose names then end with `WITHOUT_SEARCH`.
            seconds: that all matches together shall take at most.
        """
        players = [(make, name, name) for name in self.baselines]
        if without_search is not None:
            weak = [name for name in self.baselines if name in ("random", "greedy")]
            players += [(without_search, name, name + WITHOUT_SEARCH) for name in weak]
        games, each = self.arguments.evaluation_games, seconds / max(1, len(players))
        scores = {}
        for player, baseline, name in players:
            match = self.play(player, baseline, games, seed=1, name=name, seconds=each)
            seats = [match.summary(0, seat) for seat in range(self.game.num_players)]
            scores[name] = [[seat.wins, seat.draws, seat.losses] for seat in seats]
        return scores

    def play(
        self,
        make: Callable[[Game], Agent],
        baseline: str,
        games_per_seat: int,
        seed: int,
        *,
        name: str,
        seconds: float = math.inf,
    ) -> MatchResult:
        """Let an agent play a match against a baseline in all other seats.

        Args:
            make: makes the agent.
            baseline: its opponent.
            games_per_seat: how many games, unless they take too long.
            seed: fixes the games.
            name: of the match; how long its games take is known from the last one of this name.
            seconds: that it shall take at most; two games per seat are always played.

        Raises:
            KeyboardInterrupt: the match was interrupted.
        """
        if seconds < math.inf and name not in self._seconds_per_game:
            self._timed(make, baseline, 1, seed, name)  # compiles what is not compiled yet
            self._timed(make, baseline, _PROBE, seed, name)
        affordable = games_per_seat
        if seconds < math.inf:
            per_seat = self._seconds_per_game[name] * self.game.num_players
            affordable = int(min(games_per_seat, seconds / max(per_seat, 1e-9)))
        games = max(min(_FEWEST, games_per_seat), affordable)
        return self._timed(make, baseline, games, seed, name)

    def _timed(
        self, make: Callable[[Game], Agent], baseline: str, games: int, seed: int, name: str
    ) -> MatchResult:
        """Play a match, and note how long its games took."""
        begun = time.monotonic()
        result = self._match(make, baseline, games, seed)
        spent = time.monotonic() - begun
        self._seconds_per_game[name] = spent / (games * self.game.num_players)
        return result

    def _match(
        self, make: Callable[[Game], Agent], baseline: str, games: int, seed: int
    ) -> MatchResult:
        from tzaar_envs.arena import play_match

        seats = self.game.num_players
        result = play_match(
            self.game,
            [make, *[baseline] * (seats - 1)],
            games=games * seats,
            seed=seed,
            opening_plies=self.arguments.opening_plies,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        return result


def policy_player(network: AnyNetwork) -> Callable[[Game], Agent]:
    """Return a function that makes the agent of a network."""
    from tzaar_envs.agents.policies import PolicyAgent

    def policy(game: Game) -> Agent:
        return PolicyAgent(game, network)

    policy.__qualname__ = "policy"  # the name that records and replays show
    return policy
