"""Notation: positions and actions as text, both ways."""

from __future__ import annotations

import numpy as np

from tzaar_envs.testing.finding import sentence_of
from tzaar_envs.testing.game_checks.moment import Moment

_MOST_NAMED = 40  # actions whose names are read again in one position


def positions_are_read_again(moment: Moment) -> str | None:
    """The notation of a position is read as the same position."""
    state, game = moment.state, moment.game
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


def actions_are_read_again(moment: Moment) -> str | None:
    """Every legal action has a name of its own, which is read as that action."""
    state = moment.state
    legal = state.legal_actions().tolist()
    some = moment.choices.sample(legal, min(_MOST_NAMED, len(legal)))
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


def garbled_positions_are_refused(moment: Moment) -> str | None:
    """A text that is no position is refused with a ValueError, or read as another position."""
    text = str(moment.state)
    place = moment.choices.randrange(len(text) + 1)
    letter = moment.choices.choice("0123456789 /,.-xz" + text)
    for garbled in (
        "",
        text[:place],
        text[:place] + letter + text[place:],
        text[:place] + letter + text[place + 1 :],
    ):
        try:
            read = moment.game.parse(garbled, seed=0)
            written = str(read)
        except ValueError:
            continue
        except Exception as error:
            return f"reading the position {garbled!r} {sentence_of(error)}, not a ValueError"
        again = moment.game.parse(written, seed=0)
        if not np.array_equal(again.words[: _key(moment)], read.words[: _key(moment)]):
            return f"{garbled!r} is read as a position that its own notation {written!r} is not"
    return None


def garbled_actions_are_refused(moment: Moment) -> str | None:
    """A text that is no action is refused with a ValueError."""
    action = moment.any_action()
    if action is None:
        return None
    name = moment.state.action_name(action)
    for garbled in ("", f"{name}?", name[:-1], f" {name}"):
        try:
            read = moment.state.parse_action(garbled)
        except ValueError:
            continue
        except Exception as error:
            return f"reading the action {garbled!r} {sentence_of(error)}, not a ValueError"
        if moment.state.action_name(read) != garbled:
            return f"{garbled!r} is read as the action {moment.state.action_name(read)!r}"
    return None


def _key(moment: Moment) -> int:
    return moment.game.rules.key_size or moment.game.rules.state_size
