"""Results: returns, scores and evaluations."""

from __future__ import annotations

import math

import numpy as np

from tzaar_envs.testing.game_checks.moment import Moment


def returns_in_range(moment: Moment) -> str | None:
    """Returns are 0 while the game runs, then numbers from -1 to 1."""
    returns = moment.state.returns().tolist()
    if not moment.state.is_terminal:
        return f"the game runs, but its returns are {returns}" if any(returns) else None
    for player, value in enumerate(returns):
        if not -1.0 <= value <= 1.0:
            return f"the return of player {player} is {value:g}: use -1 to 1"
    return None


def two_players_share_nothing(moment: Moment) -> str | None:
    """What one of two players wins, the other loses."""
    returns = moment.state.returns().tolist()
    if len(returns) == 2 and abs(sum(returns)) > 1e-9:
        return f"the returns of two players are {returns}, which do not add up to 0"
    return None


def scores_are_numbers(moment: Moment) -> str | None:
    """Scores are finite; at the end more points never return less."""
    scores, returns = moment.state.scores(), moment.state.returns()
    if not np.isfinite(scores).all():
        return f"the scores are {scores.tolist()}"
    if not moment.state.is_terminal or moment.game.spec.score_unit is None:
        return None
    for player in range(len(scores)):
        for other in range(len(scores)):
            if scores[player] > scores[other] and returns[player] < returns[other]:
                return (
                    f"player {player} has {scores[player]:g} points and player {other} "
                    f"{scores[other]:g}, but the returns are {returns.tolist()}"
                )
    return None


def evaluations_in_range(moment: Moment) -> str | None:
    """Evaluations are from -1 to 1, and exact at the end."""
    state = moment.state
    for player, value in enumerate(state.returns().tolist()):
        estimate = state.evaluate(player)
        if not -1.0 <= estimate <= 1.0:
            return f"`evaluate` gives player {player} {estimate:g}: use -1 to 1"
        if state.is_terminal and not math.isclose(estimate, value, abs_tol=1e-9):
            return f"the return of player {player} is {value:g}, but `evaluate` gives {estimate:g}"
    return None
