"""A line of play: positions, the moves between them, and how long they took."""

from __future__ import annotations

from collections.abc import Sequence

from tzaar_envs.arena.records import GameRecord, MoveData, Recorder
from tzaar_envs.core.state import State


class Line:
    """A game from its start, which can be played on, taken back and branched off.

    Positions are never changed, so lines share those that they have in common.

    Args:
        start: the first position.
        seed: of the game; None if unknown.

    Attributes:
        positions: the first one and the one after each move.
        actions: each move as a number.
        data: what an agent reported about each move.
        seconds: that an agent took for each move; 0 for persons.
    """

    def __init__(self, start: State, seed: int | None = None) -> None:
        self.positions = [start]
        self.actions: list[int] = []
        self.data: list[MoveData | None] = []
        self.seconds: list[float] = []
        self._recorder = Recorder(start, seed=seed)

    @classmethod
    def of_record(cls, record: GameRecord, positions: Sequence[State]) -> Line:
        """Return the line of a recorded game with its positions."""
        line = cls(positions[0])
        line.positions = list(positions)
        line.actions = [
            state.parse_action(name) for state, name in zip(positions, record.actions, strict=False)
        ]
        line.data = list(record.move_data) or [None] * record.plies
        line.seconds = [0.0 if data is None else data.seconds or 0.0 for data in line.data]
        line._recorder = Recorder.resume(record, positions[0])
        return line

    @property
    def plies(self) -> int:
        """The number of moves."""
        return len(self.actions)

    @property
    def last(self) -> State:
        """The position after the last move."""
        return self.positions[-1]

    @property
    def moves(self) -> list[str]:
        """The moves in notation."""
        return self._recorder.actions

    def player(self, ply: int) -> int:
        """Return who made the move that follows after so many moves."""
        return self.positions[ply].current_player

    def play(self, action: int, data: MoveData | None = None, seconds: float = 0.0) -> None:
        """Play a legal action in the last position."""
        following = self.last.clone()
        self._recorder.play(following, action, data)
        self.positions.append(following)
        self.actions.append(action)
        self.data.append(data)
        self.seconds.append(seconds)

    def undo(self, plies: int) -> None:
        """Take back all but the first so many moves."""
        self._recorder.undo(plies)
        del self.positions[plies + 1 :], self.actions[plies:], self.data[plies:]
        del self.seconds[plies:]

    def branch(self, plies: int) -> Line:
        """Return a new line with the first so many moves."""
        line = Line(self.positions[0])
        line.positions, line.actions = self.positions[:], self.actions[:]
        line.data, line.seconds = self.data[:], self.seconds[:]
        line._recorder = Recorder.resume(self.record([]), self.positions[0])
        line.undo(plies)
        return line

    def record(self, agents: Sequence[str]) -> GameRecord:
        """Return the record of the game so far.

        Args:
            agents: who plays, per seat; none if unknown.
        """
        self._recorder.agents = list(agents)
        return self._recorder.record(self.last)
