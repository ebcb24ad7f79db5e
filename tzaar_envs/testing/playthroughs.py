"""Playthroughs: whole random games as text, to be kept in a file, read and compared.

A change of the rules, the action numbers, a notation, an observation or the random stream changes a
playthrough, and its diff shows what has changed.

Legal actions are listed on some plies only, and long lists are cut. Their digests are of the whole
list, and the digest of the observations is of those of all players.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.envs.base import final_rewards
from tzaar_envs.testing.position_checks import random_game

_SHOWN_FIRST = 3  # plies whose legal actions are listed
_SHOWN_EVERY = 20
_MOST_SHOWN = 60  # actions
_PLANES_AT = 20  # the ply at which the planes of an observation are written out
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def playthrough(game: Game, seed: int) -> str:
    """Return a random game as text.

    Args:
        game: The game with its options.
        seed: Determines the choices of the players and chance.
    """
    return "\n".join(_lines(game, seed)) + "\n"


def first_difference(written: str, played: str) -> str | None:
    """Return in a sentence how two playthroughs differ; None if they do not."""
    lines, others = written.splitlines(), played.splitlines()
    for number, (line, other) in enumerate(zip(lines, others, strict=False), start=1):
        if line != other:
            return f"line {number} of the playthrough is {line!r}, but {other!r} is played now"
    if len(lines) != len(others):
        return f"the playthrough has {len(lines)} lines, but the game has {len(others)} now"
    return None


def _digest(content: bytes) -> str:
    """Return eight hexadecimal digits."""
    return f"#{zlib.crc32(content):08x}"


def _lines(game: Game, seed: int) -> Iterator[str]:
    options = ", ".join(f"{name}={value}" for name, value in game.options.items())
    yield f"{game.spec.env_id} ({options})"
    yield f"seed {seed}, {game.num_players} players, {game.num_actions} actions"
    yield f"observation of shape {game.observation_shape}, at most {game.max_plies} plies"
    before = game.new_state(seed)
    yield f"chance: {_numbers(before.last_outcome)}"
    for position in random_game(game, seed):
        state, ply = position.state, len(position.actions)
        if position.actions:
            played = f"  plays {position.actions[-1]} {before.action_name(position.actions[-1])}"
            chance = f", chance: {_numbers(state.last_outcome)}" if state.last_outcome else ""
            yield f"{played}{chance}"
        yield from _end(state, ply) if state.is_terminal else _ply(state, ply)
        before = state


def _ply(state: State, ply: int) -> Iterator[str]:
    player = state.current_player
    actions = state.legal_actions().tolist()
    names = [f"{action} {state.action_name(action)}" for action in actions]
    yield ""
    yield f"{ply}: {state}"
    yield (
        f"  player {player}, {len(actions)} legal {_digest(', '.join(names).encode())}, "
        f"observed {_observed(state)}"
    )
    if len(state.acting_players()) > 1:
        yield f"  choosing at once: {_numbers(state.acting_players())}"
    if ply < _SHOWN_FIRST or ply % _SHOWN_EVERY == 0:
        shown = names
        if len(names) > _MOST_SHOWN:
            shown = [*names[: _MOST_SHOWN - 5], "...", *names[-5:]]
        yield f"  legal: {', '.join(shown)}"
    if ply == _PLANES_AT:
        yield from _planes(state, player)


def _observed(state: State) -> str:
    players = range(state.game.num_players)
    return _digest(b"".join(state.observation(player).tobytes() for player in players))


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
                text = "/".join("".join(_DIGITS[min(v, 35)] for v in row) for row in values)
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
