"""A table: a game that one client plays, with its variations, and what may be seen of it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from tzaar_envs.arena.history import HUMAN, GameHistory
from tzaar_envs.arena.records import GameRecord, MoveData
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.replay.text import find_action


class Table:
    """A game that persons and agents play, and that can be stepped through and branched off.

    Args:
        history: The game so far, the first variation.
        seats: `human` or an agent text, per seat.
        seed: The agents' choices follow from it.
        is_open: Whether hidden information is shown.

    Attributes:
        token: The name by which its client finds it again.
        game: The game.
        seats: As given; `change_seats` changes them.
        seed, is_open: As given.
        is_paused: Whether the agents wait.
        is_flipped: Whether the board is seen from the other side.
        variations: The game and what was tried in place of its moves.
        shown: The number of the variation that is shown.
        ply: How many moves of it come before the position that is shown.
        revealed: The person whose hand was shown last, where several persons have hidden hands.
    """

    def __init__(
        self, history: GameHistory, seats: Sequence[str], seed: int, is_open: bool
    ) -> None:
        self.token = secrets.token_urlsafe(18)
        self.game: Game = history.state.game
        self.seats: list[str] = []
        self.is_open = is_open
        self.is_paused = False
        self.is_flipped = False
        self.variations = [history]
        self.shown = 0
        self.ply = history.plies
        self.revealed: int | None = None
        self.seed = seed
        self.change_seats(seats)

    @classmethod
    def begin(
        cls, game: Game, seats: Sequence[str], seed: int | None, position: str | None, is_open: bool
    ) -> Table:
        """Return a table with a new game.

        Args:
            game: The game.
            seats: Per seat; none: persons.
            seed: Seed of all chance events and of the agents' choices; None: a random one.
            position: The start position in notation; None for the one that the seed gives.
            is_open: Whether hidden information is shown.

        Raises:
            ValueError: The position is not valid, or there are not as many seats as players.
        """
        seats = seats or [HUMAN] * game.num_players
        number = secrets.randbelow(2**32) if seed is None else seed
        start = game.new_state(number) if position is None else game.parse(position, number)
        return cls(GameHistory(start, seed=number, agents=seats), seats, number, is_open)

    @classmethod
    def of_record(cls, record: GameRecord) -> Table:
        """Return a table with a recorded game, at its start, with persons at all seats.

        Raises:
            ValueError: The game cannot have been played like this; says why.
        """
        history = GameHistory.from_record(record)
        seats = [HUMAN] * history.game.num_players
        table = cls(history, seats, secrets.randbelow(2**32), True)
        table.ply = 0
        return table

    @property
    def history(self) -> GameHistory:
        """The variation that is shown."""
        return self.variations[self.shown]

    @property
    def state(self) -> State:
        """The position that is shown."""
        return self.history.positions[self.ply]

    @property
    def is_at_end(self) -> bool:
        """Whether the last position of the variation is shown."""
        return self.ply == self.history.plies

    @property
    def persons(self) -> list[int]:
        """The seats of persons."""
        return [seat for seat, text in enumerate(self.seats) if text == HUMAN]

    # --- What may be seen -------------------------------------------------------------------------

    @property
    def has_secrets(self) -> bool:
        """Whether anything is hidden from a player now."""
        return (
            self.game.spec.hidden_information
            and not self.is_open
            and not self.history.state.is_terminal
            and bool(self.persons)
        )

    @property
    def viewer(self) -> int | None:
        """The player whose view is shown; None shows everything."""
        if not self.has_secrets:
            return None
        return self.persons[0] if len(self.persons) == 1 else self.revealed

    @property
    def covered(self) -> int | None:
        """The person who must take over the screen before anything is shown; else None."""
        if not self.has_secrets or len(self.persons) == 1:
            return None
        player = self.history.state.current_player
        if player in self.persons and player != self.revealed:
            return player
        return self.persons[0] if self.revealed is None else None

    def is_secret(self, ply: int) -> bool:
        """Whether the move that follows after so many moves is not shown yet."""
        history = self.history
        if not self.has_secrets or ply < history.plies - history.unrevealed:
            return False
        return self.covered is not None or history.player(ply) != self.viewer

    @property
    def can_analyse(self) -> bool:
        """Whether an analysis of the position that is shown tells nothing that is hidden."""
        player = self.state.current_player
        is_seen = not self.has_secrets or player == self.viewer
        return player >= 0 and self.covered is None and is_seen

    @property
    def can_play(self) -> bool:
        """Whether a person may choose a move in the position that is shown."""
        is_turn = self.state.current_player in self.persons or self.is_paused
        return self.can_analyse and (is_turn or not self.is_at_end)

    # --- What happens -----------------------------------------------------------------------------

    def play(self, text: str, variation: int, ply: int) -> None:
        """Play a person's move in the position that is shown; an earlier one begins a variation.

        Raises:
            ValueError: The move is not legal, another position is shown, or it is not a person's
                turn.
        """
        if (variation, ply) != (self.shown, self.ply):
            raise ValueError("the position has changed in the meantime: look at it again")
        if not self.can_play:
            raise ValueError("it is not your turn")
        action = find_action(self.state, text)
        if not self.is_at_end:
            if action == self.history.actions[self.ply]:
                self.ply += 1
                return
            self.variations.append(self.history.branch(self.ply))
            self.shown = len(self.variations) - 1
        self.history.apply(action)
        self.history.agents = [*self.seats]
        self.ply = self.history.plies

    def play_agent(self, action: int, data: MoveData | None) -> None:
        """Play an agent's move in the last position.

        Raises:
            ValueError: The move is not legal.
        """
        follows = self.is_at_end
        self.history.apply(action, data)
        self.history.agents = [*self.seats]
        if follows:
            self.ply = self.history.plies

    def go(self, variation: int, ply: int) -> None:
        """Show another position.

        Raises:
            ValueError: There is no such position.
        """
        if variation >= len(self.variations) or ply > self.variations[variation].plies:
            raise ValueError(f"there is no position {ply} in variation {variation + 1}")
        self.shown, self.ply = variation, ply

    def undo(self) -> None:
        """Take back a person's last move and all after it; without persons, the last move.

        Raises:
            ValueError: There is none.
        """
        ply = self.undone_ply
        if ply is None:
            raise ValueError("there is nothing to take back: no person has moved yet")
        if not self.persons:
            self.is_paused = True
        if self.covered is not None:
            self.revealed = None  # else the hand of the person before would show
        self.history.go_to(ply)
        self.ply = ply

    @property
    def undone_ply(self) -> int | None:
        """How many moves `undo` leaves; None if there is nothing to take back."""
        persons = self.persons or range(self.game.num_players)
        plies = range(self.history.plies)
        return max((ply for ply in plies if self.history.player(ply) in persons), default=None)

    # --- Agents -----------------------------------------------------------------------------------

    def change_seats(self, seats: Sequence[str]) -> None:
        """Change who plays.

        Args:
            seats: `human` or an agent text, per seat.

        Raises:
            ValueError: There are not as many as players.
        """
        if len(seats) != self.game.num_players:
            raise ValueError(
                f"{len(seats)} seats are taken: {self.game.name} has {self.game.num_players}"
            )
        self.seats = list(seats)
        if self.revealed not in self.persons:
            self.revealed = None

    @property
    def agent_to_move(self) -> str | None:
        """The agent to move in the last position; None for a person, a pause, or the end."""
        player = self.history.state.current_player
        if player < 0 or self.is_paused or self.seats[player] == HUMAN:
            return None
        return self.seats[player]
