"""Observations: within their planes' highs, and nothing but a view."""

from __future__ import annotations

import numpy as np

from tzaar_envs.testing.game_checks.moment import Moment


def within_their_range(moment: Moment) -> str | None:
    """Every number lies between 0 and the high of its plane."""
    planes = [plane for plane in moment.game.layout.planes for _ in range(plane.count)]
    highs = np.array(moment.game.layout.plane_highs)
    for player in range(moment.game.num_players):
        seen = moment.state.observation(player).reshape(len(planes), -1)
        least, most = seen.min(axis=1), seen.max(axis=1)
        for index in np.flatnonzero((least < 0) | (most > highs)):
            wrong = least[index] if least[index] < 0 else most[index]
            plane = planes[index]
            return (
                f"player {player} observes {wrong} in plane {index} ({plane.name!r}), which goes "
                f"from 0 to {plane.high}"
            )
    return None


def same_for_a_read_position(moment: Moment) -> str | None:
    """What is seen follows from what the notation tells."""
    state = moment.state
    read = moment.game.parse(str(state), seed=0)
    for player in range(moment.game.num_players):
        if not np.array_equal(state.observation(player), read.observation(player)):
            return (
                f"player {player} observes something else once the position is read from its "
                f"notation {str(state)!r}"
            )
    return None


def all_is_written(moment: Moment) -> str | None:
    """`observe` and the functions of results write all numbers, whatever was there before."""
    game, words = moment.game, moment.state.words
    size = int(np.prod(game.observation_shape))
    rules = game.rules
    for player in range(game.num_players):
        zeros, ones = np.zeros(size, np.int8), np.ones(size, np.int8)
        rules.observe(words, player, zeros)
        rules.observe(words, player, ones)
        if (zeros != ones).any():
            return f"`observe` does not write number {(zeros != ones).argmax()} of the observation"
    for name, function in (("returns", rules.returns), ("scores", rules.scores)):
        before, after = np.zeros(game.num_players), np.ones(game.num_players)
        function(words, before)
        function(words, after)
        if not np.array_equal(before, after, equal_nan=True):
            return f"`{name}` does not write all of its array"
    return None


def nothing_is_changed(moment: Moment) -> str | None:
    """Looking at a position does not change it."""
    game, state = moment.game, moment.state
    words = state.words
    out = np.empty(int(np.prod(game.observation_shape)), np.int8)
    values = np.empty(game.num_players)
    for player in range(game.num_players):
        for name, function, arguments in (
            ("observe", game.rules.observe, (player, out)),
            ("evaluate", game.rules.evaluate, (player,)),
            ("returns", game.rules.returns, (values,)),
            ("scores", game.rules.scores, (values,)),
        ):
            function(words, *arguments)
            if (words != state.words).any():
                return f"`{name}` changes the state"
    return None
