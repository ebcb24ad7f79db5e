"""Records of played games, and files of them."""

from tzaar_envs.arena.records.file import (
    RecordFile,
    append_records,
    games_in,
    read_games,
    read_records,
    write_records,
)
from tzaar_envs.arena.records.lines import FileHeader
from tzaar_envs.arena.records.record import GameId, GameRecord, MoveData
from tzaar_envs.arena.records.recorder import Recorder
from tzaar_envs.arena.records.search_data import move_data
from tzaar_envs.core.errors import Forfeit

__all__ = [
    "FileHeader",
    "Forfeit",
    "GameId",
    "GameRecord",
    "MoveData",
    "RecordFile",
    "Recorder",
    "append_records",
    "games_in",
    "move_data",
    "read_games",
    "read_records",
    "write_records",
]
