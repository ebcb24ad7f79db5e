"""What players see of a position: observations, results, hidden information, drawings."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Scene
from tzaar_envs.testing.finding import sentence_of
from tzaar_envs.testing.position_checks import positions_are_read_again
from tzaar_envs.testing.sampled_positions import SampledPosition, random_game

# --- Observations: within their planes' highs, and nothing but a view -----------------------------


def within_their_range(position: SampledPosition) -> str | None:
    """Every number lies between 0 and the high of its plane."""
    planes = [plane for plane in position.game.layout.planes for _ in range(plane.count)]
    highs = np.array(position.game.layout.plane_highs)
    for player in range(position.game.num_players):
        seen = position.state.observation(player).reshape(len(planes), -1)
        least, most = seen.min(axis=1), seen.max(axis=1)
        for index in np.flatnonzero((least < 0) | (most > highs)):
            wrong = least[index] if least[index] < 0 else most[index]
            plane = planes[index]
            return (
                f"player {player} observes {wrong} in plane {index} ({plane.name!r}), which goes "
                f"from 0 to {plane.high}"
            )
    return None


def observations_of_a_read_position(position: SampledPosition) -> str | None:
    """What is seen follows from what the notation tells."""
    state = position.state
    read = position.game.parse(str(state), seed=0)
    for player in range(position.game.num_players):
        if not np.array_equal(state.observation(player), read.observation(player)):
            return (
                f"player {player} observes something else once the position is read from its "
                f"notation {str(state)!r}"
            )
    return None


def all_is_written(position: SampledPosition) -> str | None:
    """`observe` and the functions of results write all numbers, whatever was there before."""
    game, words = position.game, position.state.words
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


def nothing_is_changed(position: SampledPosition) -> str | None:
    """Looking at a position does not change it."""
    game, state = position.game, position.state
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


# --- Results: returns, scores and evaluations -----------------------------------------------------


def returns_in_range(position: SampledPosition) -> str | None:
    """Returns are 0 while the game runs, then numbers from -1 to 1."""
    returns = position.state.returns().tolist()
    if not position.state.is_terminal:
        return f"the game runs, but its returns are {returns}" if any(returns) else None
    for player, value in enumerate(returns):
        if not -1.0 <= value <= 1.0:
            return f"the return of player {player} is {value:g}: use -1 to 1"
    return None


def two_players_share_nothing(position: SampledPosition) -> str | None:
    """What one of two players wins, the other loses."""
    returns = position.state.returns().tolist()
    if len(returns) == 2 and abs(sum(returns)) > 1e-9:
        return f"the returns of two players are {returns}, which do not add up to 0"
    return None


def scores_are_numbers(position: SampledPosition) -> str | None:
    """Scores are finite; at the end more points never return less."""
    scores, returns = position.state.scores(), position.state.returns()
    if not np.isfinite(scores).all():
        return f"the scores are {scores.tolist()}"
    if not position.state.is_terminal or position.game.spec.score_unit is None:
        return None
    for player in range(len(scores)):
        for other in range(len(scores)):
            if scores[player] > scores[other] and returns[player] < returns[other]:
                return (
                    f"player {player} has {scores[player]:g} points and player {other} "
                    f"{scores[other]:g}, but the returns are {returns.tolist()}"
                )
    return None


def evaluations_in_range(position: SampledPosition) -> str | None:
    """Evaluations are from -1 to 1, and exact at the end."""
    state = position.state
    for player, value in enumerate(state.returns().tolist()):
        estimate = state.evaluate(player)
        if not -1.0 <= estimate <= 1.0:
            return f"`evaluate` gives player {player} {estimate:g}: use -1 to 1"
        if state.is_terminal and not math.isclose(estimate, value, abs_tol=1e-9):
            return f"the return of player {player} is {value:g}, but `evaluate` gives {estimate:g}"
    return None


# --- Hidden information: what a player sees does not depend on what it cannot see -----------------

_REDRAWN = 3  # times in each position


def the_player_cannot_tell(position: SampledPosition) -> str | None:
    """All that a player learns is the same after everything hidden from it is redrawn."""
    state = position.state
    drawn = len(position.actions) % position.game.num_players  # pictures take longer than all else
    for player in range(position.game.num_players):
        for seed in range(_REDRAWN):
            redrawn = state.determinize(player, [position.seed, seed])
            if not position.game.spec.hidden_information and redrawn.words.tolist() != (
                state.words.tolist()
            ):
                return "`determinize` changes the state, but the spec has Information.PERFECT"
            what = _first_difference(state, redrawn, player)
            if not what and seed == 0 and player == drawn:
                what = _difference_of_pictures(state, redrawn, player)
            if what:
                return f"{what}, though only what is hidden from player {player} is redrawn"
    return None


def _first_difference(state: State, redrawn: State, player: int) -> str | None:
    seen, now = state.observation(player), redrawn.observation(player)
    if not np.array_equal(seen, now):
        planes = [plane.name for plane in state.game.layout.planes for _ in range(plane.count)]
        index = int((seen != now).reshape(len(planes), -1).any(axis=1).argmax())
        return f"player {player} observes another plane {index} ({planes[index]!r})"
    if not np.array_equal(state.legal_mask_of(player), redrawn.legal_mask_of(player)):
        return f"player {player} has other legal actions"
    for what, before, after in (
        ("current_player", state.current_player, redrawn.current_player),
        ("acting_players", state.acting_players(), redrawn.acting_players()),
        ("is_terminal", state.is_terminal, redrawn.is_terminal),
        ("scores", state.scores().tolist(), redrawn.scores().tolist()),
        ("evaluate", state.evaluate(player), redrawn.evaluate(player)),
    ):
        if before != after:
            return f"{what} differs"
    return None


def _difference_of_pictures(state: State, redrawn: State, player: int) -> str | None:
    if state.draw(colour=False, viewer=player) != redrawn.draw(colour=False, viewer=player):
        return "draw differs"
    if state.scene(player) != redrawn.scene(player):
        return "scene differs"
    return None


def redrawn_positions_are_possible(position: SampledPosition) -> str | None:
    """A redrawn position has a notation, follows from its seed, and can be played on."""
    state = position.state
    if not position.game.spec.hidden_information:
        return None
    player = position.choices.randrange(position.game.num_players)
    redrawn, again = state.determinize(player, 1), state.determinize(player, 1)
    if redrawn.words.tolist() != again.words.tolist():
        return "`determinize` gives two positions for the same seed"
    try:
        reason = positions_are_read_again(dataclasses.replace(position, state=redrawn))
    except (ValueError, LookupError) as error:
        reason = str(error)
    if reason:
        return f"`determinize` makes an impossible position: {reason}"
    if not redrawn.is_terminal and not redrawn.legal_actions().size:
        return "`determinize` makes a position without legal actions"
    return None


def something_is_redrawn(game: Game, seed: int) -> str | None:
    """In a game that hides something, `determinize` changes a position now and then."""
    if not game.spec.hidden_information:
        return None
    for other in range(seed, seed + 5):
        for position in random_game(game, other):
            for player in range(game.num_players):
                if position.state.determinize(player, other) != position.state:
                    return None
    return "`determinize` redraws nothing in five games, but the spec has Information.IMPERFECT"


# --- Drawings and pictures: there is one of every position, for every viewer ----------------------


def every_viewer_gets_one(position: SampledPosition) -> str | None:
    """The board can be drawn as text and as a picture, for each player and for all."""
    state = position.state
    for viewer in (None, *range(position.game.num_players)):
        try:
            text = state.draw(colour=bool(position.choices.randrange(2)), viewer=viewer)
            scene = state.scene(viewer, legal=True)
        except Exception as error:
            return f"drawing it for viewer {viewer} {sentence_of(error)}"
        if not isinstance(text, str) or not text.strip():
            return f"`draw` gives {text!r} for viewer {viewer}"
        if not isinstance(scene, Scene):
            return f"`scene` gives {scene!r} for viewer {viewer}"
    return None
