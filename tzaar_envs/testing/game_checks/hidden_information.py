"""Hidden information: what a player sees does not depend on what it cannot see."""

from __future__ import annotations

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.testing.game_checks.moment import Moment, random_game

_REDRAWN = 3  # times in each position


def the_player_cannot_tell(moment: Moment) -> str | None:
    """All that a player learns is the same after everything hidden from it is redrawn."""
    state = moment.state
    drawn = len(moment.actions) % moment.game.num_players  # pictures take longer than all else
    for player in range(moment.game.num_players):
        for seed in range(_REDRAWN):
            redrawn = state.determinize(player, [moment.seed, seed])
            if not moment.game.spec.hidden_information and redrawn.words.tolist() != (
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


def redrawn_positions_are_possible(moment: Moment) -> str | None:
    """A redrawn position has a notation, follows from its seed, and can be played on."""
    state = moment.state
    if not moment.game.spec.hidden_information:
        return None
    player = moment.choices.randrange(moment.game.num_players)
    redrawn, again = state.determinize(player, 1), state.determinize(player, 1)
    if redrawn.words.tolist() != again.words.tolist():
        return "`determinize` gives two positions for the same seed"
    if reason := moment.game._why_impossible(redrawn.words):
        return f"`determinize` makes an impossible position: {reason}"
    if not redrawn.is_terminal and not redrawn.legal_actions().size:
        return "`determinize` makes a position without legal actions"
    return None


def something_is_redrawn(game: Game, seed: int) -> str | None:
    """In a game that hides something, `determinize` changes a position now and then."""
    if not game.spec.hidden_information:
        return None
    for other in range(seed, seed + 5):
        for moment in random_game(game, other):
            for player in range(game.num_players):
                if moment.state.determinize(player, other) != moment.state:
                    return None
    return "`determinize` redraws nothing in five games, but the spec has Information.IMPERFECT"
