"""Records of played games, and files of them."""

from tzaar_envs.core.fault import Fault
from tzaar_envs.records.file import (
    RecordFile,
    append_records,
    read_games,
    read_records,
    write_records,
)
from tzaar_envs.records.lines import FileHeader
from tzaar_envs.records.record import GameId, GameRecord, MoveData
from tzaar_envs.records.recorder import Recorder
from tzaar_envs.records.search_data import move_data

__all__ = [
    "Fault",
    "FileHeader",
    "GameId",
    "GameRecord",
    "MoveData",
    "RecordFile",
    "Recorder",
    "append_records",
    "move_data",
    "read_games",
    "read_records",
    "write_records",
]
