"""Games that are played without compiled code, where an index out of range is an error.

They are played in a process of their own, since compilation is switched off for a whole process.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tzaar_envs.core.game import Game
from tzaar_envs.testing.finding import difference, sentence_of
from tzaar_envs.testing.position_checks import Position, random_game, shown

_LIMIT = 600  # seconds
_PLIES = 60  # of one game for each variant
_SUITE = Path(__file__).parents[1]
_OURS = tuple(str(_SUITE / room) for room in ("core", "jit", "testing"))


Played = tuple[list[dict[str, Any]], tuple[int, ...], str]
"""The facts of every position of a game, its actions, and the reason if it had to stop."""


def play_uncompiled(games: Sequence[Game], seed: int) -> list[Played]:
    """Play the beginning of a random game of each variant in a process without compiled code.

    Raises:
        RuntimeError: The process failed or took too long.
    """
    path = os.pathsep.join(entry for entry in sys.path if entry)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tzaar_envs.testing.uncompiled"],
            input=pickle.dumps((games, seed)),
            env={**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            timeout=_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"playing it uncompiled takes more than {_LIMIT} seconds") from None
    if done.returncode:
        errors = done.stderr.decode(errors="replace").splitlines()[-1:]
        raise RuntimeError(f"playing it uncompiled fails: {' '.join(errors) or done.returncode}")
    played: list[Played] = pickle.loads(done.stdout)
    return played


def first_difference(
    game: Game, seed: int, uncompiled: list[dict[str, Any]]
) -> tuple[str, tuple[int, ...]]:
    """Return the difference between compiled and uncompiled game, and the actions up to there."""
    for position, expected in zip(_beginning(game, seed), uncompiled, strict=False):
        if what := difference(expected, _all_shown(position)):
            return f"{what} differs between compiled and uncompiled code", position.actions
    return "", ()


def _play(game: Game, seed: int) -> Played:
    everything: list[dict[str, Any]] = []
    actions: tuple[int, ...] = ()
    try:
        for position in _beginning(game, seed):
            actions = position.actions
            everything.append(_all_shown(position))
    except Exception as error:
        return everything, actions, f"{_place(error)}{sentence_of(error)}"
    return everything, actions, ""


def _beginning(game: Game, seed: int) -> Iterator[Position]:
    return itertools.islice(random_game(game, seed), _PLIES)


def _all_shown(position: Position) -> dict[str, Any]:
    state = position.state
    player = len(position.actions) % state.game.num_players
    return {
        # As lists, since numbers in arrays may differ by a rounding error.
        "the state": state.words.tolist(),
        "the redrawn state": state.determinize(player, 0).words.tolist(),
        **shown(state, player),
    }


def _place(error: Exception) -> str:
    """Return the function, file and line of the game's own code in which an error came up."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_OURS) and "site-packages/numpy" not in frame.filename
    ]
    if not frames:
        return ""
    return f"`{frames[-1].name}` ({Path(frames[-1].filename).name}, line {frames[-1].lineno}) "


def main() -> None:
    """Play the games that the standard input names; write what they showed."""
    with contextlib.redirect_stdout(sys.stderr):
        games, seed = pickle.load(sys.stdin.buffer)
        played = [_play(game, seed) for game in games]
    pickle.dump(played, sys.stdout.buffer)


if __name__ == "__main__":
    main()
