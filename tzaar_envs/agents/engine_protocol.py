"""The engine protocol: lines between a host and an engine; `docs/engines.md` describes it.

Moves are in notation, separated by semicolons. After an arrow stand the outcomes of chance, as
`State.apply` takes them; without one they are drawn:

    reroll -> 4 4 2 6; keep; enter YW

A host sends no more of a position than the player to move may see.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.search.control import SearchLimits
from tzaar_envs.search.result import SearchResult, variation_names

VERSION = 1
SEPARATOR = ";"
ARROW = " -> "

ANSWERS = ("id", "feature", "option", "protocolok", "readyok", "info", "bestmove", "error")
"""The first words of an engine's lines."""

EMPTY = "<empty>"
"""The value of an option of text that is empty, as in UCI."""

_LIMITS = {"movetime": 10**9, "nodes": 2**62, "depth": 10**6}  # of a search, and their greatest
_COUNT = int, 0, 2**62
_VALUE = float, -1, 1
_INFO: dict[str, tuple[Callable[[str], float], float, float]] = {
    "depth": _COUNT,
    "nodes": _COUNT,
    "simulations": _COUNT,
    "time": _COUNT,
    "value": _VALUE,
    "values": _VALUE,
}
"""The type and the range of each number about a search."""


# --- Commands -------------------------------------------------------------------------------------


def parse_go(text: str) -> tuple[SearchLimits | None, bool]:
    """Return the parameters of the command `go`.

    Returns:
        The limits of the search, None for the engine's own; and whether to search until `stop`.

    Raises:
        ValueError: Says which part is wrong, and what is allowed.
    """
    words = text.split()
    if words in ([], ["infinite"]):
        return (SearchLimits(), True) if words else (None, False)
    given: dict[str, int] = {}
    for name, number in itertools.zip_longest(words[::2], words[1::2], fillvalue=""):
        if name not in _LIMITS or name in given:
            raise ValueError(
                f"go: {name!r} is not allowed here: use {', '.join(_LIMITS)}, each once, or "
                "infinite alone"
            )
        found = _number(number, int, 1, _LIMITS[name])
        if found is None:
            raise ValueError(f"go: {name} {number!r} is not an integer from 1 to {_LIMITS[name]}")
        given[name] = int(found)
    seconds = given.get("movetime", 0) / 1000
    return SearchLimits(seconds, given.get("nodes", 0), given.get("depth", 0)), False


def format_go(limits: SearchLimits) -> str:
    """Return the command `go`; without limits the engine uses its own."""
    milliseconds = math.ceil(limits.seconds * 1000)
    given = {"movetime": milliseconds, "nodes": limits.nodes, "depth": limits.depth}
    return " ".join(["go", *(f"{name} {value}" for name, value in given.items() if value)])


def format_game(env_id: str, options: Mapping[str, object]) -> str:
    """Return the command `game`."""
    return " ".join(["game", env_id, *(f"{name}={value}" for name, value in options.items())])


def format_setoption(name: str, value: str) -> str:
    """Return the command `setoption`."""
    return f"setoption name {name} value {value or EMPTY}"


def parse_setoption(text: str) -> tuple[str, str]:
    """Return name and value from what follows the word `setoption`.

    Raises:
        ValueError: It is not `name NAME value VALUE`.
    """
    begin, _, rest = text.partition(" ")
    name, separator, value = rest.partition(" value ")
    if begin != "name" or not separator or not name.strip():
        raise ValueError(
            f"setoption {text!r} is not allowed: use setoption name NAME value VALUE, with the "
            f"value {EMPTY} for an empty text"
        )
    value = value.strip()
    return name.strip(), "" if value == EMPTY else value


# --- Moves ----------------------------------------------------------------------------------------


def format_list(moves: Iterable[str]) -> str:
    """Return moves as one text.

    Raises:
        ValueError: The notation of a move contains what separates moves.
    """
    names = list(moves)
    for name in names:
        if SEPARATOR in name or ARROW in name or name != name.strip() or not name.isprintable():
            raise ValueError(
                f"the move {name!r} cannot be sent to an engine: {SEPARATOR!r} and {ARROW!r} "
                "separate moves"
            )
    return f"{SEPARATOR} ".join(names)


def split_moves(text: str) -> list[str]:
    """Return the moves of a text, each with its outcomes."""
    return [part.strip() for part in text.split(SEPARATOR)] if text.strip() else []


