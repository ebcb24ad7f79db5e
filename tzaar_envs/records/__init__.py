"""Records of played games, and files of them."""

from tzaar_envs.records.file import (
    FileHeader,
    RecordFile,
    append_record,
    read_games,
    read_records,
    write_records,
)
from tzaar_envs.records.record import Fault, GameId, GameRecord, MoveData
from tzaar_envs.records.recorder import Recorder

__all__ = [
    "Fault",
    "FileHeader",
    "GameId",
    "GameRecord",
    "MoveData",
    "RecordFile",
    "Recorder",
    "append_record",
    "read_games",
    "read_records",
    "write_records",
]
