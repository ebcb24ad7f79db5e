"""Datasets: recorded games as per-player transitions in Minari's layout; needs the extra `data`.

from tzaar_envs.arena.records import read_games
from tzaar_envs.datasets import read_dataset, write_dataset

write_dataset("tzaar-greedy", read_games("games.jsonl"))
transitions = read_dataset("tzaar-greedy")
"""

from __future__ import annotations

import itertools
import operator
import re
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tzaar_envs.arena.records import GameRecord, RecordedGamesHeader, read_records, write_records
from tzaar_envs.core.game import Game
from tzaar_envs.envs.base import final_rewards, observation_box
from tzaar_envs.system.extras import require_extra
from tzaar_envs.version import __version__
from tzaar_envs.wrappers.transitions import TransitionCollector, Transitions

REWARDS = ("outcome", "score", "gain")
"""The rewards that a dataset can pay, see `record_transitions`."""

_FOLDER = "data"  # of a dataset, in which Minari looks
_GAMES = "games.jsonl"  # in that folder
_GAMES_AT_ONCE = 64


def require_minari() -> None:
    """Import Minari and what its format needs.

    Raises:
        ModuleNotFoundError: The extra `data` is not installed.
    """
    require_extra("data", "a dataset", "minari", "h5py", "PIL")


def record_transitions(
    record: GameRecord, game: Game | None = None, reward: str = "outcome"
) -> Transitions:
    """Return the transitions of all players of a finished game, without its random opening.

    A game that was forfeited is terminated, and pays its returns in the end in any case.

    Args:
        record: The record of the game.
        game: The game, where it is not in the registry.
        reward: `"outcome"`: a player's last transition pays its return; `"score"`: its lead in
            points, as the environments do; `"gain"`: every transition pays what it has changed in
            that lead, so that rewards come early and add up to the same.

    Returns:
        The transitions; all have the row 0.

    Raises:
        ValueError: The game has no result, or cannot have been played like this; there is no such
            reward.
    """
    if reward not in REWARDS:
        raise ValueError(f"reward={reward!r} is not allowed: use {', '.join(map(repr, REWARDS))}")
    if record.returns is None:
        raise ValueError("the game has no result")
    states = record.check(game)
    last = states[-1]
    collector = TransitionCollector(last.game)
    paid = np.zeros(last.game.num_players)
    row = np.zeros(1, np.int64)
    for state, name in list(zip(states, record.actions, strict=False))[record.opening :]:
        player = state.current_player
        if reward == "gain" and collector.is_open[0, player]:
            gained = final_rewards(state, "score")[player] - paid[player]
            collector.rewards[0, player] += gained
            paid[player] += gained
        collector.act(
            row,
            np.array([player]),
            state.observation(player)[None],
            state.legal_mask()[None],
            np.array([state.parse_action(name)]),
        )
    is_plain = reward == "outcome" or record.forfeit is not None
    total = np.array(record.returns) if is_plain else final_rewards(last, "score")
    collector.rewards += total - paid
    collector.end(
        row,
        lambda _, seats: np.array([last.observation(int(seat)) for seat in seats]),
        np.array([not last.is_truncated]),
        np.array([last.is_truncated]),
    )
    return collector.take()


def write_dataset(
    path: str | Path,
    records: Iterable[GameRecord],
    game: Game | None = None,
    reward: str = "outcome",
) -> Path:
    """Write recorded games as a dataset: an episode for each player of each game.

    Games without a result are left out. An interruption leaves no dataset.

    Args:
        path: Folder of the dataset, which must not exist.
        records: Records of one game with the same options.
        game: The game, where it is not in the registry.
        reward: The reward to pay, see `record_transitions`.

    Returns:
        The path.

    Raises:
        FileExistsError: The folder exists.
        ValueError: There is no finished game, games differ, or one cannot have been played like
            this; says which. There is no such reward.
        ModuleNotFoundError: The extra `data` is not installed.
    """
    require_minari()
    path = Path(path)
    if path.exists():
        raise FileExistsError(f"{str(path)!r} exists already: choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Minari joins a relative path to itself.
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent.resolve()) as folder:
        inside = Path(folder) / "dataset" / _FOLDER
        inside.mkdir(parents=True)
        _write(inside, path.name, records, game, reward)
        shutil.move(inside.parent, path)
    return path


