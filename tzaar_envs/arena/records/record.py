"""GameRecord: a played game as data, from which every position can be replayed.

A record holds actions in notation and the chance outcomes that came with them, so replaying it does
not depend on random generators. Nothing in a record is believed until it has been replayed:
decoding checks types and ranges, `states` plays every action, and `check` compares the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from tzaar_envs.core.errors import Forfeit
from tzaar_envs.core.game import Game
from tzaar_envs.core.spec import resolve_options
from tzaar_envs.registry import find_spec

if TYPE_CHECKING:
    from tzaar_envs.core.state import State

VERSION = 1

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Amount: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]  # a float can hold it
Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Score: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]
Value: TypeAlias = Annotated[float, msgspec.Meta(ge=-1, le=1)]
OptionValue: TypeAlias = bool | int | float | str


class GameId(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The coordinates of a game in a match or tournament.

    Attributes:
        line_up: the number of the line-up: which agents play together.
        start: the number of the start.
        rotation: in rotation r agent i of the line-up takes seat `(i + r) % seats`.
    """

    line_up: Index
    start: Index
    rotation: Index


class MoveData(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What an agent reported about one move.

    Attributes:
        value: Value of the position before the move, -1 .. 1, for the player to move.
        proven: the value is exact.
        depth: Depth of the search, in plies.
        nodes: positions that the search visited, or simulations that it ran.
        visits: How often the search tried each action, by its notation.
        line: the principal variation in notation.
        seconds: How long the agent took.
    """

    value: Value | None = None
    proven: bool = False
    depth: Amount | None = None
    nodes: Amount | None = None
    visits: dict[str, Amount] = {}
    line: list[str] = []
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e15)] | None = None


class GameRecord(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="record",
    tag=VERSION,
    rename={"forfeit": "fault"},
):
    """A played game. Lists with one item per seat are in the order of the seats.

    In JSON the field `record` comes first and holds the version of this format; fields that have
    their default value are left out.

    Attributes:
        game: the id of the environment, for instance `tzaar_v0`.
        options: the value of every option of the game.
        agents: text forms of the agents, per seat; empty if unknown.
        seed: one number or several, from which the start position and all chance events that were
            not given otherwise follow; None if unknown.
        position: the start position in notation; None: the one that follows from the seed. If
            both are given the position counts.
        opening: how many of the first actions were random, before the agents took over.
        actions: all actions in notation.
        outcomes: the chance outcomes of each action, see `State.apply`; empty if no action had any.
        returns: per seat, -1 .. 1; None if the game has no result.
        scores: points per seat at the end; None if the game was forfeited.
        truncated: whether a move cap ended the game.
        end: the code that says why the game ended, see `State.end_code`; None if it has not, or if
            it was forfeited.
        forfeit: how an agent lost the game at once (in JSON `fault`); None if no agent did.
        culprit: the seat of that agent.
        error: what that agent did, for people.
        move_data: what agents reported about each action; empty if nothing.
        match: which game of a match or tournament it is; None outside of them.
    """

    game: str
    options: dict[str, OptionValue]
    actions: list[str]
    agents: list[str] = []
    seed: Count | list[Count] | None = None
    position: str | None = None
    opening: Count = 0
    outcomes: list[list[int]] = []
    returns: list[Value] | None = None
    scores: list[Score] | None = None
    truncated: bool = False
    end: str | None = None
    forfeit: Forfeit | None = None
    culprit: Count | None = None
    error: str | None = None
    move_data: list[MoveData | None] = []
    match: GameId | None = None

    def __post_init__(self) -> None:
        moves = len(self.actions)
        if self.position is None and self.seed is None:
            raise ValueError("the start is unknown: neither 'position' nor 'seed' is given")
        if len(self.outcomes) not in (0, moves):
            raise ValueError(f"outcomes: expected one list for each of the {moves} actions")
        if len(self.move_data) not in (0, moves):
            raise ValueError(f"move_data: expected one entry for each of the {moves} actions")
        if self.opening > moves:
            raise ValueError(f"opening: {self.opening} is more than the {moves} actions")
        if (self.forfeit is None) != (self.culprit is None):
            raise ValueError("fault and culprit: expected both or neither")

    @property
    def plies(self) -> int:
        """The number of actions, those of a random opening included."""
        return len(self.actions)

    def load_game(self) -> Game:
        """Return the game with its options.

        Raises:
            ValueError: this release has no such game, or not with these options.
        """
        return load_recorded_game(self.game, self.options)

    def start(self, game: Game | None = None) -> State:
        """Return the position before the first action.

        If it follows from the seed, chance events that are not given later do so too.

        Args:
            game: the game, where it is not in the registry; None: `load_game` finds it.

        Raises:
            ValueError: the game or the position is not valid.
        """
        game = self.load_game() if game is None else self._same(game)
        if self.seed is not None:
            state = game.new_state(self.seed)
            if self.position is None or self.position == str(state):
                return state
        try:
            return game.parse(self.position or "", self.seed)
        except ValueError as error:
            raise ValueError(f"start position: {error}") from error

    def states(self, game: Game | None = None) -> list[State]:
        """Replay the game: return the start position and the one after every action.

        Args:
            game: as in `start`.

        Raises:
            ValueError: an action, or its chance outcome, is not possible; names the move and why.
        """
        positions = [self.start(game)]
        outcomes = self.outcomes or [[]] * len(self.actions)
        for number, (action, outcome) in enumerate(
            zip(self.actions, outcomes, strict=True), start=1
        ):
            state = positions[-1].clone()
            try:
                state.apply(state.parse_action(action), outcome)
            except ValueError as error:
                raise ValueError(f"move {number}: {error}") from error
            positions.append(state)
        return positions

    def check(self, game: Game | None = None) -> list[State]:
        """Replay the game and compare its result with what the record claims.

        Args:
            game: as in `start`.

        Returns:
            The positions, see `states`.

        Raises:
            ValueError: the game cannot have been played like this; says why.
        """
        positions = self.states(game)
        last = positions[-1]
        seats = last.game.num_players
        for name in ("agents", "returns", "scores"):
            values = getattr(self, name)
            if values and len(values) != seats:
                raise ValueError(f"{name}: expected one for each of the {seats} seats")
        if self.forfeit is not None:
            if last.current_player != self.culprit:
                raise ValueError(f"seat {self.culprit} is not to move after the last move")
            return positions
        if self.returns is not None and not last.is_terminal:
            raise ValueError("the game is not over after its last move")
        returns = last.returns().tolist() if last.is_terminal else None
        for name, expected in (
            ("returns", returns),
            ("scores", last.scores().tolist() if self.scores is not None else None),
            ("truncated", last.is_truncated),
            ("end", last.end_code),
        ):
            if getattr(self, name) != expected:
                raise ValueError(
                    f"{name}: {getattr(self, name)} is recorded, but the moves give {expected}"
                )
        return positions

    def _same(self, game: Game) -> Game:
        """Return the game, if it is the one that was played."""
        if game.spec.env_id != self.game or game.options != resolve_options(
            game.spec.options, self.options, game.name
        ):
            raise ValueError(f"the record is of {self.game} with {self.options}, not of {game!r}")
        return game


def load_recorded_game(env_id: str, options: dict[str, OptionValue]) -> Game:
    """Return the game that a file names.

    Args:
        env_id: Id of the environment, for instance `tzaar_v0`.
        options: Options of the game.

    Raises:
        ValueError: this release has no such game, or not with these options.
    """
    spec = find_spec(env_id)
    if spec.env_id != env_id:
        raise ValueError(f"the game is {env_id}, but this release has {spec.env_id}")
    return Game(spec, **resolve_options(spec.options, options, spec.name))
