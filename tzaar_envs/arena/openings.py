"""Start positions: the game's own, random openings, or a book of positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tzaar_envs.arena.plan import FOR_BOOK, FOR_OPENING, FOR_START, Plan
from tzaar_envs.arena.records import GameId, Recorder
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

_OPENING_ATTEMPTS = 100


def load_book(path: str | Path, game: Game) -> tuple[str, ...]:
    """Read a book: a text file with one position in the game's notation on each line.

    Blank lines, and lines that begin with `#`, are skipped.

    Returns:
        The positions, as the game itself writes them.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not a position, or its game is over; names the line and the reason.
    """
    path = Path(path)
    try:
        lines = path.read_bytes().decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"book {str(path)!r} is not text in UTF-8") from None
    positions = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            state = game.parse(text)
        except ValueError as error:
            raise ValueError(f"book {str(path)!r}, line {number}: {error}") from error
        if state.is_terminal:
            raise ValueError(f"book {str(path)!r}, line {number}: the game is over in {text!r}")
        positions.append(str(state))
    if not positions:
        raise ValueError(f"book {str(path)!r} has no position: write one on each line")
    return tuple(positions)


def open_game(plan: Plan, game: GameId) -> tuple[State, Recorder]:
    """Return the position of a game where the agents take over, and the record up to there.

    A book is used in an order that follows from the seed, repeatedly if it is too short.

    Raises:
        ValueError: nearly every random opening ends the game.
    """
    agents = plan.agents_at_seats(game)
    if plan.book:
        order = np.random.Generator(np.random.PCG64(plan.stream(FOR_BOOK))).permutation(
            len(plan.book)
        )
        seed = plan.stream(FOR_START, game.start, 0, 0)
        state = plan.game.parse(plan.book[order[game.start % len(plan.book)]], seed)
        return state, Recorder(state, seed=seed, agents=agents, match=game)
    for attempt in range(_OPENING_ATTEMPTS):
        seed = plan.stream(FOR_START, game.start, attempt, 0)
        state = plan.game.new_state(seed)
        recorder = Recorder(state, seed=seed, agents=agents, match=game)
        recorder.opening = plan.header.opening_plies
        rng = np.random.Generator(np.random.PCG64(plan.stream(FOR_OPENING, game.start, attempt, 0)))
        for _ in range(plan.header.opening_plies):
            actions = state.legal_actions()
            if actions.size == 0:
                break
            recorder.play(state, int(actions[rng.integers(actions.size)]))
        if not state.is_terminal:
            return state, recorder
    raise ValueError(
        f"opening_plies={plan.header.opening_plies} is not allowed: {_OPENING_ATTEMPTS} random "
        f"openings of that length all ended the game of start {game.start}; use fewer"
    )
