"""The plan of a match or tournament: who plays whom from which starts, and the seed of everything.

- A *line-up* is a choice of agents, one per seat. A match has one line-up, a tournament many.
- A *start* is a position with its chance events. Every line-up plays the same starts, each start
  once in every rotation of the seats.
- A *batch* is `STARTS_PER_CHUNK` starts (a chunk) of a line-up in one rotation. An agent is asked
  about all positions of a batch in which it is to move at once.

Everything follows from the seed of the plan. An agent has one random stream for a batch, hence its
choices in a game depend on the other games of the batch. Therefore the numbers of the starts alone
decide which of them make up a batch, never the number of workers.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from tzaar_envs.agents import Agent, AgentText, make_agent
from tzaar_envs.arena.history import GameHistory
from tzaar_envs.arena.records import Count, FileHeader, GameId, GameRecord, OptionValue
from tzaar_envs.arena.sprt import Sprt
from tzaar_envs.core.game import Game
from tzaar_envs.core.validation import integer_from
from tzaar_envs.registry import load_game
from tzaar_envs.system.machine import machine, versions

AgentSource: TypeAlias = str | Agent | Callable[[Game], Agent]
"""A text for `make_agent`, an agent, or a function that takes the game and returns one.

With workers, each works on a pickled copy of an agent or function."""

Progress: TypeAlias = Callable[[int, int], None]
"""`progress(done, games)`: called with the number of finished games."""

STARTS_PER_CHUNK = 16

# The first word of every seed names its purpose, so that no two streams are the same.
FOR_START, FOR_OPENING, FOR_AGENT, FOR_BOOK = 1, 2, 3, 5
_OPENING_ATTEMPTS = 100


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A book of start positions: how many, and a digest of them."""

    positions: Count
    sha256: str


class Header(FileHeader, frozen=True, kw_only=True, tag="tzaar-envs tournament"):
    """The description of a match or tournament; the first line of a results file.

    Attributes:
        game: The id of the environment, for instance `tzaar_v0`.
        options: The value of every option of the game.
        seats: The names of the seats in the rules, in turn order.
        agents: The texts of the agents, `module:function` for factories.
        games: The number for each line-up, at most.
        seed: All games follow from it.
        opening_plies: Random plies before the agents take over.
        book: Book of start positions; None without one.
        sprt: Elo of the two hypotheses of the test that ends a pairing early; None without one.
        gauntlet: Whether the first agent alone meets all others.
        versions: Versions of Python and the libraries.
        machine: The machine on which it began.
    """

    KIND: ClassVar[str] = "results file"
    INFORMATIVE: ClassVar[frozenset[str]] = frozenset({"versions", "machine"})

    format_version: Literal[2] = 2
    game: str
    options: dict[str, OptionValue]
    seats: list[str]
    agents: list[str]
    games: Count
    seed: Count
    opening_plies: Count = 0
    book: Book | None = None
    sprt: tuple[float, float] | None = None
    gauntlet: bool = False
    versions: dict[str, str]
    machine: dict[str, Any]

    def __post_init__(self) -> None:
        if not self.agents or not self.seats:
            raise ValueError("'agents' or 'seats' is empty")
        if self.sprt is not None:
            Sprt(*self.sprt)  # refuses what is not a test

    @property
    def game_title(self) -> str:
        """The game with its options."""
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.game} ({options})" if options else self.game

    def extends(self, other: FileHeader) -> bool:
        """Whether this is the other tournament, perhaps with more games or further agents."""
        return (
            isinstance(other, Header)
            and other.games <= self.games
            and other.agents == self.agents[: len(other.agents)]
            and not msgspec.structs.replace(
                other, games=self.games, agents=self.agents
            ).differences(self)
        )

    def check_record(self, record: GameRecord) -> None:
        """Raise a ValueError for a record that is not of this tournament; says why."""
        seats = len(self.seats)
        if (record.game, record.options) != (self.game, self.options):
            raise ValueError(f"it is a game of {record.game!r:.80} with {record.options}")
        if record.match is None or record.match.rotation >= seats:
            raise ValueError(f"'match' is {record.match}")
        if len(record.agents) != seats or not {*record.agents} <= {*self.agents}:
            raise ValueError(f"'agents' must name {seats} agents of the tournament")
        for name in ("returns", "scores"):
            values = getattr(record, name)
            if len(values or ()) != seats and (name == "returns" or record.forfeit is None):
                raise ValueError(f"{name!r} must hold {seats} numbers")
        if record.culprit is not None and record.culprit >= seats:
            raise ValueError(f"culprit={record.culprit} is not a seat: use 0 to {seats - 1}")


class GameBatch(NamedTuple):
    """Games of one line-up from the starts of a chunk, in one rotation.

    Attributes:
        line_up: Its index in `Plan.line_ups`.
        chunk: The number of the chunk.
        rotation: In rotation r agent i of the line-up takes seat `(i + r) % seats`.
    """

    line_up: int
    chunk: int
    rotation: int


