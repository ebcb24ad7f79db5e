"""Evaluation of a policy in training, in matches against the baselines of its game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tzaar_envs.agents import Agent
from tzaar_envs.core.game import Game
from tzaar_envs.training.common.settings import Settings

if TYPE_CHECKING:
    from tzaar_envs.arena import MatchResult
    from tzaar_envs.policies.file import AnyNetwork


WITHOUT_SEARCH = " (without search)"


class Evaluation:
    """Matches against baselines, each with the same games every time.

    Args:
        game: the game.
        arguments: number of games and of random opening plies.

    Attributes:
        baselines: names of the agents to measure against, from weak to strong.
    """

    def __init__(self, game: Game, arguments: Settings) -> None:
        self.game = game
        self.arguments = arguments
        self.baselines = arguments.baselines(game)

    def scores(
        self, make: Callable[[Game], Agent], without_search: Callable[[Game], Agent] | None = None
    ) -> dict[str, list[list[int]]]:
        """Return wins, draws and losses of an agent, for each baseline and seat.

        Args:
            make: makes the agent.
            without_search: makes the agent without its search, if it has one; it is measured
                against `random` and `greedy`, whose names then end with `WITHOUT_SEARCH`.
        """
        players = [(make, name, name) for name in self.baselines]
        if without_search is not None:
            weak = [name for name in self.baselines if name in ("random", "greedy")]
            players += [(without_search, name, name + WITHOUT_SEARCH) for name in weak]
        scores = {}
        for player, baseline, name in players:
            match = self.play(player, baseline, self.arguments.evaluation_games, seed=1)
            seats = [match.summary(0, seat) for seat in range(self.game.num_players)]
            scores[name] = [[seat.wins, seat.draws, seat.losses] for seat in seats]
        return scores

    def play(
        self, make: Callable[[Game], Agent], baseline: str, games_per_seat: int, seed: int
    ) -> MatchResult:
        """Let an agent play a match against a baseline in all other seats.

        Raises:
            KeyboardInterrupt: the match was interrupted.
        """
        from tzaar_envs.arena import play_match

        seats = self.game.num_players
        result = play_match(
            self.game,
            [make, *[baseline] * (seats - 1)],
            games=games_per_seat * seats,
            seed=seed,
            opening_plies=self.arguments.opening_plies,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        return result


def policy_player(network: AnyNetwork) -> Callable[[Game], Agent]:
    """Return a function that makes the agent of a network."""
    from tzaar_envs.agents.policy import PolicyAgent

    def policy(game: Game) -> Agent:
        return PolicyAgent(game, network)

    policy.__qualname__ = "policy"  # the name that records and replays show
    return policy
