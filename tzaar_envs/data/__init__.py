"""Datasets: recorded games as per-player transitions in Minari's layout; needs the extra `data`.

    from tzaar_envs.data import read_dataset, write_dataset
    from tzaar_envs.arena.records import read_games

    write_dataset("tzaar-greedy", read_games("games.jsonl"))
    transitions = read_dataset("tzaar-greedy")

| module         | content                                                  |
|----------------|----------------------------------------------------------|
| `trajectories` | what each player has met with in a recorded game         |
| `writing`      | `write_dataset`                                          |
| `reading`      | `read_dataset`, `read_dataset_games`                     |
| `making`       | games that agents play to become a dataset               |
"""

from tzaar_envs.data.making import play_games
from tzaar_envs.data.reading import read_dataset, read_dataset_games
from tzaar_envs.data.trajectories import Trajectory, trajectories
from tzaar_envs.data.writing import write_dataset

__all__ = [
    "Trajectory",
    "play_games",
    "read_dataset",
    "read_dataset_games",
    "trajectories",
    "write_dataset",
]
