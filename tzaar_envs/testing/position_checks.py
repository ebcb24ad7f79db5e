"""Checks of a position: each yields problems."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import MOVE_CAP, OVER
from tzaar_envs.core.state import State
from tzaar_envs.testing.finding import difference, disagreement, sentence_of

LegalActions = Callable[[State], Iterable[int]]
"""Another source of the legal actions of a position, for instance a slow, naive one."""

_NAMED = 40  # actions whose names are read again in one position
_REDRAWN = 3  # times in each position


@dataclass(frozen=True)
class Position:
    """A position of a random game; a check must not change it.

    Attributes:
        state: The position.
        seed: The seed of the game.
        actions: The actions played so far.
        choices: The source of a check's own random choices.
    """

    state: State
    seed: int
    actions: tuple[int, ...]
    choices: random.Random


def random_game(game: Game, seed: int) -> Iterator[Position]:
    """Yield the positions of a random game, the last one too."""
    moves, choices = random.Random(seed), random.Random(f"checks {seed}")
    state = game.new_state(seed)
    actions: tuple[int, ...] = ()
    for _ in range(game.max_plies + 1):
        yield Position(state, seed, actions, choices)
        legal = state.legal_actions().tolist()
        if not legal or state.is_terminal:
            return
        action = moves.choice(legal)
        state = state.clone()
        state.apply(action)
        actions = (*actions, action)


def shown(state: State, player: int) -> dict[str, Any]:
    """Return all that a position shows to a player, by name."""
    return {
        "observation": state.observation(player),
        "legal_mask_of": state.legal_mask_of(player),
        "current_player": state.current_player,
        "acting_players": state.acting_players(),
        "is_terminal": state.is_terminal,
        "returns": state.returns(),
        "scores": state.scores(),
        "evaluate": np.array([state.evaluate(player)]),
    }


def _difference(state: State, other: State, player: int) -> str | None:
    """Return the first difference of two positions for a player; None if there is none."""
    what = difference(shown(state, player), shown(other, player))
    if what != "observation":
        return what
    names, _ = _planes(state.game)
    differ = (state.observation(player) != other.observation(player)).reshape(len(names), -1)
    index = int(differ.any(axis=1).argmax())
    return f"plane {index} ({names[index]!r})"


@functools.cache
def _planes(game: Game) -> tuple[list[str], NDArray[np.int64]]:
    """Return the name of every plane of an observation, and its greatest value."""
    names = [plane.name for plane in game.layout.planes for _ in range(plane.count)]
    return names, np.array(game.layout.plane_highs)[:, np.newaxis]


# --- What is cheap enough for hundreds of games ---------------------------------------------------


def something_is_legal(position: Position) -> Iterator[str]:
    """A running game has a legal action, a finished one has none."""
    state, count = position.state, position.state.legal_actions().size
    if state.is_terminal and count:
        yield f"the game is over, but {count} actions are legal"
    if not state.is_terminal and not count:
        yield f"the game runs, but player {state.current_player} has no legal action"


def end(position: Position) -> Iterator[str]:
    """A game ends in time, and for a reason of the spec."""
    state, plies, most = position.state, len(position.actions), position.state.game.max_plies
    if state.is_terminal and not plies:
        yield "the game is over before the first action"
    if plies >= most and not state.is_terminal:
        yield f"the game runs after max_plies={most} plies"
    if state.is_truncated and plies != most:
        yield f"the game is truncated after {plies} plies, but max_plies is {most}"
    known = [reason.code for reason in state.game.spec.end_reasons]
    if state.end_code not in (None, *known, OVER.code, MOVE_CAP.code):
        yield f"the end code {state.end_code!r} is none of the end_reasons {known}"


def within_range(position: Position) -> Iterator[str]:
    """Every number of an observation lies between 0 and the high of its plane."""
    names, highs = _planes(position.state.game)
    for player in range(position.state.game.num_players):
        seen = position.state.observation(player).reshape(len(names), -1)
        wrong = (seen < 0) | (seen > highs)
        if wrong.any():
            index = int(wrong.any(axis=1).argmax())
            yield (
                f"player {player} observes {seen[wrong][0]} in plane {index} ({names[index]!r}), "
                f"which goes from 0 to {highs[index, 0]}"
            )


def results(position: Position) -> Iterator[str]:
    """Returns are 0 before the end, then from -1 to 1; scores and evaluations agree with them."""
    state = position.state
    returns, scores = state.returns().tolist(), state.scores().tolist()
    if not state.is_terminal and any(returns):
        yield f"the game runs, but its returns are {returns}"
    if not np.isfinite(scores).all():
        yield f"the scores are {scores}"
    for player, value in enumerate(returns):
        estimate = state.evaluate(player)
        for what, number in (("return", value), ("evaluation", estimate)):
            if not -1.0 <= number <= 1.0:
                yield f"the {what} of player {player} is {number:g}: use -1 to 1"
        if state.is_terminal and not math.isclose(estimate, value, abs_tol=1e-9):
            yield f"the return of player {player} is {value:g}, but `evaluate` gives {estimate:g}"
    if len(returns) == 2 and abs(sum(returns)) > 1e-9:
        yield f"the returns of two players are {returns}, which do not add up to 0"
    if state.is_terminal and state.game.spec.score_unit is not None:
        by_score = sorted(zip(scores, returns, strict=True))
        if [value for _, value in by_score] != sorted(returns):
            yield f"the scores are {scores}, but the returns {returns}: more points return less"


# --- Legal actions --------------------------------------------------------------------------------


def masks(position: Position, legal: LegalActions | None = None) -> Iterator[str]:
    """Legal actions are listed once each, for the players who are to choose.

    Args:
        position: The position.
        legal: Another source of the legal actions; None if there is none.
    """
    state, words = position.state, position.state.words
    actions = np.empty(state.game.num_actions, np.int64)
    count = state.game.rules.legal(words, actions)
    if (words != state.words).any():
        yield "`legal` changes the state"
    found, times = np.unique(actions[:count], return_counts=True)
    if (times > 1).any():
        yield f"`legal` writes action {found[times.argmax()]} {times.max()} times"
    acting, player = state.acting_players(), state.current_player
    if state.is_terminal:
        if acting:
            yield f"the game is over, but the players {acting} are to choose"
        return
    if player not in acting:
        yield f"player {player} is to move, but `acting` has {acting}"
    for each in acting:
        if not state.legal_mask_of(each).any():
            yield f"player {each} is to choose, but has no legal action"
    if len(acting) > 1:
        if not state.game.spec.simultaneous:
            yield f"the players {acting} choose at once, but the spec is not simultaneous"
        after, rest = state.clone(), [each for each in acting if each != player]
        after.apply(position.choices.choice(state.legal_actions().tolist()))
        if after.acting_players() != rest:
            yield (
                f"the players {acting} choose at once, but after player {player} has chosen "
                f"`acting` has {after.acting_players()}, not {rest}"
            )
    if legal is not None:
        listed = state.legal_actions().tolist()
        if what := disagreement(legal(state.clone()), listed, functools.partial(_named, state)):
            yield what


def _named(state: State, action: int) -> str:
    """Return an action, with its notation in brackets if it has one here."""
    try:
        return f"{action} ({state.game.rules.format_action(state.words, action)})"
    except (ValueError, LookupError):
        return str(action)


# --- Notation: positions and actions as text, both ways -------------------------------------------


def notation(position: Position) -> Iterator[str]:
    """Positions and actions are read as they are written, and other texts are refused."""
    state, game, choices = position.state, position.state.game, position.choices
    if what := _misread(state):
        yield what
    yield from _accepted("position", str(state), choices, lambda text: str(game.parse(text, 0)))
    legal = state.legal_actions().tolist()
    for action in choices.sample(legal, min(_NAMED, len(legal))):
        name = state.action_name(action)
        read = state.parse_action(name)
        if read != action:
            yield f"action {action} is called {name!r}, which is read as action {read}"
    if legal:
        name = state.action_name(choices.choice(legal))
        yield from _accepted(
            "action", name, choices, lambda text: state.action_name(state.parse_action(text))
        )


def _misread(state: State) -> str | None:
    """Return the difference between a position and its notation as read; None if there is none."""
    text = str(state)
    read = state.game.parse(text, seed=0)
    if str(read) != text:
        return f"the notation {text!r} is read as {str(read)!r}"
    rules = state.game.rules
    differ = (state.words != read.words)[: rules.key_size or rules.state_size]
    if 0 < rules.log_length < differ.size:
        differ[rules.log_length] = False
    if differ.any():
        word = int(differ.argmax())
        return (
            f"word {word} of the state is {state.words[word]}, but {read.words[word]} once "
            f"{text!r} is read"
        )
    for player in range(state.game.num_players):
        if what := _difference(state, read, player):
            return f"{what} is another one for player {player} once {text!r} is read"
    return None


def _accepted(
    what: str, text: str, choices: random.Random, read: Callable[[str], str]
) -> Iterator[str]:
    """Yield each garbled text that is neither refused with a ValueError nor read as another one.

    Args:
        what: The kind of text.
        text: The text before it is garbled.
        choices: The source of random choices.
        read: Reads a text, and writes what it has read.
    """
    place, letter = choices.randrange(len(text) + 1), choices.choice("0123456789 /,.-xz" + text)
    rest = text[place:]
    for garbled in ("", text[:place], f"{text}?", text[:place] + letter + rest,
                    text[:place] + letter + rest[1:]):  # fmt: skip
        try:
            written = read(garbled)
        except ValueError:
            continue
        except Exception as error:
            yield f"reading the {what} {garbled!r} {sentence_of(error)}, not a ValueError"
            continue
        if read(written) != written:
            yield f"the {what} {garbled!r} is read as {written!r}, and that as {read(written)!r}"


# --- What players see -----------------------------------------------------------------------------


def observations(position: Position) -> Iterator[str]:
    """What is asked about a position is written as a whole, and leaves the position as it is."""
    game, words = position.state.game, position.state.words
    players, size = game.num_players, math.prod(game.observation_shape)
    for player in range(players):
        for name, arguments, out in (
            ("observe", (words, player), np.zeros(size, np.int8)),
            ("returns", (words,), np.zeros(players)),
            ("scores", (words,), np.zeros(players)),
        ):
            ones = np.ones_like(out)
            for array in (out, ones):
                getattr(game.rules, name)(*arguments, array)
            if (words != position.state.words).any():
                yield f"`{name}` changes the state"
            if not np.array_equal(out, ones, equal_nan=True):
                yield f"`{name}` does not write number {(out != ones).argmax()} of its array"


def hidden_information(position: Position) -> Iterator[str]:
    """All that a player learns is the same after everything hidden from it is redrawn."""
    state, seed = position.state, position.seed
    if not state.game.spec.hidden_information:
        if (state.determinize(0, seed).words != state.words).any():
            yield "`determinize` changes the state, but the spec has Information.PERFECT"
        return
    drawn = position.choices.randrange(state.game.num_players)  # pictures take longer than all else
    for player in range(state.game.num_players):
        for number in range(_REDRAWN):
            redrawn = state.determinize(player, [seed, number])
            what = _difference(state, redrawn, player)
            if not what and number == 0 and player == drawn:
                what = difference(_pictures(state, player), _pictures(redrawn, player))
            if what:
                yield (
                    f"{what} differs for player {player}, though only what is hidden from it is "
                    "redrawn"
                )
    redrawn, again = state.determinize(drawn, seed), state.determinize(drawn, seed)
    if (redrawn.words != again.words).any():
        yield "`determinize` gives two positions for the same seed"
    if what := _misread(redrawn):
        yield f"`determinize` makes an impossible position: {what}"
    if not redrawn.is_terminal and not redrawn.legal_actions().size:
        yield "`determinize` makes a position without legal actions"


def _pictures(state: State, viewer: int) -> dict[str, Any]:
    return {"draw": state.draw(colour=False, viewer=viewer), "scene": state.scene(viewer)}


def drawing(position: Position) -> Iterator[str]:
    """The board can be drawn as text and as a picture, for each player and for all."""
    state = position.state
    for viewer in (None, *range(state.game.num_players)):
        text = state.draw(colour=bool(position.choices.randrange(2)), viewer=viewer)
        if not text.strip():
            yield f"`draw` gives {text!r} for viewer {viewer}"
        state.scene(viewer, legal=True)
