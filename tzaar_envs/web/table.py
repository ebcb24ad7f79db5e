"""A table: a game that one browser plays, with all its lines, and what may be seen of it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from tzaar_envs.arena.records import GameRecord, MoveData
from tzaar_envs.arena.records.secret_moves import count_secret_moves
from tzaar_envs.core.game import Game
from tzaar_envs.core.state import State
from tzaar_envs.play.moves import find_action
from tzaar_envs.web.line import Line
from tzaar_envs.web.seats import PERSON

_STREAM = 1  # of the seed, for the agents' choices


class Table:
    """A game that persons and agents play, and that can be stepped through and branched off.

    Args:
        lines: one line to begin with.
        seats: `PERSON` or an agent text, per seat.
        seed: the agents' choices follow from it.
        is_open: whether hidden information is shown.
        most_lines: so many lines at most.

    Attributes:
        token: the name by which its browser finds it again.
        game: the game.
        seats: as given; may be changed.
        is_open: as given.
        is_paused: whether the agents wait.
        lines: all lines.
        at: the number of the line that is shown.
        ply: how many moves of it come before the position that is shown.
        revealed: the person whose hand was shown last, where several persons have hidden hands.
    """

    def __init__(
        self, line: Line, seats: Sequence[str], seed: int, is_open: bool, most_lines: int
    ) -> None:
        self.token = secrets.token_urlsafe(18)
        self.game: Game = line.last.game
        self.seats = list(seats)
        self.is_open = is_open
        self.is_paused = False
        self.lines = [line]
        self.at = 0
        self.ply = line.plies
        self.revealed: int | None = None
        self._seed = seed
        self._most_lines = most_lines

    @classmethod
    def begin(
        cls,
        game: Game,
        seats: Sequence[str],
        seed: int | None,
        position: str | None,
        is_open: bool,
        most_lines: int,
    ) -> Table:
        """Return a table with a new game.

        Args:
            game: the game.
            seats: per seat; none: persons.
            seed: of all chance events, and of the agents' choices; None: a random one.
            position: the start position in notation; None for the one that the seed gives.
            is_open: whether hidden information is shown.
            most_lines: so many lines at most.

        Raises:
            ValueError: the position is not valid, or there are not as many seats as players.
        """
        number = secrets.randbelow(2**32) if seed is None else seed
        taken = list(seats) or [PERSON] * game.num_players
        if len(taken) != game.num_players:
            raise ValueError(f"{len(taken)} seats are taken: {game.name} has {game.num_players}")
        start = game.new_state(number) if position is None else game.parse(position, number)
        return cls(Line(start, number), taken, number, is_open, most_lines)

    @classmethod
    def of_record(cls, record: GameRecord, most_lines: int) -> Table:
        """Return a table with a recorded game, at its start, with persons at all seats.

        Raises:
            ValueError: the game cannot have been played like this; says why.
        """
        line = Line.of_record(record, record.check())
        seats = [PERSON] * line.last.game.num_players
        table = cls(line, seats, secrets.randbelow(2**32), True, most_lines)
        table.ply = 0
        return table

    @property
    def line(self) -> Line:
        """The line that is shown."""
        return self.lines[self.at]

    @property
    def state(self) -> State:
        """The position that is shown."""
        return self.line.positions[self.ply]

    @property
    def is_at_end(self) -> bool:
        """Whether the last position of the line is shown."""
        return self.ply == self.line.plies

    @property
    def persons(self) -> list[int]:
        """The seats of persons."""
        return [seat for seat, text in enumerate(self.seats) if text == PERSON]

    # --- What may be seen ------------------------------------------------------------------------

    @property
    def has_secrets(self) -> bool:
        """Whether something is hidden from somebody at the moment."""
        return (
            self.game.spec.hidden_information
            and not self.is_open
            and not self.line.last.is_terminal
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
        """The person who has to take over the screen before anything is shown; None: nobody."""
        if not self.has_secrets or len(self.persons) == 1:
            return None
        player = self.line.last.current_player
        if player in self.persons and player != self.revealed:
            return player
        return self.persons[0] if self.revealed is None else None

    def reveal(self) -> None:
        """Show the hand of the person who takes over."""
        if self.covered is not None:
            self.revealed = self.covered

    def is_secret(self, ply: int) -> bool:
        """Whether the move that follows after so many moves is not shown yet."""
        if not self.has_secrets or ply < self.line.plies - count_secret_moves(self.line.positions):
            return False
        return self.line.player(ply) != self.viewer

    def sees_thoughts_of(self, seat: int) -> bool:
        """Whether what an agent at a seat found may be shown: it may tell what it holds."""
        return not self.has_secrets or seat == self.viewer

    @property
    def can_play(self) -> bool:
        """Whether a person may choose a move in the position that is shown."""
        player = self.state.current_player
        if player < 0 or self.covered is not None:
            return False
        if self.has_secrets and player != self.viewer:
            return False
        return not self.is_at_end or player in self.persons or self.is_paused

    @property
    def can_analyse(self) -> bool:
        """Whether an analysis of the position that is shown tells nothing that is hidden."""
        player = self.state.current_player
        return player >= 0 and self.covered is None and (
            not self.has_secrets or player == self.viewer
        )  # fmt: skip

    # --- What happens ----------------------------------------------------------------------------

    def play(self, text: str, line: int, ply: int) -> None:
        """Play a person's move in the position that is shown; in an earlier one it begins a line.

        Raises:
            ValueError: the move is not legal, another position is shown, or it is not a person's
                turn.
        """
        if (line, ply) != (self.at, self.ply):
            raise ValueError("the position has changed in the meantime: look at it again")
        if not self.can_play:
            raise ValueError("it is not your turn")
        action = find_action(self.state, text)
        if not self.is_at_end:
            if action == self.line.actions[self.ply]:
                self.ply += 1
                return
            self._branch()
        self.line.play(action)
        self.ply = self.line.plies

    def _branch(self) -> None:
        if len(self.lines) >= self._most_lines:
            raise ValueError(
                f"there are {len(self.lines)} lines, the most that a game may have: continue one "
                "of them"
            )
        self.lines.append(self.line.branch(self.ply))
        self.at = len(self.lines) - 1

    def play_agent(self, action: int, data: MoveData | None, seconds: float) -> None:
        """Play an agent's move in the last position.

        Raises:
            ValueError: the move is not legal.
        """
        follows = self.is_at_end
        self.line.play(action, data, seconds)
        if follows:
            self.ply = self.line.plies

    def go(self, line: int, ply: int) -> None:
        """Show another position.

        Raises:
            ValueError: there is no such position.
        """
        if line >= len(self.lines) or ply > self.lines[line].plies:
            raise ValueError(f"there is no position {ply} in line {line + 1}")
        self.at, self.ply = line, ply

    def undo(self) -> None:
        """Take back a person's last move and all after it; without persons, the last move.

        Raises:
            ValueError: there is none.
        """
        ply = self.undone_ply
        if ply is None:
            raise ValueError("there is nothing to take back: no person has moved yet")
        if not self.persons:
            self.is_paused = True
        self.line.undo(ply)
        self.ply = ply

    @property
    def undone_ply(self) -> int | None:
        """How many moves `undo` leaves; None if there is nothing to take back."""
        persons = self.persons or range(self.game.num_players)
        plies = (ply for ply in range(self.line.plies) if self.line.player(ply) in persons)
        return max(plies, default=None)

    # --- Agents ----------------------------------------------------------------------------------

    @property
    def agent_to_move(self) -> str | None:
        """The agent that is to move in the last position; None: a person, or nobody."""
        player = self.line.last.current_player
        if player < 0 or self.is_paused or self.seats[player] == PERSON:
            return None
        return self.seats[player]

    def agent_seed(self) -> list[int]:
        """Return the seed of an agent's choice in the last position, the same after undo."""
        return [self._seed, _STREAM, self.line.plies]

    def record(self) -> GameRecord:
        """Return the record of the line that is shown."""
        return self.line.record(self.seats)
