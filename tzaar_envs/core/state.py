"""State: one position of a game."""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.arrays import Mask, Observation, Randomness, Words
from tzaar_envs.core.game import Game
from tzaar_envs.core.kernel import RUNNING, SEAT, STATUS, TRUNCATED


class State:
    """A position that can be played on, made by `Game.new_state` or `Game.parse`.

    Two states are equal iff they are of the same game with the same options and their notations are
    equal. A state can be copied (`clone`, `copy.deepcopy`) and pickled; its random generator goes
    with it.

    Attributes:
        game: the game that it belongs to.
    """

    __slots__ = ("_mask", "_rng", "_words", "game")

    def __init__(self, game: Game, words: Words, rng: Randomness) -> None:
        self.game = game
        self._words = words
        self._rng = rng
        self._mask: Mask | None = None  # of the current position, never handed out

    def restart(self) -> None:
        """Go back to a start position; chance goes on from the state's own generator."""
        self.game.implementation.reset(self._words, self.game.encoded_options, self._rng)
        self._mask = None

    def continue_chance(self, other: State) -> None:
        """Draw all further chance events from the generator of another state."""
        self._rng = other._rng

    @property
    def words(self) -> Words:
        """A copy of the flat int64 array that compiled code works on, see `core.kernel`."""
        return self._words.copy()

    @property
    def current_player(self) -> int:
        """The seat to act, -1 when the game is over."""
        return int(self._words[SEAT]) if self._words[STATUS] == RUNNING else -1

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over, for whatever reason."""
        return bool(self._words[STATUS] != RUNNING)

    @property
    def is_truncated(self) -> bool:
        """Whether the game was ended by a move cap alone."""
        return bool(self._words[STATUS] == TRUNCATED)

    def _legal(self) -> Mask:
        if self._mask is None:
            self._mask = np.empty(self.game.num_actions, np.int8)
            self.game.implementation.legal(self._words, self._mask)
        return self._mask

    def legal_mask(self) -> Mask:
        """Return int8 `(num_actions,)`: 1 where legal, else 0; all zeros when the game is over."""
        return self._legal().copy()

    def legal_actions(self) -> NDArray[np.intp]:
        """Return the legal actions in ascending order; none when the game is over."""
        return self._legal().view(np.bool_).nonzero()[0]

    def is_legal(self, action: int) -> bool:
        """Whether the action can be played now; False also for a number that is no action."""
        return 0 <= action < self.game.num_actions and bool(self._legal()[action])

    def apply(self, action: int) -> None:
        """Play an action.

        Raises:
            ValueError: the action is not legal; the position is unchanged.
            TypeError: the action is no integer.
        """
        action = operator.index(action)  # code is compiled for int64 alone
        if not self.is_legal(action):
            raise ValueError(self._why_not(action))
        self.game.implementation.apply(self._words, action, self._rng)
        self._mask = None

    def _why_not(self, action: int) -> str:
        if not 0 <= action < self.game.num_actions:
            last = self.game.num_actions - 1
            return f"action {action} is out of range: {self.game.name} has the actions 0 to {last}"
        if self.is_terminal:
            return f"action {action} is not legal: the game is over"
        count = self.legal_actions().size
        return f"action {action} is not among the {count} legal actions of position '{self}'"

    def returns(self) -> NDArray[np.float64]:
        """Return float64 `(num_players,)` in -1 .. 1, zeros while the game runs."""
        out = np.empty(self.game.num_players, np.float64)
        self.game.implementation.returns(self._words, out)
        return out

    def scores(self) -> NDArray[np.float64]:
        """Return float64 `(num_players,)`: the game's points where it has them, else `returns`."""
        return self.returns()

    def evaluate(self, player: int) -> float:
        """Estimate the seat's return with the game's evaluation function, -1 .. 1."""
        return float(self.game.implementation.evaluate(self._words, self._checked_seat(player)))

    def observation(self, player: int) -> Observation:
        """Return a new int8 array of `observation_shape`: what the seat can see."""
        out = np.empty(self.game.observation_shape, np.int8)
        self.game.implementation.observe(self._words, self._checked_seat(player), out.ravel())
        return out

    def _checked_seat(self, player: int) -> int:
        if not 0 <= player < self.game.num_players:
            last = self.game.num_players - 1
            raise ValueError(
                f"seat {player} does not exist: {self.game.name} has seats 0 to {last}"
            )
        return player

    def action_name(self, action: int) -> str:
        """Return a legal action in notation.

        Raises:
            ValueError: the action is not legal here, so it may have no name.
        """
        if not self.is_legal(action):
            raise ValueError(self._why_not(action))
        return self.game.implementation.format_action(self._words, int(action))

    def parse_action(self, text: str) -> int:
        """Return the legal action that the notation names.

        Raises:
            ValueError: the text is no action, or one that is not legal here.
        """
        action = self.game.implementation.parse_action(self._words, text)
        if not self.is_legal(action):
            reason = "the game is over" if self.is_terminal else f"position '{self}'"
            raise ValueError(f"{text!r} is not legal: {reason}")
        return action

    def draw(self, colour: bool | None = None) -> str:
        """Return the board as text to play from.

        Args:
            colour: with ANSI colours; None: if the standard output is a terminal.
        """
        if colour is None:
            colour = sys.stdout.isatty()
        return self.game.implementation.draw(self._words, colour)

    def clone(self) -> State:
        """Return an independent copy, generator included."""
        return State(self.game, self._words.copy(), self._rng.copy())

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self.game, self._words, self._rng)

    def __str__(self) -> str:
        return self.game.implementation.format_position(self._words)

    def __repr__(self) -> str:
        return f"<State of {self.game.name}: {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and str(self) == str(other)

    def __hash__(self) -> int:
        return hash((self.game, str(self)))
