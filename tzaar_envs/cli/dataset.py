"""The command `dataset`: recorded games as training data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tzaar_envs.arguments.errors import EXIT_INTERRUPTED
from tzaar_envs.arguments.parameters import (
    GameName,
    GameOptions,
    MatchGames,
    MatchSeed,
    OpeningPlies,
    Workers,
    agents_at_seats,
    check_free,
    game_of,
)
from tzaar_envs.cli.matches import played_match
from tzaar_envs.cli.output import working

if TYPE_CHECKING:
    from tzaar_envs.arena.records import GameRecord
    from tzaar_envs.core.spec import GameSpec


def dataset(
    name: GameName,
    agents: Annotated[
        tuple[str, ...], agents_at_seats("One agent for each seat, or one for all")
    ] = (),
    /,
    *,
    games: MatchGames = None,
    records: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            help="File of recorded games to convert, in place of games between agents.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Parameter(metavar="PATH", help="Folder of the dataset.", show_default="GAME-dataset"),
    ] = None,
    reward: Annotated[
        Literal["outcome", "score", "gain"],
        Parameter(
            help="What is paid: the return at the end, the lead in points at the end, or the same "
            "lead step by step.",
        ),
    ] = "outcome",
    seed: MatchSeed = 0,
    workers: Workers = 1,
    opening_plies: OpeningPlies = 0,
    option: GameOptions = (),
) -> None:
    """Write games as a dataset of per-player transitions, which Minari and RL libraries load.

    Agents play the games, or they come from a file of recorded games. Needs the extra `data`.
    """
    with working("Loading the rules; they are compiled at the first use"):
        from tzaar_envs.datasets import require_minari, write_dataset
        from tzaar_envs.registry import find_spec

        require_minari()
        if bool(agents) == (records is not None):
            raise ValueError("dataset needs agents that play, or --records FILE: give one of them")
        spec = find_spec(name)
        path = out or Path(f"{spec.name}-dataset")
        check_free(None if out is None else "--out", path)
        if records is not None:
            chosen, interrupted = _recorded(records, spec), False
            # Their options count, unless others are asked for.
            with _naming(records):
                game = game_of(spec, option) if option else chosen[0].load_game()
            game.rules  # noqa: B018  # loaded here
        else:
            game = game_of(spec, option)
    if records is None:
        seated = [*agents] * (game.num_players if len(agents) == 1 else 1)
        result = played_match(game, seated, games, seed, workers, opening_plies)
        chosen, interrupted = result.games, result.interrupted
    with working(f"Writing {path}"), _naming(records):
        write_dataset(path, chosen, game, reward=reward)
    count = sum(record.returns is not None for record in chosen)
    print(f"The transitions of {count} games are in {path}")
    if interrupted:
        sys.exit(EXIT_INTERRUPTED)


@contextmanager
def _naming(records: Path | None) -> Iterator[None]:
    """Put the name of the file, if there is one, in front of a ValueError."""
    try:
        yield
    except ValueError as error:
        if records is None:
            raise
        raise ValueError(f"{str(records)!r}: {error}") from error


def _recorded(path: Path, spec: GameSpec) -> list[GameRecord]:
    """Return the games in a file that are of one game."""
    from tzaar_envs.replay import read_file

    own = [record for record in read_file(path) if record.game == spec.env_id]
    if not own:
        raise ValueError(f"{str(path)!r} has no game of {spec.env_id}")
    return own
