"""Argument validation for matches and tournaments: from arguments to a plan."""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Sequence
from pathlib import Path

from tzaar_envs.agents import AgentText
from tzaar_envs.arena.openings import load_book
from tzaar_envs.arena.plan import AgentSource, Plan, agent_text
from tzaar_envs.arena.results_file import Book, Header
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import whole_number
from tzaar_envs.system.machine import machine
from tzaar_envs.system.memory import has_memory_limits
from tzaar_envs.system.versions import versions


def make_plan(
    game: Game,
    agents: Sequence[AgentSource],
    line_ups: Sequence[tuple[int, ...]],
    games: int,
    seed: int,
    opening_plies: int,
    book: str | Path | None = None,
    sprt: Sprt | None = None,
    move_seconds: float | None = None,
) -> Plan:
    """Return the plan of a match or tournament, see `play_tournament` for the arguments.

    Raises:
        ValueError: an argument is not allowed.
    """
    opening_plies = whole_number("opening_plies", opening_plies, 0)
    if opening_plies >= game.max_plies:
        raise ValueError(
            f"opening_plies={opening_plies} is not allowed: no game of {game.name} is longer than "
            f"{game.max_plies} plies, so use 0 to {game.max_plies - 1}"
        )
    if book is not None and opening_plies:
        raise ValueError(
            f"opening_plies={opening_plies} is not allowed with a book: its positions are the "
            "openings"
        )
    if sprt is not None and game.num_players != 2:
        raise ValueError(
            f"sprt is not allowed: it compares two agents, {game.name} has {game.num_players} seats"
        )
    if move_seconds is not None and not 0 < move_seconds < math.inf:
        raise ValueError(
            f"move_seconds={move_seconds!r} is not allowed: use a number of seconds above 0"
        )
    positions = () if book is None else load_book(book, game)
    header = Header(
        game=game.spec.env_id,
        options=dict(game.options),
        seats=list(game.layout.seat_names),
        agents=[*map(agent_text, agents)],
        games=_whole_rotations(games, game.num_players),
        seed=whole_number("seed", seed, 0),
        opening_plies=opening_plies,
        book=Book(len(positions), hashlib.sha256("\n".join(positions).encode()).hexdigest())
        if positions
        else None,
        move_seconds=move_seconds,
        sprt=None if sprt is None else (sprt.elo0, sprt.elo1),
        versions=versions(),
        machine=machine(),
    )
    return Plan(game, tuple(agents), tuple(line_ups), header, positions)


def check_memory(memory_gib: float, ray: bool) -> None:
    """Raise a ValueError for a limit of memory that cannot be set."""
    if not 0 < memory_gib < math.inf:
        raise ValueError(f"memory_gib={memory_gib!r} is not allowed: use a number above 0")
    if ray:
        raise ValueError("memory_gib is not allowed with ray: it needs processes on this machine")
    if not has_memory_limits():
        raise ValueError(f"memory_gib={memory_gib!r} is not allowed: only Linux has such limits")


def _whole_rotations(games: int, seats: int) -> int:
    games = whole_number("games", games, seats)
    if games % seats:
        below = games - games % seats
        raise ValueError(
            f"games={games} is not allowed: every start is played once in each of the {seats} "
            f"rotations of the seats, so use a multiple of {seats}, such as {below} or "
            f"{below + seats}"
        )
    return games


def check_sources(game: Game, agents: Sequence[AgentSource]) -> None:
    """Raise a ValueError for anything that cannot name or make an agent of a game.

    Nothing is loaded or compiled for it.
    """
    if isinstance(agents, str):
        raise ValueError(f"agents={agents!r} is not allowed: use a list with one agent per seat")
    for number, agent in enumerate(agents):
        if not isinstance(agent, str) and not callable(agent):
            raise ValueError(
                f"agents[{number}]={agent!r} is not allowed: use text for make_agent, or a "
                "function that takes the game and returns an Agent"
            )
        try:
            agent_text(agent).encode()
        except UnicodeEncodeError:  # lone surrogates, from a file name that is not UTF-8
            raise ValueError(
                f"agents[{number}]={agent!r} is not allowed: it is not UTF-8"
            ) from None
        if isinstance(agent, str):
            AgentText.parse(agent, game.spec)


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