def _write(
    folder: Path, name: str, records: Iterable[GameRecord], game: Game | None, reward: str
) -> None:
    import minari
    from minari.data_collector import EpisodeBuffer
    from minari.dataset.minari_storage import MinariStorage

    numbered = enumerate(records, start=1)
    remaining = ((number, record) for number, record in numbered if record.returns is not None)
    kept: list[GameRecord] = []
    storage: Any = None
    while chunk := list(itertools.islice(remaining, _GAMES_AT_ONCE)):
        if storage is None:
            game = chunk[0][1].load_game() if game is None else game
            mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
            space = spaces.Dict({"observation": observation_box(game), "action_mask": mask})
            actions = spaces.Discrete(game.num_actions)
            storage = MinariStorage.new(folder, observation_space=space, action_space=actions)
        episodes, facts = [], []
        for number, record in chunk:
            try:
                transitions = record_transitions(record, game, reward)
            except ValueError as error:
                raise ValueError(f"game {number}: {error}") from error
            for player in np.unique(transitions.seats).tolist():
                own = transitions.where(transitions.seats == player)
                seen = np.concatenate([own.observations, own.next_observations[-1:]])
                masks = np.concatenate([own.masks, own.next_masks[-1:]])
                episodes.append(
                    EpisodeBuffer(
                        observations={"observation": seen, "action_mask": masks},
                        actions=own.actions,
                        rewards=own.rewards,
                        terminations=own.terminated,
                        truncations=own.truncated,
                    )
                )
                agent = {"agent": record.agents[player]} if record.agents else {}
                facts.append({"game": len(kept), "player": player, **agent})
            kept.append(record)
        before = storage.total_episodes
        storage.update_episodes(episodes)
        storage.update_episode_metadata(facts, range(before, before + len(episodes)))
    if game is None or not kept:
        raise ValueError("there is no finished game: a dataset needs at least one")
    agents = {agent for record in kept for agent in record.agents or ()}
    stem, _, version = name.rpartition("-v")
    if not (stem and version.isdigit()):
        stem, version = name, "0"
    storage.update_metadata(
        {
            # By which Minari loads it.
            "dataset_id": f"{game.name}/{re.sub('[^-_A-Za-z0-9]+', '-', stem)}-v{version}",
            "minari_version": minari.__version__,
            "algorithm_name": ", ".join(sorted(agents)),
            "description": f"Games of {game.spec.title}: an episode for each player of each game.",
            "requirements": [f"tzaar-envs=={__version__}"],
            "game": game.spec.env_id,
            "game_options": dict(game.options),
            "reward": reward,
        }
    )
    write_records(folder / _GAMES, RecordedGamesHeader(), kept)


def read_dataset(path: str | Path, agents: Collection[str] | None = None) -> Transitions:
    """Return the transitions of a dataset, as `RecordVectorTransitions` returns them.

    `rows` are the numbers of the games, `seats` the players.

    Args:
        path: Folder of the dataset.
        agents: Name or names of the agents whose transitions are wanted; None: of all.

    Raises:
        FileNotFoundError: There is no dataset.
        ValueError: It cannot be read, or holds no such transition; says why.
        ModuleNotFoundError: The extra `data` is not installed.
    """
    require_minari()
    from minari import MinariDataset

    folder = Path(path) / _FOLDER
    if not (folder / "metadata.json").is_file():
        raise FileNotFoundError(f"there is no dataset {str(path)!r}")
    try:
        dataset = MinariDataset(folder)
        facts = [*dataset.storage.get_episode_metadata(range(len(dataset)))]
        episodes = [*map(_columns, dataset.iterate_episodes(), facts)]
    except Exception as error:  # whatever is wrong with its files
        raise ValueError(f"{str(path)!r} is not a dataset of games: {error}") from error
    players = [str(each.get("agent", "")) for each in facts]
    wanted = {agents} if isinstance(agents, str) else set(players if agents is None else agents)
    parts = [part for part, agent in zip(episodes, players, strict=True) if agent in wanted]
    if not parts:
        asked, known = (", ".join(sorted(names)) for names in (wanted, set(players)))
        raise ValueError(f"{str(path)!r} has no transition of {asked}: its agents are {known}")
    return Transitions(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _columns(episode: Any, facts: Mapping[str, Any]) -> tuple[NDArray[Any], ...]:
    """Return the arrays of an episode in the order of the fields of `Transitions`."""
    count = len(episode.actions)
    seen, masks = episode.observations["observation"], episode.observations["action_mask"]
    if {len(seen), len(masks), len(episode.rewards) + 1} != {count + 1}:
        raise ValueError("an episode has arrays of different lengths")
    if count and not 0 <= episode.actions.min() <= episode.actions.max() < masks.shape[1]:
        raise ValueError(f"not all actions are allowed: use 0 to {masks.shape[1] - 1}")
    return (
        *(np.full(count, operator.index(facts[name]), np.int64) for name in ("game", "player")),
        seen[:-1],
        masks[:-1],
        episode.actions.astype(np.int64),
        episode.rewards.astype(np.float64),
        seen[1:],
        masks[1:],
        episode.terminations.astype(np.bool_, casting="safe"),
        episode.truncations.astype(np.bool_, casting="safe"),
    )


def read_dataset_games(path: str | Path) -> list[GameRecord]:
    """Return the records of the games of a dataset, in the order of their numbers.

    Raises:
        OSError: They cannot be read.
        ValueError: A line is damaged; says which and why.
    """
    return read_records(Path(path) / _FOLDER / _GAMES, RecordedGamesHeader)[1]
