"""SavedGame: a game that a person plays, and the file from which it can be resumed.

The file holds a header with what the session needs, and the record of the game (see
`tzaar_envs.arena.records`). It is replaced as a whole after every move, and every move is replayed
when it is loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from tzaar_envs.arena.records import (
    FileHeader,
    GameRecord,
    MoveData,
    Recorder,
    read_records,
    write_records,
)
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State

HUMAN = "human"  # in the agents of a record: the seat of a person


class SavedGameHeader(FileHeader, frozen=True):
    """The first line of a saved game.

    Attributes:
        opponent: the agent of the seats that no person takes, see `tzaar_envs.agents`.
    """

    FORMAT: ClassVar[str] = "tzaar-envs play"
    FORMAT_VERSION: ClassVar[int] = 3
    KIND: ClassVar[str] = "saved game"

    opponent: str


class SavedGame:
    """A game between persons and an agent.

    Args:
        game: the game with its options.
        seed: all chance events, and the agents' choices, follow from it.
        position: the start position in notation; None for the one that the seed gives.
        opponent: the agent of the other seats, see `tzaar_envs.agents`.
        seats: the seats that persons take.

    Attributes:
        game: as given.
        seed: as given.
        opponent: as given.
        seats: as given.
        positions: the start position and the one after each move.

    Raises:
        ValueError: the position is not valid, or its game is over.
    """

    def __init__(
        self, game: Game, seed: int, position: str | None, opponent: str, seats: tuple[int, ...]
    ) -> None:
        start = game.new_state(seed) if position is None else game.parse(position, seed)
        if start.is_terminal:
            raise ValueError(f"the game is over in position {position!r}: nobody could move")
        self.game = game
        self.seed = seed
        self.opponent = opponent
        self.seats = seats
        self.positions = [start]
        self._recorder = Recorder(start, seed=seed)

    @property
    def state(self) -> State:
        """The current position."""
        return self.positions[-1]

    @property
    def moves(self) -> list[str]:
        """The moves so far, in notation."""
        return self._recorder.actions

    @property
    def record(self) -> GameRecord:
        """The record of the game so far."""
        self._recorder.agents = [
            HUMAN if seat in self.seats else self.opponent for seat in range(self.game.num_players)
        ]
        return self._recorder.record(self.state)

    def play(self, action: int, data: MoveData | None = None) -> None:
        """Play a legal action.

        Args:
            action: the action.
            data: what the agent that chose it reported.
        """
        following = self.state.clone()
        self._recorder.play(following, action, data)
        self.positions.append(following)

    def undo(self, moves: int) -> None:
        """Take back all but the first so many moves."""
        self._recorder.undo(moves)
        del self.positions[moves + 1 :]

    def save(self, path: Path) -> None:
        """Write the file; an interruption leaves the old one, or none.

        Raises:
            OSError: it cannot be written there.
        """
        write_records(path, SavedGameHeader(opponent=self.opponent), [self.record])

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
            raise ValueError(f"{str(path)!r} is not a file: name the file of a saved game")
        header, records = read_records(path, SavedGameHeader)
        try:
            if len(records) != 1:
                raise ValueError(f"expected one game, not {len(records)}")
            return cls._from_record(header.opponent, records[0])
        except ValueError as error:
            raise ValueError(f"saved game {str(path)!r}: {error}") from error

    @classmethod
    def _from_record(cls, opponent: str, record: GameRecord) -> SavedGame:
        if not isinstance(record.seed, int):
            raise ValueError(f"seed: expected one integer, not {record.seed!r}")
        game = record.load_game()
        positions = record.check(game)
        seats = tuple(seat for seat, agent in enumerate(record.agents) if agent == HUMAN)
        saved = cls(game, record.seed, record.position, opponent, seats)
        saved.positions = positions
        saved._recorder = Recorder.resume(record, positions[0])
        if not seats or record.agents != saved.record.agents:
            raise ValueError(
                f"agents: expected {HUMAN!r} once or more and {opponent!r} for the other seats, "
                f"not {record.agents!r}"
            )
        return saved
