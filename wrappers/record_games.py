"""Every game of an environment as a line of a file, in notation, to be played again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

from pettingzoo.utils import BaseWrapper

from tzaar_envs.core.game import Game
from tzaar_envs.core.record import check_record, replay
from tzaar_envs.core.state import State
from tzaar_envs.envs.aec import GameEnv
from tzaar_envs.registry import load_game

FORMAT = "tzaar-envs game"
VERSION = 1


@dataclass(frozen=True)
class RecordedGame:
    """One game. What belongs to seats stands in the order of the seats.

    Attributes:
        game: the id of the environment, for instance `tzaar_v0`.
        options: the value of every option of the game.
        seed: that `reset` was given for this game, None if it was given none.
        position: the start in notation.
        moves: the actions in notation.
        outcomes: what chance brought with each of them, see `State.apply`.
        returns: of each seat; None in a game that was left, or ended by an illegal action.
        scores: the points of each seat at the end, or when the game was left.
        truncated: ended by a move cap alone.
        illegal: the illegal action that ended the game; None if there was none.
    """

    game: str
    options: dict[str, Any]
    seed: int | None
    position: str
    moves: list[str]
    outcomes: list[list[int]]
    returns: list[float] | None
    scores: list[float]
    truncated: bool
    illegal: int | None

    def load_game(self) -> Game:
        """Return the game that was played.

        Raises:
            ValueError: there is no such game here, or not with these options.
        """
        game = load_game(self.game, **self.options)
        if game.spec.env_id != self.game:
            raise ValueError(f"it is of {self.game}, this release has {game.spec.env_id}")
        return game

    def replay(self) -> list[State]:
        """Return the start position and the one after every move.

        Raises:
            ValueError: the game cannot have been played like this.
        """
        start = self.load_game().parse(self.position, 0)
        positions = replay(start, self.moves, self.outcomes)
        last = positions[-1]
        if last.scores().tolist() != self.scores:
            raise ValueError("its scores are not those that the moves give")
        if self.returns != (last.returns().tolist() if last.is_terminal else None):
            raise ValueError("its returns are not those that the moves give")
        if self.truncated != last.is_truncated:
            raise ValueError("its moves do not end as it says")
        return positions

    def to_line(self) -> str:
        """Return its line in a file."""
        content = {"format": FORMAT, "version": VERSION} | asdict(self)
        return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, text: str) -> RecordedGame:
        """Read a line of a file; `replay` then tells whether the game can be played like this.

        Raises:
            ValueError: it is none; says why.
        """
        try:
            content = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"it is not JSON ({error})") from None
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise ValueError(f"it does not say 'format': {FORMAT!r}")
        if (version := content.pop("version", None)) != VERSION:
            raise ValueError(f"its version is {version!r}, this release reads {VERSION}")
        names = {entry.name for entry in fields(cls)}
        if differing := sorted(names ^ set(content)):
            raise ValueError(f"it misses, or should not have, {', '.join(map(repr, differing))}")
        for name, allowed in _TYPES.items():
            if type(content[name]) not in allowed:  # type() because bool counts as int
                raise ValueError(f"{name!r} is {content[name]!r}")
        check_record(content["moves"], content["outcomes"])
        return cls(**content)


_NONE = type(None)
_TYPES: dict[str, tuple[type, ...]] = {
    "game": (str,),
    "options": (dict,),
    "seed": (int, _NONE),
    "position": (str,),
    "moves": (list,),
    "outcomes": (list,),
    "returns": (list, _NONE),
    "scores": (list,),
    "truncated": (bool,),
    "illegal": (int, _NONE),
}


def read_games(path: str | Path) -> Iterator[RecordedGame]:
    """Yield the games of a file; a torn last line is left out.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is damaged; says which and why.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield RecordedGame.from_line(line.decode("utf-8"))
            except ValueError as error:  # also of `decode`
                raise ValueError(f"{str(path)!r}, line {number}: {error}") from None


class RecordGames(BaseWrapper[str, Any, int]):
    """An AEC environment that adds every game to a file as it ends.

    A line is with the operating system before the step that ends its game returns, so a crash costs
    the game that is being played and nothing else. A game that `reset` or `close` leaves before its
    end is added as it stands. Several environments, in several processes too, can share a file.
    It stands directly around the environment, as other wrappers may change what an action means.

    Args:
        env: an environment of the suite without wrappers.
        path: the file, which is only ever added to; its folder is made if it does not exist.

    Raises:
        ValueError: an environment that is not of the suite, or has wrappers.
        OSError: the file cannot be written.
    """

    def __init__(self, env: GameEnv, path: str | Path) -> None:
        if not isinstance(env, GameEnv):
            raise ValueError(
                f"RecordGames stands directly around an environment of the suite, not around {env}"
            )
        super().__init__(env)
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.open("ab").close()  # a file that cannot be written is known before the first game
        self._before: State | None = None  # the position to play from; None between games
        self._record: dict[str, Any] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game, see `GameEnv.reset`."""
        self._leave()
        self.env.reset(seed=seed, options=options)
        self._before = state = self.env.game_state
        number = None if seed is None else int(seed)  # NumPy's integers are none of JSON
        self._record = {"seed": number, "position": str(state), "moves": [], "outcomes": []}

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent, see `GameEnv.step`."""
        before = self._before
        self.env.step(action)  # raises if the action cannot be played
        if before is None:
            return
        state = self.env.game_state
        if any(self.env.truncations.values()) and not state.is_terminal:
            self._add(state, illegal=int(action))  # type: ignore[arg-type]
            return
        self._record["moves"].append(before.action_name(int(action)))  # type: ignore[arg-type]
        self._record["outcomes"].append([*state.last_outcome])
        self._before = state
        if state.is_terminal:
            self._add(state)

    def close(self) -> None:
        """Add the game that is being played as it stands, then close the environment."""
        self._leave()
        self.env.close()

    def _leave(self) -> None:
        if self._before is not None and self._record["moves"]:
            self._add(self._before)
        self._before = None

    def _add(self, state: State, illegal: int | None = None) -> None:
        self._before = None
        game = RecordedGame(
            game=state.game.spec.env_id,
            options=dict(state.game.options),
            **self._record,
            returns=state.returns().tolist() if state.is_terminal else None,
            scores=state.scores().tolist(),
            truncated=state.is_truncated,
            illegal=illegal,
        )
        _append(self.path, game.to_line().encode())

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, both ends and info of the selected agent."""
        result: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return result

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the selected agent, again and again until all have left."""
        return self.env.agent_iter(max_iter)


def _append(path: Path, line: bytes) -> None:
    """Add a line; a torn one that was there before, or that a full disk leaves, is cut off."""
    with path.open("a+b", buffering=0) as file:
        _lock(file)
        whole = _whole_lines(file)
        file.truncate(whole)
        try:
            written = 0
            while written < len(line):
                written += file.write(line[written:])
        except BaseException:  # Ctrl-C too
            file.truncate(whole)
            raise


def _whole_lines(file: BinaryIO) -> int:
    """Return how many bytes of a file are whole lines."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return 0
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return size
    file.seek(0)
    return file.read().rfind(b"\n") + 1


def _lock(file: BinaryIO) -> None:
    """Wait until no other process adds to the file; the lock goes when the file is closed."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    fcntl.flock(file, fcntl.LOCK_EX)
