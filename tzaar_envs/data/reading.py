"""`read_dataset`, `read_dataset_games`: from a dataset to transitions, and to records of games."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tzaar_envs.arena.records import GameRecord, read_records
from tzaar_envs.core.border import array_of, integer, integers_of
from tzaar_envs.data.writing import FOLDER, GAMES, require_minari
from tzaar_envs.system.terminal import printable_line
from tzaar_envs.wrappers.record_games import RecordedGamesHeader
from tzaar_envs.wrappers.vector_transitions import Transitions

if TYPE_CHECKING:
    from minari import MinariDataset


def open_dataset(path: str | Path) -> MinariDataset:
    """Return a dataset as Minari's own class.

    Raises:
        FileNotFoundError: there is no dataset.
        ValueError: it cannot be read; says why.
        ModuleNotFoundError: the extra `data` is not installed.
    """
    require_minari()
    from minari import MinariDataset

    folder = Path(path) / FOLDER
    if not (folder / "metadata.json").is_file():
        raise FileNotFoundError(f"there is no dataset {str(path)!r}")
    try:
        return MinariDataset(folder)
    except Exception as error:  # whatever is wrong with its files
        raise ValueError(f"{str(path)!r} is not a dataset: {_reason(error)}") from error


def read_dataset(path: str | Path, agents: Collection[str] | None = None) -> Transitions:
    """Return the transitions of a dataset, as `RecordVectorTransitions` returns them.

    `rows` are the numbers of the games, `seats` the players. The transitions of a player in a game
    are in the order of its actions.

    Args:
        path: the folder of the dataset.
        agents: only the transitions of these agents, or of this one; None: of all.

    Raises:
        FileNotFoundError: there is no dataset.
        ValueError: it cannot be read, holds no such transition, or `agents` are no names; says why.
        ModuleNotFoundError: the extra `data` is not installed.
    """
    dataset = open_dataset(path)
    if isinstance(agents, str):
        agents = [agents]
    if agents is not None and not _are_names(agents):
        raise ValueError(f"agents={agents!r:.80} are not names of agents")
    parts: list[tuple[Any, ...]] = []
    known: set[str] = set()
    try:
        for facts, episode in zip(
            dataset.storage.get_episode_metadata(range(len(dataset))),
            dataset.iterate_episodes(),
            strict=True,
        ):
            agent = str(facts.get("agent", ""))
            known.add(agent)
            if agents is not None and agent not in agents:
                continue
            parts.append(_columns(dataset.observation_space, facts, episode))
    except Exception as error:  # whatever is wrong with its files
        raise ValueError(f"{str(path)!r} is not a dataset of games: {_reason(error)}") from error
    if not parts:
        raise ValueError(
            f"{str(path)!r} has no transition of {_listed(agents or ())}: its agents are "
            f"{_listed(known)}"
        )
    return Transitions(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _are_names(given: Any) -> bool:
    is_some = isinstance(given, Collection) and bool(given)
    return is_some and all(isinstance(each, str) for each in given)


def _reason(error: Exception) -> str:
    return printable_line(str(error)) or type(error).__name__


def _listed(names: Collection[str]) -> str:
    return printable_line(", ".join(sorted(names)))


def _columns(space: Any, facts: Any, episode: Any) -> tuple[Any, ...]:
    """Return the transitions of an episode, in the order of the fields of `Transitions`.

    Raises:
        ValueError: arrays of other shapes or types than the dataset says, or impossible numbers.
    """
    count = len(episode.actions)
    seen, masks = (
        array_of(name, episode.observations[name], np.int8, (count + 1, *space[name].shape))
        for name in ("observation", "action_mask")
    )
    actions = integers_of("actions", episode.actions, count)
    if count and not 0 <= actions.min() <= actions.max() < masks.shape[1]:
        raise ValueError(f"actions do not all exist: use 0 to {masks.shape[1] - 1}")
    if ((masks != 0) & (masks != 1)).any():
        raise ValueError("action_mask is not 0 or 1 everywhere")
    rewards = array_of("rewards", episode.rewards, np.float64, (count,))
    if not np.isfinite(rewards).all():
        raise ValueError("rewards are not all finite")
    return (
        *(np.full(count, _number(name, facts[name]), np.int64) for name in ("game", "player")),
        seen[:-1],
        masks[:-1],
        actions,
        rewards,
        seen[1:],
        masks[1:],
        array_of("terminations", episode.terminations, np.bool_, (count,)),
        array_of("truncations", episode.truncations, np.bool_, (count,)),
    )


def _number(name: str, given: Any) -> int:
    number = integer(name, given)
    if not 0 <= number < 2**63:
        raise ValueError(f"{name}={number} is not allowed: use 0 to {2**63 - 1}")
    return number


def read_dataset_games(path: str | Path) -> list[GameRecord]:
    """Return the records of the games of a dataset, in the order of their numbers.

    Raises:
        OSError: they cannot be read.
        ValueError: a line is damaged; says which and why.
    """
    return read_records(Path(path) / FOLDER / GAMES, RecordedGamesHeader)[1]
