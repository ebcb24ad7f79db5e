"""Recorded games to look at: as a page, a film, pictures or text."""

from tzaar_envs.replay.files import read_file, write_replay
from tzaar_envs.replay.page import game_page
from tzaar_envs.replay.played_game import PlayedGame, game_text

__all__ = ["PlayedGame", "game_page", "game_text", "read_file", "write_replay"]
