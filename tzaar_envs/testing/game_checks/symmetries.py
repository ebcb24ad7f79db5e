"""Symmetries: tables that are permutations, and positions whose images behave alike."""

from __future__ import annotations

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.core.state import State
from tzaar_envs.testing.game_checks.moment import Moment


def tables_are_permutations(game: Game, seed: int) -> str | None:
    """The symmetries have names of their own and whole tables; the first changes nothing."""
    size = int(np.prod(game.observation_shape))
    tables = game.symmetries
    names = [symmetry.name for symmetry in tables]
    if len(set(names)) < len(names):
        return f"the symmetries {names} do not have different names"
    for symmetry in tables:
        for what, table, count in (
            ("observation", symmetry.observation, size),
            ("actions", symmetry.actions, game.num_actions),
        ):
            if not np.array_equal(np.sort(table), np.arange(count)):
                return (
                    f"the table {what} of symmetry {symmetry.name!r} is no permutation of "
                    f"{count} numbers"
                )
    first = tables[0]
    if (np.diff(first.observation) != 1).any() or (np.diff(first.actions) != 1).any():
        return f"the first symmetry, {first.name!r}, is not the identity"
    return None


def images_go_on_alike(last: Moment) -> str | None:
    """If the start is its own image, so is a game whose actions are the images of another's.

    A start that is not symmetric, such as a random set-up, tells nothing.
    """
    game = last.game
    for symmetry in game.symmetries[1:]:
        state = game.new_state(last.seed)
        image = game.new_state(last.seed)
        if _difference(state, image, symmetry):
            continue
        for ply, action in enumerate(last.actions, start=1):
            state.apply(action)
            mapped = int(symmetry.images_of(np.array([action]))[0])
            try:
                image.apply(mapped, outcome=state.last_outcome)
            except ValueError:
                return f"after {ply} plies of the image under {symmetry.name!r}, chance differs"
            if what := _difference(state, image, symmetry):
                return f"after {ply} plies, {what} under symmetry {symmetry.name!r}"
    return None


def _difference(state: State, image: State, symmetry: Symmetry) -> str | None:
    players = range(state.game.num_players)
    order = [1, 0] if symmetry.swaps_seats else [*players]
    for player in players:
        seen = symmetry.apply_to_observations(state.observation(player))
        if not np.array_equal(seen, image.observation(order[player])):
            return "an observation is not that of the image"
        allowed = symmetry.apply_to_actions(state.legal_mask_of(player))
        if not np.array_equal(allowed, image.legal_mask_of(order[player])):
            return "a mask is not that of the image"
    if state.returns().tolist() != [image.returns()[order[player]] for player in players]:
        return "the returns are not those of the image"
    return None
