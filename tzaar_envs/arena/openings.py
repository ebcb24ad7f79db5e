"""Where games start: the game's own start positions, random openings, or a book of positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tzaar_envs.arena.plan import FOR_BOOK, FOR_OPENING, FOR_START, Plan
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

_OPENING_ATTEMPTS = 100


def load_book(path: str | Path, game: Game) -> tuple[str, ...]:
    """Read a book: a text file with one position in the game's notation on each line.

    Blank lines, and lines that begin with `#`, are left out.

    Returns:
        The positions, as the game itself writes them.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is no position, or its game is over; names the line and the reason.
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


def draw_start(plan: Plan, start: int) -> State:
    """Return the position of a start where the agents take over.

    A book is used in an order that follows from the seed, over and over if it is too short.

    Raises:
        ValueError: nearly every random opening ends the game.
    """
    if plan.book:
        order = np.random.Generator(np.random.PCG64(plan.stream(FOR_BOOK))).permutation(
            len(plan.book)
        )
        position = plan.book[order[start % len(plan.book)]]
        return plan.game.parse(position, plan.stream(FOR_START, start, 0, 0))
    for attempt in range(_OPENING_ATTEMPTS):
        state = plan.game.new_state(plan.stream(FOR_START, start, attempt, 0))
        rng = np.random.Generator(np.random.PCG64(plan.stream(FOR_OPENING, start, attempt, 0)))
        for _ in range(plan.opening_plies):
            actions = state.legal_actions()
            if actions.size == 0:
                break
            state.apply(int(actions[rng.integers(actions.size)]))
        if not state.is_terminal:
            return state
    raise ValueError(
        f"opening_plies={plan.opening_plies} is not allowed: {_OPENING_ATTEMPTS} random openings "
        f"of that length all ended the game of start {start}; use fewer"
    )
