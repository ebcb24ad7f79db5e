"""Code that is loaded and played in a process of its own, so that a crash is a finding."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import traceback
import warnings
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.testing.finding import sentence_of
from tzaar_envs.testing.sampled_positions import SampledPosition, random_game

# --- The process ----------------------------------------------------------------------------------

_LIMIT = 600  # seconds
_SUITE = Path(__file__).parents[1]
_OURS = tuple(str(_SUITE / room) for room in ("core", "jit", "testing"))


@dataclass(frozen=True)
class Task:
    """What a child process is to do.

    Attributes:
        spec: the game.
        variants: the options to do it with.
        seed: of one random game for each variant; None only loads the game.
        plies: of that game at most.
    """

    spec: GameSpec
    variants: tuple[dict[str, Any], ...]
    seed: int | None = None
    plies: int = 0


def run(task: Task, **environment: str) -> tuple[list[Any], str | None]:
    """Do a task in a process of its own.

    Returns:
        The answers, one for each variant that was finished, and how the process failed; None if it
        did not.

    Raises:
        pickle.PicklingError: the spec cannot be sent to another process.
        AttributeError: likewise.
    """
    content = pickle.dumps(task)
    path = os.pathsep.join(entry for entry in sys.path if entry)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tzaar_envs.testing.uncompiled"],
            input=content,
            env={**os.environ, "PYTHONPATH": path, **environment},
            capture_output=True,
            timeout=_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [], f"does not end within {_LIMIT} seconds"
    lines = [line for line in done.stdout.decode(errors="replace").splitlines() if line]
    answers = [json.loads(line.removeprefix("ANSWER ")) for line in lines if line[:7] == "ANSWER "]
    if done.returncode == 0:
        return answers, None
    if done.returncode < 0:
        return answers, f"is killed by {signal.Signals(-done.returncode).name}"
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    return answers, f"fails: {errors[-1] if errors else f'exit status {done.returncode}'}"


def _load(task: Task, options: dict[str, Any]) -> dict[str, Any]:
    try:
        Game(task.spec, **options).load_rules()
    except Exception as error:
        return {"error": str(error) if isinstance(error, ValueError) else sentence_of(error)}
    return {}


def _play(task: Task, options: dict[str, Any]) -> dict[str, Any]:
    """Play a random game; return what it shows on every ply, or the error that ended it."""
    shown: list[list[int]] = []
    actions: tuple[int, ...] = ()
    assert task.seed is not None
    try:
        for position in random_game(Game(task.spec, **options), task.seed):
            actions = position.actions
            shown.append(digests(position))
            if len(actions) >= task.plies:
                break
    except Exception as error:
        return {"error": f"{_place(error)}{sentence_of(error)}", "actions": actions}
    return {"shown": shown, "actions": actions}


def digests(position: SampledPosition) -> list[int]:
    """Return digests of what a position shows; see `uncompiled.SHOWN`."""
    state = position.state
    player = len(position.actions) % position.game.num_players
    seen = [state.observation(player) for player in range(position.game.num_players)]
    numbers = [*state.scores(), *state.returns(), state.evaluate(player)]
    shown = (
        state.words,
        state.legal_actions().astype(np.int64),
        np.concatenate(seen),
        state.determinize(player, 0).words,
        np.round(np.array(numbers), 6) + 0.0,
    )
    return [zlib.crc32(array.tobytes()) for array in shown]


def _place(error: Exception) -> str:
    """Return the function, file and line of the game's own code in which an error came up."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_OURS)]
    own = [frame for frame in own if "site-packages/numpy" not in frame.filename]
    if not own:
        return ""
    return f"`{own[-1].name}` ({Path(own[-1].filename).name}, line {own[-1].lineno}) "


# --- Loading: the functions can be compiled -------------------------------------------------------


def loading_problems(spec: GameSpec, variants: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield why the game cannot be loaded with some options."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return
    try:
        answers, failure = run(Task(spec, tuple(variants)))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        yield f"the spec cannot be sent to another process, as tournaments do: {error}"
        return
    errors = {answer["error"]: None for answer in answers if "error" in answer}
    yield from errors
    if failure and not errors:
        yield f"a process that loads the game {failure}"


# --- Uncompiled code: it stays within all arrays, and plays the same game -------------------------

PLIES = 60  # of one game for each variant

SHOWN = ("state", "list of legal actions", "observation", "redrawn position", "list of results")
"""What `digests` has digests of."""


class Uncompiled(NamedTuple):
    """A game that was played uncompiled.

    Attributes:
        options: of the game.
        actions: what was played.
        shown: digests of what every position showed, see `digests`.
        error: why it ended before; empty if it did not.
    """

    options: dict[str, Any]
    actions: tuple[int, ...]
    shown: list[list[int]]
    error: str


def play_uncompiled(
    spec: GameSpec, variants: Sequence[dict[str, Any]], seed: int
) -> list[Uncompiled]:
    """Play a random game of each variant without compiled code; none if that is not possible."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return []  # all other checks do that
    task = Task(spec, tuple(variants), seed, PLIES)
    try:
        answers, failure = run(task, NUMBA_DISABLE_JIT="1")
    except (pickle.PicklingError, AttributeError, TypeError):
        return []  # the check of loading says so
    played = [
        Uncompiled(
            options,
            tuple(answer["actions"]),
            answer.get("shown", []),
            answer.get("error", ""),
        )
        for options, answer in zip(variants, answers, strict=False)
    ]
    if failure and len(played) < len(variants):
        played.append(Uncompiled(variants[len(played)], (), [], f"a process without it {failure}"))
    return played


def difference(game: Game, played: Uncompiled, seed: int) -> tuple[str, tuple[int, ...]] | None:
    """Return how the compiled game differs from the uncompiled one, and the actions up to there."""
    for position, shown in zip(random_game(game, seed), played.shown, strict=False):
        for what, digest, other in zip(SHOWN, digests(position), shown, strict=True):
            if digest != other:
                return f"the {what} differs between compiled and uncompiled code", position.actions
    return None


def main() -> None:
    """Answer the task of the standard input."""
    warnings.simplefilter("ignore")
    task: Task = pickle.load(sys.stdin.buffer)
    for options in task.variants:
        answer = _load(task, options) if task.seed is None else _play(task, options)
        print(f"ANSWER {json.dumps(answer)}", flush=True)


if __name__ == "__main__":
    main()
