"""MatchResult: what a match came to, on disk as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tzaar_envs.arena.faults import CRASH, EXCEPTION, FAIR, FAULT_NAMES, ILLEGAL
from tzaar_envs.arena.intervals import bounded_mean, unbounded_mean, wilson
from tzaar_envs.system.files import write_atomically

FORMAT = "tzaar-envs match"
FORMAT_VERSION = 1


@dataclass(frozen=True, eq=False)
class GameRecords:
    """The games of a match, `games` of them with `seats` seats, one row each.

    Attributes:
        start: int64 `(games,)`, the number of the start position.
        rotation: int64 `(games,)`; in rotation r agent i sits at seat `(i + r) % seats`.
        agent_at_seat: int64 `(games, seats)`, the agent at each seat.
        returns: float64 `(games, seats)`, the return of each agent (not seat), -1 .. 1.
        scores: float64 `(games, seats)`, the points of each agent (not seat); NaN where a fault cut
            the game off.
        plies: int64 `(games,)`, the actions played, those of the random opening included.
        truncated: bool `(games,)`, ended by a move cap alone.
        fault: int64 `(games,)`: `FAIR`, or how an agent lost at once, see `arena.faults`.
        culprit: int64 `(games,)`, the agent whose fault it was, -1 if there was none.
        digest: uint64 `(games,)`, of the position where the agents took over and their actions.
    """

    start: NDArray[np.int64]
    rotation: NDArray[np.int64]
    agent_at_seat: NDArray[np.int64]
    returns: NDArray[np.float64]
    scores: NDArray[np.float64]
    plies: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    fault: NDArray[np.int64]
    culprit: NDArray[np.int64]
    digest: NDArray[np.uint64]


@dataclass(frozen=True)
class Summary:
    """How an agent did, over all seats or at one of them.

    A game is won with a return above 0, lost below 0, and drawn at 0. All intervals are 95 %.

    Attributes:
        agent: its name in this match.
        seat: the seat, None for all of them.
        games: how many.
        wins: how many.
        draws: how many.
        losses: how many.
        win_rate: 0 .. 1; None without games, as all rates and means.
        win_interval: Wilson.
        draw_rate: 0 .. 1.
        draw_interval: Wilson.
        loss_rate: 0 .. 1.
        loss_interval: Wilson.
        mean_return: -1 .. 1.
        return_interval: Wilson over the range, conservative; see `intervals.bounded_mean`.
        mean_score: of the games that no fault cut off; None if there are none.
        score_interval: Student; None with fewer than two such games.
    """

    agent: str
    seat: int | None
    games: int
    wins: int
    draws: int
    losses: int
    win_rate: float | None
    win_interval: tuple[float, float]
    draw_rate: float | None
    draw_interval: tuple[float, float]
    loss_rate: float | None
    loss_interval: tuple[float, float]
    mean_return: float | None
    return_interval: tuple[float, float]
    mean_score: float | None
    score_interval: tuple[float, float] | None


@dataclass(frozen=True)
class Lengths:
    """The lengths of games in plies, those of the random opening included."""

    mean: float
    minimum: int
    median: float
    maximum: int


@dataclass(frozen=True, eq=False)
class MatchResult:
    """The games of a match and how they were played.

    Attributes:
        game: the name of the game.
        version: of its rules.
        options: the value of every option.
        seat_names: what the rules call the seats, in turn order.
        agents: the names of the agents, all different.
        forms: what they were made from: the text form, or `module:function` of a factory.
        seed: all games follow from it.
        opening_plies: how many random plies came before the agents took over.
        games_requested: how many games were asked for.
        interrupted: the match was stopped before all of them were played.
        records: the games, sorted by start and rotation: each start in every rotation.
        errors: what the first faults were, for people.
        versions: of Python and the libraries.
        workers: how many processes played.
        seconds: wall-clock time of playing, the start of the workers included.
    """

    game: str
    version: int
    options: Mapping[str, Any]
    seat_names: tuple[str, ...]
    agents: tuple[str, ...]
    forms: tuple[str, ...]
    seed: int
    opening_plies: int
    games_requested: int
    interrupted: bool
    records: GameRecords
    errors: tuple[str, ...]
    versions: Mapping[str, str]
    workers: int
    seconds: float

    @property
    def games(self) -> int:
        """The number of games played."""
        return self.records.start.size

    @property
    def distinct_games(self) -> int:
        """How many of them differ; agents without chance repeat themselves from the same start."""
        return int(np.unique(self.records.digest).size)

    @property
    def illegal_moves(self) -> int:
        """The number of illegal moves, each of which lost a game."""
        return int((self.records.fault == ILLEGAL).sum())

    @property
    def exceptions(self) -> int:
        """The number of games lost because an agent raised an exception."""
        return int((self.records.fault == EXCEPTION).sum())

    @property
    def crashes(self) -> int:
        """The number of games lost because an agent made worker processes die."""
        return int((self.records.fault == CRASH).sum())

    @property
    def moves_per_second(self) -> float:
        """The moves of the agents (not of random openings) per second of wall-clock time."""
        moves = int((self.records.plies - self.opening_plies).sum())
        return moves / self.seconds if self.seconds > 0 else 0.0

    @property
    def lengths(self) -> Lengths | None:
        """The lengths of the games, None without games."""
        plies = self.records.plies
        if plies.size == 0:
            return None
        return Lengths(
            float(plies.mean()), int(plies.min()), float(np.median(plies)), int(plies.max())
        )

    def summary(self, agent: int, seat: int | None = None) -> Summary:
        """Return how an agent did.

        Args:
            agent: its index in `agents`.
            seat: only its games at this seat; None: all.

        Raises:
            ValueError: the agent or the seat does not exist.
        """
        last = len(self.agents) - 1
        if not 0 <= agent <= last:
            raise ValueError(f"agent {agent} does not exist: this match has agents 0 to {last}")
        if seat is not None and not 0 <= seat <= last:
            raise ValueError(f"seat {seat} does not exist: {self.game} has seats 0 to {last}")
        chosen = np.ones(self.games, np.bool_)
        if seat is not None:
            chosen = self.records.agent_at_seat[:, seat] == agent
        returns = self.records.returns[chosen, agent]
        scores = self.records.scores[chosen, agent]
        scores = scores[~np.isnan(scores)]
        games = returns.size
        wins = int((returns > 0).sum())
        losses = int((returns < 0).sum())
        draws = games - wins - losses
        return Summary(
            agent=self.agents[agent],
            seat=seat,
            games=games,
            wins=wins,
            draws=draws,
            losses=losses,
            win_rate=wins / games if games else None,
            win_interval=wilson(wins, games),
            draw_rate=draws / games if games else None,
            draw_interval=wilson(draws, games),
            loss_rate=losses / games if games else None,
            loss_interval=wilson(losses, games),
            mean_return=float(returns.mean()) if games else None,
            return_interval=bounded_mean(returns),
            mean_score=float(scores.mean()) if scores.size else None,
            score_interval=unbounded_mean(scores),
        )

    def summaries(self) -> list[Summary]:
        """Return every agent's summary over all seats, each followed by those of its seats."""
        seats = (None, *range(len(self.seat_names)))
        return [self.summary(agent, seat) for agent in range(len(self.agents)) for seat in seats]

    def to_json(self) -> str:
        """Return the whole result as JSON text.

        The part `result` is the same for the same arguments whatever the number of workers; what
        differs from run to run stands beside it. Summaries are there for people and other
        programs: `load` computes them anew from the records.
        """
        records = self.records
        lengths = self.lengths
        result = {
            "game": self.game,
            "version": self.version,
            "options": dict(self.options),
            "seat_names": list(self.seat_names),
            "agents": list(self.agents),
            "forms": list(self.forms),
            "seed": self.seed,
            "opening_plies": self.opening_plies,
            "games_requested": self.games_requested,
            "interrupted": self.interrupted,
            "games": self.games,
            "distinct_games": self.distinct_games,
            "illegal_moves": self.illegal_moves,
            "exceptions": self.exceptions,
            "lengths": asdict(lengths) if lengths else None,
            "summaries": [asdict(summary) for summary in self.summaries()],
            "records": {
                "start": records.start.tolist(),
                "rotation": records.rotation.tolist(),
                "agent_at_seat": records.agent_at_seat.tolist(),
                "returns": records.returns.tolist(),
                "scores": [
                    [None if math.isnan(score) else score for score in row]
                    for row in records.scores.tolist()
                ],
                "plies": records.plies.tolist(),
                "truncated": records.truncated.tolist(),
                "fault": records.fault.tolist(),
                "culprit": records.culprit.tolist(),
                # As text, because most readers of JSON keep only 53 bits of a number.
                "digest": [f"{digest:016x}" for digest in records.digest.tolist()],
            },
        }
        timing = {
            "seconds": self.seconds,
            "moves_per_second": self.moves_per_second,
            "workers": self.workers,
        }
        document = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "result": result,
            "timing": timing,
            "errors": list(self.errors),
            "versions": dict(self.versions),
        }
        return _write_json(document) + "\n"

    def save(self, path: str | Path) -> Path:
        """Write the result as JSON, whole or not at all; missing folders are made.

        Returns:
            The path of the file.
        """
        path = Path(path)
        text = self.to_json()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
        return path

    @classmethod
    def load(cls, path: str | Path) -> MatchResult:
        """Read a result that `save` wrote, after checking all of it.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no such result; says what is wrong.
        """
        path = Path(path)
        content = path.read_bytes()
        try:
            return cls.from_json(content.decode("utf-8"))
        except UnicodeDecodeError:
            raise ValueError(f"{path} is no match result: it is not UTF-8 text") from None
        except ValueError as error:
            raise ValueError(f"{path} is no match result: {error}") from None

    @classmethod
    def from_json(cls, text: str) -> MatchResult:
        """Return the result that `to_json` wrote, after checking all of it.

        Raises:
            ValueError: it is no such result; says what is wrong.
        """
        try:
            document = json.loads(text, parse_constant=_refuse_constant)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"it is not JSON ({error})") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"it does not say 'format': {FORMAT!r}")
        if document.get("format_version") != FORMAT_VERSION:
            raise ValueError(
                f"its format_version is {document.get('format_version')!r}, "
                f"this release reads {FORMAT_VERSION}"
            )
        fields = _take(document, "result", dict)
        timing = _take(document, "timing", dict)
        versions = _take(document, "versions", dict)
        if not all(isinstance(version, str) for version in versions.values()):
            raise ValueError("'versions' has something other than texts in it")
        seconds = timing.get("seconds")
        # type() because bool counts as int.
        if type(seconds) not in (int, float) or not 0 <= seconds < math.inf:
            raise ValueError(f"'seconds' is {seconds!r}, not a number of 0 or more")
        seat_names = _take_texts(fields, "seat_names")
        if not seat_names:
            raise ValueError("'seat_names' is empty")
        result = cls(
            game=_take(fields, "game", str),
            version=_take(fields, "version", int),
            options=_take(fields, "options", dict),
            seat_names=seat_names,
            agents=_take_texts(fields, "agents"),
            forms=_take_texts(fields, "forms"),
            seed=_take(fields, "seed", int),
            opening_plies=_take(fields, "opening_plies", int),
            games_requested=_take(fields, "games_requested", int),
            interrupted=_take(fields, "interrupted", bool),
            records=_read_records(_take(fields, "records", dict), len(seat_names)),
            errors=_take_texts(document, "errors"),
            versions=versions,
            workers=_take(timing, "workers", int),
            seconds=float(seconds),
        )
        _check(result)
        return result


