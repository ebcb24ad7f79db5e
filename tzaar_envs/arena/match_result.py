"""The result of a match, saved as JSON."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from tzaar_envs.arena.luck import Luck, LuckAdjusted, adjust
from tzaar_envs.arena.records import GameId, GameRecord
from tzaar_envs.arena.results_file import Header
from tzaar_envs.arena.summaries import Summary, distinct_games, summarise
from tzaar_envs.core.errors import Forfeit
from tzaar_envs.system.files import write_atomically


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The games of a match and how they were played.

    Agent i of the match is at seat `(i + game.match.rotation) % seats` of a game.

    Attributes:
        format, format_version: of the JSON.
        header: what the match is.
        agents: their names, all different; their texts are in the header.
        workers: how many processes played.
        seconds: wall-clock time of playing, the start of the workers included.
        games: sorted by start and rotation, each start in every rotation.
        luck: what chance gave in each game, see `arena.measure_luck`; None if it was not measured.

    Raises:
        ValueError: the parts do not belong together.
    """

    format: Literal["tzaar-envs match"]
    format_version: Literal[2]
    header: Header
    agents: tuple[str, ...]
    workers: Annotated[int, msgspec.Meta(ge=1)]
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e12)]
    games: list[GameRecord]
    luck: Luck | None = None

    def __post_init__(self) -> None:
        seats = len(self.header.seats)
        if not seats == len(self.header.agents) == len(set(self.agents)) == len(self.agents):
            raise ValueError(f"there are not {seats} agents with different names")
        if len(self.games) > self.header.games:
            raise ValueError(f"there are {len(self.games)} games of {self.header.games}")
        ids = [game.match for game in self.games]
        starts = sorted({game.start for game in ids if game is not None})
        if ids != [GameId(0, start, rotation) for start in starts for rotation in range(seats)]:
            raise ValueError("the games are not each start in every rotation, in order")
        for number, game in enumerate(self.games):
            self.header.check_record(game)
            if game.agents != [
                self.header.agents[(seat - number) % seats] for seat in range(seats)
            ]:
                raise ValueError("the agents at the seats do not follow from the rotation")
        if self.luck is not None and [*map(len, self.luck.games)] != [seats] * len(self.games):
            raise ValueError("the luck is not of each game and seat")

    @property
    def interrupted(self) -> bool:
        """Whether the match was stopped before all games were played."""
        return len(self.games) < self.header.games

    @property
    def distinct_games(self) -> int:
        """How many games differ; agents without chance repeat themselves from the same start."""
        return distinct_games(self.games)

    @property
    def forfeits(self) -> Counter[Forfeit]:
        """How many games were lost by each kind of forfeit."""
        return Counter(game.forfeit for game in self.games if game.forfeit is not None)

    @property
    def moves_per_second(self) -> float:
        """The moves of the agents (not of random openings) per second of wall-clock time."""
        moves = sum(game.plies - game.opening for game in self.games)
        return moves / self.seconds if self.seconds > 0 else 0.0

    def summary(self, agent: int, seat: int | None = None) -> Summary:
        """Return how an agent did.

        Args:
            agent: its index in `agents`.
            seat: only its games at this seat; None: all.

        Raises:
            ValueError: the agent or the seat does not exist.
        """
        self._check_numbers(agent=agent, seat=seat or 0)
        own = [
            (game, place)
            for game, place in zip(self.games, self._places(agent), strict=True)
            if seat in (None, place)
        ]
        returns = [game.returns[place] for game, place in own if game.returns is not None]
        scores = [game.scores[place] for game, place in own if game.scores is not None]
        return summarise(self.agents[agent], seat, returns, scores)

    def without_luck(self, agent: int) -> LuckAdjusted | None:
        """Return how an agent did over all seats without luck; None without games or `luck`.

        Raises:
            ValueError: the agent does not exist.
        """
        self._check_numbers(agent=agent)
        if self.luck is None or not self.games:
            return None
        places = self._places(agent)
        return adjust(
            self.agents[agent],
            len(self.agents),
            [(game.returns or [])[place] for game, place in zip(self.games, places, strict=True)],
            [game[place] for game, place in zip(self.luck.games, places, strict=True)],
        )

    def _check_numbers(self, **numbers: int) -> None:
        seats = len(self.agents)
        for what, number in numbers.items():
            if not 0 <= number < seats:
                raise ValueError(f"{what} {number} does not exist: use 0 to {seats - 1}")

    def _places(self, agent: int) -> list[int]:
        """Return the seat of an agent in each game."""
        return [(agent + number) % len(self.agents) for number in range(len(self.games))]

    def summaries(self) -> list[Summary]:
        """Return every agent's summary over all seats, each followed by those of its seats."""
        seats = range(len(self.agents))
        return [self.summary(agent, seat) for agent in seats for seat in (None, *seats)]

    def summaries_without_luck(self) -> list[LuckAdjusted]:
        """Return how every agent did without luck; none without games or `luck`."""
        found = map(self.without_luck, range(len(self.agents)))
        return [adjusted for adjusted in found if adjusted is not None]

    def to_json(self) -> str:
        """Return the whole result as JSON text, with the summaries for people and other programs.

        For the same arguments all but `workers` and `seconds` is the same; `load` computes
        the summaries from the games again.
        """
        content = msgspec.to_builtins(self)
        games, luck = content.pop("games"), content.pop("luck")
        content["summaries"] = msgspec.to_builtins(self.summaries())
        if luck is not None:
            content["without_luck"] = msgspec.to_builtins(self.summaries_without_luck())
            content["luck"] = luck
        content["games"] = games
        lines = [f'  "{name}": {_lines(value)}' for name, value in content.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def save(self, path: str | Path) -> Path:
        """Write the result as JSON, whole or not at all; missing folders are made.

        Returns:
            The path of the file.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, self.to_json())
        return path

    @classmethod
    def load(cls, path: str | Path) -> MatchResult:
        """Read a result that `save` wrote, after checking all of it.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not such a result; says what is wrong.
        """
        return cls.decode(Path(path).read_bytes(), path)

    @classmethod
    def decode(cls, content: bytes, name: str | Path) -> MatchResult:
        """Read the content of such a file, after checking all of it.

        Args:
            content: JSON.
            name: what errors call it.

        Raises:
            ValueError: it is not such a result; says what is wrong.
        """
        try:
            return msgspec.json.decode(content, type=cls)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} is not a match result: {error}") from None


def _lines(value: Any) -> str:
    """Return JSON, a list of objects with one line each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"    {_lines(item)}" for item in value) + "\n  ]"
    return msgspec.json.encode(value).decode()
