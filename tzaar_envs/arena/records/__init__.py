"""Records of played games, and files of them."""

from tzaar_envs.arena.records.file import (
    FileHeader,
    RecordFile,
    append_records,
    encode_records,
    games_in,
    read_games,
    read_records,
    write_records,
)
from tzaar_envs.arena.records.record import GameId, GameRecord, MoveData

__all__ = [
    "FileHeader",
    "Forfeit",
    "GameId",
    "GameRecord",
    "MoveData",
    "RecordFile",
    "append_records",
    "encode_records",
    "games_in",
    "read_games",
    "read_records",
    "write_records",
]
