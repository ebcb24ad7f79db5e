"""GameHistory: a game from its start position, with every ply; what is played, shown and recorded.

It serves whoever plays a game: people at a terminal or in a browser, agents in the arena,
environments that record. Its record (see `arena.records`) is the same game as data.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from tzaar_envs.arena.records import GameId, GameRecord, MoveData, forfeit_returns
from tzaar_envs.core.errors import Forfeit
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import Line, State
from tzaar_envs.search.result import variation_names

if TYPE_CHECKING:
    from tzaar_envs.search.result import SearchResult

HUMAN = "human"
"""In place of an agent's text: a person takes the seat."""


class GameHistory:
    """A game from its start position, which can be played on, taken back and branched off.

    Positions are never changed, so histories share those that they have in common.

    Args:
        start: The position before the first action.
        seed: Seed of the game; None if unknown.
        agents: Text of the agent at each seat; none if unknown.
        opening: The number of random first actions.
        match: The place of the game in a match or tournament; None outside of them.

    Attributes:
        positions: The start position and the one after each ply.
        actions: The action of each ply.
        moves: The same in notation.
        data: The result of the mover's search at each ply; None without a search.
        agents: As given; may be changed.
        seed, opening, match: As given.
        forfeit: The kind of forfeit of the player to move; None if there was none.
        error: The reason for the forfeit, for people.
    """

    def __init__(
        self,
        start: State,
        *,
        seed: int | Sequence[int] | None = None,
        agents: Iterable[str] = (),
        opening: int = 0,
        match: GameId | None = None,
    ) -> None:
        self.positions = [start]
        self.actions: list[int] = []
        self.moves: list[str] = []
        self.data: list[MoveData | None] = []
        self.agents = [*agents]
        self.seed = seed if seed is None or isinstance(seed, int) else [int(part) for part in seed]
        self.opening = opening
        self.match = match
        self.forfeit: Forfeit | None = None
        self.error: str | None = None
        self._outcomes: list[list[int]] = []

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.state.game

    @property
    def state(self) -> State:
        """The position after the last ply."""
        return self.positions[-1]

    @property
    def plies(self) -> int:
        """The number of actions so far."""
        return len(self.actions)

    @property
    def is_over(self) -> bool:
        """Whether the rules or a forfeit have ended the game."""
        return self.forfeit is not None or self.state.is_terminal

    @property
    def returns(self) -> list[float] | None:
        """The result for each seat; None while the game runs.

        Whoever forfeits a game gets -1, every other seat an equal share of 1.
        """
        if self.forfeit is not None:
            return forfeit_returns(self.game.num_players, self.state.current_player)
        return self.state.returns().tolist() if self.state.is_terminal else None

    def for_agent(self, ply: int | None = None) -> State:
        """Return a copy of a position that tells its `line`.

        Args:
            ply: After how many plies; None: the last position.
        """
        copied = self.positions[-1 if ply is None else ply].clone()
        copied.line = Line(self.positions[0], self.moves[:ply], self._outcomes[:ply], self.seed)
        return copied

    def player(self, ply: int) -> int:
        """Return the seat that moves after so many plies; -1 where the game is over."""
        return self.positions[ply].current_player

    def apply(
        self, action: int, data: MoveData | None = None, outcome: Sequence[int] | None = None
    ) -> None:
        """Play an action; a forfeit before it no longer counts.

        Args:
            action: A legal action.
            data: The result of the mover's search.
            outcome: Outcomes of its chance events, see `State.apply`; None draws them.

        Raises:
            ValueError: The action is not legal, or these outcomes are not possible.
        """
        following = self.state.clone()
        name = following.action_name(action)
        following.apply(action, outcome)
        self.positions.append(following)
        self.actions.append(int(action))
        self.moves.append(name)
        self.data.append(data)
        self._outcomes.append([*following.last_outcome])
        self.forfeit = self.error = None

    def end_by_forfeit(self, forfeit: Forfeit, error: str) -> None:
        """Let the player to move lose the game at once.

        Args:
            forfeit: How.
            error: The reason for the forfeit, for people.
        """
        self.forfeit, self.error = forfeit, error

    def go_to(self, ply: int) -> None:
        """Take back all but the first so many plies."""
        if ply < self.plies:
            self.forfeit = self.error = None
        del self.positions[ply + 1 :], self._outcomes[ply:]
        del self.actions[ply:], self.moves[ply:], self.data[ply:]

    def branch(self, ply: int) -> GameHistory:
        """Return a new history with the first so many plies."""
        other = copy.copy(self)
        lists = {name: [*value] for name, value in vars(self).items() if isinstance(value, list)}
        vars(other).update(lists)
        other.forfeit = other.error = None
        other.opening = min(self.opening, ply)
        other.go_to(ply)
        return other

    @property
    def unrevealed(self) -> int:
        """How many of the last plies only their players know so far.

        They are the moves of a simultaneous choice that is still incomplete.
        """
        count = 0
        for before, after in zip(self.positions[-2::-1], self.positions[::-1], strict=False):
            others = [seat for seat in before.acting_players() if seat != before.current_player]
            if not others or after.acting_players() != others:
                break
            count += 1
        return count

    def expected_returns(self, ply: int, viewer: int | None = None) -> list[float] | None:
        """Return the returns to be expected after so many plies, by the searches so far.

        A search values the position before its move; the last one known counts, and at the end the
        result itself.

        Args:
            ply: After how many plies.
            viewer: The player whose searches alone count; None: those of both.

        Returns:
            The expected return of each seat; None if no search of the game is known, or if it has
            not two seats.
        """
        values = [
            None if data is None or viewer not in (None, self.player(at)) else data.value
            for at, data in enumerate(self.data)
        ]
        if self.game.num_players != 2 or values.count(None) == self.plies:
            return None
        if ply == self.plies and (returns := self.returns) is not None:
            return returns
        for at in range(min(ply, self.plies - 1), -1, -1):
            if (value := values[at]) is not None:
                return [value if seat == self.player(at) else -value for seat in (0, 1)]
        return [0.0, 0.0]

    def to_record(self) -> GameRecord:
        """Return the game so far as data."""
        state = self.state
        return GameRecord(
            game=self.game.spec.env_id,
            options=dict(self.game.options),
            agents=[*self.agents],
            seed=self.seed,
            position=str(self.positions[0]),
            opening=self.opening,
            actions=[*self.moves],
            outcomes=[*self._outcomes] if any(self._outcomes) else [],
            returns=self.returns,
            scores=state.scores().tolist() if self.forfeit is None else None,
            truncated=state.is_truncated,
            end=state.end_code,
            forfeit=self.forfeit,
            culprit=None if self.forfeit is None else state.current_player,
            error=self.error,
            move_data=[*self.data] if any(self.data) else [],
            match=self.match,
        )

    @classmethod
    def from_record(cls, record: GameRecord, game: Game | None = None) -> GameHistory:
        """Return the history of a recorded game, whose moves and result are checked.

        Args:
            record: Record of the game.
            game: The game where it is not in the registry; None: it is found there.

        Raises:
            ValueError: The game cannot have been played like this; says why.
        """
        positions = record.check(game)
        history = cls(
            positions[0],
            seed=record.seed,
            agents=record.agents,
            opening=record.opening,
            match=record.match,
        )
        history.positions = positions
        history.moves = [*record.actions]
        history.actions = [
            state.parse_action(name) for state, name in zip(positions, record.actions, strict=False)
        ]
        history.data = [*record.move_data] or [None] * record.plies
        history._outcomes = [*record.outcomes] or [[] for _ in record.actions]
        history.forfeit, history.error = record.forfeit, record.error
        return history


def move_data(state: State, search: SearchResult | None) -> MoveData | None:
    """Return the findings of a search in a position, in notation; None without a search.

    Args:
        state: The position that was searched.
        search: Its result.

    Raises:
        ValueError: The result cannot be recorded, for instance since its value is NaN.
    """
    if search is None:
        return None
    data = {
        "value": min(max(search.value, -1.0), 1.0),
        "proven": search.proven,
        "depth": search.depth,
        "nodes": search.simulations or search.nodes,
        "visits": {state.action_name(action): count for action, count in search.visits.items()},
        "line": variation_names(state, search.principal_variation),
        "seconds": round(search.seconds, 6),
    }
    return msgspec.convert(data, MoveData)
