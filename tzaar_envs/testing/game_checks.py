"""Checks of a game as a whole: each yields problems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import nothing_hidden
from tzaar_envs.core.layout import Symmetry
from tzaar_envs.core.state import State
from tzaar_envs.envs.vector import VECTOR_OPTIONS
from tzaar_envs.jit.rng import TAPE_LENGTH
from tzaar_envs.testing.position_checks import Position

_KEYWORDS = {"name", "spec", "game", "opponent", "seat", "seed", "draw", "shaping", "gamma"}


def description(game: Game) -> Iterator[str]:
    """A spec and its layout do not contradict themselves."""
    spec, layout = game.spec, game.layout
    if not spec.name.isidentifier() or spec.name != spec.name.lower():
        yield f"the name {spec.name!r} is not made of lower-case letters, digits and underscores"
    for what, names in (
        ("option", [option.name for option in spec.options]),
        ("end reason", [reason.code for reason in spec.end_reasons]),
        ("seat name", layout.seat_names),
        ("plane", [plane.name for plane in layout.planes]),
        ("action block", [block.name for block in layout.actions]),
    ):
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{what} {name!r} is there {names.count(name)} times"
    taken = {option.name for option in VECTOR_OPTIONS} | _KEYWORDS
    for name in sorted(taken.intersection(option.name for option in spec.options)):
        yield f"option {name!r} has the name of a keyword of environments"
    if len(layout.board_shape) not in (0, 2):
        yield f"the board_shape {layout.board_shape} is neither empty nor rows and columns"
    for plane in layout.planes:
        if not 1 <= plane.high <= 127:
            yield f"plane {plane.name!r} has high={plane.high}: use 1 to 127, since it is int8"
    if spec.score_unit is not None and not spec.score_unit > 0:
        yield f"the score_unit {spec.score_unit} is not a positive number"
    if spec.rules_page is not None and not spec.rules_page.is_file():
        yield f"the rules_page {spec.rules_page} does not exist"
    for baseline in spec.baselines:
        try:
            baseline.load()
        except (ImportError, AttributeError) as error:
            yield f"the baseline {baseline.name!r} cannot be imported: {error}"


def loading(game: Game) -> Iterator[str]:
    """The functions of the rules can be compiled, and are all there."""
    try:
        game.load_rules()
    except ValueError as error:
        yield str(error)
    if game.spec.hidden_information and game.rules.determinize is nothing_hidden:
        yield "the spec has Information.IMPERFECT, but the rules have no `determinize`"


def chance(last: Position) -> Iterator[str]:
    """A game follows from its seed and actions, and from its recorded outcomes with any seed."""
    game, seed = last.state.game, last.seed
    state, twin = game.new_state(seed), game.new_state(seed)
    start = state.last_outcome
    given = game.new_state(seed + 1, start) if len(start) < TAPE_LENGTH else None
    for action in (None, *last.actions):
        if action is not None:
            state.apply(action)
            twin.apply(action)
            if len(state.last_outcome) >= TAPE_LENGTH:
                given = None  # not all are recorded
            if given is not None:
                given.apply(action, state.last_outcome)
        what = "the set-up" if action is None else f"action {action}"
        may_draw = game.spec.has_chance if action is None else game.spec.chance_in_play
        if state.last_outcome and not may_draw:
            yield f"{what} draws {state.last_outcome}, unlike {game.spec.chance_mode}"
        if (state.words != twin.words).any():
            yield "the same seed and actions lead to two different positions"
        if given is not None and (state.words != given.words).any():
            yield (
                f"{what} leads elsewhere with its own outcome {state.last_outcome} and seed "
                f"{seed + 1}: draw chance with between, pick or shuffle"
            )
    if len(start) >= TAPE_LENGTH:
        return
    twin.restart(start)
    rules = game.rules
    size = rules.key_size if rules.log_length else rules.state_size
    differ = (twin.words != game.new_state(seed).words)[:size]
    if differ.any():
        yield f"`reset` leaves word {differ.argmax()} of the state as it was in another game"


def symmetries(last: Position) -> Iterator[str]:
    """The tables are permutations; if the start is its own image, the game goes on like its image.

    A start that is not symmetric, such as a random set-up, tells nothing.
    """
    game = last.state.game
    for number, symmetry in enumerate(game.symmetries):
        for what, table in (("observation", symmetry.observation), ("actions", symmetry.actions)):
            if not np.array_equal(np.sort(table), np.arange(table.size)):
                yield f"the table {what} of symmetry {symmetry.name!r} is no permutation"
            if number == 0 and (np.diff(table) != 1).any():
                yield f"the first symmetry, {symmetry.name!r}, is not the identity"
        state, image = game.new_state(last.seed), game.new_state(last.seed)
        if _difference_of_image(state, image, symmetry):
            continue
        for ply, action in enumerate(last.actions, start=1):
            state.apply(action)
            image.apply(int(symmetry.images_of(np.array(action))), outcome=state.last_outcome)
            if what := _difference_of_image(state, image, symmetry):
                yield f"after {ply} plies, {what} under symmetry {symmetry.name!r}"
                break


def _difference_of_image(state: State, image: State, symmetry: Symmetry) -> str:
    order = [1, 0] if symmetry.swaps_seats else range(state.game.num_players)
    for player, other in enumerate(order):
        seen = symmetry.apply_to_observations(state.observation(player))
        if not np.array_equal(seen, image.observation(other)):
            return "an observation is not that of the image"
        allowed = symmetry.apply_to_actions(state.legal_mask_of(player))
        if not np.array_equal(allowed, image.legal_mask_of(other)):
            return "a mask is not that of the image"
        if state.returns()[player] != image.returns()[other]:
            return "a return is not that of the image"
    return ""