@dataclass(frozen=True)
class Plan:
    """All that a process has to know about a match or a tournament.

    Attributes:
        game: The game.
        sources: Sources of the agents.
        line_ups: Agents that play together, as indices into `sources`, one for each seat.
        header: The seed and all settings.
        book: Positions to start from, in notation; empty: the game's own start positions.
    """

    game: Game
    sources: tuple[AgentSource, ...]
    line_ups: tuple[tuple[int, ...], ...]
    header: Header
    book: tuple[str, ...] = ()

    @property
    def seats(self) -> int:
        """The number of seats, and so of rotations."""
        return self.game.num_players

    @property
    def chunks(self) -> int:
        """The number of chunks of each line-up."""
        return -(-self.header.games // (self.seats * STARTS_PER_CHUNK))

    def batches(self, line_up: int, chunk: int) -> Iterator[GameBatch]:
        """Yield the batches of a chunk, one rotation after the other."""
        for rotation in range(self.seats):
            yield GameBatch(line_up, chunk, rotation)

    def games_of(self, batch: GameBatch) -> list[GameId]:
        """Return the games of a batch."""
        first = batch.chunk * STARTS_PER_CHUNK
        end = min(first + STARTS_PER_CHUNK, self.header.games // self.seats)
        return [GameId(batch.line_up, start, batch.rotation) for start in range(first, end)]

    def open_game(self, game: GameId) -> GameHistory:
        """Return a game at the position where the agents take over.

        A book is used in an order that follows from the seed, repeatedly if it is too short.

        Raises:
            ValueError: Nearly every random opening ends the game.
        """
        numbers = self.line_ups[game.line_up]
        rotated = [numbers[(seat - game.rotation) % self.seats] for seat in range(self.seats)]
        agents = [self.header.agents[number] for number in rotated]
        if self.book:
            order = np.random.default_rng(self._stream(FOR_BOOK)).permutation(len(self.book))
            seed = self._stream(FOR_START, game.start, 0, 0)
            start = self.game.parse(self.book[order[game.start % len(self.book)]], seed)
            return GameHistory(start, seed=seed, agents=agents, match=game)
        plies = self.header.opening_plies
        for attempt in range(_OPENING_ATTEMPTS):
            seed = self._stream(FOR_START, game.start, attempt, 0)
            history = GameHistory(
                self.game.new_state(seed), seed=seed, agents=agents, opening=plies, match=game
            )
            rng = np.random.default_rng(self._stream(FOR_OPENING, game.start, attempt, 0))
            while not history.is_over and history.plies < plies:
                actions = history.state.legal_actions()
                history.apply(int(actions[rng.integers(actions.size)]))
            if not history.is_over:
                return history
        raise ValueError(
            f"opening_plies={plies} is not allowed: {_OPENING_ATTEMPTS} random openings of that "
            f"length all ended the game of start {game.start}; use fewer"
        )

    def agent_stream(self, batch: GameBatch, place: int) -> list[int]:
        """Return the seed of the agent at a place of the line-up, for one batch."""
        number = batch.line_up * self.seats + place
        return self._stream(FOR_AGENT, batch.chunk, batch.rotation, number)

    def _stream(self, purpose: int, *numbers: int) -> list[int]:
        """Return the seed of a stream; the plan's own seed is last because it may be long."""
        return [purpose, *numbers, self.header.seed]

    def make_agents(self) -> list[Agent]:
        """Return a new agent for each source.

        Raises:
            ValueError: A text names no agent, or a factory returned something else.
        """
        agents = []
        for number, source in enumerate(self.sources):
            if isinstance(source, str):
                agent = make_agent(source, self.game)
            else:
                agent = source if isinstance(source, Agent) else source(self.game)
            if not isinstance(agent, Agent):
                raise ValueError(f"the factory agents[{number}] returned {agent!r}, not an Agent")
            agents.append(agent)
        return agents


def make_plan(
    game: str | Game,
    agents: Sequence[AgentSource],
    games: int,
    seed: int,
    opening_plies: int,
    book: str | Path | None = None,
    sprt: Sprt | None = None,
    *,
    is_match: bool = False,
    gauntlet: bool = False,
) -> Plan:
    """Return the plan of a tournament, see there, or of a match, which has a single line-up.

    Nothing is loaded or compiled for it.

    Raises:
        ValueError: An argument is not allowed.
    """
    game = load_game(game) if isinstance(game, str) else game
    check_sources(game, agents)
    texts, seats = [*map(agent_text, agents)], game.num_players
    if not is_match:
        numbers = line_ups(texts, seats, gauntlet=gauntlet)
    elif len(agents) != seats:
        raise ValueError(f"name {seats} agents, not {len(agents)}: {game.name} has {seats} seats")
    else:
        numbers = (tuple(range(seats)),)
    opening_plies = integer_from("opening_plies", opening_plies, 0)
    if opening_plies >= game.max_plies:
        raise ValueError(
            f"opening_plies={opening_plies} is not allowed: no game of {game.name} is longer than "
            f"{game.max_plies} plies, so use 0 to {game.max_plies - 1}"
        )
    if book is not None and opening_plies:
        raise ValueError(
            f"opening_plies={opening_plies} is not allowed with a book: its positions are the "
            "openings"
        )
    if sprt is not None and seats != 2:
        raise ValueError(
            f"sprt is not allowed: it compares two agents, {game.name} has {seats} seats"
        )
    games = integer_from("games", games, seats)
    if games % seats:
        below = games - games % seats
        raise ValueError(
            f"games={games} is not allowed: every start is played once in each of the {seats} "
            f"rotations of the seats, so use a multiple of {seats}, such as {below} or "
            f"{below + seats}"
        )
    positions = () if book is None else load_book(book, game)
    digest = hashlib.sha256("\n".join(positions).encode()).hexdigest()
    header = Header(
        game=game.spec.env_id,
        options=dict(game.options),
        seats=list(game.layout.seat_names),
        agents=texts,
        games=games,
        seed=integer_from("seed", seed, 0),
        opening_plies=opening_plies,
        book=Book(len(positions), digest) if positions else None,
        sprt=None if sprt is None else (sprt.elo0, sprt.elo1),
        gauntlet=gauntlet,
        versions=versions("tzaar-envs", "numpy", "numba", "torch"),
        machine=machine(),
    )
    return Plan(game, tuple(agents), numbers, header, positions)


def line_ups(
    agents: Sequence[str], seats: int, *, gauntlet: bool = False
) -> tuple[tuple[int, ...], ...]:
    """Return every combination of agents for the seats, as indices; in a gauntlet with the first.

    Those of the first agents come first, so a further agent changes the number of none of them.

    Raises:
        ValueError: There are too few agents, or one is named too often.
    """
    if len(agents) < seats:
        raise ValueError(
            f"name {seats} or more agents, not {len(agents)}: there are {seats} seats"
            + (", one of them several times if necessary" if seats > 2 else "")
        )
    for agent in agents:
        if agents.count(agent) >= seats:
            raise ValueError(
                f"agent {agent!r} is named {agents.count(agent)} times: with {seats} seats use it "
                f"{'once' if seats == 2 else f'at most {seats - 1} times'}"
            )
    every = sorted(combinations(range(len(agents)), seats), key=lambda numbers: numbers[::-1])
    different: dict[tuple[str, ...], tuple[int, ...]] = {}
    for numbers in every:
        different.setdefault(tuple(sorted(agents[number] for number in numbers)), numbers)
    return tuple(each for each in different.values() if 0 in each or not gauntlet)


def whole_starts(games: Sequence[GameRecord], seats: int) -> list[GameRecord]:
    """Return the games of the starts that were played in every rotation: they favour nobody."""
    starts = [game.match and (game.match.line_up, game.match.start) for game in games]
    rotations = Counter(starts)
    return [game for game, start in zip(games, starts, strict=True) if rotations[start] == seats]


def load_book(path: str | Path, game: Game) -> tuple[str, ...]:
    """Read a book: a text file with one position in the game's notation on each line.

    Blank lines, and lines that begin with `# `, are skipped.

    Returns:
        The positions, as the game itself writes them.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not a position, or its game is over; names the line and the reason.
    """
    path = Path(path)
    positions = []
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text == "#" or text.startswith("# "):  # a position may begin with #
            continue
        try:
            state = game.parse(text)
        except ValueError as error:
            raise ValueError(f"book {str(path)!r}, line {number}: {error}") from error
        if state.is_terminal:
            raise ValueError(f"book {str(path)!r}, line {number}: the game is over in {text!r}")
        positions.append(str(state))
    if not positions:
        raise ValueError(f"book {str(path)!r} has no position: write one on each line")
    return tuple(positions)


def agent_text(source: AgentSource) -> str:
    """Return the text that names an agent in records: `module:function` for a factory."""
    if isinstance(source, str | Agent):
        return source if isinstance(source, str) else source.name
    name = getattr(source, "__qualname__", type(source).__qualname__)
    return f"{getattr(source, '__module__', type(source).__module__)}:{name}"


def check_sources(game: Game, agents: Sequence[AgentSource]) -> None:
    """Raise a ValueError for anything that cannot name or make an agent of a game.

    Nothing is loaded or compiled for it.
    """
    if isinstance(agents, str):
        raise ValueError(f"agents={agents!r} is not allowed: use a list with one agent per seat")
    for number, agent in enumerate(agents):
        if not isinstance(agent, str | Agent) and not callable(agent):
            raise ValueError(
                f"agents[{number}]={agent!r} is not allowed: use text for make_agent, an Agent, or "
                "a function that takes the game and returns one"
            )
        if isinstance(agent, str):
            AgentText.parse(agent, game.spec)


def check_picklable(sources: Sequence[AgentSource]) -> None:
    """Raise a ValueError for agents and factories that cannot be sent to another process."""
    try:
        pickle.dumps(sources)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"agents cannot be sent to worker processes ({error}): use functions at the top level "
            "of a module, or workers=1"
        ) from None
