"""A recorded game with all its positions, and what there is to say about it."""

from __future__ import annotations

from functools import cached_property

from tzaar_envs.arena.records import GameRecord, MoveData
from tzaar_envs.arena.records.secret_moves import count_secret_moves
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Scene
from tzaar_envs.system.terminal import printable


class PlayedGame:
    """A game that was replayed from its record.

    Attributes:
        record: as given.
        positions: the start position and the one after every move.
        game: the game with its options.
        viewer: the player whose view it is; None if nothing is hidden.

    Args:
        record: of the game; its moves and its result are checked.
        game: where it is not in the registry; None: it is found there.
        viewer: in a game with hidden information, nothing is told or drawn that this player could
            not know in the course of the game; None: everything is.

    Raises:
        ValueError: the game cannot have been played like this, or there is no such player; says
            why.
    """

    def __init__(
        self, record: GameRecord, game: Game | None = None, viewer: int | None = None
    ) -> None:
        self.record = record
        self.positions = record.check(game)
        self.game = self.positions[0].game
        if viewer is not None:
            viewer = self.game.checked_player(viewer)
        self.viewer = viewer if self.game.spec.hidden_information else None

    @property
    def plies(self) -> int:
        """The number of moves."""
        return self.record.plies

    @cached_property
    def players(self) -> list[int]:
        """Who made each move."""
        return [state.current_player for state in self.positions[:-1]]

    @cached_property
    def actions(self) -> list[int]:
        """Each move as a number."""
        return [
            state.parse_action(name)
            for state, name in zip(self.positions, self.record.actions, strict=False)
        ]

    @cached_property
    def moves(self) -> list[str]:
        """Each move in notation, without choices that the viewer has not seen."""
        names = [*map(printable, self.record.actions)]
        secret = 0 if self.viewer is None else count_secret_moves(self.positions)
        for ply in range(self.plies - secret, self.plies):
            if self.players[ply] != self.viewer:
                names[ply] = "hidden"
        return names

    @property
    def seats(self) -> tuple[str, ...]:
        """What the rules call the players."""
        return self.game.layout.seat_names

    def agent(self, seat: int) -> str:
        """Return who played at a seat; empty if unknown."""
        return printable(self.record.agents[seat]) if self.record.agents else ""

    def side(self, seat: int) -> str:
        """Return a player and who that was, for instance `White (greedy)`."""
        agent = self.agent(seat)
        return f"{self.seats[seat]} ({agent})" if agent else self.seats[seat]

    def data(self, ply: int) -> MoveData | None:
        """Return what an agent reported about the move that follows after so many moves.

        Since it tells what the agent saw, the viewer gets that of the own agent alone.
        """
        if self._is_hidden_from_viewer(ply):
            return None
        known = self.record.move_data
        return known[ply] if ply < len(known) else None

    def _is_hidden_from_viewer(self, ply: int) -> bool:
        return self.viewer is not None and ply < self.plies and self.players[ply] != self.viewer

    def values(self, ply: int) -> list[float] | None:
        """Return the expected returns after so many moves, for two players.

        A search says them of the position before its move. Between such positions the last known
        ones count, and at the end the result itself; None where there are none.
        """
        if len(self.seats) != 2 or not self.has_values:
            return None
        if ply == self.plies and self.record.returns is not None:
            return list(self.record.returns)
        for at in range(min(ply, self.plies - 1), -1, -1):
            data = self.data(at)
            if data is not None and data.value is not None:
                return [data.value if seat == self.players[at] else -data.value for seat in (0, 1)]
        return [0.0, 0.0]

    @cached_property
    def has_values(self) -> bool:
        """Whether an agent reported the value of a position."""
        found = map(self.data, range(self.plies))
        return any(data is not None and data.value is not None for data in found)

    @property
    def title(self) -> str:
        """The game and its players, for instance `Tzaar: White (mcts) - Black (greedy)`."""
        sides = " - ".join(self.side(seat) for seat in range(len(self.seats)))
        return f"{self.game.spec.title}: {sides}"

    @property
    def setting(self) -> str:
        """Options, seed, random opening and viewer in one line.

        With a viewer there is no seed, from which everything hidden follows.
        """
        record = self.record
        parts = [f"{name} {value}" for name, value in record.options.items()]
        if record.seed is not None and self.viewer is None:
            numbers = [record.seed] if isinstance(record.seed, int) else record.seed
            parts.append(f"seed {' '.join(map(str, numbers))}")
        if record.opening:
            parts.append(f"the first {record.opening} moves are a random opening")
        if self.viewer is not None:
            parts.append(f"as {self.seats[self.viewer]} sees it")
        return ", ".join(parts)

    @property
    def result(self) -> str:
        """Who won, and the points, in one sentence."""
        record = self.record
        if record.forfeit is not None and record.culprit is not None:
            return f"{self.side(record.culprit)} lost at once: {record.forfeit}."
        if record.returns is None:
            return f"The game was left after {self.plies} moves."
        points = ""
        if self.game.spec.score_unit is not None and record.scores is not None:
            each = zip(self.seats, record.scores, strict=True)
            points = ": " + ", ".join(f"{name} {score:g} points" for name, score in each)
        winners = [self.side(seat) for seat, value in enumerate(record.returns) if value > 0]
        return f"{' and '.join(winners)} won{points}." if winners else f"A draw{points}."

    @property
    def reason(self) -> str:
        """Why the game ended, in one sentence; empty if it did not."""
        record = self.record
        if self.viewer is None or record.culprit == self.viewer:
            return printable(record.error or "") or self.positions[-1].end_reason or ""
        return self.positions[-1].end_reason or ""  # an error of others may say what they saw

    def scene(self, ply: int, values: bool = False, visits: bool = False) -> Scene:
        """Return the picture after so many moves, with a mark for the last one.

        Args:
            ply: how many moves.
            values: whether it has a bar of `values`, if there are any.
            visits: whether the actions that the next search tried are marked.
        """
        state = self.positions[ply]
        last = (self.positions[ply - 1], self.actions[ply - 1]) if ply else None
        data = self.data(ply) if visits else None
        return state.scene(
            self.viewer,
            last=last,
            weights=_weights(state, data) if data is not None else None,
            values=self.values(ply) if values else None,
        )


def _weights(state: State, data: MoveData) -> dict[int, float]:
    """Return the visits of actions, without names that are not legal, which a file may hold."""
    weights: dict[int, float] = {}
    for name, count in data.visits.items():
        try:
            weights[state.parse_action(name)] = count
        except ValueError:
            continue
    return weights
