"""The process in which a game is first loaded or played uncompiled, so that a crash is a finding.

It reads a pickled `Task` from its standard input and prints the answers as JSON.
"""

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.testing.finding import sentence_of
from tzaar_envs.testing.game_checks.moment import Moment, random_game

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
            [sys.executable, "-m", "tzaar_envs.testing.child"],
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
        for moment in random_game(Game(task.spec, **options), task.seed):
            actions = moment.actions
            shown.append(digests(moment))
            if len(actions) >= task.plies:
                break
    except Exception as error:
        return {"error": f"{_place(error)}{sentence_of(error)}", "actions": actions}
    return {"shown": shown, "actions": actions}


def digests(moment: Moment) -> list[int]:
    """Return digests of what a position shows; see `uncompiled.SHOWN`."""
    state = moment.state
    player = len(moment.actions) % moment.game.num_players
    seen = [state.observation(player) for player in range(moment.game.num_players)]
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


def main() -> None:
    """Answer the task of the standard input."""
    warnings.simplefilter("ignore")
    task: Task = pickle.load(sys.stdin.buffer)
    for options in task.variants:
        answer = _load(task, options) if task.seed is None else _play(task, options)
        print(f"ANSWER {json.dumps(answer)}", flush=True)


if __name__ == "__main__":
    main()
