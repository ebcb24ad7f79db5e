"""A recorded game with all its positions, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import GameRecord, MoveData
from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Scene
from tzaar_envs.replay.text import points_text, result_text, search_text

_OWN_COLOURS = ("blue", "red", "green", "yellow", "purple", "black")


class PlayedGame:
    """A recorded game as one player sees it, or with all that is hidden.

    Args:
        record: Record of the game; its moves and its result are checked.
        viewer: In a game with hidden information, nothing is told or drawn that this player could
            not know in the course of the game; None: everything is.

    Raises:
        ValueError: The game cannot have been played like this, or there is no such player; says
            why.

    Attributes:
        record: As given.
        history: The game with its positions.
        game: The game with its options.
        viewer: The player whose view it is; None if nothing is hidden.
        positions: The start position and the one after every move.
        plies: The number of moves.
        players: The player who made each move.
        seats: The names of the players in the rules.
        agents: The agent of each seat; empty texts if unknown.
        sides: Each player and who that was, for instance `White (greedy)`.
        title: The game and its players, for instance `Tzaar: White (mcts) - Black (greedy)`.
    """

    def __init__(self, record: GameRecord, viewer: int | None = None) -> None:
        self.record = record
        self.history = GameHistory.from_record(record)
        self.game = self.history.game
        if viewer is not None:
            viewer = self.game.checked_player(viewer)
        self.viewer = viewer if self.game.spec.hidden_information else None
        self.positions, self.plies = self.history.positions, self.history.plies
        self.players = [self.history.player(ply) for ply in range(self.plies)]
        self.seats = self.game.layout.seat_names
        self.agents = record.agents or [""] * len(self.seats)
        self.sides = [
            f"{seat} ({agent})" if agent else seat
            for seat, agent in zip(self.seats, self.agents, strict=True)
        ]
        self.title = f"{self.game.spec.title}: {' - '.join(self.sides)}"

    @cached_property
    def moves(self) -> list[str]:
        """Each move in notation, without choices that the viewer has not seen."""
        names = [*self.history.moves]
        if self.viewer is not None:
            for ply in range(self.plies - self.history.unrevealed, self.plies):
                if self.players[ply] != self.viewer:
                    names[ply] = "hidden"
        return names

    def data(self, ply: int) -> MoveData | None:
        """Return an agent's report on the move that follows after so many moves.

        It reveals what the agent saw, so a viewer gets only that of the viewer's own agent.
        """
        if ply >= self.plies or self.viewer not in (None, self.players[ply]):
            return None
        return self.history.data[ply]

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
        """The winner, and the points, in one sentence."""
        record = self.record
        if record.forfeit is not None and record.culprit is not None:
            return f"{self.sides[record.culprit]} lost at once: {record.forfeit}."
        if record.returns is None:
            return f"The game was left after {self.plies} moves."
        return result_text(self.sides, record.returns, points_text(self.game, record.scores))

    @property
    def reason(self) -> str:
        """Why the game ended, in one sentence; empty if it did not."""
        record = self.record
        end_reason = self.positions[-1].end_reason or ""
        if self.viewer is None or record.culprit == self.viewer:
            return record.error or end_reason
        return end_reason  # an error of others may say what they saw

    def scene(self, ply: int, values: bool = False, visits: bool = False) -> Scene:
        """Return the picture after so many moves, with a mark for the last one.

        Args:
            ply: The number of moves.
            values: Whether it has a bar of what two players may expect, if searches tell it.
            visits: Whether the actions that the next search tried are marked.
        """
        history, state = self.history, self.positions[ply]
        data = self.data(ply) if visits else None
        return state.scene(
            self.viewer,
            last=(history.positions[ply - 1], history.actions[ply - 1]) if ply else None,
            weights=_weights(state, data) if data is not None else None,
            values=history.expected_returns(ply, self.viewer) if values else None,
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


def seat_colours(scene: Scene, seats: int) -> list[str]:
    """Return the colour role of every player: that of the pieces, or one of the player's own."""
    sides = [side.fill for side in scene.sides]
    return sides if len(sides) == seats else [*_OWN_COLOURS * seats][:seats]


def move_text(played: PlayedGame, ply: int) -> str:
    """Return in one line what the last of so many moves was."""
    how = ", random opening" if ply <= played.record.opening else ""
    mover = played.seats[played.players[ply - 1]]
    return f"{ply}/{played.plies} {mover}: {played.moves[ply - 1]}{how}"


def game_text(played: PlayedGame, colour: bool = False) -> Iterator[str]:
    """Yield the heading, every position with the move that led to it, and the result.

    Args:
        played: The game.
        colour: Whether boards have ANSI colours.
    """
    yield "\n".join(filter(None, (played.title, played.setting)))
    for ply, state in enumerate(played.positions):
        heading = [move_text(played, ply)] if ply else ["Start"]
        if ply and (found := search_text(played.data(ply - 1))):
            heading.append(f"  {found}")
        yield "\n".join([*heading, "", state.draw(colour=colour, viewer=played.viewer)])
    yield "\n".join(filter(None, (played.result, played.reason)))
