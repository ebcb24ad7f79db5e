"""Recorder: the record of a game that is being played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tzaar_envs.arena.records.record import GameId, GameRecord, MoveData
from tzaar_envs.core.errors import Forfeit

if TYPE_CHECKING:
    from tzaar_envs.core.state import State


class Recorder:
    """Collects the moves of a game and makes its record.

    Args:
        start: the position before the first action; its notation is recorded.
        seed: of the game; None if unknown.
        agents: text forms, per seat; none if unknown.
        match: which game of a match or tournament it is.

    Attributes:
        actions: in notation, so far.
        agents: as given; may be changed.
        opening: how many of the first actions are random, to be set by the caller.
    """

    def __init__(
        self,
        start: State,
        *,
        seed: int | Sequence[int] | None = None,
        agents: Iterable[str] = (),
        match: GameId | None = None,
    ) -> None:
        self.actions: list[str] = []
        self.agents = list(agents)
        self.opening = 0
        self._game = start.game
        self._position = str(start)
        self._seed = seed if seed is None or isinstance(seed, int) else [int(part) for part in seed]
        self._match = match
        self._outcomes: list[list[int]] = []
        self._move_data: list[MoveData | None] = []

    @classmethod
    def resume(cls, record: GameRecord, start: State) -> Recorder:
        """Return a recorder that holds the moves of a record.

        Args:
            record: of the game so far.
            start: its position before the first action.
        """
        recorder = cls(start, seed=record.seed, agents=record.agents, match=record.match)
        recorder.actions = record.actions[:]
        recorder.opening = record.opening
        recorder._outcomes = record.outcomes[:] or [[] for _ in record.actions]
        recorder._move_data = record.move_data[:] or [None for _ in record.actions]
        return recorder

    def play(self, state: State, action: int, data: MoveData | None = None) -> None:
        """Play a legal action in a position and add it.

        Args:
            state: the position, which is changed.
            action: a legal action.
            data: what the agent reported.

        Raises:
            ValueError: the action is not legal; nothing is changed.
        """
        name = state.action_name(action)
        state.apply(action)
        self.add(name, state.last_outcome, data)

    def add(self, action: str, outcome: Iterable[int] = (), data: MoveData | None = None) -> None:
        """Add an action that has been played.

        Args:
            action: in notation.
            outcome: the chance outcomes that came with it, see `State.last_outcome`.
            data: what the agent reported.
        """
        self.actions.append(action)
        self._outcomes.append([*outcome])
        self._move_data.append(data)

    def undo(self, moves: int) -> None:
        """Forget all but the first so many actions."""
        del self.actions[moves:], self._outcomes[moves:], self._move_data[moves:]

    def record(
        self,
        last: State,
        *,
        forfeit: Forfeit | None = None,
        error: str | None = None,
        returns: list[float] | None = None,
    ) -> GameRecord:
        """Return the record of the game so far.

        Args:
            last: the position after the last action.
            forfeit: how the player to move lost at once; None if no player did.
            error: what that player did, for people.
            returns: per seat, of a game that a forfeit ended; otherwise they follow from `last`.
        """
        is_over = last.is_terminal
        return GameRecord(
            game=self._game.spec.env_id,
            options=dict(self._game.options),
            agents=self.agents,
            seed=self._seed,
            position=self._position,
            opening=self.opening,
            actions=self.actions[:],
            outcomes=self._outcomes[:] if any(self._outcomes) else [],
            returns=last.returns().tolist() if is_over else returns,
            scores=last.scores().tolist() if forfeit is None else None,
            truncated=last.is_truncated,
            end=last.end_code,
            forfeit=forfeit,
            culprit=None if forfeit is None else last.current_player,
            error=error,
            move_data=self._move_data[:] if any(self._move_data) else [],
            match=self._match,
        )