def split_outcome(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Return a move and the outcomes after its arrow; None: there is no arrow.

    Raises:
        ValueError: An outcome is not an integer.
    """
    name, arrow, numbers = f"{text.strip()} ".partition(ARROW)
    if not arrow:
        return name.strip(), None
    outcome = []
    for word in numbers.split():
        number = _number(word, int, -(2**62), 2**62)
        if number is None:
            raise ValueError(f"the chance outcome {word!r} is not an integer")
        outcome.append(int(number))
    return name.strip(), tuple(outcome)


def play_moves(state: State, text: str) -> None:
    """Play moves.

    Args:
        state: The position, which is changed.
        text: The moves.

    Raises:
        ValueError: A move or an outcome is not possible; names the move.
    """
    for number, part in enumerate(split_moves(text), start=1):
        try:
            name, outcome = split_outcome(part)
            state.apply(state.parse_action(name), outcome)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error


def parse_variation(state: State, text: str) -> tuple[int, ...]:
    """Return the actions of a variation, as far as it can be followed.

    Args:
        state: The position in which it begins.
        text: Its moves.
    """
    actions: list[int] = []
    position = state.clone()
    outcome: tuple[int, ...] | None = ()
    for part in split_moves(text):
        if position.is_terminal or (actions and outcome is None and position.last_outcome):
            break  # chance drew something else than the engine assumed
        try:
            name, outcome = split_outcome(part)
            action = position.parse_action(name)
            position.apply(action, outcome)
        except ValueError:
            break
        actions.append(action)
    return tuple(actions)


# --- Positions ------------------------------------------------------------------------------------


def parse_position(game: Game, text: str, seed: int) -> State:
    """Return the position that follows the word `position`.

    Args:
        game: The game.
        text: `start` or a position in notation, and moves from there.
        seed: Fixes the chance outcomes that are not given.

    Raises:
        ValueError: Says what is wrong.
    """
    begin, _, moves = f"{text} ".partition(" moves ")
    begin = begin.strip()
    if not begin:
        raise ValueError(f"position is missing: use 'start' or the notation of {game.name}")
    name, outcome = split_outcome(begin)
    state = game.new_state(seed, outcome) if name == "start" else game.parse(begin, seed)
    play_moves(state, moves)
    return state


def visible_position(state: State, seed: int) -> State:
    """Return a position that the player to move cannot tell from the real one.

    In a game with hidden information, all that the player cannot know is drawn again.
    """
    if not state.game.spec.hidden_information:
        return state
    return state.determinize(state.current_player, seed)


def format_position(state: State, with_moves: bool) -> str:
    """Return the command `position`.

    Args:
        state: the position.
        with_moves: send the start of the game and all moves instead, if they are known.
    """
    if state.line is None or not with_moves:
        return f"position {state}"
    start, moves, outcomes, _ = state.line
    played = [
        format_list([move]) + (ARROW + " ".join(map(str, drawn)) if drawn else "")
        for move, drawn in zip(moves, outcomes, strict=True)
    ]
    return f"position {start} moves {f'{SEPARATOR} '.join(played)}".removesuffix(" moves ")


# --- What an engine says about its search ---------------------------------------------------------


def format_info(state: State, result: SearchResult) -> str:
    """Return the line about what a search in a position has found so far."""
    parts = [f"info depth {result.depth} nodes {result.nodes}"]
    if result.simulations:
        parts.append(f"simulations {result.simulations}")
    parts.append(f"time {round(result.seconds * 1000)} value {result.value:.4f}")
    if len(result.values) != 2:
        parts.append("values " + " ".join(f"{value:.4f}" for value in result.values))
    if result.proven:
        parts.append("proven")
    parts.append(f"pv {format_list(variation_names(state, result.principal_variation))}")
    return " ".join(parts)


def format_visits(state: State, result: SearchResult) -> str:
    """Return the visits of a tree search to each action, the most visited one first."""
    ordered = sorted(result.visits.items(), key=lambda item: -item[1])
    return "info visits " + format_list(
        f"{count} {state.action_name(action)}" for action, count in ordered
    )


def parse_infos(
    state: State, infos: Iterable[str], action: int, seconds: float
) -> SearchResult | None:
    """Return an engine's report on its search, without what is not valid.

    Args:
        state: The position.
        infos: The text after the word `info`; later lines replace earlier ones.
        action: The action that the engine plays.
        seconds: The time that it took, if it does not say so.

    Returns:
        The result of the search; None if the engine does not say what it expects.
    """
    players, mover = state.game.num_players, state.current_player
    said: dict[str, Any] = {}
    visits = pv = ""
    for text in infos:
        before, separator, variation = f" {text} ".partition(" pv ")
        words = before.split()
        if words[:1] == ["string"]:
            continue
        if words[:1] == ["visits"]:
            visits = text.strip().removeprefix("visits")
            continue
        pv = variation if separator else pv
        for place, name in enumerate(words, start=1):
            if name == "proven":
                said[name] = True
            elif name in _INFO:
                count = players if name == "values" else 1
                numbers = [_number(word, *_INFO[name]) for word in words[place : place + count]]
                if len(numbers) == count and None not in numbers:
                    said[name] = tuple(numbers) if name == "values" else numbers[0]
    if "value" not in said and "values" not in said:
        return None
    if "values" not in said:  # they sum to 0
        others = -said["value"] / max(players - 1, 1)
        said["values"] = tuple(
            said["value"] if seat == mover else others for seat in range(players)
        )
    line = parse_variation(state, pv)
    return SearchResult(
        action=action,
        value=float(said.get("value", said["values"][mover])),
        values=said["values"],
        proven=said.get("proven", False),
        depth=said.get("depth", 0),
        nodes=said.get("nodes", 0),
        principal_variation=line if line[:1] == (action,) else (action,),
        simulations=said.get("simulations", 0),
        visits=_parse_visits(state, visits),
        seconds=said["time"] / 1000 if "time" in said else seconds,
    )


def _parse_visits(state: State, text: str) -> dict[int, int]:
    """Return visits by action, without those of actions that are not legal."""
    visits: dict[int, int] = {}
    for part in split_moves(text):
        word, _, name = part.partition(" ")
        count = _number(word, int, 1, 2**62)
        with contextlib.suppress(ValueError):
            action = state.parse_action(name)
            if count is not None and state.is_legal(action):
                visits[action] = int(count)
    return dict(sorted(visits.items()))


def _number(text: str, kind: Callable[[str], float], least: float, most: float) -> float | None:
    """Return a number in this range; None if it is not one."""
    try:
        number = kind(text) if text.isascii() and len(text) < 32 else math.nan
    except ValueError:
        return None
    return number if least <= number <= most else None
