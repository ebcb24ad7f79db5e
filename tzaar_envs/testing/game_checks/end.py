"""The end of a game: in time, and explained."""

from __future__ import annotations

from tzaar_envs.core.spec import MOVE_CAP, OVER
from tzaar_envs.testing.game_checks.moment import Moment


def in_time(moment: Moment) -> str | None:
    """No game is longer than `max_plies`, and only those of this length are truncated."""
    plies, most = len(moment.actions), moment.game.max_plies
    if plies > most:
        return f"the game goes on after max_plies={most} plies"
    if plies == most and not moment.state.is_terminal:
        return f"the game runs after max_plies={most} plies"
    if moment.state.is_truncated and plies != most:
        return f"the game is truncated after {plies} plies, but max_plies is {most}"
    return None


def explained(moment: Moment) -> str | None:
    """The reason of an end is one of the spec."""
    code = moment.state.end_code
    if code is None:
        return None
    known = [reason.code for reason in moment.game.spec.end_reasons]
    if code not in (*known, OVER.code, MOVE_CAP.code):
        return f"the end code {code!r} is none of the end_reasons {known}"
    if not moment.state.end_reason:
        return f"the end code {code!r} has no sentence"
    return None


def not_over_at_the_start(moment: Moment) -> str | None:
    """A start position has something to decide."""
    if not moment.actions and moment.state.is_terminal:
        return "the game is over before the first action"
    return None
