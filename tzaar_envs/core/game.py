"""Game: the immutable description of a game with its options, and the factory of its states."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.border import array_of, integer
from tzaar_envs.core.layout import Plane
from tzaar_envs.core.options import resolve_options
from tzaar_envs.core.spec import GameSpec
from tzaar_envs.core.symmetry import Symmetry, identity
from tzaar_envs.jit.arrays import Mask, StateArray

if TYPE_CHECKING:
    from tzaar_envs.core.kernel import Rules
    from tzaar_envs.core.state import State


class Game:
    """A game with fixed options.

    Attributes:
        spec: the game's spec.
        name: for instance `"tzaar"`.
        options: the value of every option, read-only.
        layout: players, observation planes and action blocks.
        num_players: players are 0 .. num_players - 1 in turn order.
        num_actions: actions are 0 .. num_actions - 1, legal or not.
        observation_shape: of a player's int8 observation.
        max_plies: no game is longer.

    Args:
        spec: the spec of the game.
        **options: see `spec.options`.

    Raises:
        ValueError: an unknown option or a value that is not allowed.
    """

    def __init__(self, spec: GameSpec, /, **options: Any) -> None:
        self.spec = spec
        self.name = spec.name
        self.options = MappingProxyType(resolve_options(spec.options, options, spec.name))
        self.layout = spec.layout(self.options)
        self.num_players = len(self.layout.seat_names)
        self.num_actions = self.layout.num_actions
        self.observation_shape = self.layout.observation_shape
        self.max_plies = self.layout.max_plies

    @property
    def observation_planes(self) -> tuple[Plane, ...]:
        """The named planes of an observation, in order."""
        return self.layout.planes

    @functools.cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries of the game: a group, the identity first."""
        if self.spec.symmetries is None:
            return (identity(self.layout),)
        return self.spec.symmetries(self.layout)

    @functools.cached_property
    def rules(self) -> Rules:
        """The compiled rules, loaded at first use."""
        return self.spec.load(self.layout)

    @property
    def encoded_options(self) -> StateArray:
        """The options as compiled code sees them, int64, in the order of the spec; a new array."""
        return np.array(self._option_words, np.int64)

    @functools.cached_property
    def _option_words(self) -> tuple[int, ...]:
        values = [option.encode(self.options[option.name]) for option in self.spec.options]
        return tuple(word for words in values for word in words)

    @functools.cached_property
    def idle_mask(self) -> Mask:
        """The mask of a player who is not to move: zeros, read-only."""
        mask = np.zeros(self.num_actions, np.int8)
        mask.setflags(write=False)
        return mask

    def new_state(
        self, seed: int | Sequence[int] | None = None, outcome: Sequence[int] | None = None
    ) -> State:
        """Return a start position.

        Args:
            seed: determines all chance events, the set-up included; None takes entropy from the
                system.
            outcome: the outcomes of chance in the set-up, see `State.apply`; None draws them.

        Raises:
            ValueError: these outcomes are not possible.
        """
        from tzaar_envs.core.state import State
        from tzaar_envs.jit.rng import new_generator

        words = np.zeros(self.rules.state_size, np.int64)
        state = State.trusted(self, words, new_generator(seed))
        state.restart(outcome)
        return state

    def parse(self, text: str, seed: int | Sequence[int] | None = None) -> State:
        """Return the position that the notation describes.

        Raises:
            ValueError: says which field is wrong and why.
        """
        from tzaar_envs.core.state import State
        from tzaar_envs.jit.rng import new_generator

        if not isinstance(text, str):
            raise ValueError(f"a position is text in the notation of {self.name}, not {text!r}")
        words = self.rules.parse_position(text, self.encoded_options)
        return State.trusted(self, words, new_generator(seed))

    def checked_player(self, player: Any) -> int:
        """Return the number of a player as an int.

        Raises:
            TypeError: it is not an integer.
            ValueError: the game has no such player.
        """
        try:
            number = index(player)  # `integer`, without another call
        except TypeError:
            number = integer("player", player)  # raises
        if not 0 <= number < self.num_players:
            raise ValueError(
                f"player {number} does not exist: {self.name} has players 0 to "
                f"{self.num_players - 1}"
            )
        return number

    def checked_positions(self, positions: Any) -> NDArray[np.int64]:
        """Return positions, int64 `(n, state_size)`, as compiled code takes them.

        The notation decides whether a position can occur: its text must be accepted, and read as
        the same words. Words after the first `Rules.key_size` need not be the same: they follow
        from the others, or are history.

        Raises:
            ValueError: another shape or type, or words that no position of the game has.
        """
        array = np.asarray(positions)
        count = len(array) if array.ndim == 2 else 0
        checked = array_of("positions", array, np.int64, (count, self.rules.state_size))
        for row, words in enumerate(checked):
            if reason := self._why_impossible(words):
                raise ValueError(f"position {row} cannot occur in {self.name}: {reason}")
        return checked

    def _why_impossible(self, words: StateArray) -> str | None:
        rules = self.rules
        try:
            text = rules.format_position(words)
            read = rules.parse_position(text, self.encoded_options)
        except (ValueError, LookupError, OverflowError) as error:
            return str(error)
        differ = words != read
        if rules.key_size:
            differ[rules.key_size :] = False
        if rules.log_length:
            differ[rules.log_length] = False  # `format_position` has checked it
        if not differ.any():
            return None
        word = int(differ.argmax())
        return f"word {word} is {words[word]}, but {read[word]} in {text!r}"

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"load_game({self.name!r}{options})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.spec.env_id == other.spec.env_id and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.spec.env_id, tuple(self.options.items())))

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.spec, dict(self.options))


def _rebuild(spec: GameSpec, options: dict[str, Any]) -> Game:
    return Game(spec, **options)
