"""A game of agents against each other, one move at a time."""

from __future__ import annotations

from collections.abc import Sequence

from tzaar_envs.agents import AgentText
from tzaar_envs.arena.history import move_data
from tzaar_envs.arena.records import GameRecord, MoveData, Recorder
from tzaar_envs.core.errors import ForfeitError
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.render.scene import Scene
from tzaar_envs.replay.words import search_text
from tzaar_envs.system.interrupts import sigint_deferred


class WatchedGame:
    """A game that agents play while somebody watches.

    Attributes:
        state: the position.
        title: the game and who plays.

    Args:
        game: the game.
        agents: an agent text per seat, see `tzaar_envs.agents`.
        seed: all chance events and all choices follow from it.
        position: the start position in notation; None for the one that the seed gives.

    Raises:
        ValueError: there are not as many agents as seats, an agent does not exist, or the position
            is not valid.
        ModuleNotFoundError: an agent needs an extra that is not installed.
    """

    def __init__(
        self, game: Game, agents: Sequence[str], seed: int, position: str | None = None
    ) -> None:
        seats = game.num_players
        if len(agents) != seats:
            raise ValueError(
                f"{len(agents)} agent{'s were' if len(agents) != 1 else ' was'} given: "
                f"{game.name} has {seats} seats, name an agent for each"
            )
        texts = [AgentText.parse(text, game.spec) for text in agents]  # before anything is compiled
        self.state = game.new_state(seed) if position is None else game.parse(position, seed)
        self._agents = [text.make(game, [seed, seat]) for seat, text in enumerate(texts)]
        self._recorder = Recorder(self.state, seed=seed, agents=agents)
        self._sides = [
            f"{name} ({agent})" for name, agent in zip(game.layout.seat_names, agents, strict=True)
        ]
        self._moves: list[tuple[str, MoveData | None]] = [("", None)] * seats
        self._last: tuple[State, int] | None = None
        self._forfeit: ForfeitError | None = None
        self.title = f"{game.spec.title}: {' - '.join(self._sides)}"

    @property
    def record(self) -> GameRecord:
        """The record of the game so far."""
        if self._forfeit is None:
            return self._recorder.record(self.state)
        seats, loser = self.state.game.num_players, self.state.current_player
        returns = [1 / (seats - 1) if seats > 1 else 0.0] * seats
        if seats > 1:
            returns[loser] = -1.0
        return self._recorder.record(
            self.state, forfeit=self._forfeit.reason, error=str(self._forfeit), returns=returns
        )

    @property
    def is_over(self) -> bool:
        """Whether the game is over, or an agent has lost it since it cannot answer."""
        return self.state.is_terminal or self._forfeit is not None

    def step(self) -> None:
        """Let the agent to move play.

        Raises:
            ValueError: the game is over, or the agent's move is not legal.
        """
        seat = self.state.current_player
        if seat < 0:
            raise ValueError("the game is over: nobody is to move")
        before = self.state.clone()
        try:
            action = self._agents[seat].act(self.state.clone())
        except ForfeitError as error:
            self._forfeit = error
            return
        data = move_data(before, self._agents[seat].last_search)
        with sigint_deferred():
            self._recorder.play(self.state, action, data)
            self._moves[seat] = before.action_name(action), data
            self._last = before, int(action)

    def scene(self) -> Scene:
        """Return the picture of the position, with the last move and what the agents expect."""
        return self.state.scene(last=self._last, values=self._values())

    def _values(self) -> list[float] | None:
        """Return the expected returns as the last mover sees them, for two players."""
        if len(self._moves) != 2:
            return None
        if self.state.is_terminal:
            return self.state.returns().tolist()
        if self._last is not None:
            mover = self._last[0].current_player
            data = self._moves[mover][1]
            if data is not None and data.value is not None:
                return [data.value if seat == mover else -data.value for seat in (0, 1)]
        return [0.0, 0.0]

    def text(self, colour: bool = False) -> str:
        """Return the position, the last move of each agent with what it found, and the result.

        Args:
            colour: whether the board has ANSI colours.
        """
        lines = [f"{self.title}, move {len(self._recorder.actions)}", "", self.state.draw(colour)]
        lines.append("")
        mover = None if self._last is None else self._last[0].current_player
        for seat, (name, data) in enumerate(self._moves):
            mark = ">" if seat == mover else " "
            found = search_text(data)
            lines.append(f"{mark} {self._sides[seat]}: {name}{f' ({found})' if found else ''}")
        if self.state.is_terminal:
            lines += ["", str(self.state.end_reason), self._result()]
        if self._forfeit is not None:
            loser = self._sides[self.state.current_player]
            lines += ["", f"{loser} has lost the game: {self._forfeit}"]
        return "\n".join(lines)

    def _result(self) -> str:
        winners = [
            self._sides[seat] for seat, value in enumerate(self.state.returns()) if value > 0
        ]
        return f"{' and '.join(winners)} won." if winners else "A draw."
