"""`write_dataset`: from records of games to a dataset in Minari's layout."""

from __future__ import annotations

import itertools
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from tzaar_envs.arena.records import GameRecord, write_records
from tzaar_envs.core.game import Game
from tzaar_envs.data.trajectories import Trajectory, trajectories
from tzaar_envs.envs.base import observation_box
from tzaar_envs.system.extras import require_extra
from tzaar_envs.version import __version__
from tzaar_envs.wrappers.record_games import RecordedGamesHeader

FOLDER = "data"  # of a dataset, in which Minari looks
GAMES = "games.jsonl"  # in that folder
_GAMES_AT_ONCE = 64
_PURPOSE = "a dataset"


def require_minari() -> None:
    """Import Minari and what its format needs.

    Raises:
        ModuleNotFoundError: the extra `data` is not installed.
    """
    require_extra("data", _PURPOSE, "minari", "h5py", "PIL")


def write_dataset(
    path: str | Path,
    records: Iterable[GameRecord],
    game: Game | None = None,
    report: Callable[[int], None] | None = None,
    reward: str = "outcome",
) -> Path:
    """Write recorded games as a dataset: an episode for each player of each game.

    Games without a result are left out. An interruption leaves no dataset.

    Args:
        path: its folder, which must not exist.
        records: of one game with the same options.
        game: the game, where it is not in the registry.
        report: called with the number of games so far.
        reward: see `trajectories`.

    Returns:
        The path.

    Raises:
        FileExistsError: the folder exists.
        ValueError: there is no finished game, games differ, or one cannot have been played like
            this; says which. There is no such reward.
        ModuleNotFoundError: the extra `data` is not installed.
    """
    require_minari()
    path = Path(path)
    if path.exists():
        raise FileExistsError(f"{str(path)!r} exists already: choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Minari joins a relative path to itself.
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent.resolve()) as folder:
        inside = Path(folder) / "dataset" / FOLDER
        inside.mkdir(parents=True)
        _write(inside, path.name, records, game, report or (lambda games: None), reward)
        shutil.move(inside.parent, path)
    return path


def _write(
    folder: Path,
    name: str,
    records: Iterable[GameRecord],
    game: Game | None,
    report: Callable[[int], None],
    reward: str,
) -> None:
    import minari
    from minari.dataset.minari_storage import MinariStorage

    finished = (
        (number, record)
        for number, record in enumerate(records, start=1)
        if record.returns is not None
    )
    first = next(finished, None)
    if first is None:
        raise ValueError("there is no finished game: a dataset needs at least one")
    game = first[1].load_game() if game is None else game
    storage: Any = MinariStorage.new(
        folder,
        observation_space=spaces.Dict(
            {
                "observation": observation_box(game),
                "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
            }
        ),
        action_space=spaces.Discrete(game.num_actions),
    )
    kept: list[GameRecord] = []
    agents: set[str] = set()
    remaining = itertools.chain([first], finished)
    while chunk := list(itertools.islice(remaining, _GAMES_AT_ONCE)):
        episodes, facts = [], []
        for number, record in chunk:
            try:
                for trajectory in trajectories(record, game, reward):
                    episodes.append(_episode(trajectory))
                    facts.append(_facts(len(kept), trajectory.player, record))
            except ValueError as error:
                raise ValueError(f"game {number}: {error}") from error
            kept.append(record)
            agents |= set(record.agents)
        before = storage.total_episodes
        storage.update_episodes(episodes)
        storage.update_episode_metadata(facts, range(before, before + len(episodes)))
        report(len(kept))
    storage.update_metadata(
        {
            "dataset_id": dataset_id(game, name),
            "minari_version": minari.__version__,
            "algorithm_name": ", ".join(sorted(agents)),
            "description": f"Games of {game.spec.title}: an episode for each player of each game.",
            "requirements": [f"tzaar-envs=={__version__}"],
            "game": game.spec.env_id,
            "game_options": dict(game.options),
            "reward": reward,
        }
    )
    write_records(folder / GAMES, RecordedGamesHeader(), kept)


def dataset_id(game: Game, name: str) -> str:
    """Return the id by which Minari loads a dataset: `GAME/NAME-v0`."""
    stem, _, version = name.rpartition("-v")
    if not stem or not version.isdigit():
        stem, version = name, "0"
    return f"{game.name}/{re.sub(r'[^-_A-Za-z0-9]+', '-', stem)}-v{version}"


def _episode(trajectory: Trajectory) -> Any:
    from minari.data_collector import EpisodeBuffer

    steps = trajectory.transitions
    return EpisodeBuffer(
        observations={
            "observation": np.stack(
                [*(step.observation for step in steps), steps[-1].next_observation]
            ),
            "action_mask": np.stack([*(step.mask for step in steps), steps[-1].next_mask]),
        },
        actions=np.array([step.action for step in steps], np.int64),
        rewards=np.array([step.reward for step in steps]),
        terminations=np.array([step.terminated for step in steps]),
        truncations=np.array([step.truncated for step in steps]),
    )


def _facts(game: int, player: int, record: GameRecord) -> dict[str, Any]:
    facts = {"game": game, "player": player}
    return facts | ({"agent": record.agents[player]} if record.agents else {})
