"""Legal actions: listed once each, always the same, as many as the position needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.state import State
from tzaar_envs.testing.game_checks.moment import Moment

LegalActions = Callable[[State], Iterable[int]]
"""Another source of the legal actions of a position, for instance a slow, naive one."""


def listed_once(moment: Moment) -> str | None:
    """Each legal action is written once, and writing them changes nothing."""
    words = moment.state.words
    before = words.copy()
    actions = np.empty(moment.game.num_actions, np.int64)
    count = moment.game.rules.legal(words, actions)
    if (words != before).any():
        return "`legal` changes the state"
    found, times = np.unique(actions[:count], return_counts=True)
    if (times > 1).any():
        return f"`legal` writes action {found[times.argmax()]} {times.max()} times"
    return None


def enough(moment: Moment) -> str | None:
    """A running game has a legal action, a finished one has none."""
    count = moment.state.legal_actions().size
    if moment.state.is_terminal and count:
        return f"the game is over, but {count} actions are legal"
    if not moment.state.is_terminal and not count:
        return f"the game runs, but player {moment.state.current_player} has no legal action"
    return None


def acting_players(moment: Moment) -> str | None:
    """The player to move chooses now; several do only in a simultaneous game."""
    state = moment.state
    acting = state.acting_players()
    if state.is_terminal:
        return f"the game is over, but the players {acting} are to choose" if acting else None
    if state.current_player not in acting:
        return f"player {state.current_player} is to move, but `acting` has {acting}"
    if len(acting) > 1 and not moment.game.spec.simultaneous:
        return f"the players {acting} choose at once, but the spec is not simultaneous"
    for player in acting:
        if not state.legal_mask_of(player).any():
            return f"player {player} is to choose, but has no legal action"
    return None


def the_others_are_asked_next(moment: Moment) -> str | None:
    """When several players choose at once, a choice leaves the others to be asked."""
    acting, action = moment.state.acting_players(), moment.any_action()
    if len(acting) < 2 or action is None:
        return None
    mover = moment.state.current_player
    after = moment.state.clone()
    after.apply(action)
    rest = [player for player in acting if player != mover]
    if after.acting_players() != rest:
        return (
            f"the players {acting} choose at once, but after player {mover} has chosen `acting` "
            f"has {after.acting_players()}, not {rest}"
        )
    return None


def same_for_a_read_position(moment: Moment) -> str | None:
    """The legal actions follow from what the notation tells."""
    state = moment.state
    read = moment.game.parse(str(state), seed=0)
    if difference := _difference(state, read.legal_actions().tolist()):
        return f"the same position, read from its notation {str(state)!r}, {difference}"
    return None


def as_another_source_says(legal: LegalActions) -> Callable[[Moment], str | None]:
    """Return the check of the legal actions against another source."""

    def as_told(moment: Moment) -> str | None:
        if moment.state.is_terminal:
            return None
        told = sorted({int(action) for action in legal(moment.state.clone())})
        listed = moment.state.legal_actions().tolist()
        for hidden in sorted({*told} - {*listed}):
            return f"the mask hides action {hidden}{_name(moment.state, hidden)}, which is legal"
        for wrong in sorted({*listed} - {*told}):
            return f"the mask allows action {wrong}{_name(moment.state, wrong)}, which is not legal"
        return None

    return as_told


def _name(state: State, action: int) -> str:
    """Return the notation of an action in brackets, nothing if it has none here."""
    try:
        return f" ({state.game.rules.format_action(state.words, action)})"
    except (ValueError, LookupError):
        return ""


def _difference(state: State, actions: list[int]) -> str | None:
    listed = state.legal_actions().tolist()
    if missing := sorted({*listed} - {*actions}):
        return f"lacks the legal action {missing[0]}{_name(state, missing[0])}"
    if added := sorted({*actions} - {*listed}):
        return f"has one more legal action, {added[0]}{_name(state, added[0])}"
    return None


def other_players_too(moment: Moment) -> str | None:
    """Asking for the actions of each player who chooses now leaves the position as it is."""
    state = moment.state
    before = state.words
    for player in state.acting_players():
        words = before.copy()
        words[SEAT] = player
        actions = np.empty(moment.game.num_actions, np.int64)
        count = moment.game.rules.legal(words, actions)
        if words[SEAT] != player or not 0 <= count <= moment.game.num_actions:
            return f"`legal` cannot be asked for player {player}, who is to choose"
    return None
