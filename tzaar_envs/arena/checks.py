"""What is asked of the arguments of matches and tournaments."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Sequence

from tzaar_envs.arena.plan import AgentSource
from tzaar_envs.core.game import Game


def whole_number(name: str, value: int, minimum: int) -> int:
    """Return a whole number of `minimum` or more.

    Raises:
        ValueError: it is something else.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = minimum - 1
    if number < minimum or isinstance(value, bool):
        raise ValueError(f"{name}={value!r} is not allowed: use a whole number from {minimum}")
    return number


def games_of_every_rotation(games: int, seats: int) -> int:
    """Return a number of games that gives every start all rotations of the seats.

    Raises:
        ValueError: it is no multiple of the seats.
    """
    games = whole_number("games", games, seats)
    if games % seats:
        below = games - games % seats
        raise ValueError(
            f"games={games} is not allowed: every start is played once in each of the {seats} "
            f"rotations of the seats, so use a multiple of {seats}, such as {below} or "
            f"{below + seats}"
        )
    return games


def length_of_openings(opening_plies: int, game: Game) -> int:
    """Return a number of random plies before the agents take over.

    Raises:
        ValueError: no game is longer.
    """
    opening_plies = whole_number("opening_plies", opening_plies, 0)
    if opening_plies >= game.max_plies:
        raise ValueError(
            f"opening_plies={opening_plies} is not allowed: no game of {game.name} is longer than "
            f"{game.max_plies} plies, so use 0 to {game.max_plies - 1}"
        )
    return opening_plies


def check_sources(agents: Sequence[AgentSource]) -> None:
    """Raise a ValueError for what cannot name or make an agent."""
    if isinstance(agents, str):
        raise ValueError(f"agents={agents!r} is not allowed: use a list with one agent per seat")
    for number, agent in enumerate(agents):
        if not isinstance(agent, str) and not callable(agent):
            raise ValueError(
                f"agents[{number}]={agent!r} is not allowed: use text for make_agent, or a "
                "function that takes the game and returns an Agent"
            )


def check_picklable(sources: Sequence[AgentSource]) -> None:
    """Raise a ValueError for a factory that cannot be sent to another process."""
    for number, source in enumerate(sources):
        try:
            pickle.dumps(source)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ValueError(
                f"agents[{number}] cannot be sent to worker processes ({error}): use a function at "
                "the top level of a module, or workers=1"
            ) from None


def form_of(source: AgentSource) -> str:
    """Return what an agent is made from: the text form, or `module:function` of a factory."""
    if isinstance(source, str):
        return source
    name = getattr(source, "__qualname__", type(source).__qualname__)
    return f"{getattr(source, '__module__', type(source).__module__)}:{name}"