def _write_json(value: Any, indent: str = "") -> str:
    """Return JSON with one line per field and per row of summaries, and one per column of data."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{json.dumps(key)}: {_write_json(value[key], inner)}" for key in value]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = [inner + json.dumps(item, ensure_ascii=False, allow_nan=False) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is no JSON number")


def _take(fields: dict[str, Any], name: str, kind: type) -> Any:
    if name not in fields:
        raise ValueError(f"{name!r} is missing")
    value = fields[name]
    # type() because bool counts as int.
    if type(value) is not kind:
        names = {dict: "an object", list: "a list", str: "a text", int: "an integer"}
        raise ValueError(f"{name!r} is not {names.get(kind, 'true or false')}")
    return value


def _take_texts(fields: dict[str, Any], name: str) -> tuple[str, ...]:
    texts = _take(fields, name, list)
    if not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{name!r} has something other than texts in it")
    return tuple(texts)


def _read_column(
    fields: dict[str, Any], name: str, kinds: str, dtype: type, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return one column of the records; `kinds` are the allowed kinds of NumPy dtypes."""
    values = _take(fields, name, list)
    try:
        array = np.array(values)
    except (ValueError, OverflowError):
        array = np.array(None)
    if not values:
        array = np.zeros(shape, dtype)
    if array.dtype.kind not in kinds:
        raise ValueError(f"the column {name!r} has values of a wrong type or in rows of any length")
    if array.shape != shape:
        raise ValueError(f"the column {name!r} has the shape {array.shape}, not {shape}")
    return array.astype(dtype)


