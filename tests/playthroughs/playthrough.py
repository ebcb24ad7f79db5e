"""Whole games as text, to be read and compared: `python tests/playthroughs/playthrough.py`.

One file for each game and variant of its options, with one random game from a fixed seed. A change
of the rules, the action numbers, a notation, an observation or the random stream changes a file,
and its diff shows what has changed. The command writes all files again.

Legal actions are listed on some plies only, and long lists are cut. Their digests are of the whole
list, and the digest of the observations is of those of all players.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parent / "helpers"))

from variants import GAMES  # noqa: E402 - it lies in the folder above

from tzaar_envs.core.game import Game  # noqa: E402
from tzaar_envs.core.state import State  # noqa: E402
from tzaar_envs.envs.base import final_rewards  # noqa: E402

SEED = 1  # or the first greater one whose file is not too large
LARGEST = 60_000  # bytes, so that a diff can be read
SHOWN_FIRST = 3  # plies whose legal actions are listed
SHOWN_EVERY = 20
MOST_SHOWN = 60  # actions
PLANES_AT = 20  # the ply at which the planes of an observation are written out
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def file_of(game: Game) -> Path:
    """Return the file of a game's playthrough; options that are texts of data are cut."""
    options = [
        f"{name}={re.sub('[^A-Za-z0-9]+', '_', str(value))[:24]}"
        for name, value in game.options.items()
        if value != _default(game, name)
    ]
    return FOLDER / ("-".join([game.name, *options]) + ".txt")


def _default(game: Game, name: str) -> object:
    return next(option.default for option in game.spec.options if option.name == name)


def digest(content: bytes) -> str:
    """Return eight hexadecimal digits."""
    return f"#{zlib.crc32(content):08x}"


def playthrough(game: Game) -> str:
    """Return a random game as text."""
    texts = ("\n".join(_lines(game, seed)) + "\n" for seed in itertools.count(SEED))
    return next(text for text in texts if len(text.encode()) < LARGEST)


def _lines(game: Game, seed: int) -> Iterator[str]:
    options = ", ".join(f"{name}={value}" for name, value in game.options.items())
    yield f"{game.spec.env_id} ({options})"
    yield f"seed {seed}, {game.num_players} players, {game.num_actions} actions"
    yield f"observation of shape {game.observation_shape}, at most {game.max_plies} plies"
    state = game.new_state(seed)
    yield f"chance: {_numbers(state.last_outcome)}"
    choices = random.Random(seed)
    ply = 0
    while not state.is_terminal:
        yield from _ply(state, ply)
        action = choices.choice(state.legal_actions().tolist())
        played = f"  plays {action} {state.action_name(action)}"
        state.apply(action)
        yield played + (f", chance: {_numbers(state.last_outcome)}" if state.last_outcome else "")
        ply += 1
    yield from _end(state, ply)


def _ply(state: State, ply: int) -> Iterator[str]:
    player = state.current_player
    actions = state.legal_actions().tolist()
    names = [f"{action} {state.action_name(action)}" for action in actions]
    yield ""
    yield f"{ply}: {state}"
    yield (
        f"  player {player}, {len(actions)} legal {digest(', '.join(names).encode())}, "
        f"observed {_observed(state)}"
    )
    if len(state.acting_players()) > 1:
        yield f"  choosing at once: {_numbers(state.acting_players())}"
    if ply < SHOWN_FIRST or ply % SHOWN_EVERY == 0:
        shown = names
        if len(names) > MOST_SHOWN:
            shown = [*names[: MOST_SHOWN - 5], "...", *names[-5:]]
        yield f"  legal: {', '.join(shown)}"
    if ply == PLANES_AT:
        yield from _planes(state, player)


def _observed(state: State) -> str:
    players = range(state.game.num_players)
    return digest(b"".join(state.observation(player).tobytes() for player in players))


def _planes(state: State, player: int) -> Iterator[str]:
    """Write an observation out, a line for each plane; one number if it is the same everywhere."""
    observation = state.observation(player)
    first = 0
    yield f"  what player {player} observes:"
    for plane in state.game.observation_planes:
        for index in range(plane.count):
            values = np.atleast_1d(observation[first + index])
            name = plane.name if plane.count == 1 else f"{plane.name}[{index}]"
            if (values == values.flat[0]).all():
                text = str(values.flat[0])
            else:
                text = "/".join("".join(DIGITS[min(v, 35)] for v in row) for row in values)
            yield f"    {name}: {text}"
        first += plane.count


def _end(state: State, plies: int) -> Iterator[str]:
    yield ""
    yield f"{plies}: {state}"
    yield f"  {'truncated' if state.is_truncated else 'over'} after {plies} plies"
    yield f"  {state.end_code}: {state.end_reason}"
    yield f"  scores {_numbers(state.scores().tolist())}"
    yield f"  returns {_numbers(state.returns().tolist())}"
    for reward in ("outcome", "score"):
        yield f"  rewards by {reward} {_numbers(final_rewards(state, reward).tolist())}"
    yield f"  observed {_observed(state)}"


def _numbers(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:g}" for number in numbers) or "-"


def main() -> None:
    """Write all files again, and remove those of variants that are gone."""
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for game in GAMES:
        file_of(game).write_text(playthrough(game), encoding="utf-8")
        print(f"{file_of(game).name}: {file_of(game).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
