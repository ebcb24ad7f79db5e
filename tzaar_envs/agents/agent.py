"""The interface of agents, which choose actions, and the simplest one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.core.game import Game
from tzaar_envs.core.masks import ActionSampler
from tzaar_envs.core.spec import Option
from tzaar_envs.core.state import State
from tzaar_envs.core.validation import integer
from tzaar_envs.search.control import SearchControl
from tzaar_envs.search.result import SearchResult

if TYPE_CHECKING:
    from tzaar_envs.core.batch import Batch

AgentObservation: TypeAlias = Mapping[str, NDArray[np.int8]]
"""The observation of an environment: `observation` and `action_mask`."""

ENGINE_OPTIONS = (
    Option(
        "ms",
        int,
        0,
        "milliseconds per move, after which the engine is told to stop; 0: no time limit",
        minimum=0,
        maximum=10**8,
    ),
    Option(
        "nodes",
        int,
        0,
        "positions or simulations per move, as the engine counts them; 0: no limit",
        minimum=0,
        maximum=2**62,
    ),
    Option("depth", int, 0, "plies to look ahead; 0: no limit", minimum=0, maximum=10**6),
    Option(
        "timeout",
        float,
        0.0,
        "seconds for a move after which the engine has lost its game; 0: one second more than "
        "`ms`, or 60 without it",
        minimum=0,
        maximum=10**6,
    ),
)
"""The options of `engine:COMMAND`, for help texts and agent texts."""


class Agent(ABC):
    """Chooses actions in one game. Its random generator is all that it remembers of a game.

    Subclasses implement `seed` and `act`. Those that can choose faster for many positions at once
    also override `act_batch`, for states, and `act_rows`, for rows of a `Batch`.

    Attributes:
        name: Its name in results, for instance `greedy`; by default that of its class.
        game: The game that it plays; an agent without it is taken for one of any game.
        last_searches: The results of its searches in the last call, one for each position; empty if
            the agent does not search, None for a position that it did not search.
        control: Limits and reports of its searches from now on, if it searches in this process.
    """

    name: str
    game: Game
    last_searches: Sequence[SearchResult | None] = ()
    control: SearchControl | None = None

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__
        # Two agents are never the same one, though a dataclass may compare their fields.
        if "__hash__" not in vars(cls):
            cls.__hash__ = object.__hash__  # type: ignore[method-assign]

    @property
    def last_search(self) -> SearchResult | None:
        """The result of its search in the last call of `act`; None if it does not search."""
        return self.last_searches[0] if len(self.last_searches) == 1 else None

    @abstractmethod
    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all random choices from now on; None takes entropy from the system."""

    @abstractmethod
    def act(self, position: State | AgentObservation) -> int:
        """Return a legal action for the player to move.

        Args:
            position: A state whose game is not over, or an observation of the player to move.

        Raises:
            TypeError: The agent needs a state, see `require_state`.
            ForfeitError: The agent cannot answer, and has lost its game.
        """

    def act_batch(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return int64 `(len(states),)`, a legal action for each state, whose game is not over."""
        answers = [integer(f"{self.name}: action", self.act(state)) for state in states]
        return np.array(answers, dtype=np.int64)

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return int64 `(len(rows),)`, a legal action for each of these rows of a batch.

        Their games are not over. By default the agent gets a state for each row, which is slower.
        """
        return self.act_batch([batch.state(int(row)) for row in rows])

    @property
    def acts_singly(self) -> bool:
        """Whether it is asked about positions one by one: neither batch method is its own."""
        own = type(self)
        return own.act_batch is Agent.act_batch and own.act_rows is Agent.act_rows

    def require_state(self, position: State | AgentObservation) -> State:
        """Return the position if it is a state.

        Raises:
            TypeError: It is an observation.
            ValueError: It is a state of another game.
        """
        if not isinstance(position, State):
            raise TypeError(f"{self.name} looks ahead: give it a State, not an observation")
        self.require_game(position.game)
        return position

    def require_game(self, game: Game) -> None:
        """Refuse another game: its positions would lead compiled code out of its arrays.

        Raises:
            ValueError: It is not the game that the agent plays.
        """
        own = getattr(self, "game", game)
        if game is not own and game != own:
            raise ValueError(f"{self.name} plays {own!r}, but was asked about {game!r}")

    def words_of(self, states: Sequence[State]) -> NDArray[np.int64]:
        """Return int64 `(n, state_size)`, the positions of states of the agent's game.

        Raises:
            ValueError: A state of another game.
        """
        words = [self.require_state(state).words for state in states]
        # For a single state, `stack` takes a tenth of a greedy move.
        return words[0][None] if len(words) == 1 else np.stack(words)


class StateAgent(Agent):
    """An agent that needs states, since it looks ahead; subclasses implement `act_batch`."""

    def act(self, position: State | AgentObservation) -> int:
        """Return the action for a state; raise a TypeError for an observation."""
        return int(self.act_batch([self.require_state(position)])[0])


class RandomAgent(Agent):
    """Plays every legal action with the same probability.

    Args:
        game: The game that it plays.
        seed: Fixes its choices.
    """

    name = "random"

    def __init__(self, game: Game, seed: int | Sequence[int] | None = None) -> None:
        self.game = game
        self.seed(seed)

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Fix all choices from now on."""
        self._sampler = ActionSampler(seed)

    def act(self, position: State | AgentObservation) -> int:
        """Return a random legal action."""
        mask = position.legal_mask() if isinstance(position, State) else position["action_mask"]
        action = int(self._sampler.sample(mask[None])[0])
        if action < 0:
            raise ValueError("there is no legal action: the game is over, or it is not our turn")
        return action

    def act_rows(self, batch: Batch, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return a random legal action in each row."""
        return self._sampler.sample(batch.masks[rows].view(np.bool_))