def _read_records(fields: dict[str, Any], seats: int) -> GameRecords:
    games = len(_take(fields, "start", list))
    each, per_seat = (games,), (games, seats)
    scores = _take(fields, "scores", list)
    marked = [
        [math.nan if score is None else score for score in row] if isinstance(row, list) else row
        for row in scores
    ]
    digests = _take_texts(fields, "digest")
    try:
        digest = np.array([int(text, 16) for text in digests], np.uint64)
    except (ValueError, OverflowError):
        raise ValueError("the column 'digest' has something other than 64-bit numbers") from None
    if digest.shape != each:
        raise ValueError(f"the column 'digest' has the shape {digest.shape}, not {each}")
    return GameRecords(
        start=_read_column(fields, "start", "i", np.int64, each),
        rotation=_read_column(fields, "rotation", "i", np.int64, each),
        agent_at_seat=_read_column(fields, "agent_at_seat", "i", np.int64, per_seat),
        returns=_read_column(fields, "returns", "if", np.float64, per_seat),
        scores=_read_column({"scores": marked}, "scores", "if", np.float64, per_seat),
        plies=_read_column(fields, "plies", "i", np.int64, each),
        truncated=_read_column(fields, "truncated", "b", np.bool_, each),
        fault=_read_column(fields, "fault", "i", np.int64, each),
        culprit=_read_column(fields, "culprit", "i", np.int64, each),
        digest=digest,
    )


