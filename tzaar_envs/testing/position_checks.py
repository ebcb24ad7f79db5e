"""What the rules promise in every position: legal actions, notation, end, chance, copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tzaar_envs.core.kernel import SEAT
from tzaar_envs.core.spec import MOVE_CAP, OVER
from tzaar_envs.core.state import State
from tzaar_envs.testing.finding import sentence_of
from tzaar_envs.testing.sampled_positions import SampledPosition

# --- Legal actions: listed once each, always the same, as many as the position needs --------------

LegalActions = Callable[[State], Iterable[int]]
"""Another source of the legal actions of a position, for instance a slow, naive one."""


def listed_once(position: SampledPosition) -> str | None:
    """Each legal action is written once, and writing them changes nothing."""
    words = position.state.words
    before = words.copy()
    actions = np.empty(position.game.num_actions, np.int64)
    count = position.game.rules.legal(words, actions)
    if (words != before).any():
        return "`legal` changes the state"
    found, times = np.unique(actions[:count], return_counts=True)
    if (times > 1).any():
        return f"`legal` writes action {found[times.argmax()]} {times.max()} times"
    return None


def enough(position: SampledPosition) -> str | None:
    """A running game has a legal action, a finished one has none."""
    count = position.state.legal_actions().size
    if position.state.is_terminal and count:
        return f"the game is over, but {count} actions are legal"
    if not position.state.is_terminal and not count:
        return f"the game runs, but player {position.state.current_player} has no legal action"
    return None


def acting_players(position: SampledPosition) -> str | None:
    """The player to move chooses now; several do only in a simultaneous game."""
    state = position.state
    acting = state.acting_players()
    if state.is_terminal:
        return f"the game is over, but the players {acting} are to choose" if acting else None
    if state.current_player not in acting:
        return f"player {state.current_player} is to move, but `acting` has {acting}"
    if len(acting) > 1 and not position.game.spec.simultaneous:
        return f"the players {acting} choose at once, but the spec is not simultaneous"
    for player in acting:
        if not state.legal_mask_of(player).any():
            return f"player {player} is to choose, but has no legal action"
    return None


def the_others_are_asked_next(position: SampledPosition) -> str | None:
    """When several players choose at once, a choice leaves the others to be asked."""
    acting, action = position.state.acting_players(), position.any_action()
    if len(acting) < 2 or action is None:
        return None
    mover = position.state.current_player
    after = position.state.clone()
    after.apply(action)
    rest = [player for player in acting if player != mover]
    if after.acting_players() != rest:
        return (
            f"the players {acting} choose at once, but after player {mover} has chosen `acting` "
            f"has {after.acting_players()}, not {rest}"
        )
    return None


def legal_actions_of_a_read_position(position: SampledPosition) -> str | None:
    """The legal actions follow from what the notation tells."""
    state = position.state
    read = position.game.parse(str(state), seed=0)
    if difference := _listing_difference(state, read.legal_actions().tolist()):
        return f"the same position, read from its notation {str(state)!r}, {difference}"
    return None


def as_another_source_says(legal: LegalActions) -> Callable[[SampledPosition], str | None]:
    """Return the check of the legal actions against another source."""

    def as_told(position: SampledPosition) -> str | None:
        if position.state.is_terminal:
            return None
        told = sorted({int(action) for action in legal(position.state.clone())})
        listed = position.state.legal_actions().tolist()
        for hidden in sorted({*told} - {*listed}):
            name = _name(position.state, hidden)
            return f"the mask hides action {hidden}{name}, which is legal"
        for wrong in sorted({*listed} - {*told}):
            name = _name(position.state, wrong)
            return f"the mask allows action {wrong}{name}, which is not legal"
        return None

    return as_told


def _name(state: State, action: int) -> str:
    """Return the notation of an action in brackets, nothing if it has none here."""
    try:
        return f" ({state.game.rules.format_action(state.words, action)})"
    except (ValueError, LookupError):
        return ""


def _listing_difference(state: State, actions: list[int]) -> str | None:
    listed = state.legal_actions().tolist()
    if missing := sorted({*listed} - {*actions}):
        return f"lacks the legal action {missing[0]}{_name(state, missing[0])}"
    if added := sorted({*actions} - {*listed}):
        return f"has one more legal action, {added[0]}{_name(state, added[0])}"
    return None


def other_players_too(position: SampledPosition) -> str | None:
    """Asking for the actions of each player who chooses now leaves the position as it is."""
    state = position.state
    before = state.words
    for player in state.acting_players():
        words = before.copy()
        words[SEAT] = player
        actions = np.empty(position.game.num_actions, np.int64)
        count = position.game.rules.legal(words, actions)
        if words[SEAT] != player or not 0 <= count <= position.game.num_actions:
            return f"`legal` cannot be asked for player {player}, who is to choose"
    return None


# --- Notation: positions and actions as text, both ways -------------------------------------------

_MOST_NAMED = 40  # actions whose names are read again in one position


def positions_are_read_again(position: SampledPosition) -> str | None:
    """The notation of a position is read as the same position."""
    state, game = position.state, position.game
    text = str(state)
    read = game.parse(text, seed=0)
    if str(read) != text:
        return f"the notation {text!r} is read as {str(read)!r}"
    size, log_length = game.rules.key_size or game.rules.state_size, game.rules.log_length
    differ = state.words[:size] != read.words[:size]
    if log_length and log_length < size:
        differ[log_length] = False
    if differ.any():
        word = int(differ.argmax())
        return (
            f"word {word} of the state is {state.words[word]}, but {read.words[word]} once "
            f"{text!r} is read"
        )
    for what, before, after in (
        ("is_terminal", state.is_terminal, read.is_terminal),
        ("returns", state.returns().tolist(), read.returns().tolist()),
        ("scores", state.scores().tolist(), read.scores().tolist()),
    ):
        if before != after:
            return f"{what} is {before}, but {after} once {text!r} is read"
    return None


def actions_are_read_again(position: SampledPosition) -> str | None:
    """Every legal action has a name of its own, which is read as that action."""
    state = position.state
    legal = state.legal_actions().tolist()
    some = position.choices.sample(legal, min(_MOST_NAMED, len(legal)))
    named: dict[str, int] = {}
    for action in some:
        name = state.action_name(action)
        if not isinstance(name, str) or not name:
            return f"the name of action {action} is {name!r}, not a text"
        if name in named:
            return f"the actions {named[name]} and {action} are both called {name!r}"
        named[name] = action
        try:
            read = state.parse_action(name)
        except ValueError as error:
            return f"action {action} is called {name!r}, which is refused: {error}"
        if read != action:
            return f"action {action} is called {name!r}, which is read as action {read}"
    return None


def garbled_positions_are_refused(position: SampledPosition) -> str | None:
    """A text that is no position is refused with a ValueError, or read as another position."""
    text = str(position.state)
    place = position.choices.randrange(len(text) + 1)
    letter = position.choices.choice("0123456789 /,.-xz" + text)
    for garbled in (
        "",
        text[:place],
        text[:place] + letter + text[place:],
        text[:place] + letter + text[place + 1 :],
    ):
        try:
            read = position.game.parse(garbled, seed=0)
            written = str(read)
        except ValueError:
            continue
        except Exception as error:
            return f"reading the position {garbled!r} {sentence_of(error)}, not a ValueError"
        again = position.game.parse(written, seed=0)
        if not np.array_equal(again.words[: _key(position)], read.words[: _key(position)]):
            return f"{garbled!r} is read as a position that its own notation {written!r} is not"
    return None


def garbled_actions_are_refused(position: SampledPosition) -> str | None:
    """A text that is no action is refused with a ValueError."""
    action = position.any_action()
    if action is None:
        return None
    name = position.state.action_name(action)
    for garbled in ("", f"{name}?", name[:-1], f" {name}"):
        try:
            read = position.state.parse_action(garbled)
        except ValueError:
            continue
        except Exception as error:
            return f"reading the action {garbled!r} {sentence_of(error)}, not a ValueError"
        if position.state.action_name(read) != garbled:
            return f"{garbled!r} is read as the action {position.state.action_name(read)!r}"
    return None


def _key(position: SampledPosition) -> int:
    return position.game.rules.key_size or position.game.rules.state_size


# --- The end of a game: in time, and explained ----------------------------------------------------


def in_time(position: SampledPosition) -> str | None:
    """No game is longer than `max_plies`, and only those of this length are truncated."""
    plies, most = len(position.actions), position.game.max_plies
    if plies > most:
        return f"the game goes on after max_plies={most} plies"
    if plies == most and not position.state.is_terminal:
        return f"the game runs after max_plies={most} plies"
    if position.state.is_truncated and plies != most:
        return f"the game is truncated after {plies} plies, but max_plies is {most}"
    return None


def explained(position: SampledPosition) -> str | None:
    """The reason of an end is one of the spec."""
    code = position.state.end_code
    if code is None:
        return None
    known = [reason.code for reason in position.game.spec.end_reasons]
    if code not in (*known, OVER.code, MOVE_CAP.code):
        return f"the end code {code!r} is none of the end_reasons {known}"
    if not position.state.end_reason:
        return f"the end code {code!r} has no sentence"
    return None


def not_over_at_the_start(position: SampledPosition) -> str | None:
    """A start position has something to decide."""
    if not position.actions and position.state.is_terminal:
        return "the game is over before the first action"
    return None
