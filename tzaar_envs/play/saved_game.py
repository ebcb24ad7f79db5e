"""A game that a person plays, as a file: everything that is needed to go on with it.

The file is JSON. It is written whole or not at all, and nothing in it is believed: the options are
checked and every move is played again when it is loaded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tzaar_envs.core.game import Game
from tzaar_envs.core.options import resolve_options
from tzaar_envs.core.record import check_record, replay
from tzaar_envs.core.state import State
from tzaar_envs.registry import find_spec
from tzaar_envs.system.files import write_atomically

FORMAT = "tzaar-envs game"
VERSION = 2
LARGEST_FILE = 2**20  # bytes; the longest game is far below

_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "format": ((str,), "text"),
    "version": ((int,), "an integer"),
    "game": ((str,), "text"),
    "options": ((dict,), "an object"),
    "seed": ((int,), "an integer"),
    "position": ((str, type(None)), "text or null"),
    "start": ((str,), "text"),
    "opponent": ((str,), "text"),
    "seats": ((list,), "a list"),
    "moves": ((list,), "a list"),
    "outcomes": ((list,), "a list"),
    "scores": ((list, type(None)), "a list or null"),
}


@dataclass
class SavedGame:
    """What a person plays, and the moves so far.

    Attributes:
        game: the game with its options.
        seed: all chance events, and the agents' choices, follow from it.
        position: the start position in notation; None for the one that the seed gives.
        opponent: the agent of the other seats, see `tzaar_envs.agents`.
        seats: the seats that persons take.
        moves: the moves in notation.
        outcomes: what chance brought with each move, see `State.apply`.
    """

    game: Game
    seed: int
    position: str | None
    opponent: str
    seats: tuple[int, ...]
    moves: list[str] = field(default_factory=list)
    outcomes: list[list[int]] = field(default_factory=list)

    def start(self) -> State:
        """Return the position before the first move.

        Raises:
            ValueError: the position cannot be read, or its game is over.
        """
        if self.position is None:
            return self.game.new_state(self.seed)
        state = self.game.parse(self.position, self.seed)
        if state.is_terminal:
            raise ValueError(f"the game is over in position {self.position!r}: nobody could move")
        return state

    def replay(self) -> list[State]:
        """Return the start position and the one after every move.

        Raises:
            ValueError: says which move is no move, or not legal, or has another outcome of chance
                than it can have.
        """
        return replay(self.start(), self.moves, self.outcomes)

    def save(self, path: Path, position: State) -> None:
        """Write the file; an interruption leaves the old one, or none.

        Args:
            path: where.
            position: the one after the last move.

        Raises:
            OSError: it cannot be written there.
        """
        content = {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game.spec.env_id,
            "options": dict(self.game.options),
            "seed": self.seed,
            "position": self.position,
            "start": str(self.start()),
            "opponent": self.opponent,
            "seats": list(self.seats),
            "moves": self.moves,
            "outcomes": self.outcomes,
            "scores": position.scores().tolist() if position.is_terminal else None,
        }
        write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> SavedGame:
        """Read and check a file; nothing of it is executed.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: says what is wrong and where.
        """
        if not path.exists():
            raise FileNotFoundError(f"there is no saved game {str(path)!r}")
        if not path.is_file():
            raise ValueError(f"{str(path)!r} is not a file: name the JSON file of a saved game")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ValueError(
                f"{str(path)!r} has {size} bytes: a saved game has at most {LARGEST_FILE}"
            )
        try:
            return _check(json.loads(path.read_bytes().decode("utf-8")))
        except RecursionError as error:
            raise ValueError(f"{str(path)!r} is no saved game: nested too deep") from error
        except UnicodeDecodeError as error:
            raise ValueError(f"{str(path)!r} is no saved game: it is not text in UTF-8") from error
        except json.JSONDecodeError as error:
            raise ValueError(f"{str(path)!r} is no saved game: not JSON, {error}") from error
        except ValueError as error:
            raise ValueError(f"saved game {str(path)!r}: {error}") from error


def _check(content: Any) -> SavedGame:
    """Return the game that the content of a file describes, with every move played once."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f'not a saved game: expected an object with "format": "{FORMAT}"')
    if content.get("version") != VERSION:
        raise ValueError(
            f"version {content.get('version')!r}: this release reads version {VERSION}"
        )
    _check_fields(content)
    spec = find_spec(content["game"])
    game = Game(spec, **resolve_options(spec.options, content["options"], spec.name))
    if content["seed"] < 0:
        raise ValueError(f"seed {content['seed']}: expected 0 or more")
    saved = SavedGame(
        game=game,
        seed=content["seed"],
        position=content["position"],
        opponent=content["opponent"],
        seats=_check_seats(content["seats"], game),
        moves=content["moves"],
        outcomes=content["outcomes"],
    )
    check_record(saved.moves, saved.outcomes)
    positions = saved.replay()
    if content["start"] != str(positions[0]):
        raise ValueError(f"start: expected {str(positions[0])!r}, as position and seed give")
    scores = positions[-1].scores().tolist() if positions[-1].is_terminal else None
    if content["scores"] != scores:
        raise ValueError(f"scores: expected {scores!r}, as the moves give")
    return saved


def _check_fields(content: dict[str, Any]) -> None:
    for name in content:
        if name not in _TYPES:
            raise ValueError(f"unknown field {name!r}: the fields are {', '.join(_TYPES)}")
    for name, (types, words) in _TYPES.items():
        if name not in content:
            raise ValueError(f"the field {name!r} is missing")
        value = content[name]
        if not isinstance(value, types) or isinstance(value, bool):
            raise ValueError(f"{name}: expected {words}, not {value!r}")


def _check_seats(seats: list[Any], game: Game) -> tuple[int, ...]:
    allowed = range(game.num_players)
    for seat in seats:
        if type(seat) is not int or seat not in allowed:
            raise ValueError(f"seats: {seat!r} is no seat, expected 0 to {allowed[-1]}")
    if not seats or len(set(seats)) != len(seats):
        raise ValueError(f"seats: expected one seat or more, each once, not {seats!r}")
    return tuple(seats)