def _check(result: MatchResult) -> None:
    """Raise a ValueError for what no match can come to."""
    records = result.records
    games, seats = records.returns.shape
    for name, names in (("agents", result.agents), ("forms", result.forms)):
        if len(names) != seats:
            raise ValueError(f"there are {len(names)} {name} for {seats} seats")
    if len(set(result.agents)) != seats:
        raise ValueError("two agents have the same name")
    if result.seed < 0 or result.opening_plies < 0 or result.workers < 1:
        raise ValueError("'seed' or 'opening_plies' is below 0, or 'workers' below 1")
    if games > result.games_requested or (
        games != result.games_requested and not result.interrupted
    ):
        raise ValueError(f"it has {games} games of {result.games_requested} requested")
    rotations = np.arange(games) % seats
    starts = records.start.reshape(-1, seats) if games % seats == 0 else None
    if (
        starts is None
        or (records.rotation != rotations).any()
        or (starts != starts[:, :1]).any()
        or (starts[:, 0] < 0).any()
        or (np.diff(starts[:, 0]) <= 0).any()
    ):
        raise ValueError("the games are not each start in every rotation, in order")
    if (records.agent_at_seat != (np.arange(seats) - rotations[:, None]) % seats).any():
        raise ValueError("the agents at the seats do not follow from the rotations")
    if not (np.abs(records.returns) <= 1).all():
        raise ValueError("a return is not in -1 .. 1")
    if np.isinf(records.scores).any():
        raise ValueError("a score is not finite")
    if (records.plies < result.opening_plies).any():
        raise ValueError("a game is shorter than its opening")
    if not np.isin(records.fault, (FAIR, *FAULT_NAMES)).all():
        raise ValueError(f"a fault is none of {FAIR} to {max(FAULT_NAMES)}")
    faulty = records.fault != FAIR
    if (
        (records.culprit[~faulty] != -1).any()
        or (records.culprit[faulty] < 0).any()
        or (records.culprit[faulty] >= seats).any()
    ):
        raise ValueError("the culprits do not fit the faults")
